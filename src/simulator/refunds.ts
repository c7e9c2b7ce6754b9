import type { SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { Rail } from './rail.ts'
import type { RailEventHandler, ScriptedOutcome } from './rail-events.ts'
import type { Receipt, Receipts } from './receipts.ts'
import type { SimulatedReturns } from './returns.ts'
import type { TaskSchedule } from './schedule.ts'
import type { SimulatorStore } from './store.ts'

/** A devolução of one received PIX. In process its money is held; rejected, it is free again. */
export type SimulatedRefund = {
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
  nature: ReturnNature
}
/** The rail's nature of a return: its sender's own, or the special mechanism's after a fraud. */
export type ReturnNature = 'ORIGINAL' | 'MED_FRAUDE'

export type SimulatedRefundRequest = {
  accountId: string
  endToEnd: string
  id: string
  cents: number
  outcome: ScriptedOutcome
  nature?: ReturnNature
}
export type RefundAcceptance =
  | { kind: 'accepted'; refund: SimulatedRefund }
  | { kind: 'no_such_receipt' }
  | { kind: 'id_taken' }
  | { kind: 'over_the_receipt' }
  | { kind: 'too_late' }

export type SimulatedRefunds = {
  accept(request: SimulatedRefundRequest): RefundAcceptance
  find(which: RefundKey): SimulatedRefund | undefined
  /** Where an id is unique in the whole account. */
  findById(accountId: string, id: string): SimulatedRefund | undefined
  /** Those asked for in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedRefund[]
}
type RefundKey = { accountId: string; endToEnd: string; id: string }

/** Res. BCB 103/2021: a devolução starts within 90 days of the settlement. */
const REFUND_WINDOW_MS = 90 * 86_400_000
const NO_BALANCE_REASON = 'Saldo insuficiente para realizar a devolução.'

type RefundDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  returns: SimulatedReturns
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  scaleWaitMs: WaitScaler
  onRailEvent: RailEventHandler
}

export function simulateRefunds(parts: RefundDependencies): SimulatedRefunds {
  const { store, accounts, receipts, schedule: agenda, ids, now, scaleWaitMs: pace } = parts
  const find = (which: RefundKey) =>
    store.first<SimulatedRefund>(
      'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? AND id = ?',
      which.accountId,
      which.endToEnd,
      which.id,
    )
  agenda.registerHandler('settle_refund', (which: RefundKey) => void finishRefund(parts, find(which)!))

  return {
    find,
    findById: (accountId, id) =>
      store.first<SimulatedRefund>('SELECT * FROM refund WHERE accountId = ? AND id = ?', accountId, id),
    listBetween: (accountId, { from, to }) =>
      store.all<SimulatedRefund>(
        'SELECT * FROM refund WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
        accountId,
        from,
        to,
      ),
    accept: request =>
      store.inTransaction(() => {
        const receipt = receipts.find(request.accountId, request.endToEnd)
        const refusal = findRefundRefusal(request, { receipt, refund: find(request), receipts, now: now() })
        if (refusal) return refusal

        const at = now().toISOString()
        const account = accounts.find(request.accountId)!
        const refund = {
          ...buildRefund(parts, request),
          requestedAt: at,
          returnId: ids.returnId({ ispb: account.ispb, at }),
        }
        store.insert('refund', refund)
        const afterMs =
          request.outcome.kind === 'silent' ? request.outcome.forMs : pace(SIMULATOR_WAITS_MS.settle)
        const { accountId, endToEnd, id } = refund
        agenda.add({ task: 'settle_refund', subject: { accountId, endToEnd, id }, afterMs })
        return { kind: 'accepted', refund }
      }),
  }
}

type RefundFacts = {
  receipt: Receipt | undefined
  refund: SimulatedRefund | undefined
  receipts: Receipts
  now: Date
}

function findRefundRefusal(
  request: SimulatedRefundRequest,
  { receipt, refund, receipts, now }: RefundFacts,
): RefundAcceptance | null {
  if (!receipt) return { kind: 'no_such_receipt' }
  if (refund) return { kind: 'id_taken' }
  if (now.getTime() - Date.parse(receipt.at) > REFUND_WINDOW_MS) return { kind: 'too_late' }
  const asked = receipts.listRefunds(receipt).filter(other => other.status !== 'rejected')
  const sum = asked.reduce((cents, other) => cents + other.cents, request.cents)
  return sum > receipt.cents ? { kind: 'over_the_receipt' } : null
}

/** Without balance it is accepted too, and rejected by notice, as Efí documents. */
function buildRefund(
  { rail }: RefundDependencies,
  request: SimulatedRefundRequest,
): Omit<SimulatedRefund, 'requestedAt' | 'returnId'> {
  const { accountId, endToEnd, id, cents, outcome: fate, nature = 'ORIGINAL' } = request
  const covered = rail.hold(accountId, cents)
  return {
    accountId,
    endToEnd,
    id,
    cents,
    status: 'in_process',
    silent: fate.kind === 'silent' ? 1 : 0,
    fate: covered && fate.kind !== 'rejected' ? 'settled' : 'rejected',
    reason: covered ? (fate.kind === 'rejected' ? fate.code : null) : NO_BALANCE_REASON,
    settledAt: null,
    nature,
  }
}

function finishRefund(
  { store, rail, accounts, receipts, returns, now, onRailEvent: announce }: RefundDependencies,
  refund: SimulatedRefund,
): void {
  const at = now().toISOString()
  const { accountId, endToEnd, cents, returnId, nature } = refund
  // Nobody here asked for a return of the special mechanism: it has no id of ours.
  const id = nature === 'ORIGINAL' ? refund.id : null
  if (refund.fate === 'settled') {
    const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
    rail.debitHeld({ accountId, kind: 'refund', id, ...movement })
    returns.creditReturn({ endToEnd, cents, returnId, nature })
  } else if (refund.reason !== NO_BALANCE_REASON) {
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
    refunds: receipts.listRefunds(receipt),
    changed: { ...refund, status: refund.fate, settledAt: refund.fate === 'settled' ? at : null },
  })
}
