import type { Party } from '../../src/domain/pix/party.ts'
import type { PaymentCode } from '../../src/domain/qr-codes/code-payment.ts'
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

/** A dynamic code of a charge at another bank. */
export const PAYMENT_CODE: PaymentCode = {
  payload:
    '00020101021226890014br.gov.bcb.pix2567pix.bancosegundo.com.br/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5914Fornecedora SA6009SAO PAULO62070503***63045B47',
  initiation: 'QR_DYNAMIC',
  txid: 'fc9a4366ff3d4964b5dbc6c91a8722d3',
  isOpen: false,
  receiverDocument: '58900633120711',
}

export const codeDestination = (changes: Partial<PaymentCode> = {}): TransferDestination => ({
  kind: 'code',
  code: { ...PAYMENT_CODE, ...changes },
  pixKey: '7407c9c8-f78b-11ea-adc1-0242ac120002',
  document: null,
})
