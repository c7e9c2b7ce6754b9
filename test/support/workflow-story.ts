import { expect } from '@jest/globals'
import { activityInfo } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { History } from '@temporalio/common/lib/proto-utils.js'
import type {
  batchActivities,
  databaseActivities,
  firstAttemptActivities,
  maintenanceActivities,
  providerActivities,
  reportActivities,
  webhookActivities,
} from '../../src/activities/index.ts'
import {
  type CancelChargeResult,
  cancelChargeUpdate,
  type ReviseChargeResult,
  reviseChargeUpdate,
} from '../../src/workflows/contracts/charges.ts'
import {
  type CancelDisputeResult,
  cancelDisputeUpdate,
  type ReplyToDisputeResult,
  replyToDisputeUpdate,
} from '../../src/workflows/contracts/disputes.ts'
import { awaitResultUpdate } from '../../src/workflows/contracts/orders.ts'
import { type ManualSettlement, manualSettlementSignal } from '../../src/workflows/contracts/payouts.ts'
import {
  type CancelRecurrenceResult,
  cancelRecurrenceUpdate,
} from '../../src/workflows/contracts/recurrences.ts'
import { removeReportUpdate } from '../../src/workflows/contracts/reports.ts'
import { applyDecisionUpdate, cancelBatchUpdate } from '../../src/workflows/contracts/transfer-batches.ts'
import { approvalDecidedSignal, cancelTransferUpdate } from '../../src/workflows/contracts/transfers.ts'
import { deliveryChangedSignal } from '../../src/workflows/contracts/webhooks.ts'
import type { TimeSkippingServer } from './time-skipping.ts'
import * as storyClient from './workflow-story-client.ts'
import { recordHistory } from './workflow-story-recording.ts'

type Activities = ReturnType<typeof providerActivities> &
  ReturnType<typeof databaseActivities> &
  ReturnType<typeof batchActivities> &
  ReturnType<typeof reportActivities> &
  ReturnType<typeof maintenanceActivities> &
  ReturnType<typeof webhookActivities> &
  ReturnType<typeof firstAttemptActivities>
/** Longer than a machine stays busy; only what never comes takes it. */
const END_LIMIT_MS = 300_000

export type ActivityName = keyof Activities
export type ActivityResult<Name extends ActivityName> = Awaited<ReturnType<Activities[Name]>>

/** The result of one call: a value, or something that happens during the call. */
export type ScriptedAnswer<Name extends ActivityName> =
  | ActivityResult<Name>
  | ((story: Story) => ActivityResult<Name> | Promise<ActivityResult<Name>>)

/** The results by activity, in order. A call without a scripted result fails the test. */
export type ActivityScript = { [Name in ActivityName]?: ScriptedAnswer<Name>[] }

/** `reopenInput` is the input that reopens the workflow once it has ended. */
export type StoryOptions = {
  script: ActivityScript
  workflowId: string
  uuid: string
  type: string
  reopenInput?: unknown
}

/** One real workflow on a real server; only its activities are scripted. */
export class Story {
  readonly uuid: string
  readonly target: storyClient.WorkflowTarget
  /** The activity calls, in order, with the flags that were set: `pollCharge isPayloadExpired`. */
  readonly calls: string[] = []
  /** The same, with the connection where a call names one: `sendTransfer connection-a`. */
  readonly callsByConnection: string[] = []
  /** The longest waits for a turn that the sendings were given, in milliseconds. */
  readonly turnWaitsMs: number[] = []
  /** The deliveries whose first attempts were made within a workflow task. */
  readonly attemptedDeliveries: string[] = []
  /** The times of the calls, in ms of the server's clock. */
  readonly callTimesMs: number[] = []
  readonly #temporal: TimeSkippingServer
  readonly #script: ActivityScript
  readonly #unscripted: string[] = []
  readonly #localResults = new Map<string, Promise<unknown>>()
  readonly #reopenStart: storyClient.WorkflowStart
  readonly #childWorkflowIds = new Set<string>()
  #history: HistorySummary | undefined

  constructor(
    temporal: TimeSkippingServer,
    { script, workflowId, uuid, type, reopenInput = { reopen: uuid, timeScale: 1 } }: StoryOptions,
  ) {
    this.#temporal = temporal
    this.#script = Object.fromEntries(Object.entries(script).map(([name, lines]) => [name, [...lines]]))
    this.uuid = uuid
    this.target = { client: temporal.client, taskQueue: temporal.taskQueue, workflowId }
    this.#reopenStart = { type, input: reopenInput }
  }

