import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { History } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { buildReopenOptions } from '../../../src/temporal/workflow-options.ts'
import { awaitIssuedUpdate } from '../../../src/workflows/contracts/charges.ts'
import { providerNotificationSignal } from '../../../src/workflows/contracts/provider-notifications.ts'
import { REBUILD_WORKFLOW } from '../../../src/workflows/contracts/rebuild.ts'
import type { AdvanceBatchResult } from '../../../src/workflows/contracts/transfer-batches.ts'
import { cancelTransferUpdate } from '../../../src/workflows/contracts/transfers.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import * as workflows from '../../../src/workflows/index.ts'
import { DEPLOYMENT, startWorkerBuilds, TASK_QUEUE } from '../../support/worker-builds.ts'
import { NOTIFICATION, type Story } from '../../support/workflow-story.ts'
import {
  chargeIssued,
  chargeKnown,
  chargeNoAnswer,
  codeSendingEnded,
  codeSendingRetry,
  depositRecorded,
  disputeKnown,
  noAnswer,
  orphanClosed,
  payoutInProcess,
  payoutSettled,
  pixKeyEnded,
  pixKeyUnknown,
  recurrenceKnown,
  recurrenceRow,
  refundOpened,
  transferRow,
  webhookDelivered,
  webhookRetry,
} from '../../support/workflow-story-answers.ts'
import * as storyClient from '../../support/workflow-story-client.ts'
import { chargeInput } from '../../support/workflow-story-suite.ts'

/**
 * Two builds of the workers side by side, whose workflow code is incompatible in every workflow: workflows of every kind are in
 * progress while operators ramp, make current and move back, by the commands of docs/production.md.
 */

/** A PIX key, which no notification wakes, is polled every 36 s at last. */
const TIME_SCALE = 100
const clock = { now: async () => Date.now() } as Story
/** Waves of workflows whose operations have ended at the providers. */
const endedWaves = new Set<string>()
const hasEnded = (workflowId: string) => [...endedWaves].some(wave => workflowId.includes(`/${wave}-`))
const answerByProgress =
  (inFlight: unknown, over: unknown) =>
  (workflowId: string): unknown => {
    const answer = hasEnded(workflowId) ? over : inFlight
    return typeof answer === 'function' ? answer(clock) : answer
  }
const answerWhenEnded = (answer: unknown) => async (workflowId: string) => {
  await waitUntil(() => hasEnded(workflowId), { description: `${workflowId} goes on`, limitMs: 440_000 })
  return answer
}
const answerWith = (answer: unknown) => () => answer

const batchStep = (step: Pick<AdvanceBatchResult, 'state' | 'next'>): AdvanceBatchResult => ({
  deliveries: [],
  returns: [],
  startedCount: 0,
  ...step,
})

