import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { IdGenerator } from './ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { Rail } from './rail.ts'
import type { Receipt, Receipts } from './receipts.ts'
import type { ReturnNature, SimulatedReturns } from './returns.ts'
import type { TaskSchedule } from './schedule.ts'
import type { ScriptedOutcome } from './scripted-outcome.ts'
import type { SimulatorStore } from './store.ts'

/** A devolução of one received PIX. While it is in process its amount is held; a rejection releases it. */
export type SimulatedRefund = {
  accountId: string
  endToEnd: string
  id: string
  returnId: string
  cents: number
  status: 'in_process' | 'settled' | 'rejected'
  /** 1: its outcome is not notified. */
  silent: 0 | 1
  /** Status after the processing. */
  plannedStatus: 'settled' | 'rejected'
  /** Reason of a rejection. */
  reason: string | null
  requestedAt: string
  settledAt: string | null
  nature: ReturnNature
}

/** A refund settled or was rejected: `changed`. `refunds`: all refunds of its PIX. */
export type RefundRailEvent = {
  kind: 'refund'
  account: SimulatedAccount
  receipt: Receipt
  refunds: SimulatedRefund[]
  changed: SimulatedRefund
}

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
  | { kind: 'id_in_use' }
  | { kind: 'over_the_receipt' }
  | { kind: 'too_late' }

export type SimulatedRefunds = {
  accept(request: SimulatedRefundRequest): RefundAcceptance
  /** Stores a return after a dispute that fails at once, because the account has no balance for it; it is not notified. */
  refuse(request: Omit<SimulatedRefundRequest, 'outcome' | 'nature'>): void
  find(key: RefundKey): SimulatedRefund | undefined
  /** Finds a refund by its id alone, for provider APIs whose ids are unique in the account. */
  findById(accountId: string, id: string): SimulatedRefund | undefined
  findByReturnId(accountId: string, returnId: string): SimulatedRefund | undefined
  /** Lists the refunds requested in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedRefund[]
  listByReceipt(receipt: ReceiptKey): SimulatedRefund[]
}
type ReceiptKey = Pick<Receipt, 'accountId' | 'endToEnd'>
type RefundKey = { accountId: string; endToEnd: string; id: string }

/** A devolução must be requested within 90 days of the settlement (Res. BCB 103/2021). */
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
  onRailEvent: (event: RefundRailEvent) => void
}

export function simulateRefunds(dependencies: RefundDependencies): SimulatedRefunds {
  const { store, accounts, receipts, schedule, ids, now, scaleWaitMs } = dependencies
  const find = ({ accountId, endToEnd, id }: RefundKey) =>
    store.first<SimulatedRefund>(
      'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? AND id = ?',
      accountId,
      endToEnd,
      id,
    )
  schedule.registerHandler('settle_refund', (key: RefundKey) => void finishRefund(dependencies, find(key)!))

  return {
    find,
    findById: (accountId, id) =>
      store.first<SimulatedRefund>('SELECT * FROM refund WHERE accountId = ? AND id = ?', accountId, id),
    findByReturnId: (accountId, returnId) =>
      store.first<SimulatedRefund>(
        'SELECT * FROM refund WHERE accountId = ? AND returnId = ?',
        accountId,
        returnId,
      ),
    listBetween: (accountId, { from, to }) =>
      store.all<SimulatedRefund>(
        'SELECT * FROM refund WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
        accountId,
        from,
        to,
      ),
    listByReceipt: receipt => listByReceipt(store, receipt),
    refuse: request => {
      const at = now().toISOString()
      const { ispb } = accounts.find(request.accountId)!
      const refused = {
        status: 'rejected',
        plannedStatus: 'rejected',
        reason: NO_BALANCE_REASON,
        silent: 1,
      } as const
      const times = { requestedAt: at, settledAt: null, returnId: ids.returnId({ ispb, at }) }
      const refund: SimulatedRefund = { ...request, ...refused, ...times, nature: 'MED_FRAUDE' }
      store.insert('refund', refund)
    },
    accept: request =>
      store.inTransaction(() => {
        const receipt = receipts.find(request.accountId, request.endToEnd)
        const refusal = findRefundRefusal(request, { receipt, refund: find(request), store, now: now() })
        if (refusal) return refusal

        const at = now().toISOString()
        const account = accounts.find(request.accountId)!
        const refund = {
          ...buildRefund(dependencies, request),
          requestedAt: at,
          returnId: ids.returnId({ ispb: account.ispb, at }),
        }
        store.insert('refund', refund)
        const afterMs =
          request.outcome.kind === 'silent' ? request.outcome.forMs : scaleWaitMs(SIMULATOR_WAITS_MS.settle)
        const { accountId, endToEnd, id } = refund
        schedule.add({ task: 'settle_refund', input: { accountId, endToEnd, id }, afterMs })
        return { kind: 'accepted', refund }
      }),
  }
}

