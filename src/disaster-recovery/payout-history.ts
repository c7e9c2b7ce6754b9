import type { Client } from '@temporalio/client'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { unsentCodeOf } from '../domain/payouts/unsent-code.ts'

/** What the histories of a workflow's runs prove about what it has had done. */
export type PayoutHistory = {
  /** Connections through which something may have been sent: their attempts are rows, unless those were lost. */
  attemptedConnections: string[]
  /** What was last learned through each; `pending` while a call is under way. */
  latestOutcomes: Map<string, string>
  /** When a worker began the sending that has not answered yet, where its rows may be those of before the restore. */
  callStartedAt?: Date
  /** Nothing was done for it yet: no activity has begun, so that it never had a row. */
  hasNoActivity: boolean
  /** Whether a charge was issued, or could not be. */
  isIssued: boolean
  /** Why nobody took it, by code, where the attempts add up to that (src/activities/transfers/activities.ts). */
  failure?: string
}

/** As much of an attempt as its row says. */
export type AttemptStateRow = { connection_uuid: string; state: string }

const SEND_ACTIVITIES = new Set(['sendTransfer', 'sendRefund', 'sendReturn'])
const POLL_ACTIVITIES = new Set(['pollTransfer', 'pollRefund', 'pollReturn'])
const RESTORE_ACTIVITIES = new Set(['restoreTransfer', 'restoreRefund', 'restoreReturn'])
const ISSUE_ACTIVITIES = new Set(['issueCharge', 'restoreIssuedCharge'])
const FINAL_OUTCOMES = ['settled', 'rejected', 'unreachable']
const SETTLED_STATES = ['settled', 'duplicate']
const FINAL_STATES = [...SETTLED_STATES, 'rejected', 'unreachable']
/** The name that the SDK gives the marker of a local activity. */
const LOCAL_ACTIVITY_MARKER = 'core_local_activity'
/** temporal.api.enums.v1.PendingActivityState: no worker has begun it yet. */
const ACTIVITY_NOT_STARTED = 1

type ActivityOutcome = { kind?: string; code?: string; connectionUuid?: string; state?: string }
type ScheduledActivity = { type: string; connectionUuid?: string }

export type PayoutHistoryRequest = {
  workflowId: string
  /** The runs that are remembered, the first one first. */
  runIds: string[]
  /** The connections through which forgotten runs had begun to send. */
  earlierConnections: string[]
  /** From this moment on every worker reads the restored rows. */
  restoredAt: Date
}

/**
 * Reads the runs of one workflow. A call that no worker has begun yet has not been made, and one that began on the restored
 * rows is in them as far as it has come; every other one that was scheduled may have been made.
 */