  /** First attempts of deliveries take the next scripted results of `attemptDelivery`. */
  async answerFirstAttempts(deliveries: string[]): Promise<ActivityResult<'attemptFirstDeliveries'>> {
    const open: ActivityResult<'attemptFirstDeliveries'>['open'] = []
    for (const deliveryUuid of deliveries) {
      const answer = await this.answerCall('attemptDelivery', { deliveryUuid }, deliveryUuid)
      const result = answer as ActivityResult<'attemptDelivery'>
      if (!this.attemptedDeliveries.includes(deliveryUuid)) this.attemptedDeliveries.push(deliveryUuid)
      if (result.kind === 'again') open.push({ deliveryUuid, firstWaitMs: result.waitMs })
    }
    return { open }
  }

  /**
   * The scripted activities. A local activity whose workflow task was lost runs again, and gets the same result.
   * `part`: of a local activity that takes several results.
   */
  answerCall(name: ActivityName, input: unknown, part = ''): Promise<unknown> {
    const { isLocal, activityId, attempt, workflowExecution } = activityInfo()
    if (!isLocal) return this.#nextAnswer(name, input)
    const call = [workflowExecution?.runId, activityId, attempt, part].join(' ')
    const callResult = this.#localResults.get(call) ?? this.#nextAnswer(name, input)
    this.#localResults.set(call, callResult)
    return callResult
  }

