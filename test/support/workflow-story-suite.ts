import { afterAll, afterEach, beforeAll } from '@jest/globals'
import type { SearchAttributePair } from '@temporalio/common'
import { awaitIssuedUpdate, type ChargeInput } from '../../src/workflows/contracts/charges.ts'
import type { DisputeInput } from '../../src/workflows/contracts/disputes.ts'
import type { DepositReturnInput } from '../../src/workflows/contracts/orders.ts'
import type { AuthCodeInput, PixKeyInput } from '../../src/workflows/contracts/pix-keys.ts'
import {
  type PreRestoreState,
  REBUILD_WORKFLOW,
  type RebuiltOperation,
} from '../../src/workflows/contracts/rebuild.ts'
import type { RecurrenceInput } from '../../src/workflows/contracts/recurrences.ts'
import type { RefundInput } from '../../src/workflows/contracts/refunds.ts'
import type { ReportInput } from '../../src/workflows/contracts/reports.ts'
import { buildMoneyWorkflowOptions } from '../../src/workflows/contracts/start-options.ts'
import type { TransferInput } from '../../src/workflows/contracts/transfers.ts'
import type { ReturnPaymentInput } from '../../src/workflows/contracts/unmatched.ts'
import { WORKFLOWS } from '../../src/workflows/contracts/workflows.ts'
import { startTimeSkippingServer, type TimeSkippingServer } from './time-skipping.ts'
import {
  type ActivityName,
  type ActivityScript,
  NOTIFICATION,
  Story,
  type StoryOptions,
} from './workflow-story.ts'
import * as storyClient from './workflow-story-client.ts'

/** The activities of the main queue, which src/worker.ts registers by the same names. */
const MAIN_ACTIVITIES: Record<
  Exclude<ActivityName, 'attemptDelivery' | 'requestCallout' | 'attemptFirstDeliveries'>,
  true
> = {
  issueCharge: true,
  pollCharge: true,
  cancelCharge: true,
  reviseCharge: true,
  issueDebit: true,
  closeOrphan: true,
  openRecurrence: true,
  issueFirstCharge: true,
  cancelFirstCharge: true,
  getRecurrence: true,
  createRecurrence: true,
  lookUpRecurrence: true,
  failRecurrence: true,
  requestConsent: true,
  pollRecurrence: true,
  cancelRecurrence: true,
  signalOpenDebits: true,
  prepareCycle: true,
  recordCycle: true,
  recordDeposit: true,
  sendTransfer: true,
  pollTransfer: true,
  lookUpTransfer: true,
  sendRefund: true,
  pollRefund: true,
  lookUpRefund: true,
  sendReturn: true,
  pollReturn: true,
  lookUpReturn: true,
  createKey: true,
  pollPixKey: true,
  deleteKey: true,
  pollPixKeyRemoval: true,
  sendAuthCode: true,
  sendPasswordReset: true,
  orderDepositReturn: true,
  openPixKey: true,
  failPixKey: true,
  storeAuthCode: true,
  openReport: true,
  buildReport: true,
  closeReport: true,
  pollDispute: true,
  requestDispute: true,
  cancelDispute: true,
  sendDisputeReply: true,
  rebuildOperation: true,
  getDispute: true,
  openRequestedDispute: true,
  storeDisputeReply: true,
  recordDisputeWarning: true,
  applyDisputeDeadline: true,
  sweepDisputes: true,
  sweepWorkflows: true,
  getCharge: true,
  storeTransfer: true,
  getTransfer: true,
  failTransfer: true,
  advanceHeldTransfer: true,
  advanceBatch: true,
  cancelBatch: true,
  endScheduledTransfer: true,
  manuallySettleTransfer: true,
  manuallySettleRefund: true,
  manuallySettleReturn: true,
  keepUnmatchedPayment: true,
  openRefund: true,
  getRefund: true,
  sweepProviderNotifications: true,
  sweepDeliveries: true,
  replayMissedEvents: true,
  pruneEvents: true,
  archiveClosedMonths: true,
  listProviderAccounts: true,
  reconcile: true,
  foldListCounters: true,
  orderScheduledReports: true,
}

