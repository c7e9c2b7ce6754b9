import type { Client } from '@temporalio/client'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import type { Attempt } from '../db/entities/attempt.ts'
import { WAITS_FOR_APPROVAL } from '../domain/approvals/approval.ts'
import { unsentCodeOf } from '../domain/payouts/unsent-code.ts'

/** What the histories of a workflow's runs prove about its activities. */
export type PayoutHistory = {
  /** Connections through which the workflow may have sent; each has an attempt row unless that was lost. Not where it waited for approvals. */
  attemptedConnections: string[]
  /** Latest outcome through each connection; `pending` while a call is under way. */
  latestOutcomes: Map<string, string>
  /** When a worker started the sending without an outcome, if it may have written to the lost database. */
  callStartedAt: Date | undefined
  /** No activity has started, so the workflow never had a row. */
  hasNoActivity: boolean
  /** A charge was issued, or its issuing failed. */
  isIssued: boolean
  /** Failure code where the attempts prove it (src/activities/transfers/activities.ts). */
  failure: string | undefined
}

const SEND_ACTIVITIES = new Set(['sendTransfer', 'sendRefund', 'sendReturn'])
const POLL_ACTIVITIES = new Set(['pollTransfer', 'pollRefund', 'pollReturn'])
const LOOK_UP_ACTIVITIES = new Set(['lookUpTransfer', 'lookUpRefund', 'lookUpReturn'])
const FINAL_OUTCOMES = ['settled', 'rejected', 'unreachable']
const SETTLED_STATES = ['settled', 'duplicate']
const FINAL_STATES = [...SETTLED_STATES, 'rejected', 'unreachable']
/** Marker name of a local activity in the SDK. */
const LOCAL_ACTIVITY_MARKER = 'core_local_activity'
/** temporal.api.enums.v1.PendingActivityState: scheduled, no worker has started it. */
const ACTIVITY_NOT_STARTED = 1

type ActivityOutcome = { kind?: string; code?: string; connectionUuid?: string; state?: string }
type ScheduledActivity = { type: string; connectionUuid?: string }

export type PayoutHistoryRequest = {
  workflowId: string
  /** Runs within Temporal's retention, the first one first. */
  runIds: string[]
  /** Connections through which runs beyond the retention had started to send. */
  earlierConnections: string[]
  /** From this moment on every worker reads the restored rows. */
  restoredAt: Date
}

/**
 * Reads the runs of one workflow. A send activity that no worker has started made no call, and one that started on
 * the restored rows has recorded itself there; every other scheduled one may have made its call.
 */
export async function readPayoutHistory(
  client: Client,
  { workflowId, runIds, earlierConnections, restoredAt }: PayoutHistoryRequest,
): Promise<PayoutHistory> {
  const sendCounts = new Map(earlierConnections.map(uuid => [uuid, 1]))
  const latestOutcomes = new Map<string, string>()
  const refusals: ActivityOutcome[] = []
  let isIssued = false
  let pendingConnection: string | undefined
  let activityCount = earlierConnections.length
  for (const runId of runIds) {
    const scheduledActivities = new Map<string, ScheduledActivity>()
    for await (const event of readHistoryEvents(client, workflowId, runId)) {
      const scheduledEvent = event.activityTaskScheduledEventAttributes
      const completedEvent = event.activityTaskCompletedEventAttributes
      const failedEvent = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes
      const marker = event.markerRecordedEventAttributes
      if (scheduledEvent || marker?.markerName === LOCAL_ACTIVITY_MARKER) activityCount += 1
      if (scheduledEvent) {
        const { connectionUuid } = decodeJsonPayload<ActivityOutcome>(scheduledEvent.input?.payloads)
        const type = scheduledEvent.activityType?.name ?? ''
        scheduledActivities.set(String(event.eventId), { type, ...(connectionUuid && { connectionUuid }) })
        if (!SEND_ACTIVITIES.has(type) || !connectionUuid) continue
        sendCounts.set(connectionUuid, (sendCounts.get(connectionUuid) ?? 0) + 1)
        latestOutcomes.set(connectionUuid, 'pending')
        pendingConnection = connectionUuid
      } else if (completedEvent) {
        const outcome = decodeJsonPayload<ActivityOutcome>(completedEvent.result?.payloads)
        recordOutcome(scheduledActivities.get(String(completedEvent.scheduledEventId)), outcome)
      } else if (failedEvent) recordOutcome(scheduledActivities.get(String(failedEvent.scheduledEventId)), {})
      else if (marker) recordRefusal(decodeJsonPayload<ActivityOutcome>(marker.details?.result?.payloads))
    }
  }
  const call = pendingConnection === undefined ? undefined : await findPendingSend(client, workflowId)
  const callStartedAt = call?.since && call.since < restoredAt ? call.since : undefined
  if (pendingConnection && call && !callStartedAt) {
    activityCount -= 1
    removeSending(pendingConnection)
  }
  return {
    attemptedConnections: [...sendCounts.keys()],
    latestOutcomes,
    isIssued,
    hasNoActivity: activityCount === 0,
    callStartedAt,
    failure: findFailureCode(refusals),
  }

  function recordOutcome(call: ScheduledActivity | undefined, outcome: ActivityOutcome): void {
    if (!call) return
    isIssued ||= call.type === 'rebuildOperation' && outcome.kind === 'known'
    isIssued ||= call.type === 'issueCharge' && outcome.state !== undefined
    if (SEND_ACTIVITIES.has(call.type)) pendingConnection = undefined
    // No call was made: the row was stored, and waits for its approvals.
    if (outcome.code === WAITS_FOR_APPROVAL && call.connectionUuid) {
      removeSending(call.connectionUuid)
      return
    }
    const isLookUp = LOOK_UP_ACTIVITIES.has(call.type)
    const connectionUuid = isLookUp ? outcome.connectionUuid : call.connectionUuid
    if (!connectionUuid || !(isLookUp || SEND_ACTIVITIES.has(call.type) || POLL_ACTIVITIES.has(call.type)))
      return
    if (isLookUp) sendCounts.set(connectionUuid, 1)
    else if (outcome.kind) latestOutcomes.set(connectionUuid, outcome.kind)
    recordRefusal(outcome)
  }

  function recordRefusal(outcome: ActivityOutcome): void {
    if (outcome.kind === 'rejected' || outcome.kind === 'unreachable') refusals.push(outcome)
  }

  function removeSending(connectionUuid: string): void {
    const count = sendCounts.get(connectionUuid) ?? 1
    if (count > 1) sendCounts.set(connectionUuid, count - 1)
    else sendCounts.delete(connectionUuid)
    latestOutcomes.delete(connectionUuid)
  }
}