  /** The next result of the script. */
  async #nextAnswer(name: ActivityName, input: unknown): Promise<unknown> {
    const { canAnswerFromRow: _, ...asked }: { canAnswerFromRow?: boolean } = input ?? {}
    const flags = Object.entries(asked).filter(([name, value]) => value === true || name === 'order')
    this.calls.push([name, ...flags.map(([flag]) => flag)].join(' '))
    const { connectionUuid, maxTurnWaitMs } = asked as { connectionUuid?: string; maxTurnWaitMs?: number }
    if (maxTurnWaitMs !== undefined) this.turnWaitsMs.push(maxTurnWaitMs)
    this.callsByConnection.push([name, ...(connectionUuid ? [connectionUuid] : [])].join(' '))
    this.callTimesMs.push(await this.now())
    const line = this.#script[name]?.shift()
    if (line === undefined) {
      this.#unscripted.push(name)
      throw ApplicationFailure.nonRetryable(`there is no scripted result for ${name}`)
    }
    return typeof line === 'function' ? line(this) : line
  }

  /** The server's clock. */
  now(): Promise<number> {
    return this.#temporal.env.currentTimeMs()
  }

  /** Lets time pass; timers that fall due fire. */
  passTime(ms: number): Promise<void> {
    return this.#temporal.env.sleep(ms)
  }

  /** A notification for a running workflow; false where there is none. */
  notify(connectionUuid: string = NOTIFICATION.connectionUuid): Promise<boolean> {
    return storyClient.signalIfRunning(this.target, { ...NOTIFICATION, connectionUuid })
  }

  /** The same for one that was received some time ago. */
  notifyLate(): Promise<boolean> {
    const { isNew: _, ...notification } = NOTIFICATION
    return storyClient.signalIfRunning(this.target, notification)
  }

  /** A notification that reopens the workflow where it has ended. */
  reopenByNotification(more: { isAboutReturn?: true } = {}): Promise<void> {
    return storyClient.reopenAndSignal(this.target, this.#reopenStart, { ...NOTIFICATION, ...more })
  }

  /** A cancel request for the charge, which reopens its workflow where it has ended. */
  cancelCharge(updateId = 'cancel'): Promise<CancelChargeResult> {
    return storyClient.reopenAndUpdate(this.target, this.#reopenStart, {
      update: cancelChargeUpdate,
      updateId,
    })
  }

  /** A revision of the charge, which reopens its workflow where it has ended. A repeated request has the same `revision`. */
  reviseCharge(revision = 'revision', updateId: string = revision): Promise<ReviseChargeResult> {
    return storyClient.reopenAndUpdate(
      this.target,
      this.#reopenStart,
      buildRevisionRequest(revision, updateId),
    )
  }

  /** A revision that was accepted: its result comes later. */
  startRevision(revision = 'revision'): Promise<{ result(): Promise<ReviseChargeResult> }> {
    return storyClient.startUpdate(this.target, buildRevisionRequest(revision, revision))
  }

  /** The merchant's reply to a dispute, which reopens its workflow where it has ended. */
  replyToDispute(updateId = 'reply'): Promise<ReplyToDisputeResult> {
    const args = [{ details: 'sealed', requestId: updateId }]
    return storyClient.reopenAndUpdate(this.target, this.#reopenStart, {
      update: replyToDisputeUpdate as never,
      updateId,
      args,
    })
  }

  /** A cancel request for what an account has requested; its workflow runs. */
  cancelDispute(updateId = 'cancel'): Promise<CancelDisputeResult> {
    return storyClient.updateRunning(this.target, { update: cancelDisputeUpdate, updateId })
  }

  /** A cancel request for a recurrence, whose workflow runs. */
  cancelRecurrence(updateId = 'cancel'): Promise<CancelRecurrenceResult> {
    return storyClient.updateRunning(this.target, { update: cancelRecurrenceUpdate, updateId })
  }

  /** A cancel request that was accepted: its result comes later. */
  startCancel(updateId = 'cancel'): Promise<{ result(): Promise<CancelChargeResult> }> {
    return storyClient.startUpdate(this.target, { update: cancelChargeUpdate, updateId })
  }

  /** Resolves when a transfer or refund is accepted, refused by all, or cannot be sent. */
  awaitAccepted(updateId = 'answered'): Promise<void> {
    return storyClient.updateRunning(this.target, { update: awaitResultUpdate, updateId })
  }

  /** Tells the workflow that persons have decided about its transfer. */
  async signalApprovalDecided(): Promise<void> {
    await this.target.client.getHandle(this.target.workflowId).signal(approvalDecidedSignal)
  }

  cancelTransfer(updateId = 'cancel'): Promise<boolean> {
    return storyClient.updateRunning(this.target, { update: cancelTransferUpdate, updateId })
  }

  cancelBatch(updateId = 'cancel'): Promise<boolean> {
    return storyClient.updateRunning(this.target, { update: cancelBatchUpdate, updateId })
  }

  /** Removes a report; its workflow runs. */
  removeReport(updateId = 'remove'): Promise<void> {
    return storyClient.updateRunning(this.target, { update: removeReportUpdate, updateId })
  }

  /** Resolves when what was decided about a batch is applied. */
  applyBatchDecision(updateId = 'decision'): Promise<void> {
    return storyClient.updateRunning(this.target, { update: applyDecisionUpdate, updateId })
  }

  /** Grows the history as weeks of polling do, so that the server suggests continue-as-new. */
  async growHistory(): Promise<void> {
    const handle = this.target.client.getHandle(this.target.workflowId)
    for (let part = 0; part < 3; part++) await handle.signal('ballast', 'x'.repeat(1_500_000))
  }

  /** The id of its current run. */
  async readRunId(): Promise<string> {
    const { runId } = await this.target.client.getHandle(this.target.workflowId).describe()
    return runId
  }

  /** What the Temporal UI shows as its Call Stack. */
  readCallStack(): Promise<string> {
    return this.target.client.getHandle(this.target.workflowId).query('__stack_trace')
  }

  /** The settlement that an operator enters where no provider can tell the outcome. */
  async settleManually(word: ManualSettlement): Promise<void> {
    await this.target.client.getHandle(this.target.workflowId).signal(manualSettlementSignal, word)
  }

  /** Signals that the row of a delivery has changed. */
  async signalDeliveryChanged(): Promise<void> {
    await this.target.client.getHandle(this.target.workflowId).signal(deliveryChangedSignal)
  }

  /** Waits, with the clock stopped, until so many calls were made. */
  async waitForCalls(times: number): Promise<void> {
    const limit = Date.now() + END_LIMIT_MS
    while (this.calls.length < times) {
      if (Date.now() > limit) throw new Error(`It was asked only: ${this.calls.join(', ')}`)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  /** Waits, with the clock stopped, until the workflow has started so many timers. */
  async waitForTimers(times: number): Promise<void> {
    const handle = this.target.client.getHandle(this.target.workflowId)
    const limit = Date.now() + END_LIMIT_MS
    for (;;) {
      const { timers } = summarizeHistory(await handle.fetchHistory())
      if (timers.length >= times) return
      if (Date.now() > limit) throw new Error(`It waited only: ${timers.join(', ')}`)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  /** Lets time run until the workflow and all that it started have ended; answers its result. */
  async finish(): Promise<unknown> {
    const { client } = this.#temporal.env
    const handle = client.workflow.getHandle(this.target.workflowId)
    const result = await client.withDeadline(Date.now() + END_LIMIT_MS, () => handle.result())
    this.#history = summarizeHistory(await handle.fetchHistory())
    await this.#temporal.runWithTimeSkipping(() => this.#awaitChildren(this.history))
    expect(this.#unscripted).toEqual([])
    for (const workflowOrChildId of [this.target.workflowId, ...this.#childWorkflowIds])
      await recordHistory(client, workflowOrChildId)
    return result
  }

  /** Ends like `ends`, with the whole script used. */
  async finishWith(result: unknown): Promise<void> {
    expect(await this.finish()).toEqual(result)
    expect(Object.values(this.#script).flat()).toEqual([])
  }

  /** The history of the workflow's last run, once it has ended. */
  get history(): HistorySummary {
    if (!this.#history) throw new Error('The story has not ended.')
    return this.#history
  }

  async abort(): Promise<void> {
    if (this.#history) return
    const handle = this.#temporal.client.getHandle(this.target.workflowId)
    await handle.terminate('the story is over').catch(() => {})
  }

  /** Waits for the children of an ended workflow, and for theirs. */
  async #awaitChildren(parent: HistorySummary): Promise<void> {
    await Promise.all(
      parent.childWorkflowIds.map(async workflowId => {
        if (this.#childWorkflowIds.has(workflowId)) return
        this.#childWorkflowIds.add(workflowId)
        const handle = this.#temporal.client.getHandle(workflowId)
        await handle.result()
        if (!parent.completedChildIds.includes(workflowId)) await this.#temporal.unlockTime()
        await this.#awaitChildren(summarizeHistory(await handle.fetchHistory()))
      }),
    )
  }
}

export const NOTIFICATION = {
  notificationUuid: 'notification',
  connectionUuid: 'connection-a',
  isNew: true,
} as const

/** What a workflow's history contains. */
type HistorySummary = {
  /** The statuses shown to an operator, in order. */
  statuses: string[]
  /** How often the search attributes were written after the start. */
  upsertCount: number
  /** The values, in centavos, that were written after the start. */
  changedCents: number[]
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

function summarizeHistory(history: History): HistorySummary {
  const events = history.events ?? []
  const cancelledTimers = new Set(
    events.map(event => String(event.timerCanceledEventAttributes?.startedEventId)),
  )
  const statuses: string[] = []
  let upsertCount = 0
  const changedCents: number[] = []
  const outcomes: (string | null)[] = []
  const timers: string[] = []
  const queuedActivities: string[] = []
  const childWorkflowIds: string[] = []
  const completedChildIds: string[] = []
  for (const event of events) {
    const fields = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields
    if (fields) upsertCount += 1
    if (fields?.TrilhoValueCents) changedCents.push(Number(decodePayload(fields.TrilhoValueCents)))
    if (fields?.TrilhoOutcome) outcomes.push(decodePayload(fields.TrilhoOutcome) || null)
    const status = fields?.TrilhoStatus
    if (status && statuses.at(-1) !== decodePayload(status)) statuses.push(decodePayload(status))
    const timer = event.timerStartedEventAttributes?.startToFireTimeout
    if (timer) {
      const reason = decodePayload(event.userMetadata?.summary)
      const early = cancelledTimers.has(String(event.eventId)) ? ', woken' : ''
      timers.push(
        `${reason}: ${formatDuration(Number(timer.seconds ?? 0) * 1_000 + (timer.nanos ?? 0) / 1e6)}${early}`,
      )
    }
    const activity = event.activityTaskScheduledEventAttributes?.activityType?.name
    if (activity) queuedActivities.push(activity)
    const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId
    if (child) childWorkflowIds.push(child)
    const workflowId = event.childWorkflowExecutionCompletedEventAttributes?.workflowExecution?.workflowId
    if (workflowId) completedChildIds.push(workflowId)
  }
  return {
    statuses,
    upsertCount,
    changedCents,
    outcomes,
    timers,
    queuedActivities,
    childWorkflowIds,
    completedChildIds,
  }
}

function buildRevisionRequest(uuid: string, updateId: string): storyClient.UpdateRequest<ReviseChargeResult> {
  const args = [{ uuid, requestId: uuid, details: 'sealed' }]
  return { update: reviseChargeUpdate as never, updateId, args }
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