/**
 * A time scale with which no scheduled poll comes before what a test does next, however busy the machine: the server's clock
 * also runs by itself, and the first poll is due after five seconds otherwise.
 */
export const SLOWLY = 1 / 1_000

/** The Temporal server of one test file: its tests run one after another, each with uuids of its own. */
export function setUpWorkflowStories() {
  let temporal: TimeSkippingServer
  let currentStory: Story | undefined
  let numbers = 0
  const uuid = () => `00000000-0000-4000-8000-${String(++numbers).padStart(12, '0')}`
  const act = (name: ActivityName) => async (input: unknown) => currentStory?.answerCall(name, input)
  beforeAll(async () => {
    temporal = await startTimeSkippingServer({
      main: {
        ...Object.fromEntries(Object.keys(MAIN_ACTIVITIES).map(name => [name, act(name as ActivityName)])),
        attemptFirstDeliveries: async (deliveries: string[]) => currentStory?.answerFirstAttempts(deliveries),
      },
      webhooks: { attemptDelivery: act('attemptDelivery'), requestCallout: act('requestCallout') },
    })
  })
  // A workflow that a failed test left running must not act in the next one.
  afterEach(() => currentStory?.abort())
  afterAll(() => temporal?.stop())

  function createStory(options: StoryOptions): Story {
    currentStory = new Story(temporal, options)
    return currentStory
  }

  async function startStory(script: ActivityScript, { type, id, input }: StartOptions): Promise<Story> {
    const operationUuid = uuid()
    const story = createStory({
      script,
      type,
      workflowId: id(operationUuid),
      uuid: operationUuid,
      reopenInput: input(operationUuid),
    })
    await storyClient.startWorkflow(story.target, { type, input: input(operationUuid) })
    return story
  }

  async function reopenStory(
    script: ActivityScript,
    { type, id, notification, timeScale = 1, input }: ReopenOptions,
  ): Promise<Story> {
    const operationUuid = uuid()
    const reopenInput = input ? input(operationUuid, timeScale) : { reopen: operationUuid, timeScale }
    const story = createStory({
      script,
      type,
      workflowId: id(operationUuid),
      uuid: operationUuid,
      reopenInput,
    })
    await story.reopenByNotification(notification)
    return story
  }

  function rebuild(script: ActivityScript, build: (uuid: string) => RebuiltOperation): Promise<Story> {
    return startStory(script, {
      type: REBUILD_WORKFLOW,
      id: uuid => WORKFLOWS[build(uuid).noun].idOf(uuid),
      input: uuid => ({ rebuild: build(uuid), timeScale: 1 }),
    })
  }

  return {
    uuid,

    /** A requested charge; the test continues when it is issued or cannot be. */
    async charge(script: ActivityScript, wanted: Partial<ChargeInput> = {}): Promise<Story> {
      const order = { ...chargeInput(uuid()), ...wanted }
      const story = createStory({
        ...CHARGE,
        script,
        workflowId: WORKFLOWS.charge.idOf(order.uuid),
        uuid: order.uuid,
      })
      await orderCharge(story, order)
      return story
    },
    /** A requested payout; `isAnswered` waits as its request does. */
    async transfer(script: ActivityScript, wanted: Partial<TransferInput> = {}): Promise<Story> {
      const { expiresInSeconds: _, ...order }: ChargeInput & TransferInput = {
        ...chargeInput(uuid()),
        ...wanted,
      }
      const story = createStory({
        ...TRANSFER,
        script,
        workflowId: WORKFLOWS.transfer.idOf(order.uuid),
        uuid: order.uuid,
      })
      await storyClient.startWorkflow(story.target, {
        ...TRANSFER,
        input: order,
        searchAttributes: buildSearchAttributes('transfer', order),
      })
      return story
    },
    /** One that is to be sent so much later, by the server's clock. */
    async scheduledTransfer(
      inMs: number,
      script: ActivityScript,
      wanted: Partial<TransferInput> = {},
    ): Promise<Story> {
      const scheduledFor = new Date((await temporal.env.currentTimeMs()) + inMs).toISOString()
      return this.transfer(script, { scheduledFor, ...wanted })
    },
    async refund(script: ActivityScript, wanted: Partial<RefundInput> = {}): Promise<Story> {
      const order = { ...refundInput(uuid()), ...wanted }
      const story = createStory({
        ...REFUND,
        script,
        workflowId: WORKFLOWS.refund.idOf(order.uuid),
        uuid: order.uuid,
      })
      await storyClient.startWorkflow(story.target, { ...REFUND, input: order })
      return story
    },

    /** An ordered recurrence; `isAnswered` of its request is `story.awaitAccepted`. */
    async recurrence(script: ActivityScript, timeScale = 1, { hasFirstCharge = false } = {}): Promise<Story> {
      return startStory(script, {
        type: 'recurrenceWorkflow',
        id: WORKFLOWS.recurrence.idOf,
        input: uuid => ({
          ...recurrenceInput(uuid, timeScale),
          ...(hasFirstCharge && { firstCharge: chargeInput(`charge of ${uuid}`) }),
        }),
      })
    },
    /** A recurrence whose row had lost its workflow (src/disaster-recovery/reopen.ts). */
    reopenedRecurrence: (script: ActivityScript) =>
      startStory(script, {
        type: 'recurrenceWorkflow',
        id: WORKFLOWS.recurrence.idOf,
        input: uuid => ({ reopen: uuid, timeScale: 1 }),
      }),
    /** The charge of a cycle, whose workflow the recurrence has started. */
    debit: (script: ActivityScript) =>
      startStory(script, { type: 'chargeWorkflow', id: WORKFLOWS.charge.idOf, input: debitInput }),
    /** A charge of which only the row exists. */
    chargeWithoutWorkflow(script: ActivityScript): Story {
      const operationUuid = uuid()
      return createStory({
        ...CHARGE,
        script,
        workflowId: WORKFLOWS.charge.idOf(operationUuid),
        uuid: operationUuid,
      })
    },
    /** Workflows that ended long ago, reopened by a notification. */
    notifiedCharge: (script: ActivityScript, timeScale = 1) =>
      reopenStory(script, { ...CHARGE, id: WORKFLOWS.charge.idOf, timeScale }),
    notifiedTransfer: (
      script: ActivityScript,
      { timeScale = 1, ...notification }: NotifiedTransferOptions = {},
    ) => reopenStory(script, { ...TRANSFER, id: WORKFLOWS.transfer.idOf, notification, timeScale }),
    notifiedRefund: (script: ActivityScript, timeScale = 1) =>
      reopenStory(script, { ...REFUND, id: WORKFLOWS.refund.idOf, timeScale }),
    /** Rows in progress that had lost their workflows (src/disaster-recovery/reopen.ts). */
    reopenedTransfer: (script: ActivityScript) =>
      startStory(script, { type: 'transferWorkflow', id: WORKFLOWS.transfer.idOf, input: unfinishedInput }),
    reopenedRefund: (script: ActivityScript) =>
      startStory(script, { type: 'refundWorkflow', id: WORKFLOWS.refund.idOf, input: unfinishedInput }),
    reopenedReturn: (script: ActivityScript) =>
      startStory(script, {
        type: 'returnWorkflow',
        id: WORKFLOWS.return.idOf,
        input: uuid => unfinishedInput(uuid, [NOTIFICATION.connectionUuid]),
      }),
    /** Operations that are newer than their restored database (src/disaster-recovery/rebuild.ts). */
    rebuiltCharge: (script: ActivityScript, restored: PreRestoreState) =>
      rebuild(script, uuid => ({ noun: 'charge', order: chargeInput(uuid), restored })),
    /** One that was scheduled is due in an hour, by the server's clock. */
    async rebuiltTransfer(script: ActivityScript, restored: PreRestoreState): Promise<Story> {
      const scheduledFor = new Date((await temporal.env.currentTimeMs()) + 3_600_000).toISOString()
      const more = restored.isScheduled && { scheduledFor }
      return rebuild(script, uuid => ({
        noun: 'transfer',
        order: { ...chargeInput(uuid), ...more },
        restored,
      }))
    },
    rebuiltRefund: (script: ActivityScript, restored: PreRestoreState) =>
      rebuild(script, uuid => ({ noun: 'refund', order: refundInput(uuid), restored })),
    rebuiltReturn: (script: ActivityScript, restored: PreRestoreState) =>
      rebuild(script, uuid => ({ noun: 'return', order: returnInput(uuid, 1), restored })),
    rebuiltRecurrence: (script: ActivityScript, restored: PreRestoreState) =>
      rebuild(script, uuid => ({ noun: 'recurrence', order: recurrenceInput(uuid, 1), restored })),
    rebuiltPixKey: (script: ActivityScript, restored: PreRestoreState) =>
      rebuild(script, uuid => ({ noun: 'pix_key', order: pixKeyInput(uuid), restored })),
    notifiedReturn: (script: ActivityScript, timeScale = 1) =>
      reopenStory(script, { ...RETURN, input: returnInput, timeScale }),

    /** A dispute, started by its provider's notification. */
    async dispute(script: ActivityScript, timeScale = 1): Promise<Story> {
      const input = disputeInput(uuid(), timeScale)
      const story = createStory({
        script,
        type: 'disputeWorkflow',
        workflowId: WORKFLOWS.dispute.idOf(input.uuid),
        uuid: input.uuid,
        reopenInput: input,
      })
      await story.reopenByNotification()
      return story
    },
    /** A dispute that an account requests about a transfer. */
    requestedDispute: (script: ActivityScript, timeScale = 1) =>
      startStory(script, {
        type: 'disputeWorkflow',
        id: WORKFLOWS.dispute.idOf,
        input: uuid => requestedDisputeInput(uuid, timeScale),
      }),
    /** One whose workflow has ended; nothing reopens it yet. */
    disputeWithoutWorkflow(script: ActivityScript): Story {
      const input = disputeInput(uuid(), 1)
      return createStory({
        script,
        type: 'disputeWorkflow',
        workflowId: WORKFLOWS.dispute.idOf(input.uuid),
        uuid: input.uuid,
        reopenInput: input,
      })
    },

    orphan: (script: ActivityScript, timeScale = 1) =>
      startStory(script, {
        type: 'orphanWorkflow',
        id: WORKFLOWS.orphan.idOf,
        input: attemptUuid => ({ attemptUuid, timeScale }),
      }),
    return: (script: ActivityScript, timeScale = 1) =>
      startStory(script, { ...RETURN, input: uuid => returnInput(uuid, timeScale) }),
    depositReturn: (script: ActivityScript) =>
      startStory(script, {
        type: 'depositReturnWorkflow',
        id: WORKFLOWS.deposit_return.idOf,
        input: uuid => depositReturnInput(uuid, `deposit of ${uuid}`),
      }),
    delivery: (script: ActivityScript, timeScale = 1) =>
      startStory(script, {
        type: 'deliveryWorkflow',
        id: WORKFLOWS.delivery.idOf,
        input: deliveryUuid => ({ deliveryUuid, timeScale }),
      }),
    transferBatch: (script: ActivityScript) =>
      startStory(script, {
        type: 'transferBatchWorkflow',
        id: WORKFLOWS.transfer_batch.idOf,
        input: uuid => ({ uuid, timeScale: 1 }),
      }),
    pixKey: (script: ActivityScript, timeScale = 1) =>
      startStory(script, {
        type: 'pixKeyWorkflow',
        id: WORKFLOWS.pix_key.idOf,
        input: uuid => ({ ...pixKeyInput(uuid), timeScale }),
      }),
    pixKeyRemoval: (script: ActivityScript, timeScale = 1) =>
      startStory(script, {
        type: 'pixKeyRemovalWorkflow',
        id: WORKFLOWS.pix_key_removal.idOf,
        input: uuid => ({ uuid, timeScale }),
      }),
    authCode: (script: ActivityScript) =>
      startStory(script, {
        type: 'authCodeWorkflow',
        id: WORKFLOWS.auth_code.idOf,
        input: authCodeInput,
      }),
    report: (script: ActivityScript) =>
      startStory(script, { type: 'reportWorkflow', id: WORKFLOWS.report.idOf, input: reportInput }),
    /** A report whose row had lost its workflow (src/disaster-recovery/reopen.ts). */
    reopenedReport: (script: ActivityScript) =>
      startStory(script, {
        type: 'reportWorkflow',
        id: WORKFLOWS.report.idOf,
        input: uuid => ({ reopen: uuid, timeScale: 1 }),
      }),
    passwordReset: (script: ActivityScript) =>
      startStory(script, {
        type: 'passwordResetWorkflow',
        id: WORKFLOWS.password_reset.idOf,
        input: uuid => ({ uuid, details: 'sealed', timeScale: 1 }),
      }),
    keepUnmatchedPayment: (script: ActivityScript) =>
      startStory(script, {
        type: 'keepUnmatchedWorkflow',
        id: WORKFLOWS.keep_unmatched.idOf,
        input: uuid => ({ uuid }),
      }),
    disputeSweep: (script: ActivityScript) =>
      startStory(script, { type: 'disputeSweepWorkflow', id: () => 'med-sweep', input: () => undefined }),
    workflowSweep: (script: ActivityScript) =>
      startStory(script, {
        type: 'workflowSweepWorkflow',
        id: () => 'workflow-sweep',
        input: () => undefined,
      }),
    notificationSweep: (script: ActivityScript) =>
      startStory(script, {
        type: 'notificationSweepWorkflow',
        id: () => 'notification-sweep',
        input: () => undefined,
      }),
    reportSchedules: (script: ActivityScript) =>
      startStory(script, {
        type: 'reportScheduleWorkflow',
        id: () => 'report-schedules',
        input: () => undefined,
      }),
    listCounters: (script: ActivityScript) =>
      startStory(script, { type: 'listCountersWorkflow', id: () => 'tally', input: () => undefined }),

    deliverySweep: (script: ActivityScript) =>
      startStory(script, {
        type: 'deliverySweepWorkflow',
        id: () => 'delivery-sweep',
        input: () => undefined,
      }),
    eventPruning: (script: ActivityScript) =>
      startStory(script, { type: 'eventPruningWorkflow', id: () => 'event-pruning', input: () => undefined }),
    recovery: (script: ActivityScript) =>
      startStory(script, {
        type: 'eventReplayWorkflow',
        id: uuid => `recovery/${uuid}`,
        input: webhookUuid => ({
          webhookUuid,
          since: '2026-11-01T00:00:00.000Z',
          until: '2026-11-02T00:00:00.000Z',
        }),
      }),

    reconciliation: (script: ActivityScript, hours: number) =>
      startStory(script, {
        type: 'reconciliationWorkflow',
        id: () => 'reconciliation',
        input: () => ({ hours }),
      }),

    /** Started by its notification, as the routing does it. */
    async deposit(script: ActivityScript, timeScale = 1): Promise<Story> {
      const deposit = {
        connectionUuid: uuid(),
        endToEnd: `E12345678202601011200${String(++numbers).padStart(11, '0')}`,
        requestId: 'request',
        timeScale,
      }
      const story = createStory({
        script,
        type: 'depositWorkflow',
        workflowId: WORKFLOWS.deposit.idOf(`${deposit.connectionUuid}/${deposit.endToEnd}`),
        uuid: deposit.connectionUuid,
        reopenInput: deposit,
      })
      await story.reopenByNotification()
      return story
    },
  }
}

