import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import {
  claimDueConnections,
  recordDisputeListing,
  requestedDisputeOf,
} from '../../db/repositories/disputes.ts'
import {
  endOfAcceptedDispute,
  eventsToDecision,
  type ProviderDispute,
} from '../../domain/disputes/provider-dispute.ts'
import { notifyOfListedChange } from '../../provider-notifications/route-notification.ts'
import type { Provider } from '../../providers/port.ts'
import { deriveDisputeUuid } from '../../temporal/disputes.ts'
import { matchReturns } from '../ledger/return-matching.ts'
import { isCancellationRequested, raceCancellation, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { leaveOutOwnReturns } from './apply-provider-state.ts'

type DisputeListing = {
  connection: Connection
  provider: Provider
  from: string
  to: string
  /** Whether a stored notification is routed again while the provider's state still differs from the dispute's row. */
  isReroutingKnown: boolean
}

/** `repaired`: number of new notifications stored. `noAnswer`: why the provider did not list all its disputes. */
type RepairDisputesResult = { repaired: number; noAnswer?: string }

/**
 * Repairs the disputes of a connection from the provider's list: stores and routes a notification for each dispute
 * whose listed state is new, because its notification was lost or the provider sends none. Each state is stored once.
 */
export async function repairDisputes(
  { temporal }: Pick<ActivityDependencies, 'temporal'>,
  em: EntityManager,
  { connection, provider, from, to, isReroutingKnown }: DisputeListing,
): Promise<RepairDisputesResult> {
  const listed = await raceCancellation(provider.listDisputes(from, to))
  if (listed.kind === 'no_answer') return { repaired: 0, noAnswer: listed.code }
  let repaired = 0 // Notifications that this run stored.
  for (const listedFacts of listed.disputes) {
    throwIfCancelled()
    const facts = await leaveOutOwnReturns(em, connection, listedFacts)
    if (!(await isNewDisputeState(em, connection, facts))) continue
    const { id, status, isClosed: closed, returns } = facts
    // The workflow may have polled before the provider's look-ups had the dispute, or before its PIX was recorded.
    const outcome = await notifyOfListedChange(temporal, em, {
      connectionUuid: connection.uuid,
      kind: 'dispute',
      reference: id,
      endToEnd: facts.endToEnd,
      facts: { id, status, closed, returns },
      isReroutingKnown,
    })
    if (outcome !== undefined) repaired += 1
  }
  if (listed.incompleteCode !== undefined) return { repaired, noAnswer: listed.incompleteCode }
  await recordDisputeListing(em, connection.providerAccountUuid)
  return { repaired }
}

/** Period that a sweep lists, up to now. Sweeps are frequent without notifications: a dispute holds money. */
const SWEEP_PERIOD_MS = 60 * 60_000
/** Number of providers listed concurrently, so that one that does not answer delays few others. */
const MAX_CONCURRENT_LISTINGS = 8

/** Lists disputes of providers without dispute notifications. Returns how many were listed and how many were new. */
export function sweepDisputes(dependencies: ActivityDependencies) {
  return async (): Promise<{ polled: number; signalled: number }> => {
    const dueConnections = await claimDueConnections(dependencies.orm.em.fork())
    const polled = dueConnections.length
    let signalled = 0
    const pollAll = async () => {
      for (
        let uuid = dueConnections.pop();
        uuid !== undefined && !isCancellationRequested();
        uuid = dueConnections.pop()
      )
        signalled += await sweepConnectionDisputes(dependencies, uuid)
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_LISTINGS }, pollAll))
    return { polled, signalled }
  }
}

/** Sweeps one connection. An error is logged and not thrown: the next sweep repeats it, and the others continue. */
async function sweepConnectionDisputes(
  dependencies: ActivityDependencies,
  connectionUuid: string,
): Promise<number> {
  const em = dependencies.orm.em.fork()
  const to = Date.now()
  try {
    const { connection, provider } = await loadProviderConnection(dependencies, em, connectionUuid)
    const { repaired } = await repairDisputes(dependencies, em, {
      connection,
      provider,
      from: new Date(to - SWEEP_PERIOD_MS).toISOString(),
      to: new Date(to).toISOString(),
      isReroutingKnown: false,
    })
    return repaired
  } catch (error) {
    const type = error instanceof Error ? error.name : 'unknown'
    dependencies.log.warn(
      { connection: connectionUuid, type },
      'the disputes of a provider account could not be listed',
    )
    return 0
  }
}

async function isNewDisputeState(
  em: EntityManager,
  { providerAccountUuid }: Connection,
  facts: ProviderDispute,
): Promise<boolean> {
  const { id: providerDisputeId, endToEnd } = facts
  const dispute =
    (await em.findOne(Dispute, deriveDisputeUuid({ providerAccountUuid, providerDisputeId }))) ??
    (facts.kind === 'REQUESTED_MED'
      ? await em.findOne(Dispute, requestedDisputeOf({ providerAccountUuid, endToEnd }))
      : null)
  if (!dispute || eventsToDecision(dispute.state, facts).length > 0) return true
  // Where nothing is left to return, the dispute's own polls find it: they lock what that depends on.
  if (endOfAcceptedDispute(dispute.state, facts, true)) return true
  const movementType = dispute.kind === 'RECEIVED_MED' ? ('OUT' as const) : ('IN' as const)
  const pix = { providerAccountUuid, movementType, names: [dispute.endToEnd] }
  return (await matchReturns(em, pix, facts.returns)).unrecorded.length > 0
}
