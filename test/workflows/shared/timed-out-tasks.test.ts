import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { WorkflowBundleOption } from '@temporalio/worker'
import { awaitIssuedUpdate, cancelChargeUpdate } from '../../../src/workflows/contracts/charges.ts'
import { replyToDisputeUpdate } from '../../../src/workflows/contracts/disputes.ts'
import { awaitResultUpdate } from '../../../src/workflows/contracts/orders.ts'
import { providerNotificationSignal } from '../../../src/workflows/contracts/provider-notifications.ts'
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contracts/search-attributes.ts'
import { WORKFLOWS, type WorkflowInputs } from '../../../src/workflows/contracts/workflows.ts'
import { prepareReplay, replayFailures } from '../../support/history-replay.ts'
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts'
import { startTemporal } from '../../support/temporal.ts'
import { NOTIFICATION } from '../../support/workflow-story.ts'
import {
  codeSendingEnded,
  payoutSettled,
  pixKeyEnded,
  refundOpened,
  transferRow,
} from '../../support/workflow-story-answers.ts'

/**
 * First workflow tasks that time out because their worker stands still, with a notification before the next task starts. Temporal
 * numbers the second attempt of a task as if nothing had come between; the notification then takes its number.
 */

const TASK_TIMEOUT_MS = 2_000
/** The second attempt of a task has started, and waits for the process. */
const STANDSTILL_MS = 1.5 * TASK_TIMEOUT_MS
const NOTIFIED_AFTER_MS = 1.25 * TASK_TIMEOUT_MS
/** An activity of the second attempt ends after the timeout of that attempt. */
const SLOW_ACTIVITY_MS = 0.75 * TASK_TIMEOUT_MS
/** Longer than a busy machine needs. */
const END_WITHIN_MS = 120_000
/** Several of each: which of two tasks the SDK takes up first depends on a race. */
const COPIES = 4

const order = { accountUuid: 'account', requestId: 'request', tokenNumber: 1, valueCents: 100, timeScale: 1 }
const candidates = ['connection-a']
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()
const snapshot = { accountUuid: 'account', connectionUuid: 'connection-a', endToEnd: 'E1', valueCents: 100 }
const closedDispute = {
  ...snapshot,
  state: 'rejected',
  dueAt: '2026-01-01T00:00:00Z',
  isAnswerable: false,
  warnedHours: null,
}

/** Results of the activities, whose workflows end without a further wait. */
const RESULTS = {
  issueCharge: {
    state: 'pending',
    connectionUuid: 'connection-a',
    expiresAt: TOMORROW,
    orphans: [],
  },
  getCharge: {
    state: 'pending',
    connectionUuid: 'connection-a',
    expiresAt: TOMORROW,
    cancelRequested: false,
  },
  pollCharge: { kind: 'known', state: 'paid', deliveries: [], returns: [] },
  cancelCharge: { kind: 'known', state: 'cancelled', deliveries: [], returns: [] },
  storeTransfer: transferRow('failed'),
  getTransfer: transferRow('paid'),
  pollTransfer: payoutSettled({ transfer: transferRow('paid') as never }),
  sendTransfer: payoutSettled({ transfer: transferRow('paid') as never }),
  openRefund: refundOpened('sending'),
  getRefund: { state: 'settled', connectionUuid: 'connection-a' },
  sendRefund: payoutSettled(),
  pollRefund: payoutSettled(),
  openPixKey: 'creating',
  createKey: pixKeyEnded('active'),
  deleteKey: pixKeyEnded('removed'),
  storeAuthCode: null,
  sendAuthCode: codeSendingEnded('sent'),
  getDispute: { ...closedDispute, isReplyPending: false },
  pollDispute: { ...closedDispute, kind: 'known', isReplyPending: false },
  storeDisputeReply: { kind: 'closed' },
  openReport: 'pending',
  buildReport: { kind: 'closed' },
  closeReport: 'failed',
  keepUnmatchedPayment: true,
  orderDepositReturn: { failure: null, returns: [] },
}

