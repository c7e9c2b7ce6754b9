import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { ProviderNotification } from '../../db/entities/notice.ts'
import { storeAccountEntries } from '../../db/repositories/account-entries.ts'
import { IS_CONFIGURED } from '../../db/repositories/connections.ts'
import { readDatabaseTime } from '../../db/repositories/unexplained-answers.ts'
import type { StatementEntry } from '../../domain/providers/provider.ts'
import {
  type BalanceComparison,
  compareStatement,
  isEntryOfDifference,
  type StatementDifference,
} from '../../domain/reconciliation/statement-comparison.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { routeNotification } from '../../provider-notifications/route-notification.ts'
import { sha256 } from '../../security/sealing.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import { repairDisputes } from '../disputes/reconcile.ts'
import { raceCancellation, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { postAccountEntries } from './account-entries.ts'
import { checkBalance } from './balance-check.ts'
import { type ComparisonPeriod, findComparableMovements } from './comparable-movements.ts'
import { recordDifferences } from './differences.ts'
import { postPanelPix } from './panel-pix.ts'
import { relistQuarantinedPeriods } from './quarantine.ts'

/** What one provider account's statement and ours came to. */
export type ReconcileResult = {
  providerAccountUuid: string
  matched: number
  /** Told to their lives, because a notice of them must have been lost. */
  repaired: number
  differences: number
  /** Moved at the provider without us, and booked from its statement by this run. */
  booked?: number
  /** Entries that are no PIX and that nothing accounts for yet. */
  unexplainedEntryCount?: number
  /** What the provider says it holds, beside the ledger, in centavos; absent where it did not say. */
  balance?: BalanceComparison
  /** Why it was not compared, where it was not: the provider did not answer, or the look at it broke off. */
  noAnswer?: string
  /** Why its disputes were not listed, where the provider did not answer. */
  disputesNoAnswer?: string
}

export type ReconcileInput = { providerAccountUuid: string; from: string; to: string }

/** The younger end of a statement may still be on its way to us. */
const SETTLING_MS = 2 * 60_000

/**
 * Until when after its opening a dispute may still change: what it returns goes back within 90 days of the disputed PIX
 * (Res. BCB 103/2021, art. 41-A), and one day is left for clocks. After a restore all of them are to be found again.
 */
const DISPUTE_LISTING_PERIOD_MS = 91 * 24 * 60 * 60_000

/** Every provider account: what moves there is ours, whatever became of its connections. */
export function listProviderAccounts({ orm }: ActivityDependencies) {
  return async (): Promise<string[]> => {
    const rows: { uuid: string }[] = await orm.em
      .fork()
      .execute(
        `select distinct provider_account_uuid as uuid from connection where ${IS_CONFIGURED} order by 1`,
      )
    return rows.map(row => row.uuid)
  }
}

/**
 * Compares a provider's statement with our movements (SPEC §6). What is missing here is told to the life it belongs to,
 * through the inbox like any notice; what remains different is kept for the operator until it is gone. Periods of which
 * items could not be read are listed again.
 */
export function reconcile(dependencies: ActivityDependencies, engine: WorkflowClientContext) {
  const comparePeriod = createPeriodComparison(dependencies, engine)
  return async (order: ReconcileInput): Promise<ReconcileResult> => {
    const em = dependencies.orm.em.fork()
    const { providerAccountUuid } = order
    const seenBefore = await readDatabaseTime(em)
    const compared = await comparePeriod(order)
    if (compared.noAnswer !== undefined) return compared
    const quarantine = { providerAccountUuid, lastSeenBefore: seenBefore }
    await relistQuarantinedPeriods(em, { ...quarantine, operation: 'statement' }, async ({ from, to }) => {
      const again = await comparePeriod({ providerAccountUuid, from, to: extendPeriodEnd(to) })
      compared.repaired += again.repaired
      return again.noAnswer === undefined
    })
    await relistQuarantinedPeriods(
      em,
      { ...quarantine, operation: 'listDisputes' },
      async ({ from, to, connectionUuid }) => {
        const reached = await loadProviderConnection(dependencies, em, connectionUuid)
        const again = await repairDisputes(engine, em, { ...reached, from, to, isReroutingKnown: true })
        compared.repaired += again.repaired
        return again.noAnswer === undefined
      },
    )
    return { ...compared, ...(await postFromStatement(dependencies, engine, compared)) }
  }
}

/** The end of a period by which what was on its way at its end has settled. */
function extendPeriodEnd(to: string): string {
  return new Date(Math.min(Date.now(), Date.parse(to) + 2 * SETTLING_MS)).toISOString()
}

function createPeriodComparison(dependencies: ActivityDependencies, engine: WorkflowClientContext) {
  return async (order: ReconcileInput): Promise<ReconcileResult> => {
    const em = dependencies.orm.em.fork()
    const { providerAccountUuid } = order
    const { connection, provider } = await loadProviderConnection(
      dependencies,
      em,
      await findListingConnection(em, providerAccountUuid),
    )
    const said = await raceCancellation(provider.statement(order.from, order.to))
    if (said.kind === 'no_answer')
      return { providerAccountUuid, matched: 0, repaired: 0, differences: 0, noAnswer: said.code }
    const settledBefore = Date.parse(order.to) - scaleWait(SETTLING_MS, engine.timeScale)
    const isCompared = isCreditedAndSettled(connection, settledBefore)
    const theirs = said.entries.filter(isCompared)
    const period = {
      providerAccountUuid,
      settledAfter: Date.parse(order.from) + SETTLING_MS,
      settledBefore,
      providerEntries: theirs,
    }
    const { matched, differences } = compareStatement(theirs, await findComparableMovements(em, period))
    const meds = await repairDisputes(engine, em, {
      ...{ connection, provider, to: order.to, isReroutingKnown: true },
      from: new Date(Date.parse(order.to) - DISPUTE_LISTING_PERIOD_MS).toISOString(),
    })
    let { repaired } = meds
    const left: StatementDifference[] = []
    for (const difference of differences) {
      throwIfCancelled()
      if (await repairDifference(engine, em, { connection, difference })) repaired += 1
      else left.push(difference)
    }
    await recordDifferences(em, {
      providerAccountUuid,
      remaining: left,
      covers: difference => coversDifference(period, difference),
    })
    await storeAccountEntries(em, providerAccountUuid, (said.accountEntries ?? []).filter(isCompared))
    const compared = { providerAccountUuid, matched, repaired, differences: left.length }
    return meds.noAnswer === undefined ? compared : { ...compared, disputesNoAnswer: meds.noAnswer }
  }
}

/** Books what moved at the provider without us and compares the balance that it then should have. */
async function postFromStatement(
  dependencies: ActivityDependencies,
  { timeScale }: WorkflowClientContext,
  { providerAccountUuid, differences }: ReconcileResult,
): Promise<Pick<ReconcileResult, 'differences' | 'booked' | 'unexplainedEntryCount' | 'balance'>> {
  const { orm } = dependencies
  const em = orm.em.fork()
  const pix = await postPanelPix(dependencies, { providerAccountUuid, timeScale })
  const entries = await postAccountEntries(dependencies, { providerAccountUuid, timeScale })
  const { provider } = await loadProviderConnection(
    dependencies,
    em,
    await findListingConnection(em, providerAccountUuid),
  )
  const balance = await checkBalance(em, { provider, providerAccountUuid })
  return {
    differences: Math.max(0, differences - pix.booked),
    booked: pix.booked + entries.booked,
    unexplainedEntryCount: entries.left,
    ...(balance && { balance }),
  }
}

/** The younger end may still be on its way to us; what is older than the opening balance is part of it. */
function isCreditedAndSettled({ creditedSince }: Connection, settledBefore: number) {
  return ({ at }: { at: string }) => {
    const movedAt = Date.parse(at)
    return movedAt <= settledBefore && (!creditedSince || movedAt >= creditedSince.getTime())
  }
}

/** The connection that is asked: one that is not ACTIVE any more where there is no other. */
async function findListingConnection(em: EntityManager, providerAccountUuid: string): Promise<string> {
  const [row] = await em.execute<{ uuid: string }[]>(
    `select uuid from connection where provider_account_uuid = ? and ${IS_CONFIGURED}
     order by status = 'ACTIVE' desc, created_at limit 1`,
    [providerAccountUuid],
  )
  return row!.uuid
}

/** By when it moved, and not by when it was found; what the statement names is looked at whatever its time. */
function coversDifference(
  { settledAfter, settledBefore, providerEntries: theirs }: ComparisonPeriod,
  difference: StatementDifference,
): boolean {
  const movedAt = Date.parse(difference.entry?.at ?? difference.ours?.settledAt ?? '')
  return (
    (movedAt >= settledAfter && movedAt <= settledBefore) ||
    theirs.some(entry => isEntryOfDifference(entry, difference))
  )
}

type FoundDifference = { connection: Connection; difference: StatementDifference }

/**
 * A lost notice is written into the inbox once. One that is nobody's is not repaired, nor one that was handed over before
 * and still differs: it is shown, and told to its life again, which may have asked before the provider's own look-ups
 * knew of it.
 */
async function repairDifference(
  engine: WorkflowClientContext,
  em: EntityManager,
  { connection, difference }: FoundDifference,
): Promise<boolean> {
  const { kind, entry } = difference
  if (!entry || (kind !== 'missing_here' && kind !== 'status_differs')) return false
  const body = JSON.stringify({ reconciliation: entry })
  const digest = sha256(body)
  const before = await em.findOne(ProviderNotification, { connectionUuid: connection.uuid, digest })
  if (before) await routeNotification(engine, em, before)
  if (before) return false
  const notice = em.create(ProviderNotification, {
    uuid: randomUUID(),
    connectionUuid: connection.uuid,
    digest,
    kind: getNotificationKind(entry),
    reference: entry.reference,
    endToEnd: entry.returnOf ?? entry.endToEnd,
    body,
    requestId: randomUUID(),
  })
  await em.flush()
  return (await routeNotification(engine, em, notice)) !== 'foreign'
}

/** A return is told by the PIX that it returns: one that we received, or one that we sent. */
function getNotificationKind({ direction, returnOf }: StatementEntry): ProviderNotification['kind'] {
  if (returnOf !== undefined) return direction === 'OUT' ? 'refund' : 'transfer'
  return direction === 'IN' ? 'payment' : 'transfer'
}
