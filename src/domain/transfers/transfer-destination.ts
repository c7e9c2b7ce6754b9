import type { Party } from '../pix/party.ts'

/** Where a transfer goes. `document` of a key: the CPF or CNPJ that its owner must have; null where the order names none. */
export type TransferDestination =
  | { kind: 'key'; pixKey: string; document: string | null }
  /** All texts of the account are known but the bank's code and name, which not every institution has. */
  | { kind: 'account'; account: Party }

/** The columns of a transfer that have its destination. `document`: the receiver's, where the order names one. */
export type DestinationColumns = {
  pixKey: string | null
  bankAccount: Party | null
  document: string | null
}

/** Converts a destination to the columns of its transfer. */
export function toDestinationColumns(destination: TransferDestination): DestinationColumns {
  switch (destination.kind) {
    case 'key':
      return { pixKey: destination.pixKey, document: destination.document, bankAccount: null }
    case 'account':
      return { pixKey: null, document: destination.account.document, bankAccount: destination.account }
  }
}

/** Reads the destination of a transfer from its columns; throws where they have none, which the database forbids. */
export function readDestination({
  pixKey,
  bankAccount,
  document,
}: {
  [Column in keyof DestinationColumns]?: DestinationColumns[Column] | undefined
}): TransferDestination {
  if (bankAccount) return { kind: 'account', account: bankAccount }
  if (pixKey == null) throw new Error('the transfer has no destination')
  return { kind: 'key', pixKey, document: document ?? null }
}

/**
 * Identifies the receiver of a destination, for what counts per receiver: its PIX key, or its account without leading zeros,
 * whatever its type. The generated column `transfer.receiver_id` has the same.
 */
export function identifyReceiver(destination: TransferDestination): string {
  if (destination.kind === 'key') return destination.pixKey
  const { bank, account_agency: agency, account_number: number } = destination.account
  return [bank.ispb, stripZeros(agency), stripZeros(number)].join('/')
}

function stripZeros(digits: string): string {
  return digits.replace(/^0+/, '')
}