function listByReceipt(store: SimulatorStore, { accountId, endToEnd }: ReceiptKey): SimulatedRefund[] {
  return store.all<SimulatedRefund>(
    'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? ORDER BY rowid',
    accountId,
    endToEnd,
  )
}

type RefundFacts = {
  receipt: Receipt | undefined
  refund: SimulatedRefund | undefined
  store: SimulatorStore
  now: Date
}

function findRefundRefusal(
  request: SimulatedRefundRequest,
  { receipt, refund, store, now }: RefundFacts,
): RefundAcceptance | null {
  if (!receipt) return { kind: 'no_such_receipt' }
  if (refund) return { kind: 'id_in_use' }
  if (now.getTime() - Date.parse(receipt.at) > REFUND_WINDOW_MS) return { kind: 'too_late' }
  const refundableCents = computeReceiptRefundableCents(receipt, listByReceipt(store, receipt))
  return request.cents > refundableCents ? { kind: 'over_the_receipt' } : null
}

/** Computes the amount of a received PIX that its refunds, except rejected ones, leave refundable. */
export function computeReceiptRefundableCents(receipt: Receipt, refunds: SimulatedRefund[]): number {
  const effective = refunds.filter(({ status }) => status !== 'rejected')
  return effective.reduce((cents, refund) => cents - refund.cents, receipt.cents)
}

/**
 * Builds a refund and holds its amount. Without balance it is accepted and later rejected by notification, as at Efí.
 */
function buildRefund(
  { rail }: RefundDependencies,
  request: SimulatedRefundRequest,
): Omit<SimulatedRefund, 'requestedAt' | 'returnId'> {
  const { accountId, endToEnd, id, cents, outcome, nature = 'ORIGINAL' } = request
  const isCovered = rail.hold(accountId, cents)
  return {
    accountId,
    endToEnd,
    id,
    cents,
    status: 'in_process',
    silent: outcome.kind === 'silent' ? 1 : 0,
    plannedStatus: isCovered && outcome.kind !== 'rejected' ? 'settled' : 'rejected',
    reason: isCovered ? (outcome.kind === 'rejected' ? outcome.code : null) : NO_BALANCE_REASON,
    settledAt: null,
    nature,
  }
}

function finishRefund(
  { store, rail, accounts, receipts, returns, now, onRailEvent }: RefundDependencies,
  refund: SimulatedRefund,
): void {
  const at = now().toISOString()
  const { accountId, endToEnd, cents, returnId, nature } = refund
  // A return after a dispute was not ordered by the account, so its movement has no id of a caller.
  const id = nature === 'ORIGINAL' ? refund.id : null
  if (refund.plannedStatus === 'settled') {
    const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
    rail.debitHeld({ accountId, kind: 'refund', id, ...movement })
    returns.creditReturn({ endToEnd, cents, returnId, nature })
  } else if (refund.reason !== NO_BALANCE_REASON) {
    rail.release(accountId, cents)
  }
  store.run(
    'UPDATE refund SET status = ?, settledAt = ? WHERE accountId = ? AND endToEnd = ? AND id = ?',
    refund.plannedStatus,
    refund.plannedStatus === 'settled' ? at : null,
    accountId,
    endToEnd,
    refund.id,
  )
  if (refund.silent) return
  const receipt = receipts.find(accountId, endToEnd)!
  onRailEvent({
    kind: 'refund',
    account: accounts.find(accountId)!,
    receipt,
    refunds: listByReceipt(store, receipt),
    changed: {
      ...refund,
      status: refund.plannedStatus,
      settledAt: refund.plannedStatus === 'settled' ? at : null,
    },
  })
}
