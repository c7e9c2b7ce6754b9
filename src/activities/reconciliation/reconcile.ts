import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection, ProviderAccountOpening } from '../../db/entities/connection.ts'
import { Movement } from '../../db/entities/movement.ts'
import type { ProviderNotification } from '../../db/entities/provider-notification.ts'
import {
  listAdjustedReturns,
  removeAbsentAccountEntries,
  storeAccountEntries,
} from '../../db/repositories/account-entries.ts'
import { readLedgerBalance, storeBalanceCheck } from '../../db/repositories/balance-checks.ts'
import { findListingConnection, listProviderAccountUuids } from '../../db/repositories/connections.ts'
import { recordDifferences } from '../../db/repositories/differences.ts'
import { findOpening } from '../../db/repositories/provider-accounts.ts'
import {
  listQuarantinedPeriods,
  type QuarantinedPeriod,
  readDatabaseTime,
  resolveUnexplainedItems,
} from '../../db/repositories/unexplained-answers.ts'
import { referenceOf, uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { StatementEntry } from '../../domain/providers/provider.ts'
import { type AccountEntry, isUndirectedReturn } from '../../domain/reconciliation/account-entry.ts'
import { openingNameOf, relateToOpening } from '../../domain/reconciliation/opening.ts'
import {
  compareStatement,
  isBalanceExplained,
  isEntryOfDifference,
  type RecordedMovement,
  type StatementDifference,
} from '../../domain/reconciliation/statement-comparison.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { notifyOfListedChange } from '../../provider-notifications/route-notification.ts'
import type { ReconcileInput, ReconcileResult } from '../../workflows/contracts/maintenance.ts'
import { repairDisputes } from '../disputes/reconcile.ts'
import { raceCancellation, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { postAccountEntries } from './account-entries.ts'
import { recordListedPayoutIds, settleListedPayouts } from './listed-payouts.ts'
import { compareMissedPeriods } from './missed-periods.ts'
import { postPanelPix } from './panel-pix.ts'

/** Age at which an entry is compared: the notification of a younger one may still arrive. */
const SETTLING_MS = 2 * 60_000

/**
 * Time after its opening in which a dispute may still change: its returns are made within 90 days of the disputed PIX
 * (Res. BCB 103/2021, art. 41-A), and one day is added for clocks. Where rows were lost, all of them are found again.
 */
const DISPUTE_LISTING_PERIOD_MS = 91 * 24 * 60 * 60_000

/** Lists every provider account with a configured connection, active or not: all its money is in the ledger. */
export function listProviderAccounts({ orm }: ActivityDependencies) {
  return (): Promise<string[]> => listProviderAccountUuids(orm.em.fork())
}

/**
 * Compares a provider's statement with our movements (SPEC §6). An entry without a movement is stored as a provider
 * notification and routed to its workflow. Remaining differences are stored for the operator until they are gone.
 * Periods that no run could compare, and those with unreadable items, are listed again. Where the provider lists no
 * statement, only the balances are compared.
 */
export function reconcile(dependencies: ActivityDependencies) {
  return async (order: ReconcileInput): Promise<ReconcileResult> => {
    const em = dependencies.orm.em.fork()
    const { providerAccountUuid } = order
    // A run lists all accounts at its start: the last connection of this one may have been unconfigured since.
    if ((await findListingConnection(em, providerAccountUuid)) === undefined)
      return { providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: 'not_configured' }
    const lastSeenBefore = await readDatabaseTime(em)
    const result = await comparePeriod(dependencies, order)
    if (result.noAnswer !== undefined) return { ...result, ...(await compareBalances(dependencies, result)) }
    result.repaired += await compareMissedPeriods(dependencies, em, {
      order,
      settlingMs: SETTLING_MS,
      compare: period => comparePeriod(dependencies, period),
    })
    const quarantine = { providerAccountUuid, lastSeenBefore }
    await relistQuarantinedPeriods(em, { ...quarantine, operation: 'statement' }, async ({ from, to }) => {
      // What was in process at its end has settled since.
      const endMs = Math.min(Date.now(), Date.parse(to) + 2 * SETTLING_MS)
      const period = { providerAccountUuid, from, to: new Date(endMs).toISOString() }
      const { repaired, noAnswer } = await comparePeriod(dependencies, period)
      result.repaired += repaired
      return noAnswer === undefined
    })
    await relistQuarantinedPeriods(em, { ...quarantine, operation: 'listDisputes' }, async period => {
      const client = await loadProviderConnection(dependencies, em, period.connectionUuid)
      const disputes = await repairDisputes(dependencies, em, {
        ...client,
        ...period,
        isReroutingKnown: true,
      })
      result.repaired += disputes.repaired
      return disputes.noAnswer === undefined
    })
    return { ...result, ...(await postFromStatement(dependencies, result)) }
  }
}

async function comparePeriod(
  dependencies: ActivityDependencies,
  order: ReconcileInput,
): Promise<ReconcileResult> {
  const em = dependencies.orm.em.fork()
  const { providerAccountUuid } = order
  const { connection, provider } = await loadListingConnection(dependencies, em, providerAccountUuid)
  const statement = await raceCancellation(provider.statement(order.from, order.to))
  if (statement.kind === 'no_answer')
    return { providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: statement.code }
  const settledBefore = Date.parse(order.to) - scaleWait(SETTLING_MS, dependencies.timeScale)
  const opening = await findOpening(em, providerAccountUuid)
  const isCompared = isCreditedAndSettled(connection, opening, settledBefore)
  const accountEntries = (statement.accountEntries ?? []).filter(isCompared)
  const providerEntries = await leaveOutAdjustedReturns(em, {
    providerAccountUuid,
    entries: statement.entries.filter(isCompared),
  })
  const period = {
    providerAccountUuid,
    settledAfter: Date.parse(order.from) + SETTLING_MS,
    settledBefore,
    providerEntries,
  }
  const undirectedReturns = new Set(accountEntries.filter(isUndirectedReturn).map(({ id }) => id))
  const compare = async () => {
    const movements = await findComparableMovements(dependencies.orm.em.fork(), period)
    const directedMovements = movements.filter(({ endToEnd }) => !undirectedReturns.has(endToEnd))
    return compareStatement(providerEntries, directedMovements)
  }
  let comparison = await compare()
  const listEntries = (...kinds: StatementDifference['kind'][]) =>
    comparison.differences.flatMap(({ kind, entry }) => (kinds.includes(kind) && entry ? entry : []))
  // Ids of payouts that settled without one, and payouts that we have called failed and whose money has left.
  const missing = { providerAccountUuid, entries: listEntries('missing_here') }
  const unsettled = { providerAccountUuid, entries: listEntries('missing_here', 'status_differs') }
  const identifiedCount = await recordListedPayoutIds(dependencies, missing)
  const settledCount = await settleListedPayouts(dependencies, unsettled)
  if (identifiedCount + settledCount > 0) comparison = await compare()
  const { matched } = comparison
  // A statement also loads older movements by what its entries return; only those of its period can be missing there.
  const isExpectedThere = ({ direction, ours }: StatementDifference) =>
    isInPeriod(period, ours?.settledAt) &&
    !(statement.leavesOutTransfers && direction === 'OUT' && ours?.returnOf === undefined)
  const differences = comparison.differences.filter(
    difference => difference.kind !== 'missing_there' || isExpectedThere(difference),
  )
  const disputes = await repairDisputes(dependencies, em, {
    connection,
    provider,
    to: order.to,
    isReroutingKnown: true,
    from: new Date(Date.parse(order.to) - DISPUTE_LISTING_PERIOD_MS).toISOString(),
  })
  let repaired = disputes.repaired + settledCount
  const remaining: StatementDifference[] = []
  for (const difference of differences) {
    throwIfCancelled()
    if (await repairDifference(dependencies, em, connection, difference)) repaired += 1
    else remaining.push(difference)
  }
  await recordDifferences(em, {
    providerAccountUuid,
    remaining,
    covers: difference => coversDifference(period, difference),
  })
  await removeAbsentAccountEntries(em, { ...period, listed: accountEntries })
  await storeAccountEntries(em, providerAccountUuid, accountEntries)
  const result = { providerAccountUuid, matched, repaired, differences: remaining.length }
  return disputes.noAnswer === undefined ? result : { ...result, disputesNoAnswer: disputes.noAnswer }
}

/** Leaves out the returns that operators booked by adjustments while the statement did not say their direction. */
async function leaveOutAdjustedReturns(
  em: EntityManager,
  { providerAccountUuid, entries }: { providerAccountUuid: string; entries: StatementEntry[] },
): Promise<StatementEntry[]> {
  const returns = entries.filter(({ returnOf, endToEnd }) => returnOf !== undefined && endToEnd !== '')
  if (returns.length === 0) return entries
  const endToEndIds = returns.map(({ endToEnd }) => endToEnd)
  const adjustedIds = await listAdjustedReturns(em, { providerAccountUuid, endToEndIds })
  return entries.filter(({ endToEnd }) => !adjustedIds.includes(endToEnd))
}

async function loadListingConnection(
  dependencies: ActivityDependencies,
  em: EntityManager,
  providerAccountUuid: string,
) {
  const connectionUuid = await findListingConnection(em, providerAccountUuid)
  if (connectionUuid === undefined) throw new Error('the provider account has no configured connection')
  return loadProviderConnection(dependencies, em, connectionUuid)
}

/** Posts what moved at the provider without an order of ours, then compares the provider's balance with the ledger. */
async function postFromStatement(
  dependencies: ActivityDependencies,
  { providerAccountUuid, differences }: ReconcileResult,
): Promise<Pick<ReconcileResult, 'differences' | 'booked' | 'unexplainedEntryCount' | 'balance'>> {
  const pix = await postPanelPix(dependencies, providerAccountUuid)
  const entries = await postAccountEntries(dependencies, providerAccountUuid)
  return {
    differences: Math.max(0, differences - pix.booked),
    booked: pix.booked + entries.booked,
    unexplainedEntryCount: entries.remaining,
    ...(await compareBalances(dependencies, { providerAccountUuid })),
  }
}

/** Number of comparisons: money that moves between the two reads looks like a difference. */
const MAX_COMPARISONS = 3

/** Compares a provider's balance with the ledger and stores the result; none if the provider does not answer. */
async function compareBalances(
  dependencies: ActivityDependencies,
  { providerAccountUuid }: Pick<ReconcileResult, 'providerAccountUuid'>,
): Promise<Pick<ReconcileResult, 'balance'>> {
  const em = dependencies.orm.em.fork()
  const { provider } = await loadListingConnection(dependencies, em, providerAccountUuid)
  for (let comparison = 1; ; comparison += 1) {
    const answer = await raceCancellation(provider.balances())
    if (answer.kind === 'no_answer') return {}
    const { availableCents, blockedCents } = answer.balance
    const ledger = await readLedgerBalance(em, providerAccountUuid)
    const balance = { providerCents: availableCents + blockedCents, ...ledger }
    if (comparison < MAX_COMPARISONS && !isBalanceExplained(balance)) continue
    await storeBalanceCheck(em, { providerAccountUuid, ...balance })
    return { balance }
  }
}

/** Returns the filter of compared entries: old enough to have settled, and not certainly part of the opening balance. */
function isCreditedAndSettled(
  { creditedSince }: Connection,
  opening: ProviderAccountOpening | null,
  settledBefore: number,
) {
  return (entry: StatementEntry | AccountEntry) => {
    const movedAt = Date.parse(entry.at)
    if (movedAt > settledBefore) return false
    if (opening) return relateToOpening(opening, { name: openingNameOf(entry), at: entry.at }) !== 'included'
    return !creditedSince || movedAt >= creditedSince.getTime()
  }
}

/** Tells whether a comparison covers a difference: by the time of its movement, or because the statement names it. */
function coversDifference(period: ComparisonPeriod, difference: StatementDifference): boolean {
  return (
    isInPeriod(period, difference.entry?.at ?? difference.ours?.settledAt) ||
    period.providerEntries.some(entry => isEntryOfDifference(entry, difference))
  )
}

function isInPeriod({ settledAfter, settledBefore }: ComparisonPeriod, at: string | null | undefined) {
  const movedAt = Date.parse(at ?? '')
  return movedAt >= settledAfter && movedAt <= settledBefore
}

/**
 * Repairs a difference by a provider notification, stored once and routed to its workflow. Returns false where no
 * workflow owns it, or where it was routed before and still differs: then it is shown to the operator and routed again,
 * because the workflow may have polled before the provider's look-ups had it.
 */
async function repairDifference(
  { temporal }: ActivityDependencies,
  em: EntityManager,
  { uuid: connectionUuid }: Connection,
  difference: StatementDifference,
): Promise<boolean> {
  const { kind, entry } = difference
  if (!entry || (kind !== 'missing_here' && kind !== 'status_differs')) return false
  const outcome = await notifyOfListedChange(temporal, em, {
    connectionUuid,
    kind: getNotificationKind(entry),
    reference: entry.reference,
    endToEnd: entry.returnOf ?? entry.endToEnd,
    facts: entry,
    isReroutingKnown: true,
  })
  return outcome !== undefined && outcome !== 'foreign'
}

/** Returns the kind of notification of an entry. A return is routed by the PIX that it returns. */
function getNotificationKind({ direction, returnOf }: StatementEntry): ProviderNotification['kind'] {
  if (returnOf !== undefined) return direction === 'OUT' ? 'refund' : 'transfer'
  return direction === 'IN' ? 'payment' : 'transfer'
}

/** Number of periods of one list that a run lists again, the longest waiting first. */
const MAX_PERIODS_PER_RUN = 10

type QuarantinedList = {
  /** The port's name of the list. */
  operation: 'statement' | 'listDisputes'
  providerAccountUuid: string
  /** Time of PostgreSQL's clock: items that were left out since then are not listed again by this run. */
  lastSeenBefore: string
}

/**
 * Lists again the periods in which unreadable items were left out, and resolves the items that are readable now. `list`
 * processes a period like any other and returns whether the provider listed it.
 */
async function relistQuarantinedPeriods(
  em: EntityManager,
  quarantine: QuarantinedList,
  list: (period: QuarantinedPeriod) => Promise<boolean>,
): Promise<void> {
  const { operation } = quarantine
  for (const period of await listQuarantinedPeriods(em, { ...quarantine, limit: MAX_PERIODS_PER_RUN })) {
    throwIfCancelled()
    const listedAt = await readDatabaseTime(em)
    if (await list(period)) await resolveUnexplainedItems(em, { operation, period, listedAt })
  }
}

type ComparisonPeriod = {
  providerAccountUuid: string
  settledAfter: number
  settledBefore: number
  providerEntries: StatementEntry[]
}

/** Finds the PIX movements to compare with a statement: those in the period, and those that it names at any time. */
async function findComparableMovements(
  em: EntityManager,
  period: ComparisonPeriod,
): Promise<RecordedMovement[]> {
  const { providerAccountUuid, settledAfter, settledBefore, providerEntries } = period
  const returns = providerEntries.filter(entry => entry.returnOf !== undefined)
  const movements = await em.find(Movement, {
    providerAccountUuid,
    $or: [
      // Both directions by their names: the index of the ids begins with them.
      {
        movementType: { $in: ['IN', 'OUT'] },
        endToEnd: { $in: providerEntries.map(entry => entry.endToEnd).filter(Boolean) },
      },
      { returnOf: { $in: returns.map(entry => entry.returnOf!) } },
      { refundUuid: { $in: returns.flatMap(({ reference }) => uuidFromReference(reference ?? '') ?? []) } },
      {
        settledAt: { $gte: new Date(settledAfter), $lte: new Date(settledBefore) },
        $or: [{ endToEnd: { $ne: null } }, { type: 'EXTERNAL_REFUND' }],
      },
    ],
  })
  const originals = await findOriginalEndToEndIds(em, movements)
  return movements.map(movement => ({
    endToEnd: movement.endToEnd ?? '',
    direction: movement.movementType,
    cents: movement.valueCents,
    settledAt: movement.settledAt?.toISOString() ?? null,
    status: movement.status,
    ...toReturnName(movement, originals),
  }))
}

type OriginalEndToEndIds = Map<string, string | null | undefined>

async function findOriginalEndToEndIds(
  em: EntityManager,
  movements: Movement[],
): Promise<OriginalEndToEndIds> {
  const uuids = movements.flatMap(one => (isOrderedReturn(one) ? one.originalUuid! : []))
  if (uuids.length === 0) return new Map()
  const originals = await em.find(Movement, { uuid: { $in: uuids } })
  return new Map(originals.map(one => [one.uuid, one.endToEnd]))
}

/** Tells whether we ordered a return: its id at the provider is then ours. */
function isOrderedReturn({ type, movementType, originalUuid, disputeUuid }: Movement): boolean {
  return type === 'EXTERNAL_REFUND' && movementType === 'OUT' && originalUuid != null && disputeUuid == null
}

function toReturnName(
  movement: Movement,
  originals: OriginalEndToEndIds,
): Pick<RecordedMovement, 'returnOf' | 'returnId'> {
  const { returnOf, returnId, originalUuid, refundUuid } = movement
  if (returnOf && returnId) return { returnOf, returnId }
  const original = isOrderedReturn(movement) ? originals.get(originalUuid!) : null
  return original ? { returnOf: original, returnId: referenceOf(refundUuid ?? originalUuid!) } : {}
}