/**
 * Returns whether a row and its attempts are older than their workflow's history: the workflow would send again what
 * it does not find. Never true on a healthy system: an outcome is committed to the row before it reaches the history,
 * and a call without an outcome counts only if its worker may have written to the database of before the restore.
 */
export function isRowBehindHistory(
  { attemptedConnections, latestOutcomes }: PayoutHistory,
  { state, attempts }: { state: string; attempts: Pick<Attempt, 'connectionUuid' | 'state'>[] },
): boolean {
  const getAttemptState = (uuid: string) =>
    attempts.find(({ connectionUuid }) => connectionUuid === uuid)?.state
  if (attemptedConnections.some(uuid => getAttemptState(uuid) === undefined)) return true
  const outcomes = [...latestOutcomes].filter(([, kind]) => kind !== 'not_started' && kind !== 'not_found')
  if (state === 'created' && outcomes.some(([, kind]) => !FINAL_OUTCOMES.includes(kind))) return true
  return outcomes.some(([uuid, kind]) => {
    const attemptState = getAttemptState(uuid) ?? ''
    if (kind === 'settled') return !SETTLED_STATES.includes(attemptState)
    if (FINAL_OUTCOMES.includes(kind)) return !FINAL_STATES.includes(attemptState)
    return kind === 'in_process' && !['accepted', ...FINAL_STATES].includes(attemptState)
  })
}

/**
 * Derives the failure code of refusals: a connection that was not reached decides (no provider, or an operator's
 * decision); insufficient balance at all of them is that; otherwise the last refusal decides (SPEC §4).
 */
function findFailureCode(refusals: ActivityOutcome[]): string | undefined {
  const unreachable = refusals.filter(({ kind }) => kind === 'unreachable')
  const decisiveRefusals = refusals.filter(
    ({ kind, code }) => kind === 'rejected' && code !== 'insufficient_balance',
  )
  const last = decisiveRefusals.at(-1)
  // A refusal after an acceptance, or for a reason that travels with the payment, is last and decides.
  if (last && refusals.at(-1) === last) return last.code
  if (unreachable.length > 0) return unsentCodeOf(unreachable.map(({ code }) => code))
  return last?.code ?? refusals.at(-1)?.code
}

/** Finds the send without an outcome; `since`: the second of its start. Undefined if it has just completed. */
async function findPendingSend(client: Client, workflowId: string): Promise<{ since?: Date } | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId).describe()
  const pending = (raw.pendingActivities ?? []).find(({ activityType }) =>
    SEND_ACTIVITIES.has(activityType?.name ?? ''),
  )
  if (!pending) return undefined
  if (Number(pending.state) === ACTIVITY_NOT_STARTED) return {}
  return { since: new Date(Number(String(pending.lastStartedTime?.seconds ?? 0)) * 1_000) }
}

async function* readHistoryEvents(client: Client, workflowId: string, runId: string) {
  const { workflowService, options } = client.workflow
  let nextPageToken: Uint8Array | undefined
  do {
    const page = await workflowService.getWorkflowExecutionHistory({
      namespace: options.namespace,
      execution: { workflowId, runId },
      ...(nextPageToken && { nextPageToken }),
    })
    yield* page.history?.events ?? []
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined
  } while (nextPageToken)
}

/** Decodes a JSON payload; an empty object for anything else. */
function decodeJsonPayload<T extends object>(payloads: Payload[] | null | undefined): Partial<T> {
  try {
    const value = payloads?.[0] && defaultPayloadConverter.fromPayload(payloads[0])
    return value !== null && typeof value === 'object' ? (value as T) : {}
  } catch {
    return {}
  }
}

/** Finds the connection whose provider is known to have accepted the payout, or to have settled it. */
export function findAcceptingConnection({ latestOutcomes }: PayoutHistory): string | undefined {
  const accepted = [...latestOutcomes].filter(([, kind]) => kind === 'settled' || kind === 'in_process')
  return accepted.at(-1)?.[0]
}
