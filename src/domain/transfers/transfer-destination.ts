import type { Party } from '../pix/party.ts'
import type { PaymentCode } from '../qr-codes/code-payment.ts'

/** Where a transfer goes. `document` of a key: the CPF or CNPJ that its owner must have; null where the order names none. */
export type TransferDestination =
  | { kind: 'key'; pixKey: string; document: string | null }
  /** All texts of the account are known but the bank's code and name, which not every institution has. */
  | { kind: 'account'; account: Party }
  /** A PIX code; `pixKey` is the key that it pays, `document` as of a key. */
  | { kind: 'code'; code: PaymentCode; pixKey: string; document: string | null }

/** The columns of a transfer that have its destination. `document`: the receiver's, where the order names one. */
export type DestinationColumns = {
  pixKey: string | null
  bankAccount: Party | null
  paymentCode: PaymentCode | null
  document: string | null
}

/** Converts a destination to the columns of its transfer. */
export function toDestinationColumns(destination: TransferDestination): DestinationColumns {
  switch (destination.kind) {
    case 'key': {
      const { pixKey, document } = destination
      return { pixKey, document, bankAccount: null, paymentCode: null }
    }
    case 'account': {
      const { account } = destination
      return { pixKey: null, document: account.document, bankAccount: account, paymentCode: null }
    }
    case 'code': {
      const { pixKey, document, code } = destination
      return { pixKey, document, bankAccount: null, paymentCode: code }
    }
  }
}

/** Reads the destination of a transfer from its columns; throws where they have none, which the database forbids. */
export function readDestination({
  pixKey,
  bankAccount,
  paymentCode,
  document: namedDocument,
}: {
  [Column in keyof DestinationColumns]?: DestinationColumns[Column] | undefined
}): TransferDestination {
  if (bankAccount) return { kind: 'account', account: bankAccount }
  if (pixKey == null) throw new Error('the transfer has no destination')
  const document = namedDocument ?? null
  return paymentCode
    ? { kind: 'code', code: paymentCode, pixKey, document }
    : { kind: 'key', pixKey, document }
}

/**
 * Identifies the receiver of a destination, for what counts per receiver: its PIX key, or its account without leading zeros,
 * whatever its type. The generated column `transfer.receiver_id` has the same.
 */
export function identifyReceiver(destination: TransferDestination): string {
  if (destination.kind !== 'account') return destination.pixKey
  const { bank, account_agency: agency, account_number: number } = destination.account
  return [bank.ispb, stripZeros(agency), stripZeros(number)].join('/')
}

function stripZeros(digits: string): string {
  return digits.replace(/^0+/, '')
}
