import type { Accounts } from './accounts.ts'
import type { Agenda } from './agenda.ts'
import type { Announce, Fate } from './events.ts'
import type { Ids } from './ids.ts'
import { type Pace, WAITS } from './pace.ts'
import type { Rail } from './rail.ts'
import type { Receipt, Receipts } from './receipts.ts'
import type { Returns } from './returns.ts'
import type { Store } from './store.ts'

/** A devolução of one received PIX. In process its money is held; rejected, it is free again. */
export type Refund = {
  accountId: string
  endToEnd: string
  id: string
  returnId: string
  cents: number
  status: 'in_process' | 'settled' | 'rejected'
  /** Settles without a notice. */
  silent: 0 | 1
  /** What it will come to. */
  fate: 'settled' | 'rejected'
  reason: string | null
  requestedAt: string
  settledAt: string | null
  nature: Nature
}
/** The rail's nature of a return: its sender's own, or the special mechanism's after a fraud. */
export type Nature = 'ORIGINAL' | 'MED_FRAUDE'

export type RefundRequest = {
  accountId: string
  endToEnd: string
  id: string
  cents: number
  fate: Fate
  nature?: Nature
}
export type RefundAcceptance =
  | { kind: 'accepted'; refund: Refund }
  | { kind: 'no_such_receipt' }
  | { kind: 'id_taken' }
  | { kind: 'over_the_receipt' }
  | { kind: 'too_late' }

export type Refunds = {
  accept(request: RefundRequest): RefundAcceptance
  find(which: RefundName): Refund | undefined
  /** Where an id is unique in the whole account. */
  ofId(accountId: string, id: string): Refund | undefined
  /** Those asked for in [from, to], both ISO 8601 UTC, oldest first. */
  between(accountId: string, range: { from: string; to: string }): Refund[]
}
type RefundName = { accountId: string; endToEnd: string; id: string }

/** Res. BCB 103/2021: a devolução starts within 90 days of the settlement. */
const WINDOW_MS = 90 * 86_400_000
const NO_BALANCE = 'Saldo insuficiente para realizar a devolução.'

type Parts = {
  store: Store
  rail: Rail
  accounts: Accounts
  receipts: Receipts
  returns: Returns
  agenda: Agenda
  ids: Ids
  now: () => Date
  pace: Pace
  announce: Announce
}

export function refundsOf(parts: Parts): Refunds {
  const { store, accounts, receipts, agenda, ids, now, pace } = parts
  const find = (which: RefundName) =>
    store.one<Refund>(
      'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? AND id = ?',
      which.accountId,
      which.endToEnd,
      which.id,
    )
  agenda.does('settle_refund', (which: RefundName) => void finish(parts, find(which)!))

  return {
    find,
    ofId: (accountId, id) =>
      store.one<Refund>('SELECT * FROM refund WHERE accountId = ? AND id = ?', accountId, id),
    between: (accountId, { from, to }) =>
      store.all<Refund>(
        'SELECT * FROM refund WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
        accountId,
        from,
        to,
      ),
    accept: request =>
      store.atomically(() => {
        const receipt = receipts.find(request.accountId, request.endToEnd)
        const refusal = refusalOf(request, { receipt, refund: find(request), receipts, now: now() })
        if (refusal) return refusal

        const at = now().toISOString()
        const account = accounts.find(request.accountId)!
        const refund = {
          ...begun(parts, request),
          requestedAt: at,
          returnId: ids.returnId({ ispb: account.ispb, at }),
        }
        store.insert('refund', refund)
        const afterMs = request.fate.kind === 'silent' ? request.fate.forMs : pace(WAITS.settle)
        const { accountId, endToEnd, id } = refund
        agenda.add({ task: 'settle_refund', subject: { accountId, endToEnd, id }, afterMs })
        return { kind: 'accepted', refund }
      }),
  }
}

type Found = { receipt: Receipt | undefined; refund: Refund | undefined; receipts: Receipts; now: Date }

function refusalOf(
  request: RefundRequest,
  { receipt, refund, receipts, now }: Found,
): RefundAcceptance | null {
  if (!receipt) return { kind: 'no_such_receipt' }
  if (refund) return { kind: 'id_taken' }
  if (now.getTime() - Date.parse(receipt.at) > WINDOW_MS) return { kind: 'too_late' }
  const asked = receipts.refundsOf(receipt).filter(other => other.status !== 'rejected')
  const sum = asked.reduce((cents, other) => cents + other.cents, request.cents)
  return sum > receipt.cents ? { kind: 'over_the_receipt' } : null
}

/** Without balance it is accepted too, and rejected by notice, as Efí documents. */
function begun({ rail }: Parts, request: RefundRequest): Omit<Refund, 'requestedAt' | 'returnId'> {
  const { accountId, endToEnd, id, cents, fate, nature = 'ORIGINAL' } = request
  const covered = rail.hold(accountId, cents)
  return {
    accountId,
    endToEnd,
    id,
    cents,
    status: 'in_process',
    silent: fate.kind === 'silent' ? 1 : 0,
    fate: covered && fate.kind !== 'rejected' ? 'settled' : 'rejected',
    reason: covered ? (fate.kind === 'rejected' ? fate.code : null) : NO_BALANCE,
    settledAt: null,
    nature,
  }
}

function finish({ store, rail, accounts, receipts, returns, now, announce }: Parts, refund: Refund): void {
  const at = now().toISOString()
  const { accountId, endToEnd, cents, returnId, nature } = refund
  // Nobody here asked for a return of the special mechanism: it has no id of ours.
  const id = nature === 'ORIGINAL' ? refund.id : null
  if (refund.fate === 'settled') {
    const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
    rail.debitHeld({ accountId, kind: 'refund', id, ...movement })
    returns.take({ endToEnd, cents, returnId, nature })
  } else if (refund.reason !== NO_BALANCE) {
    rail.release(accountId, cents)
  }
  store.run(
    'UPDATE refund SET status = ?, settledAt = ? WHERE accountId = ? AND endToEnd = ? AND id = ?',
    refund.fate,
    refund.fate === 'settled' ? at : null,
    accountId,
    endToEnd,
    refund.id,
  )
  if (refund.silent) return
  const receipt = receipts.find(accountId, endToEnd)!
  announce({
    kind: 'refund',
    account: accounts.find(accountId)!,
    receipt,
    refunds: receipts.refundsOf(receipt),
    changed: { ...refund, status: refund.fate, settledAt: refund.fate === 'settled' ? at : null },
  })
}
