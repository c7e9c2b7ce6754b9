import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { ProviderOperation } from './faults.ts'
import type { IdGenerator } from './ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { ListingDelay } from './listing-delay.ts'
import type { Rail } from './rail.ts'
import type { Receipt, Receipts } from './receipts.ts'
import type { DisputeReturnNature, ReturnNature, SimulatedReturns } from './returns.ts'
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
  /** Time from which look-ups and lists contain it; null: at once. */
  listedAt: string | null
  /** Text for the payer. */
  description: string | null
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
  description?: string | undefined
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
  refuse(
    request: Omit<SimulatedRefundRequest, 'outcome' | 'nature' | 'description'> & {
      nature: DisputeReturnNature
    },
  ): void
  find(key: RefundKey): SimulatedRefund | undefined
  /** Finds a refund by its id alone, for provider APIs whose ids are unique in the account. */
  findById(accountId: string, id: string): SimulatedRefund | undefined
  findByReturnId(accountId: string, returnId: string): SimulatedRefund | undefined
  /** Lists the refunds requested in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedRefund[]
  listByReceipt(receipt: ReceiptKey): SimulatedRefund[]
  /** Find and list as look-ups do, without refunds before their `listedAt`, which `listBetween` leaves out too. */
  findListed(key: RefundKey): SimulatedRefund | undefined
  findListedById(accountId: string, id: string): SimulatedRefund | undefined
  listListedByReceipt(receipt: ReceiptKey): SimulatedRefund[]
}
type ReceiptKey = Pick<Receipt, 'accountId' | 'endToEnd'>
type RefundKey = { accountId: string; endToEnd: string; id: string }

/** A devolução must be requested within 90 days of the settlement (Res. BCB 103/2021). */
const REFUND_WINDOW_MS = 90 * 86_400_000
/** Why a refund that the balance did not cover was rejected: its money was never held. */
export const NO_BALANCE_REASON = 'Saldo insuficiente para realizar a devolução.'

type RefundDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  returns: SimulatedReturns
  listing: ListingDelay
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  scaleWaitMs: WaitScaler
  onRailEvent: (event: RefundRailEvent) => void
}

/** Operations whose listing faults delay the appearance of a refund in look-ups and lists. */
const LISTING_OPERATIONS = ['refund', 'findRefund', 'statement'] as const satisfies ProviderOperation[]

/** `doneAfterMs`: the refund is rejected first, and is carried out all the same so long after. */
type SettleRefundInput = RefundKey & { doneAfterMs?: number }

export function simulateRefunds(dependencies: RefundDependencies): SimulatedRefunds {
  const { store, accounts, receipts, listing, schedule, ids, now, scaleWaitMs } = dependencies
  const find = ({ accountId, endToEnd, id }: RefundKey) =>
    store.first<SimulatedRefund>(
      'SELECT * FROM refund WHERE accountId = ? AND endToEnd = ? AND id = ?',
      accountId,
      endToEnd,
      id,
    )
  const findById = (accountId: string, id: string) =>
    store.first<SimulatedRefund>('SELECT * FROM refund WHERE accountId = ? AND id = ?', accountId, id)
  schedule.registerHandler('settle_refund', ({ doneAfterMs, ...key }: SettleRefundInput) => {
    finishRefund(dependencies, find(key)!)
    if (doneAfterMs !== undefined)
      schedule.add({ task: 'carry_out_rejected_refund', input: key, afterMs: doneAfterMs })
    return undefined
  })
  schedule.registerHandler(
    'carry_out_rejected_refund',
    (key: RefundKey) => void carryOutRejectedRefund(dependencies, find(key)!),
  )

  return {
    find,
    findById,
    findByReturnId: (accountId, returnId) =>
      store.first<SimulatedRefund>(
        'SELECT * FROM refund WHERE accountId = ? AND returnId = ?',
        accountId,
        returnId,
      ),
    listBetween: (accountId, { from, to }) =>
      store
        .all<SimulatedRefund>(
          'SELECT * FROM refund WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
          accountId,
          from,
          to,
        )
        .filter(listing.isListed),
    listByReceipt: receipt => listByReceipt(store, receipt),
    findListed: key => listing.hideUnlisted(find(key)),
    findListedById: (accountId, id) => listing.hideUnlisted(findById(accountId, id)),
    listListedByReceipt: receipt => listByReceipt(store, receipt).filter(listing.isListed),
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
      const refund: SimulatedRefund = {
        ...request,
        ...refused,
        ...times,
        listedAt: null,
        description: null,
      }
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
          listedAt: listing.computeListedAt(account, LISTING_OPERATIONS),
        }
        store.insert('refund', refund)
        const { outcome } = request
        const afterMs = outcome.kind === 'silent' ? outcome.forMs : scaleWaitMs(SIMULATOR_WAITS_MS.settle)
        const { accountId, endToEnd, id } = refund
        const input: SettleRefundInput = {
          accountId,
          endToEnd,
          id,
          ...(outcome.kind === 'rejected_then_done' && { doneAfterMs: outcome.afterMs }),
        }
        schedule.add({ task: 'settle_refund', input, afterMs })
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
): Omit<SimulatedRefund, 'requestedAt' | 'returnId' | 'listedAt'> {
  const { accountId, endToEnd, id, cents, outcome, nature = 'ORIGINAL', description = null } = request
  const isCovered = rail.hold(accountId, cents)
  const rejection = outcome.kind === 'rejected' || outcome.kind === 'rejected_then_done' ? outcome : null
  return {
    accountId,
    endToEnd,
    id,
    cents,
    status: 'in_process',
    silent: outcome.kind === 'silent' ? 1 : 0,
    plannedStatus: isCovered && rejection === null ? 'settled' : 'rejected',
    reason: isCovered ? (rejection?.code ?? null) : NO_BALANCE_REASON,
    settledAt: null,
    nature,
    description,
  }
}