let builds: Awaited<ReturnType<typeof startWorkerBuilds>>
beforeAll(async () => {
  builds = await startWorkerBuilds({
    issueCharge: () => chargeIssued()(clock),
    pollCharge: answerByProgress(chargeNoAnswer(), chargeKnown('paid')),
    getCharge: answerWith({ state: 'paid', expiresAt: '2020-01-01T00:00:00.000Z', cancelRequested: false }),
    sendTransfer: answerWith(payoutInProcess),
    pollTransfer: answerByProgress(
      payoutInProcess,
      payoutSettled({ transfer: { state: 'paid', connectionUuid: 'connection-a' } }),
    ),
    storeTransfer: answerWith(transferRow('created')),
    endScheduledTransfer: answerWith(transferRow('cancelled')),
    getTransfer: answerWith(transferRow('paid')),
    advanceBatch: answerByProgress(
      batchStep({ state: 'processing', next: { kind: 'wait', waitMs: 1_000, reason: 'unfinished_items' } }),
      batchStep({ state: 'completed', next: { kind: 'end' } }),
    ),
    openRefund: answerWith(refundOpened('sending')),
    sendRefund: answerWith(payoutInProcess),
    getRefund: answerWith({ state: 'settled', connectionUuid: NOTIFICATION.connectionUuid }),
    pollRefund: answerByProgress(payoutInProcess, payoutSettled()),
    sendReturn: answerWith(payoutInProcess),
    pollReturn: answerByProgress(payoutInProcess, payoutSettled()),
    getDispute: answerWith(null),
    pollDispute: answerByProgress(disputeKnown('open'), disputeKnown('rejected')),
    openRecurrence: answerWith(recurrenceRow('creating')),
    createRecurrence: answerWith(recurrenceKnown('pending')),
    pollRecurrence: answerByProgress(recurrenceKnown('pending'), recurrenceKnown('rejected')),
    openPixKey: answerWith('creating'),
    createKey: answerWith(pixKeyUnknown),
    pollPixKey: answerByProgress(pixKeyUnknown, pixKeyEnded('active')),
    deleteKey: answerWith(pixKeyUnknown),
    pollPixKeyRemoval: answerByProgress(pixKeyUnknown, pixKeyEnded('removed')),
    storeAuthCode: answerWith(undefined),
    sendAuthCode: answerByProgress(codeSendingRetry, codeSendingEnded('sent')),
    openReport: answerWith('pending'),
    buildReport: answerByProgress({ kind: 'wait' }, { kind: 'closed' }),
    closeReport: answerWith('failed'),
    sendPasswordReset: answerByProgress(codeSendingRetry, codeSendingEnded('sent')),
    rebuildOperation: answerByProgress(
      { kind: 'unknown', code: 'no_answer' },
      { kind: 'known', state: 'failed', isEnded: true },
    ),
    closeOrphan: answerByProgress(noAnswer(), orphanClosed()),
    recordDeposit: answerByProgress(noAnswer(), depositRecorded()),
    keepUnmatchedPayment: answerWith(true),
    orderDepositReturn: answerWith({ failure: null, returns: [] }),
    attemptDelivery: answerByProgress(webhookRetry(5_000), webhookDelivered),
    replayMissedEvents: answerWhenEnded({ recovered: 0 }),
    sweepDeliveries: answerWhenEnded({ woken: 0, disabled: 0 }),
    pruneEvents: answerWhenEnded({ forgotten: 0 }),
    archiveClosedMonths: answerWhenEnded({ archived: 0 }),
    sweepDisputes: answerWhenEnded({ polled: 0, signalled: 0 }),
    sweepWorkflows: answerWhenEnded({}),
    sweepProviderNotifications: answerWith({ waiting: 0, routedCount: 0 }),
    listProviderAccounts: answerWhenEnded([]),
    foldListCounters: answerWith(0),
    orderScheduledReports: answerWith({ ordered: 0 }),
  })
})
afterAll(() => builds?.stop())

