import type { Party } from '../../src/domain/pix/party.ts'
import type { TransferDestination } from '../../src/domain/transfers/transfer-destination.ts'

/** Destinations of transfers in tests. */

export const keyDestination = (pixKey: string, document: string | null = null): TransferDestination => ({
  kind: 'key',
  pixKey,
  document,
})

/** An account of `Maria Silva` at Nu Pagamentos. */
export const BANK_ACCOUNT: Party = {
  name: 'Maria Silva',
  document: '52998224725',
  account_number: '1234567',
  account_agency: '0001',
  bank: { code: '260', name: 'NU PAGAMENTOS S.A. - INSTITUIÇÃO DE PAGAMENTO', ispb: '18236120' },
  account_type: 'PAYMENT',
}

export const accountDestination = (changes: Partial<Party> = {}): TransferDestination => ({
  kind: 'account',
  account: { ...BANK_ACCOUNT, ...changes },
})