type StartedNoun = {
  [Noun in keyof WorkflowInputs]: [
    title: string,
    noun: Noun,
    input: (uuid: string) => unknown,
    update?: { name: string },
  ]
}[keyof WorkflowInputs]

/** Every workflow that a request starts by an update, or whose first task runs a local activity. */
const STARTED_NOUNS: StartedNoun[] = [
  ['new charge', 'charge', uuid => ({ ...order, uuid, candidates }), awaitIssuedUpdate],
  ['reopened charge', 'charge', uuid => ({ reopen: uuid, timeScale: 1 }), cancelChargeUpdate],
  [
    'new transfer',
    'transfer',
    uuid => ({ ...order, uuid, candidates, details: 'sealed' }),
    awaitResultUpdate,
  ],
  [
    'scheduled transfer',
    'transfer',
    uuid => ({ ...order, uuid, candidates, details: 'sealed', scheduledFor: TOMORROW }),
    awaitResultUpdate,
  ],
  ['reopened transfer', 'transfer', uuid => ({ reopen: uuid, timeScale: 1 })],
  [
    'new refund',
    'refund',
    uuid => ({ ...order, uuid, chargeUuid: 'charge', connectionUuid: 'connection-a', fingerprint: 'f' }),
    awaitResultUpdate,
  ],
  ['reopened refund', 'refund', uuid => ({ reopen: uuid, timeScale: 1 })],
  [
    'dispute',
    'dispute',
    uuid => ({
      uuid,
      providerDisputeId: 'd',
      endToEnd: 'E1',
      connectionUuid: 'connection-a',
      requestId: 'request',
      timeScale: 1,
    }),
    replyToDisputeUpdate,
  ],
  ['new PIX key', 'pix_key', uuid => ({ uuid, timeScale: 1 }), awaitResultUpdate],
  ['removal of a PIX key', 'pix_key_removal', uuid => ({ uuid, timeScale: 1 }), awaitResultUpdate],
  ['auth code', 'auth_code', uuid => ({ uuid, timeScale: 1 }), awaitResultUpdate],
  ['report', 'report', uuid => ({ uuid, timeScale: 1 }), awaitResultUpdate],
  ['order to return a deposit', 'deposit_return', uuid => ({ uuid, timeScale: 1 }), awaitResultUpdate],
  ['unmatched PIX that is kept', 'keep_unmatched', uuid => ({ uuid })],
]

let bundle: WorkflowBundleOption
let server: Awaited<ReturnType<typeof startTemporal>>
let connection: Connection
let worker: ChildProcess | undefined

beforeAll(async () => {
  bundle = await prepareReplay()
  server = await startTemporal(Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => ({ name, type })))
  connection = await Connection.connect({ address: server.address })
})
afterEach(() => endWorker())
afterAll(async () => {
  await connection?.close()
  await server?.stop()
})

async function startWorker(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, '../../support/programs/stalling-worker.ts')
  const child = fork(program, [server.address, String(SLOW_ACTIVITY_MS), JSON.stringify(RESULTS)], {
    env: PROGRAM_ENVIRONMENT,
    execArgv: [],
  })
  await once(child, 'message')
  return child
}

async function endWorker(): Promise<void> {
  if (worker?.exitCode !== null || worker.signalCode !== null) return
  const exit = once(worker, 'exit')
  worker.kill('SIGKILL')
  await exit
}

