import type { Client } from '@temporalio/client'
import { defaultPayloadConverter, type Payload } from '@temporalio/common'
import { unsentCode } from '../domain/unsent.ts'

/** What the histories of a workflow's runs prove about what it has had done. */
export type SendingHistory = {
  /** Connections through which something may have been sent: their attempts are rows, unless those were lost. */
  begun: string[]
  /** What was last learned through each; `pending` while a call is under way. */
  latest: Map<string, string>
  /** When a worker began the sending that has not answered yet, where its rows may be those of before the restore. */
  callSince?: Date
  /** Nothing was done for it yet: no activity has begun, so that it never had a row. */
  isUntouched: boolean
  /** Whether a charge was issued, or could not be. */
  isIssued: boolean
  /** Why nobody took it, by code, where the attempts add up to that (src/activities/transfer-records.ts). */
  failure?: string
}

/** As much of an attempt as its row says. */
export type AttemptRow = { connection_uuid: string; state: string }

const SENDS = new Set(['sendTransfer', 'sendRefund', 'sendReturn'])
const ASKS = new Set(['askTransfer', 'askRefund', 'askReturn'])
const SEEKS = new Set(['seekTransfer', 'seekRefund', 'seekReturn'])
const ISSUES = new Set(['issueCharge', 'seekCharge'])
const FINAL_ANSWERS = ['settled', 'rejected', 'unreachable']
const GONE = ['settled', 'duplicate']
const FINAL_STATES = [...GONE, 'rejected', 'unreachable']
/** The name that the SDK gives the marker of a local activity. */
const LOCAL_ACTIVITY = 'core_local_activity'
/** temporal.api.enums.v1.PendingActivityState: no worker has begun it yet. */
const NOT_STARTED = 1

type Answer = { kind?: string; code?: string; connectionUuid?: string; state?: string }
type Scheduled = { type: string; connectionUuid?: string }

export type HistoryReading = {
  workflowId: string
  /** The runs that are remembered, the first one first. */
  runIds: string[]
  /** The connections through which forgotten runs had begun to send. */
  begunBefore: string[]
  /** From this moment on every worker reads the restored rows. */
  restoredBy: Date
}

/**
 * Reads the runs of one workflow. A call that no worker has begun yet has not been made, and one that began on the restored
 * rows is in them as far as it has come; every other one that was scheduled may have been made.
 */
