import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { DueParts } from './due-charges.ts'
import type { ProviderOperation } from './faults.ts'
import type { IdGenerator } from './ids.ts'
import type { ListingDelay } from './listing-delay.ts'
import type { Rail } from './rail.ts'
import type { SimulatorStore } from './store.ts'

/** A settled PIX that an account received. */
export type Receipt = {
  accountId: string
  endToEnd: string
  txid: string | null
  cents: number
  at: string
  /** PIX key of the recipient. */
  key: string
  message: string | null
  payerName: string
  payerDocument: string
  payerIspb: string
  /** Time from which look-ups and lists contain it; null: at once. */
  listedAt: string | null
  /** Of a payment of a charge with a due date its parts (`DueParts`), JSON; null of any other. */
  parts: string | null
}

/** The account received a PIX. */
export type PaymentRailEvent = { kind: 'payment'; account: SimulatedAccount; receipt: Receipt }

export type PixPayer = { name: string; document: string; ispb: string }

type IncomingPix = {
  accountId: string
  key: string
  cents: number
  payer: PixPayer
  txid?: string | null
  message?: string | null
  /** Id of a PIX from a simulated account; absent: the payer's bank generates it. */
  endToEnd?: string
  /** True: the PIX is not notified. */
  silent?: boolean
  /** What a payment of a charge with a due date consists of. */
  parts?: DueParts | undefined
}

export type Receipts = {
  receive(incoming: IncomingPix): Receipt
  find(accountId: string, endToEnd: string): Receipt | undefined
  /** Finds a receipt as look-ups do: undefined before its `listedAt`, which the lists below respect too. */
  findListed(accountId: string, endToEnd: string): Receipt | undefined
  listByTxid(accountId: string, txid: string): Receipt[]
  /** Lists the receipts of [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): Receipt[]
}

/** ISPB of the bank behind the payer's page and the control API; no real participant has it. */
export const PAYER_BANK_ISPB = '99999004'

type ReceiptDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  listing: ListingDelay
  ids: IdGenerator
  now: () => Date
  onRailEvent: (event: PaymentRailEvent) => void
}

/** Operations whose listing faults delay the appearance of a received PIX in look-ups and lists. */
const LISTING_OPERATIONS = [
  'issueCharge',
  'findCharge',
  'findPayment',
  'statement',
] as const satisfies ProviderOperation[]

export function simulateReceipts({
  store,
  rail,
  accounts,
  listing: { computeListedAt, isListed, hideUnlisted },
  ids,
  now,
  onRailEvent,
}: ReceiptDependencies): Receipts {
  const find = (accountId: string, endToEnd: string) =>
    store.first<Receipt>('SELECT * FROM receipt WHERE accountId = ? AND endToEnd = ?', accountId, endToEnd)

  return {
    receive: incoming =>
      store.inTransaction(() => {
        const account = accounts.find(incoming.accountId)!
        const listedAt = computeListedAt(account, LISTING_OPERATIONS)
        const receipt = buildReceipt(incoming, { ids, at: now().toISOString(), listedAt })
        store.insert('receipt', receipt)
        rail.credit({
          accountId: receipt.accountId,
          kind: receipt.txid ? 'payment' : 'deposit',
          id: receipt.txid,
          endToEnd: receipt.endToEnd,
          originalEndToEnd: null,
          cents: receipt.cents,
          at: receipt.at,
        })
        if (!incoming.silent) onRailEvent({ kind: 'payment', account, receipt })
        return receipt
      }),
    find,
    findListed: (accountId, endToEnd) => hideUnlisted(find(accountId, endToEnd)),
    listByTxid: (accountId, txid) =>
      store
        .all<Receipt>(
          'SELECT * FROM receipt WHERE accountId = ? AND txid = ? ORDER BY rowid',
          accountId,
          txid,
        )
        .filter(isListed),
    listBetween: (accountId, { from, to }) =>
      store
        .all<Receipt>(
          'SELECT * FROM receipt WHERE accountId = ? AND at BETWEEN ? AND ? ORDER BY at, rowid',
          accountId,
          from,
          to,
        )
        .filter(isListed),
  }
}

function buildReceipt(
  incoming: IncomingPix,
  { ids, at, listedAt }: { ids: IdGenerator; at: string; listedAt: string | null },
): Receipt {
  const { accountId, key, cents, payer, txid = null, message = null } = incoming
  return {
    accountId,
    endToEnd: incoming.endToEnd ?? ids.endToEnd({ ispb: payer.ispb, at }),
    txid,
    cents,
    at,
    key,
    message,
    payerName: payer.name,
    payerDocument: payer.document,
    payerIspb: payer.ispb,
    listedAt,
    parts: incoming.parts ? JSON.stringify(incoming.parts) : null,
  }
}