test.each(['continues', 'is restarted'])(
  'a workflow that was notified between two tasks replays and ends, where the worker that stood still %s',
  async after => {
    const client = new Client({ connection })
    const { workflow } = client
    worker = await startWorker()
    worker.send(STANDSTILL_MS)
    await once(worker, 'message')
    const standstillStartMs = performance.now()
    const startedWorkflows = STARTED_NOUNS.flatMap(([title, noun, input, update], type) =>
      Array.from({ length: COPIES }, (_, copy) =>
        startWorkflow(`${type}-${copy}-${after === 'continues'}`, { title, noun, input, update }),
      ),
    )
    await sleep(NOTIFIED_AFTER_MS - (performance.now() - standstillStartMs))
    await Promise.all(startedWorkflows.map(({ workflowId }) => notify(workflowId)))
    if (after === 'is restarted') {
      await endWorker()
      worker = await startWorker()
    }
    const unfinished: string[] = []
    const histories = await Promise.all(
      startedWorkflows.map(async ({ workflowId, response }) => {
        const handle = workflow.getHandle(workflowId)
        const endWorkflow = async () => {
          await response
          await notify(workflowId)
          await handle.result()
        }
        await client.withDeadline(Date.now() + END_WITHIN_MS, endWorkflow).catch(error => {
          unfinished.push(`${workflowId}: ${error.message}: ${error.cause?.message}`)
        })
        return { workflowId, history: await handle.fetchHistory() }
      }),
    )
    expect(unfinished).toEqual([])
    const timedOut = histories.filter(({ history }) =>
      history.events!.some(event => event.workflowTaskTimedOutEventAttributes),
    )
    expect(timedOut.length).toBeGreaterThan(histories.length / 2)
    const failures: unknown[] = []
    for await (const failure of replayFailures(bundle, histories)) failures.push(failure)
    expect(failures).toEqual([])
  },
)

type StartOptions = {
  title: string
  noun: keyof WorkflowInputs
  input: (uuid: string) => unknown
  update: { name: string } | undefined
}

/** Starts a workflow as a request does: by its update, or alone where it has none. */
function startWorkflow(uuid: string, { title, noun, input, update }: StartOptions) {
  const { workflow } = new Client({ connection })
  const { type, idOf } = WORKFLOWS[noun]
  const workflowId = `${title} ${idOf(uuid)}`
  const options = {
    workflowId,
    taskQueue: 'trilho',
    workflowTaskTimeout: TASK_TIMEOUT_MS,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [input(uuid)],
  } as const
  if (!update) return { workflowId, response: workflow.start(type, options) }
  const args: unknown[] = update === replyToDisputeUpdate ? [{ details: 'sealed', requestId: 'request' }] : []
  const request = { args: args as [unknown], updateId: uuid }
  const response = workflow
    .executeUpdateWithStart(update.name, {
      ...request,
      startWorkflowOperation: new WithStartWorkflowOperation(type, options),
    })
    .catch(error =>
      repeatWhileTaskFails(error, () => workflow.getHandle(workflowId).executeUpdate(update.name, request)),
    )
  return { workflowId, response }
}

/**
 * Repeats an update as a merchant repeats a request that was not confirmed: Temporal refuses it while the workflow's task has
 * failed and is not yet repeated. A workflow that has ended meanwhile has its outcome.
 */
async function repeatWhileTaskFails(error: unknown, update: () => Promise<unknown>): Promise<unknown> {
  if (error instanceof WorkflowNotFoundError || hasEndedBefore(error)) return undefined
  if (!isTaskFailed(error)) throw error
  await sleep(500)
  return update().catch(again => repeatWhileTaskFails(again, update))
}

/** Whether Temporal refused an update as its workflow's task has failed: the error of `executeUpdate` has the refusal as its cause. */
function isTaskFailed(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.includes('Workflow Task in failed state') || isTaskFailed(error.cause)
}

/** Whether Temporal has lost an accepted update, and the workflow has ended without its answer. */
function hasEndedBefore(error: unknown): boolean {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined
  return cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow'
}

/** Notifies a workflow that may have ended. */
async function notify(workflowId: string): Promise<void> {
  await new Client({ connection }).workflow
    .getHandle(workflowId)
    .signal(providerNotificationSignal, NOTIFICATION)
    .catch(() => {})
}
