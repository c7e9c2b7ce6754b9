import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { Faults, ProviderOperation } from './faults.ts'
import type { IdGenerator } from './ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { Rail } from './rail.ts'
import type { RailEventHandler } from './rail-events.ts'
import type { SimulatedRefund } from './refunds.ts'
import type { SimulatorStore } from './store.ts'

/** A PIX an account received, settled. */
export type Receipt = {
  accountId: string
  endToEnd: string
  txid: string | null
  cents: number
  at: string
  /** The key it was paid to. */
  key: string
  message: string | null
  payerName: string
  payerDocument: string
  payerIspb: string
  /** From when on it is in its provider's look-ups and lists; null: at once. */
  listedAt: string | null
}

export type PixPayer = { name: string; document: string; ispb: string }

type IncomingPix = {
  accountId: string
  key: string
  cents: number
  payer: PixPayer
  txid?: string | null
  message?: string | null
  /** Given where the PIX was sent from a simulated account; else the payer's bank makes it. */
  endToEnd?: string
  /** Nobody is told. */
  silent?: boolean
}

export type Receipts = {
  receive(arrival: IncomingPix): Receipt
  find(accountId: string, endToEnd: string): Receipt | undefined
  /** The same as its provider's books show it: undefined before `listedAt`, as in the lists below. */
  findListed(accountId: string, endToEnd: string): Receipt | undefined
  listByTxid(accountId: string, txid: string): Receipt[]
  /** Those of [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): Receipt[]
  listRefunds(receipt: Pick<Receipt, 'accountId' | 'endToEnd'>): SimulatedRefund[]
}

/** The bank of whoever pays by the payer's page or the control API; no participant has this number. */
export const PAYER_BANK_ISPB = '99999004'

type ReceiptDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  faults: Faults
  ids: IdGenerator
  now: () => Date
  scaleWaitMs: WaitScaler
  onRailEvent: RailEventHandler
}

/** A fault of any of these operations keeps a received PIX out of the books for a while. */
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
  faults,
  ids,
  now,
  scaleWaitMs: pace,
  onRailEvent: announce,
}: ReceiptDependencies): Receipts {
  const listedAt = (account: SimulatedAccount): string | null => {
    const lag = faults.consumeForListing(account, LISTING_OPERATIONS)
    if (!lag) return null
    return new Date(now().getTime() + (lag.delayMs ?? pace(SIMULATOR_WAITS_MS.listingDelay))).toISOString()
  }
  const isListed = (receipt: Receipt) => receipt.listedAt === null || receipt.listedAt <= now().toISOString()

  const find = (accountId: string, endToEnd: string) =>
    store.first<Receipt>('SELECT * FROM receipt WHERE accountId = ? AND endToEnd = ?', accountId, endToEnd)

  return {
    receive: arrival =>
      store.inTransaction(() => {
        const account = accounts.find(arrival.accountId)!
        const receipt = buildReceipt(arrival, { ids, at: now().toISOString(), listedAt: listedAt(account) })
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
        if (!arrival.silent) announce({ kind: 'payment', account, receipt, refunds: [] })
        return receipt
      }),
    find,
    findListed: (accountId, endToEnd) => {
      const receipt = find(accountId, endToEnd)
      return receipt && isListed(receipt) ? receipt : undefined
    },
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
    listRefunds: ({ accountId, endToEnd }) =>
      store.all<SimulatedRefund>(
        'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? ORDER BY rowid',
        accountId,
        endToEnd,
      ),
  }
}

function buildReceipt(
  arrival: IncomingPix,
  made: { ids: IdGenerator; at: string; listedAt: string | null },
): Receipt {
  const { accountId, key, cents, payer, txid = null, message = null } = arrival
  return {
    accountId,
    endToEnd: arrival.endToEnd ?? made.ids.endToEnd({ ispb: payer.ispb, at: made.at }),
    txid,
    cents,
    at: made.at,
    key,
    message,
    payerName: payer.name,
    payerDocument: payer.document,
    payerIspb: payer.ispb,
    listedAt: made.listedAt,
  }
}
