import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Dispute } from '../../db/entities/med.ts'
import { ProviderNotification } from '../../db/entities/notice.ts'
import { eventsToProviderState } from '../../domain/disputes/dispute.ts'
import { HAS_DISPUTE_NOTIFICATIONS, type ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import { PROVIDER_APIS } from '../../domain/providers/provider.ts'
import { routeNotification } from '../../provider-notifications/route-notification.ts'
import type { Provider } from '../../providers/port.ts'
import { sha256 } from '../../security/sealing.ts'
import { deriveDisputeUuid } from '../../temporal/disputes.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import { matchReturns } from '../ledger/return-matching.ts'
import { isCancellationRequested, raceCancellation, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'

type DisputeListing = {
  connection: Connection
  provider: Provider
  from: string
  to: string
  /** Whether what was told before and is still news is told again. */
  isReroutingKnown: boolean
}

/** How many facts were told; why the provider did not list its disputes, where it did not. */
type RepairDisputesResult = { repaired: number; noAnswer?: string }

/**
 * Tells the lives of disputes what a provider lists and we do not know yet: one whose notice was lost, or whose provider
 * sends none. Through the inbox, like any notice, and each fact once.
 */
export async function repairDisputes(
  engine: WorkflowClientContext,
  em: EntityManager,
  { connection, provider, from, to, isReroutingKnown }: DisputeListing,
): Promise<RepairDisputesResult> {
  const listed = await raceCancellation(provider.listDisputes(from, to))
  if (listed.kind === 'no_answer') return { repaired: 0, noAnswer: listed.code }
  let repaired = 0
  for (const facts of listed.disputes) {
    throwIfCancelled()
    if (!(await isNewDisputeState(em, connection, facts))) continue
    const { id, status, isClosed: closed, returns } = facts
    const body = JSON.stringify({ reconciliation: { id, status, closed, returns } })
    const digest = sha256(body)
    const before = await em.findOne(ProviderNotification, { connectionUuid: connection.uuid, digest })
    // Its life may have asked before the provider's look-ups knew, or before its PIX was here.
    if (before && isReroutingKnown) await routeNotification(engine, em, before)
    if (before) continue
    const notice = em.create(ProviderNotification, {
      uuid: randomUUID(),
      connectionUuid: connection.uuid,
      digest,
      kind: 'med',
      reference: id,
      endToEnd: facts.endToEnd,
      body,
      requestId: randomUUID(),
    })
    await em.flush()
    await routeNotification(engine, em, notice)
    repaired += 1
  }
  return { repaired }
}

/** A dispute opens at any time and holds money: providers that tell of none are asked so far back, often. */
const SWEEP_PERIOD_MS = 60 * 60_000
/** So many are asked at a time; one that does not answer keeps only its own place. */
const MAX_CONCURRENT_LISTINGS = 8

/** A round asks the ones that waited longest: a few at once, and never more than a twentieth of many. */
const MIN_PER_ROUND = 25
const ROUNDS_PER_CYCLE = 20

/** Asks providers that send no notices of disputes for those that opened lately; answers how many were new. */
export function sweepDisputes(dependencies: ActivityDependencies, engine: WorkflowClientContext) {
  return async (): Promise<{ asked: number; told: number }> => {
    const waiting = await claimDueConnections(dependencies.orm.em.fork())
    const asked = waiting.length
    let told = 0
    const askAll = async () => {
      for (let uuid = waiting.pop(); uuid !== undefined && !isCancellationRequested(); uuid = waiting.pop())
        told += await sweepConnectionDisputes(dependencies, engine, uuid)
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_LISTINGS }, askAll))
    return { asked, told }
  }
}

/** One connection of each provider account whose turn it is; it is the last in line again from now on. */
async function claimDueConnections(em: EntityManager): Promise<string[]> {
  const silent = PROVIDER_APIS.filter(dialect => !HAS_DISPUTE_NOTIFICATIONS[dialect])
  const rows: { uuid: string }[] = await em.execute(
    `with due as (
       select p.uuid from provider_account p
       where exists (select from connection c where c.provider_account_uuid = p.uuid and c.dialect = any(array[?]::text[]))
       order by p.meds_asked_at nulls first
       limit (select greatest(${MIN_PER_ROUND}, ceil(count(*) / ${ROUNDS_PER_CYCLE}.0)) from provider_account)
       for update skip locked
     )
     update provider_account p set meds_asked_at = now() from due where p.uuid = due.uuid
     returning (select c.uuid from connection c where c.provider_account_uuid = p.uuid and c.dialect = any(array[?]::text[])
                order by c.status = 'ACTIVE' desc, c.created_at limit 1) as uuid`,
    [silent, silent],
  )
  return rows.map(row => row.uuid)
}

/** One that cannot be asked now is asked next time, and must not keep the others from it. */
async function sweepConnectionDisputes(
  dependencies: ActivityDependencies,
  engine: WorkflowClientContext,
  connectionUuid: string,
): Promise<number> {
  const em = dependencies.orm.em.fork()
  const to = Date.now()
  try {
    const reached = await loadProviderConnection(dependencies, em, connectionUuid)
    const { repaired } = await repairDisputes(engine, em, {
      ...reached,
      from: new Date(to - SWEEP_PERIOD_MS).toISOString(),
      to: new Date(to).toISOString(),
      isReroutingKnown: false,
    })
    return repaired
  } catch (error) {
    const type = error instanceof Error ? error.name : 'unknown'
    dependencies.log.warn({ connection: connectionUuid, type }, 'disputes not listed')
    return 0
  }
}

async function isNewDisputeState(
  em: EntityManager,
  { providerAccountUuid }: Connection,
  facts: ProviderDispute,
): Promise<boolean> {
  const med = await em.findOne(Dispute, deriveDisputeUuid({ providerAccountUuid, providerMedId: facts.id }))
  if (!med || eventsToProviderState(med.state, facts).length > 0) return true
  const movementType = med.kind === 'RECEIVED_MED' ? ('OUT' as const) : ('IN' as const)
  const pix = { providerAccountUuid, movementType, names: [med.endToEnd] }
  return (await matchReturns(em, pix, facts.returns)).unrecorded.length > 0
}