type StartOptions = { type: string; id: (uuid: string) => string; input: (uuid: string) => unknown }
/** Without an input of its own, it is reopened from its row. */
type ReopenOptions = Omit<StartOptions, 'input'> & {
  input?: (uuid: string, timeScale: number) => unknown
  notification?: { isAboutReturn?: true }
  timeScale?: number
}
type NotifiedTransferOptions = { isAboutReturn?: true; timeScale?: number }
const CHARGE = { type: 'chargeWorkflow' }
const TRANSFER = { type: 'transferWorkflow' }
const REFUND = { type: 'refundWorkflow' }
const RETURN = { type: 'returnWorkflow', id: WORKFLOWS.return.idOf }

/** Resolves when a charge is issued or cannot be; requested twice, it is joined. */
export async function orderCharge(story: Story, order: ChargeInput): Promise<void> {
  const ask = { update: awaitIssuedUpdate, updateId: order.uuid }
  await storyClient.startAndUpdate(
    story.target,
    {
      ...CHARGE,
      input: order,
      searchAttributes: buildSearchAttributes('charge', order),
    },
    ask,
  )
}

function recurrenceInput(uuid: string, timeScale: number): RecurrenceInput {
  return {
    uuid,
    accountUuid: 'account',
    candidates: ['connection-a', 'connection-b'],
    details: 'sealed',
    requestId: 'request',
    timeScale,
  }
}

