import type { History } from '@temporalio/common/lib/proto-utils.js'

/** What a workflow's history contains. */
export type HistorySummary = {
  /** The statuses shown to an operator, in order. */
  statuses: string[]
  /** How often the search attributes were written after the start. */
  upsertCount: number
  /** The values of the search attribute for an unknown outcome; null where it was cleared. */
  outcomes: (string | null)[]
  /** Each timer with its summary and length; `woken` where it was cancelled before its end. */
  timers: string[]
  /** The activities scheduled on a task queue, without local activities. */
  queuedActivities: string[]
  /** The ids of the workflows that it started. */
  childWorkflowIds: string[]
  /** Those of them that ended before it did. */
  completedChildIds: string[]
}

export function summarizeHistory(history: History): HistorySummary {
  const events = history.events ?? []
  const woken = new Set(events.map(event => String(event.timerCanceledEventAttributes?.startedEventId)))
  const shown: string[] = []
  let upserts = 0
  const outcomes: (string | null)[] = []
  const waits: string[] = []
  const queued: string[] = []
  const children: string[] = []
  const childrenOf: string[] = []
  for (const event of events) {
    const fields = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields
    if (fields) upserts += 1
    if (fields?.TrilhoOutcome) outcomes.push(decodePayload(fields.TrilhoOutcome) || null)
    const status = fields?.TrilhoStatus
    if (status && shown.at(-1) !== decodePayload(status)) shown.push(decodePayload(status))
    const timer = event.timerStartedEventAttributes?.startToFireTimeout
    if (timer) {
      const reason = decodePayload(event.userMetadata?.summary)
      const early = woken.has(String(event.eventId)) ? ', woken' : ''
      waits.push(
        `${reason}: ${formatDuration(Number(timer.seconds ?? 0) * 1_000 + (timer.nanos ?? 0) / 1e6)}${early}`,
      )
    }
    const activity = event.activityTaskScheduledEventAttributes?.activityType?.name
    if (activity) queued.push(activity)
    const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId
    if (child) children.push(child)
    const workflowId = event.childWorkflowExecutionCompletedEventAttributes?.workflowExecution?.workflowId
    if (workflowId) childrenOf.push(workflowId)
  }
  return {
    statuses: shown,
    upsertCount: upserts,
    outcomes,
    timers: waits,
    queuedActivities: queued,
    childWorkflowIds: children,
    completedChildIds: childrenOf,
  }
}

function decodePayload(payload: { data?: Uint8Array | null } | null | undefined): string {
  return payload?.data?.length ? JSON.parse(Buffer.from(payload.data).toString()) : ''
}

/** A wait in words; an hour and more is rounded to minutes, because reaching it takes some milliseconds. */
function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  if (ms < 60_000) return `${ms / 1_000} s`
  const minutes = ms < 3_600_000 ? Math.round(ms / 1_000) / 60 : Math.round(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  return [hours && `${hours} h`, minutes % 60 && `${minutes % 60} min`].filter(Boolean).join(' ')
}