/** A workflow of every type: its type, its id, and its input. */
const KINDS: [string, (uuid: string) => string, (uuid: string) => unknown][] = [
  ['chargeWorkflow', WORKFLOWS.charge.idOf, uuid => ({ ...chargeInput(uuid), timeScale: TIME_SCALE })],
  ['transferWorkflow', WORKFLOWS.transfer.idOf, sendingOf],
  [
    'transferWorkflow',
    uuid => `${WORKFLOWS.transfer.idOf(uuid)}/later`,
    uuid => ({ ...sendingOf(uuid), ...LATER }),
  ],
  ['transferBatchWorkflow', WORKFLOWS.transfer_batch.idOf, uuid => ({ uuid, timeScale: TIME_SCALE })],
  [
    'refundWorkflow',
    WORKFLOWS.refund.idOf,
    uuid => ({ ...sendingOf(uuid), chargeUuid: 'charge', fingerprint: 'f' }),
  ],
  ['returnWorkflow', WORKFLOWS.return.idOf, sendingOf],
  ['depositReturnWorkflow', WORKFLOWS.deposit_return.idOf, uuid => ({ uuid, timeScale: TIME_SCALE })],
  ['keepUnmatchedWorkflow', uuid => `${WORKFLOWS.return.idOf(uuid)}/kept`, uuid => ({ uuid })],
  [
    'disputeWorkflow',
    WORKFLOWS.dispute.idOf,
    uuid => ({ ...sendingOf(uuid), providerDisputeId: 'infraction', endToEnd: null }),
  ],
  [
    'recurrenceWorkflow',
    WORKFLOWS.recurrence.idOf,
    uuid => ({ ...sendingOf(uuid), candidates: ['connection-a'] }),
  ],
  ['pixKeyWorkflow', WORKFLOWS.pix_key.idOf, keyOf],
  ['pixKeyRemovalWorkflow', WORKFLOWS.pix_key_removal.idOf, keyOf],
  ['authCodeWorkflow', WORKFLOWS.auth_code.idOf, keyOf],
  ['reportWorkflow', WORKFLOWS.report.idOf, keyOf],
  ['passwordResetWorkflow', WORKFLOWS.password_reset.idOf, keyOf],
  ['orphanWorkflow', WORKFLOWS.orphan.idOf, uuid => ({ attemptUuid: uuid, timeScale: TIME_SCALE })],
  ['depositWorkflow', uuid => WORKFLOWS.deposit.idOf(`connection-a/${uuid}`), sendingOf],
  ['deliveryWorkflow', WORKFLOWS.delivery.idOf, uuid => ({ deliveryUuid: uuid, timeScale: TIME_SCALE })],
  ['eventReplayWorkflow', uuid => `recovery/${uuid}`, uuid => ({ webhookUuid: uuid })],
  ['deliverySweepWorkflow', uuid => `delivery-sweep/${uuid}`, none],
  ['eventPruningWorkflow', uuid => `event-pruning/${uuid}`, none],
  ['disputeSweepWorkflow', uuid => `med-sweep/${uuid}`, none],
  ['workflowSweepWorkflow', uuid => `workflow-sweep/${uuid}`, none],
  ['notificationSweepWorkflow', uuid => `notification-sweep/${uuid}`, none],
  ['reconciliationWorkflow', uuid => `reconciliation/${uuid}`, () => ({ hours: 48 })],
  ['reportScheduleWorkflow', uuid => `report-schedules/${uuid}`, none],
  ['listCountersWorkflow', uuid => `tally/${uuid}`, none],
  [
    REBUILD_WORKFLOW,
    uuid => `${WORKFLOWS.transfer.idOf(uuid)}/rebuilt`,
    uuid => ({
      rebuild: {
        noun: 'transfer',
        order: sendingOf(uuid),
        restored: { orderedAt: new Date().toISOString() },
      },
      timeScale: TIME_SCALE,
    }),
  ],
]

test('every type has its kind', () => {
  expect(new Set(KINDS.map(([type]) => type))).toEqual(new Set(Object.keys(workflows)))
})