export function debitInput(uuid: string): ChargeInput {
  return {
    ...chargeInput(uuid),
    candidates: ['connection-a'],
    expiresInSeconds: 0,
    debit: { recurrenceUuid: 'recurrence', cycle: 1, railId: 'RR1', dueOn: '2026-12-10', feeCents: 0 },
  }
}

export function chargeInput(uuid: string): ChargeInput {
  return {
    uuid,
    accountUuid: 'account',
    candidates: ['connection-a', 'connection-b'],
    valueCents: 12_345,
    expiresInSeconds: 86_400,
    details: 'sealed',
    requestId: 'request',
    timeScale: 1,
  }
}

/** The search attributes of its start, with the connection of the first attempt. */
function buildSearchAttributes(
  noun: 'charge' | 'transfer',
  order: ChargeInput | TransferInput,
): SearchAttributePair[] {
  return buildMoneyWorkflowOptions(noun, order).typedSearchAttributes
}

const pixKeyInput = (uuid: string): PixKeyInput => ({
  uuid,
  accountUuid: 'account',
  connectionUuid: NOTIFICATION.connectionUuid,
  type: 'EMAIL',
  authCodeUuid: 'code',
  details: 'sealed',
  requestId: 'request',
  timeScale: 1,
})

function authCodeInput(uuid: string): AuthCodeInput {
  const { connectionUuid: _, authCodeUuid: __, ...key } = pixKeyInput(uuid)
  const order = { ...key, isSimulated: false }
  return { ...order, type: 'EMAIL' }
}

