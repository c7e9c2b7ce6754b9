import type { Account, Accounts } from './accounts.ts'
import type { Announce } from './events.ts'
import type { Faults, Operation } from './faults.ts'
import type { Ids } from './ids.ts'
import { type Pace, WAITS } from './pace.ts'
import type { Rail } from './rail.ts'
import type { Refund } from './refunds.ts'
import type { Store } from './store.ts'

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

export type Payer = { name: string; document: string; ispb: string }

type Arrival = {
  accountId: string
  key: string
  cents: number
  payer: Payer
  txid?: string | null
  message?: string | null
  /** Given where the PIX was sent from a simulated account; else the payer's bank makes it. */
  endToEnd?: string
  /** Nobody is told. */
  silent?: boolean
}

export type Receipts = {
  receive(arrival: Arrival): Receipt
  find(accountId: string, endToEnd: string): Receipt | undefined
  /** The same as its provider's books show it: undefined before `listedAt`, as in the lists below. */
  findListed(accountId: string, endToEnd: string): Receipt | undefined
  ofTxid(accountId: string, txid: string): Receipt[]
  /** Those of [from, to], both ISO 8601 UTC, oldest first. */
  between(accountId: string, range: { from: string; to: string }): Receipt[]
  refundsOf(receipt: Pick<Receipt, 'accountId' | 'endToEnd'>): Refund[]
}

/** The bank of whoever pays by the payer's page or the control API; no participant has this number. */
export const PAYER_BANK_ISPB = '99999004'

type Parts = {
  store: Store
  rail: Rail
  accounts: Accounts
  faults: Faults
  ids: Ids
  now: () => Date
  pace: Pace
  announce: Announce
}

/** A fault of any of these operations keeps a received PIX out of the books for a while. */
const BOOKED_BY = ['issueCharge', 'findCharge', 'findPayment', 'statement'] as const satisfies Operation[]

export function receiptsOf({ store, rail, accounts, faults, ids, now, pace, announce }: Parts): Receipts {
  const listedAt = (account: Account): string | null => {
    const lag = faults.takeForBooks(account, BOOKED_BY)
    if (!lag) return null
    return new Date(now().getTime() + (lag.delayMs ?? pace(WAITS.booksLag))).toISOString()
  }
  const isListed = (receipt: Receipt) => receipt.listedAt === null || receipt.listedAt <= now().toISOString()

  const find = (accountId: string, endToEnd: string) =>
    store.one<Receipt>('SELECT * FROM receipt WHERE accountId = ? AND endToEnd = ?', accountId, endToEnd)

  return {
    receive: arrival =>
      store.atomically(() => {
        const account = accounts.find(arrival.accountId)!
        const receipt = receiptOf(arrival, { ids, at: now().toISOString(), listedAt: listedAt(account) })
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
    ofTxid: (accountId, txid) =>
      store
        .all<Receipt>(
          'SELECT * FROM receipt WHERE accountId = ? AND txid = ? ORDER BY rowid',
          accountId,
          txid,
        )
        .filter(isListed),
    between: (accountId, { from, to }) =>
      store
        .all<Receipt>(
          'SELECT * FROM receipt WHERE accountId = ? AND at BETWEEN ? AND ? ORDER BY at, rowid',
          accountId,
          from,
          to,
        )
        .filter(isListed),
    refundsOf: ({ accountId, endToEnd }) =>
      store.all<Refund>(
        'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? ORDER BY rowid',
        accountId,
        endToEnd,
      ),
  }
}

function receiptOf(arrival: Arrival, made: { ids: Ids; at: string; listedAt: string | null }): Receipt {
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