function finishRefund(dependencies: RefundDependencies, refund: SimulatedRefund): void {
  const { store, rail, accounts, receipts, onRailEvent } = dependencies
  const { accountId, endToEnd, cents } = refund
  if (refund.plannedStatus === 'settled') {
    settleHeldRefund(dependencies, refund)
  } else {
    if (refund.reason !== NO_BALANCE_REASON) rail.release(accountId, cents)
    recordRefundStatus(store, refund, { status: 'rejected', settledAt: null })
  }
  if (refund.silent) return
  const refunds = listByReceipt(store, refund)
  onRailEvent({
    kind: 'refund',
    account: accounts.find(accountId)!,
    receipt: receipts.find(accountId, endToEnd)!,
    refunds,
    changed: refunds.find(({ id }) => id === refund.id)!,
  })
}

/** Debits the held amount of a refund, and credits it where the payer is a simulated account. */
function settleHeldRefund(
  { store, rail, returns, now }: RefundDependencies,
  refund: Omit<SimulatedRefund, 'status'>,
): void {
  const at = now().toISOString()
  const { accountId, endToEnd, cents, returnId, nature } = refund
  // A return after a dispute was not ordered by the account, so its movement has no id of a caller.
  const id = nature === 'ORIGINAL' ? refund.id : null
  const movement = { endToEnd: returnId, originalEndToEnd: endToEnd, cents, at }
  rail.debitHeld({ accountId, kind: 'refund', id, ...movement })
  returns.creditReturn({ endToEnd, cents, returnId, nature })
  recordRefundStatus(store, refund, { status: 'settled', settledAt: at })
}

/** Carries out a refund that was rejected, without a notification, if PIX and balance still cover it. */
function carryOutRejectedRefund(dependencies: RefundDependencies, refund: SimulatedRefund): void {
  const { store, rail, receipts } = dependencies
  const { accountId, endToEnd, cents } = refund
  const receipt = receipts.find(accountId, endToEnd)!
  if (cents > computeReceiptRefundableCents(receipt, listByReceipt(store, refund))) return
  if (rail.hold(accountId, cents)) settleHeldRefund(dependencies, refund)
}

function recordRefundStatus(
  store: SimulatorStore,
  { accountId, endToEnd, id }: RefundKey,
  { status, settledAt }: Pick<SimulatedRefund, 'status' | 'settledAt'>,
): void {
  store.run(
    'UPDATE refund SET status = ?, settledAt = ? WHERE accountId = ? AND endToEnd = ? AND id = ?',
    status,
    settledAt,
    accountId,
    endToEnd,
    id,
  )
}