const reportInput = (uuid: string): ReportInput => ({
  uuid,
  accountUuid: 'account',
  connectionUuid: null,
  isSimulated: false,
  kind: 'LEDGER',
  format: 'CSV',
  decimalMark: 'POINT',
  dateFrom: '2026-10-01',
  dateTo: '2026-10-31',
  requestId: 'request',
  fingerprint: 'f',
  timeScale: 1,
})

function disputeInput(uuid: string, timeScale: number): DisputeInput {
  return {
    uuid,
    connectionUuid: NOTIFICATION.connectionUuid,
    providerDisputeId: 'infraction',
    endToEnd: null,
    requestId: 'request',
    timeScale,
  }
}

function requestedDisputeInput(uuid: string, timeScale: number): DisputeInput {
  const request = { accountUuid: 'account', transferUuid: 'transfer', details: 'sealed' }
  const endToEnd = 'E12345678202601011200abcdefghijk'
  return { ...disputeInput(uuid, timeScale), providerDisputeId: null, endToEnd, request }
}

function depositReturnInput(uuid: string, depositUuid: string): DepositReturnInput {
  return {
    uuid,
    depositUuid,
    accountUuid: 'account',
    connectionUuid: 'connection-a',
    requestId: 'request',
    fingerprint: 'f',
    timeScale: 1,
  }
}

function returnInput(uuid: string, timeScale: number): ReturnPaymentInput {
  return { uuid, connectionUuid: NOTIFICATION.connectionUuid, timeScale }
}

function refundInput(uuid: string): RefundInput {
  const { candidates: _, expiresInSeconds: __, details: ___, ...order } = chargeInput(uuid)
  return {
    ...order,
    chargeUuid: 'charge',
    connectionUuid: NOTIFICATION.connectionUuid,
    fingerprint: 'fingerprint',
  }
}

const LONG_AGO = '2026-11-01T00:00:00.000Z'

function unfinishedInput(uuid: string, candidates = ['connection-a', 'connection-b']) {
  const unfinished = { candidates, orderedAt: LONG_AGO }
  return { reopen: uuid, timeScale: 1, unfinished }
}