export async function readPayoutHistory(
  client: Client,
  { workflowId, runIds, earlierConnections: begunBefore, restoredAt: restoredBy }: PayoutHistoryRequest,
): Promise<PayoutHistory> {
  const begun = new Map(begunBefore.map(uuid => [uuid, 1]))
  const latest = new Map<string, string>()
  const refusals: ActivityOutcome[] = []
  let isIssued = false
  let underWay: string | undefined
  let activities = begunBefore.length
  for (const runId of runIds) {
    const scheduled = new Map<string, ScheduledActivity>()
    for await (const event of readHistoryEvents(client, workflowId, runId)) {
      const asked = event.activityTaskScheduledEventAttributes
      const done = event.activityTaskCompletedEventAttributes
      const broken = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes
      const marked = event.markerRecordedEventAttributes
      if (asked || marked?.markerName === LOCAL_ACTIVITY_MARKER) activities += 1
      if (asked) {
        const { connectionUuid } = decodeJsonPayload<ActivityOutcome>(asked.input?.payloads)
        const type = asked.activityType?.name ?? ''
        scheduled.set(String(event.eventId), { type, ...(connectionUuid && { connectionUuid }) })
        if (!SEND_ACTIVITIES.has(type) || !connectionUuid) continue
        begun.set(connectionUuid, (begun.get(connectionUuid) ?? 0) + 1)
        latest.set(connectionUuid, 'pending')
        underWay = connectionUuid
      } else if (done) {
        const answer = decodeJsonPayload<ActivityOutcome>(done.result?.payloads)
        learn(scheduled.get(String(done.scheduledEventId)), answer)
      } else if (broken) learn(scheduled.get(String(broken.scheduledEventId)), {})
      else if (marked) refuse(decodeJsonPayload<ActivityOutcome>(marked.details?.result?.payloads))
    }
  }
  const call = underWay === undefined ? undefined : await findPendingSend(client, workflowId)
  const isBegun = call?.since !== undefined && call.since < restoredBy
  if (underWay && call && !isBegun) forget(underWay)
  const failure = findFailureCode(refusals)
  return {
    ...{
      attemptedConnections: [...begun.keys()],
      latestOutcomes: latest,
      isIssued,
      hasNoActivity: activities === 0,
    },
    ...(isBegun && { callStartedAt: call.since }),
    ...(failure !== undefined && { failure }),
  }

  function learn(call: ScheduledActivity | undefined, answer: ActivityOutcome): void {
    if (!call) return
    isIssued ||= ISSUE_ACTIVITIES.has(call.type) && answer.kind !== 'no_answer' && answer.kind !== undefined
    isIssued ||= call.type === 'issueCharge' && answer.state !== undefined
    if (SEND_ACTIVITIES.has(call.type)) underWay = undefined
    const connectionUuid = RESTORE_ACTIVITIES.has(call.type) ? answer.connectionUuid : call.connectionUuid
    if (
      !connectionUuid ||
      !(SEND_ACTIVITIES.has(call.type) || POLL_ACTIVITIES.has(call.type) || RESTORE_ACTIVITIES.has(call.type))
    )
      return
    if (RESTORE_ACTIVITIES.has(call.type)) begun.set(connectionUuid, 1)
    else if (answer.kind) latest.set(connectionUuid, answer.kind)
    refuse(answer)
  }

  function refuse(answer: ActivityOutcome): void {
    if (answer.kind === 'rejected' || answer.kind === 'unreachable') refusals.push(answer)
  }

  function forget(connectionUuid: string): void {
    activities -= 1
    const times = begun.get(connectionUuid) ?? 1
    if (times > 1) begun.set(connectionUuid, times - 1)
    else begun.delete(connectionUuid)
    latest.delete(connectionUuid)
  }
}

/**
 * Whether a row and its attempts are older than what their workflow has seen: it would send again what it cannot find. Of a
 * healthy one this is never so: an answer reaches its history after its row, and a call without an answer counts only where
 * its worker may have written to the database of before the restore.
 */
export function isRowBehindHistory(
  { attemptedConnections: begun, latestOutcomes: latest }: PayoutHistory,
  { state, attempts }: { state: string; attempts: AttemptStateRow[] },
): boolean {
  const at = (uuid: string) => attempts.find(({ connection_uuid }) => connection_uuid === uuid)?.state
  if (begun.some(uuid => at(uuid) === undefined)) return true
  const answers = [...latest].filter(([, kind]) => kind !== 'not_started' && kind !== 'not_found')
  if (state === 'created' && answers.some(([, kind]) => !FINAL_OUTCOMES.includes(kind))) return true
  return answers.some(([uuid, kind]) => {
    const stands = at(uuid) ?? ''
    if (kind === 'settled') return !SETTLED_STATES.includes(stands)
    if (FINAL_OUTCOMES.includes(kind)) return !FINAL_STATES.includes(stands)
    return kind === 'in_process' && !['accepted', ...FINAL_STATES].includes(stands)
  })
}

/** Unreachable anywhere is no provider, or what an operator has decided; too little everywhere is the balance; else the last refusal decides (SPEC §4). */
function findFailureCode(refusals: ActivityOutcome[]): string | undefined {
  const unreached = refusals.filter(({ kind }) => kind === 'unreachable')
  const said = refusals.filter(({ kind, code }) => kind === 'rejected' && code !== 'insufficient_balance')
  const last = said.at(-1)
  // After an acceptance, and for a reason that travels with the payment, the last word is the end.
  if (last && refusals.at(-1) === last) return last.code
  if (unreached.length > 0) return unsentCodeOf(unreached.map(({ code }) => code))
  return last?.code ?? refusals.at(-1)?.code
}

/** The sending that has not answered: `since` the second in which a worker began it. Undefined where it has just answered. */
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

/** Nothing where it is no JSON of ours. */
function decodeJsonPayload<T extends object>(payloads: Payload[] | null | undefined): Partial<T> {
  try {
    const value = payloads?.[0] && defaultPayloadConverter.fromPayload(payloads[0])
    return value !== null && typeof value === 'object' ? (value as T) : {}
  } catch {
    return {}
  }
}