test('workflows of every type move forwards and back between two builds without a failed workflow task', async () => {
  const { client, temporal, buildsByWorkflow, regularBuildsByWorkflow, bundles } = builds
  const { workflow } = client
  const waves: Record<string, string[]> = {}
  const version = (buildId: string) => ['--deployment-name', DEPLOYMENT, '--build-id', buildId]
  const makeCurrent = (buildId: string) =>
    temporal('worker', 'deployment', 'set-current-version', ...version(buildId), '--yes')
  const ramp = (buildId: string, percent: number) =>
    temporal(
      'worker',
      'deployment',
      'set-ramping-version',
      ...version(buildId),
      '--percentage',
      `${percent}`,
      '--yes',
    )
  const start = async (wave: string) => {
    const options = (workflowId: string) => ({ client: workflow, taskQueue: TASK_QUEUE, workflowId })
    waves[wave] = await Promise.all(
      KINDS.map(async ([type, idOf, inputOf], number) => {
        const uuid = `${wave}-${number}`
        const workflowStart = { type, input: inputOf(uuid) }
        const workflowId = idOf(uuid)
        if (type === 'chargeWorkflow')
          await storyClient.startAndUpdate(options(workflowId), workflowStart, {
            update: awaitIssuedUpdate as never,
            updateId: uuid,
          })
        else if (type === 'depositWorkflow' || type === 'disputeWorkflow')
          await storyClient.reopenAndSignal(options(workflowId), workflowStart, NOTIFICATION)
        else await storyClient.startWorkflow(options(workflowId), workflowStart)
        return workflowId
      }),
    )
    for (const id of waves[wave]!)
      await waitUntil(() => hasCompletedTask(id), { description: `Not started: ${id}`, limitMs: 120_000 })
  }
  /**
   * A workflow stays with a build once that has completed a task of it: on a slow machine the first task may time out after its
   * activity began, and the next task comes to the build that is current then.
   */
  const hasCompletedTask = async (workflowId: string, runId?: string) =>
    buildsOfTasks(await workflow.getHandle(workflowId, runId).fetchHistory()).length > 0
  const buildsOf = (wave: string) => new Set(waves[wave]!.flatMap(id => [...buildsByWorkflow.get(id)!]))
  /** Every workflow that listens to notifications executes a workflow task, and replays. */
  const notifyAll = () =>
    Promise.all(
      Object.values(waves)
        .flat()
        .map(id =>
          storyClient.signalIfRunning(
            { client: workflow, taskQueue: TASK_QUEUE, workflowId: id },
            NOTIFICATION,
          ),
        ),
    )

  await builds.deploy('one')
  await makeCurrent('one')
  await start('a')
  expect(buildsOf('a')).toEqual(new Set(['one']))

  await builds.deploy('two')
  await ramp('two', 50)
  await start('b')
  expect(buildsOf('b')).toEqual(new Set(['one', 'two']))
  await notifyAll()

  await makeCurrent('two')
  await start('c')
  expect(await buildsOfScheduled('forwards')).toEqual(['two'])
  expect(buildsOf('c')).toEqual(new Set(['two']))
  await notifyAll()

  await makeCurrent('one')
  await start('d')
  expect(await buildsOfScheduled('back')).toEqual(['one'])
  expect(buildsOf('d')).toEqual(new Set(['one']))
  await notifyAll()

  // One of build two grows so long that it continues as new, after the way back.
  const longWorkflowId = waves.c!.find(id => id.startsWith('webhook/'))!
  const { runId: firstRun } = await workflow.getHandle(longWorkflowId).describe()
  for (let part = 0; part < 3; part++)
    await workflow.getHandle(longWorkflowId).signal('ballast', 'x'.repeat(1_500_000))
  const nextRunStarted = async () => {
    const { runId } = await workflow.getHandle(longWorkflowId).describe()
    return runId !== firstRun && hasCompletedTask(longWorkflowId, runId)
  }
  await waitUntil(nextRunStarted, { description: 'It does not continue as new', limitMs: 60_000 })

  // Build two is removed: what is pinned to it moves on to a build that replays its histories.
  await builds.deploy('three')
  const buildTwoQuery = `TemporalWorkerDeploymentVersion = '${DEPLOYMENT}:two' and ExecutionStatus = 'Running'`
  const override = ['--versioning-override-behavior', 'pinned', '--versioning-override-build-id', 'three']
  const deployment = ['--versioning-override-deployment-name', DEPLOYMENT]
  expect((await workflow.count(buildTwoQuery)).count).toBeGreaterThan(20)
  // Repeated, as docs/production.md says: one command moves what visibility lists at that time.
  const moveListedWorkflows = async () => {
    const moving = temporal(
      'workflow',
      'update-options',
      '--query',
      buildTwoQuery,
      ...override,
      ...deployment,
      '--yes',
    )
    // A slow machine has not ended the command before: Temporal refuses another.
    await moving.catch(error => {
      if (!/Max concurrent batch operations/.test(String(error.stderr))) throw error
    })
    return (await workflow.count(buildTwoQuery)).count === 0
  }
  await waitUntil(moveListedWorkflows, {
    description: 'Not every workflow is moved',
    limitMs: 60_000,
    everyMs: 2_000,
  })

  for (const wave of Object.keys(waves)) endedWaves.add(wave)
  await notifyAll()
  for (const id of Object.values(waves)
    .flat()
    .filter(id => id.endsWith('/later')))
    await workflow.getHandle(id).executeUpdate(cancelTransferUpdate)

  const histories = await Promise.all(
    Object.values(waves)
      .flat()
      .map(async workflowId => {
        const handle = workflow.getHandle(workflowId)
        await client.withDeadline(Date.now() + 180_000, () => handle.result())
        return { workflowId, history: await handle.fetchHistory() }
      }),
  )
  const events = histories.flatMap(({ workflowId, history }) =>
    history.events!.map(event => ({ workflowId, event })),
  )
  expect(events.filter(({ event }) => hasFailedTask(event))).toEqual([])
  // Each stayed with the build that executed its first workflow task, until it was moved to build three.
  const moveByWorkflow = histories.map(({ workflowId, history }) => ({
    workflowId,
    move: buildsOfTasks(history).join(' to '),
  }))
  const expectedMoves = ['one', 'two', 'two to three']
  expect(moveByWorkflow.filter(({ move }) => !expectedMoves.includes(move))).toEqual([])
  expect(moveByWorkflow.map(({ move }) => move)).toEqual(expect.arrayContaining(expectedMoves))
  // So did its activities, on both task queues. A task queue learns of a move with a delay, so that one activity after it may still
  // reach the current build.
  const strayedHistories = histories.filter(({ workflowId, history }) => {
    const builds = [...buildsOfTasks(history), 'one']
    return [...(regularBuildsByWorkflow.get(workflowId) ?? [])].some(build => !builds.includes(build))
  })
  expect(strayedHistories.map(({ workflowId }) => workflowId)).toEqual([])

  // A notification reopens what ended on build two: on the current version.
  const reopened = waves.c!.find(id => id.startsWith('charge/'))!
  const { runId } = await workflow
    .signalWithStart('chargeWorkflow', {
      ...buildReopenOptions({ taskQueue: TASK_QUEUE } as never, reopened),
      args: [{ reopen: reopened, timeScale: TIME_SCALE }],
      signal: providerNotificationSignal,
      signalArgs: [NOTIFICATION],
    })
    .then(({ signaledRunId }) => ({ runId: signaledRunId }))
  await workflow.getHandle(reopened, runId).result()
  expect(buildsByWorkflow.get(reopened)).toContain('one')

  // What proves that the builds are incompatible: unpinned, each of these would have failed its workflow task. Not those
  // whose first task came to build two because a slow machine had let it time out on build one.
  const buildOneHistories = histories.filter(({ history }) => buildsOfTasks(history).join() === 'one')
  expect(buildOneHistories.length).toBeGreaterThan(KINDS.length)
  const replays = Worker.runReplayHistories({ workflowBundle: bundles.two! }, buildOneHistories)
  for await (const { workflowId, error } of replays)
    expect([workflowId, error?.name]).toEqual([workflowId, 'DeterminismViolationError'])

  /** Starts a workflow by a schedule and returns the builds that completed its tasks, once it has ended. */
  async function buildsOfScheduled(name: string): Promise<string[]> {
    const schedule = await client.schedule.create({
      scheduleId: name,
      spec: {},
      action: {
        type: 'startWorkflow',
        workflowType: 'listCountersWorkflow',
        workflowId: `tally-${name}`,
        taskQueue: TASK_QUEUE,
        args: [],
      },
    })
    await schedule.trigger()
    const idOf = () => [...buildsByWorkflow.keys()].find(id => id.startsWith(`tally-${name}`))
    await waitUntil(() => idOf() !== undefined, {
      description: 'The schedule starts nothing',
      limitMs: 60_000,
    })
    const handle = workflow.getHandle(idOf()!)
    await client.withDeadline(Date.now() + 180_000, () => handle.result())
    return buildsOfTasks(await handle.fetchHistory())
  }
})

const LATER = { scheduledFor: '2100-01-01T00:00:00.000Z' }

function sendingOf(uuid: string) {
  return {
    ...chargeInput(uuid),
    connectionUuid: NOTIFICATION.connectionUuid,
    endToEnd: uuid,
    timeScale: TIME_SCALE,
  }
}

function keyOf(uuid: string) {
  return { ...sendingOf(uuid), type: 'EMAIL', authCodeUuid: 'code' }
}

function none() {
  return undefined
}

type HistoryEvent = NonNullable<History['events']>[number]

/**
 * Whether a workflow task failed by its build. "Unhandled command" is none: a signal came while the task completed its
 * workflow, and Temporal repeats the task.
 */
function hasFailedTask({ workflowTaskFailedEventAttributes: failed }: HistoryEvent): boolean {
  return failed != null && failed.failure?.message !== 'UnhandledCommand'
}

/** The builds that have completed its workflow tasks, in order. */
function buildsOfTasks({ events }: History): string[] {
  const builds = events!.map(
    ({ workflowTaskCompletedEventAttributes }) =>
      workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId,
  )
  return [...new Set(builds.filter(build => build != null))]
}