export async function sendingHistoryOf(
  client: Client,
  { workflowId, runIds, begunBefore, restoredBy }: HistoryReading,
): Promise<SendingHistory> {
  const begun = new Map(begunBefore.map(uuid => [uuid, 1]))
  const latest = new Map<string, string>()
  const refusals: Answer[] = []
  let isIssued = false
  let underWay: string | undefined
  let activities = begunBefore.length
  for (const runId of runIds) {
    const scheduled = new Map<string, Scheduled>()
    for await (const event of eventsOf(client, workflowId, runId)) {
      const asked = event.activityTaskScheduledEventAttributes
      const done = event.activityTaskCompletedEventAttributes
      const broken = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes
      const marked = event.markerRecordedEventAttributes
      if (asked || marked?.markerName === LOCAL_ACTIVITY) activities += 1
      if (asked) {
        const { connectionUuid } = jsonOf<Answer>(asked.input?.payloads)
        const type = asked.activityType?.name ?? ''
        scheduled.set(String(event.eventId), { type, ...(connectionUuid && { connectionUuid }) })
        if (!SENDS.has(type) || !connectionUuid) continue
        begun.set(connectionUuid, (begun.get(connectionUuid) ?? 0) + 1)
        latest.set(connectionUuid, 'pending')
        underWay = connectionUuid
      } else if (done) {
        const answer = jsonOf<Answer>(done.result?.payloads)
        learn(scheduled.get(String(done.scheduledEventId)), answer)
      } else if (broken) learn(scheduled.get(String(broken.scheduledEventId)), {})
      else if (marked) refuse(jsonOf<Answer>(marked.details?.result?.payloads))
    }
  }
  const call = underWay === undefined ? undefined : await sendingUnderWay(client, workflowId)
  const isBegun = call?.since !== undefined && call.since < restoredBy
  if (underWay && call && !isBegun) forget(underWay)
  const failure = failureOf(refusals)
  return {
    ...{ begun: [...begun.keys()], latest, isIssued, isUntouched: activities === 0 },
    ...(isBegun && { callSince: call.since }),
    ...(failure !== undefined && { failure }),
  }

  function learn(call: Scheduled | undefined, answer: Answer): void {
    if (!call) return
    isIssued ||= ISSUES.has(call.type) && answer.kind !== 'no_answer' && answer.kind !== undefined
    isIssued ||= call.type === 'issueCharge' && answer.state !== undefined
    if (SENDS.has(call.type)) underWay = undefined
    const connectionUuid = SEEKS.has(call.type) ? answer.connectionUuid : call.connectionUuid
    if (!connectionUuid || !(SENDS.has(call.type) || ASKS.has(call.type) || SEEKS.has(call.type))) return
    if (SEEKS.has(call.type)) begun.set(connectionUuid, 1)
    else if (answer.kind) latest.set(connectionUuid, answer.kind)
    refuse(answer)
  }

  function refuse(answer: Answer): void {
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
export function isBehind(
  { begun, latest }: SendingHistory,
  { state, attempts }: { state: string; attempts: AttemptRow[] },
): boolean {
  const at = (uuid: string) => attempts.find(({ connection_uuid }) => connection_uuid === uuid)?.state
  if (begun.some(uuid => at(uuid) === undefined)) return true
  const answers = [...latest].filter(([, kind]) => kind !== 'never_begun' && kind !== 'absent')
  if (state === 'created' && answers.some(([, kind]) => !FINAL_ANSWERS.includes(kind))) return true
  return answers.some(([uuid, kind]) => {
    const stands = at(uuid) ?? ''
    if (kind === 'settled') return !GONE.includes(stands)
    if (FINAL_ANSWERS.includes(kind)) return !FINAL_STATES.includes(stands)
    return kind === 'in_process' && !['accepted', ...FINAL_STATES].includes(stands)
  })
}

/** Unreachable anywhere is no provider, or what an operator has decided; too little everywhere is the balance; else the last refusal decides (SPEC §4). */
function failureOf(refusals: Answer[]): string | undefined {
  const unreached = refusals.filter(({ kind }) => kind === 'unreachable')
  const said = refusals.filter(({ kind, code }) => kind === 'rejected' && code !== 'insufficient_balance')
  const last = said.at(-1)
  // After an acceptance, and for a reason that travels with the payment, the last word is the end.
  if (last && refusals.at(-1) === last) return last.code
  if (unreached.length > 0) return unsentCode(unreached.map(({ code }) => code))
  return last?.code ?? refusals.at(-1)?.code
}

/** The sending that has not answered: `since` the second in which a worker began it. Undefined where it has just answered. */
async function sendingUnderWay(client: Client, workflowId: string): Promise<{ since?: Date } | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId).describe()
  const pending = (raw.pendingActivities ?? []).find(({ activityType }) =>
    SENDS.has(activityType?.name ?? ''),
  )
  if (!pending) return undefined
  if (Number(pending.state) === NOT_STARTED) return {}
  return { since: new Date(Number(String(pending.lastStartedTime?.seconds ?? 0)) * 1_000) }
}

async function* eventsOf(client: Client, workflowId: string, runId: string) {
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
function jsonOf<T extends object>(payloads: Payload[] | null | undefined): Partial<T> {
  try {
    const value = payloads?.[0] && defaultPayloadConverter.fromPayload(payloads[0])
    return value !== null && typeof value === 'object' ? (value as T) : {}
  } catch {
    return {}
  }
}
