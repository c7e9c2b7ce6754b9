import {
  type ActivityOptions,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow'
import type {
  batchActivities,
  databaseActivities,
  firstAttemptActivities,
  maintenanceActivities,
  providerActivities,
  reportActivities,
  webhookActivities,
} from '../../activities/index.ts'
import type { ChargeInput, IssueChargeResult } from '../contracts/charges.ts'
import { type OpenDelivery, webhookTaskQueueOf } from '../contracts/webhooks.ts'

/** Activity proxies of all workflows, each with its time limit and the reason for it. */

type ProviderActivities = ReturnType<typeof providerActivities>
type DbActivities = ReturnType<typeof databaseActivities>
type MaintenanceActivities = ReturnType<typeof maintenanceActivities>

/** A worker without a heartbeat for this long has ended; a running activity sends one every 3 seconds. */
const HEARTBEAT_TIMEOUT = '12 seconds'

/** Longest interval between attempts that only an outage of ours can fail: the work goes on this soon after it. */
const OUTAGE_RETRY_INTERVAL = '3 seconds'

const IDEMPOTENT_ACTIVITY_SUMMARIES = {
  issueCharge: 'issue at the candidate providers',
  pollCharge: 'poll the provider for payments',
  cancelCharge: 'cancel at the provider',
  reviseCharge: 'revise at the provider',
  issueDebit: 'make the debit at the provider of the recurrence',
  closeOrphan: 'cancel the orphan payload',
  issueFirstCharge: 'issue the first charge',
  cancelFirstCharge: 'cancel the first charge',
  lookUpRecurrence: 'look the recurrence up at the provider',
  pollRecurrence: 'poll the provider for the recurrence',
  requestConsent: 'send the request for consent to the bank of the payer',
  cancelRecurrence: 'cancel the recurrence at the provider',
  signalOpenDebits: 'have the open debits polled',
  recordDeposit: 'poll the provider for the PIX',
  pollTransfer: 'poll this provider',
  lookUpTransfer: 'look the transfer up at the candidate providers',
  pollRefund: 'poll the provider',
  lookUpRefund: 'look the refund up at the provider',
  pollReturn: 'poll the provider',
  lookUpReturn: 'look the return up at the provider',
  pollPixKey: 'poll the provider for the key',
  pollPixKeyRemoval: 'poll the provider for the removal',
  pollDispute: 'poll the provider for the dispute',
  requestDispute: 'request the dispute at the provider',
  cancelDispute: 'cancel the dispute at the provider',
  rebuildOperation: 'rebuild the rows of the operation',
}

/**
 * Calls of providers that are safe to repeat by our id: polls, look-ups, issuing, revising and cancelling. The limit holds ten candidates
 * of 5 s each. Such an activity fails only where its worker, the database or the network does, so retries follow soon.
 */
export const idempotentProviderActivities = withSummaries(
  proxyActivities<Pick<ProviderActivities, keyof typeof IDEMPOTENT_ACTIVITY_SUMMARIES>>({
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: OUTAGE_RETRY_INTERVAL },
  }),
  IDEMPOTENT_ACTIVITY_SUMMARIES,
)

const LOCAL_POLL_SUMMARY = 'poll the provider that notified'
const LOCAL_POLL_SUMMARIES = {
  pollCharge: LOCAL_POLL_SUMMARY,
  pollTransfer: LOCAL_POLL_SUMMARY,
  pollRefund: LOCAL_POLL_SUMMARY,
  pollReturn: LOCAL_POLL_SUMMARY,
}
type LocalPolls = Pick<ProviderActivities, keyof typeof LOCAL_POLL_SUMMARIES>

/**
 * Limit of a local activity from its scheduling on, with its wait for a slot and its retries. It ends before its workflow task would
 * need a second heartbeat, so that a task that is replaced meanwhile has timed out or sent one (local-activity-results.ts).
 */
const LOCAL_ACTIVITY_LIMIT = { scheduleToCloseTimeout: '7 seconds' } as const

/** A provider that takes longer holds no workflow task: the regular activity waits for its call and goes on from there. */
const LOCAL_CALL_OPTIONS = {
  ...LOCAL_ACTIVITY_LIMIT,
  startToCloseTimeout: '2 seconds',
  retry: { maximumAttempts: 1 },
} as const

/**
 * Polls by a local activity first, within the workflow task that received a notification, which saves a hop through a task
 * queue. A provider that has just sent a notification answers soon; the task waits for it, so a regular activity polls after two
 * seconds: a poll moves no money and may be repeated.
 */
export const localActivities = localFirst<LocalPolls>(
  withSummaries(proxyLocalActivities<LocalPolls>(LOCAL_CALL_OPTIONS), LOCAL_POLL_SUMMARIES),
  idempotentProviderActivities,
)

const localIssueProxies = proxyLocalActivities<Pick<ProviderActivities, 'issueCharge'>>(LOCAL_CALL_OPTIONS)

/** Issues a charge by a local activity first, within the workflow task that starts it, then by a regular one. */
export function issueLocallyFirst(order: ChargeInput): Promise<IssueChargeResult> {
  const options = { summary: `issue ${order.valueCents} centavos` }
  return localOr(localIssueProxies.issueCharge.executeWithOptions(options, [order]), () =>
    idempotentProviderActivities.issueCharge.executeWithOptions(options, [order]),
  )
}

/** Makes proxies that call the local activity first, then the regular one of the same name where that fails or times out. */
function localFirst<Activities extends object>(local: Activities, regular: Activities): Activities {
  type Activity = (...input: unknown[]) => Promise<unknown>
  return new Proxy({} as Activities, {
    get(_, activityName) {
      const name = activityName as keyof Activities
      const [callLocally, call] = [local[name], regular[name]] as [Activity, Activity]
      return (...input: unknown[]) => localOr(callLocally(...input), () => call(...input))
    },
  })
}

/** Falls back, usually to the regular activity, where the local one fails or times out. */
async function localOr<Answer>(
  localResult: Promise<Answer>,
  fallBack: () => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await localResult
  } catch (error) {
    if (isCancellation(error)) throw error
    return fallBack()
  }
}

/** Temporal never retries a sending: whether to send again, by the same id, is the decision of the workflow. */
const SENDING_OPTIONS: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 1 },
}
const PAYOUT_SUMMARIES = {
  sendTransfer: 'send through this provider',
  sendRefund: 'send through the provider that received the payment',
  sendReturn: 'send the unmatched PIX back',
}
export type PayoutActivities = Pick<ProviderActivities, keyof typeof PAYOUT_SUMMARIES>

export const payoutActivities: PayoutActivities = withSummaries(
  proxyActivities<PayoutActivities>(SENDING_OPTIONS),
  PAYOUT_SUMMARIES,
)

/**
 * Sendings by any worker: an eager activity would run on the worker of the workflow again, also where that one does not
 * reach the provider.
 */
export const anyWorkerActivities = withSummaries(
  proxyActivities<
    PayoutActivities &
      Pick<ProviderActivities, 'createKey' | 'deleteKey' | 'createRecurrence' | 'sendDisputeReply'>
  >({
    ...SENDING_OPTIONS,
    allowEagerDispatch: false,
  }),
  {
    ...PAYOUT_SUMMARIES,
    createKey: 'register the key',
    deleteKey: 'remove the key',
    createRecurrence: 'create the recurrence',
    sendDisputeReply: 'send the reply to the provider',
  },
)

/** Sends auth codes and links. One that arrives twice does no harm; a messaging service answers within 10 s. */
export const messagingActivities = proxyActivities<
  Pick<ProviderActivities, 'sendAuthCode' | 'sendPasswordReset'>
>({
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
})

/**
 * Activities of a batch. A step lasts at most half a minute: it begins to start items for 20 s, and waits 10 s for the last of them. Each is
 * repeatable, and fails only where PostgreSQL or Temporal does.
 */
export const proxiedBatchActivities = withSummaries(
  proxyActivities<ReturnType<typeof batchActivities>>({
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '200 milliseconds', maximumInterval: OUTAGE_RETRY_INTERVAL },
  }),
  { advanceBatch: 'start the next items', cancelBatch: 'cancel the batch' },
)

/** An outage of the storage or of PostgreSQL is waited for; one that lasts is looked at every few minutes. */
const REPORT_OPTIONS = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
} as const
type ReportActivities = ReturnType<typeof reportActivities>

/** Activities of a report: millions of lines take minutes, and without a file after six hours it fails. It ends however late. */
export const proxiedReportActivities = {
  ...withSummaries(
    proxyActivities<Pick<ReportActivities, 'buildReport'>>({
      ...REPORT_OPTIONS,
      scheduleToCloseTimeout: '6 hours',
    }),
    { buildReport: 'build the file' },
  ),
  ...withSummaries(proxyActivities<Pick<ReportActivities, 'closeReport'>>(REPORT_OPTIONS), {
    closeReport: 'end the report and delete its file',
  }),
}

const DB_OPTIONS = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: OUTAGE_RETRY_INTERVAL },
} as const

/**
 * Regular instead of local activities, for a workflow with update handlers: two local activities that complete in one workflow task
 * may be replayed in another order (non-determinism).
 */
export const regularDbActivities = proxyActivities<DbActivities>(DB_OPTIONS)

/** Attempts of a local activity: six seconds where PostgreSQL refuses at once. */
const LOCAL_DB_ATTEMPTS = 6

/**
 * Local activities that read and write PostgreSQL in a few milliseconds. Where it does not answer, a regular activity is retried
 * until it does: its attempts add no events to the history.
 */
export const dbActivities = localFirst(
  proxyLocalActivities<DbActivities>({
    ...LOCAL_ACTIVITY_LIMIT,
    retry: { ...DB_OPTIONS.retry, maximumAttempts: LOCAL_DB_ATTEMPTS },
  }),
  regularDbActivities,
)

/**
 * At a fast endpoint an attempt waits 2 s for its turn, 0.5 s for a request slot and 0.5 s for the answer; at any other one 0.5 s and
 * 1.5 s. In a busy process each is up to twice as long.
 */
const firstAttemptProxies = proxyLocalActivities<ReturnType<typeof firstAttemptActivities>>({
  ...LOCAL_ACTIVITY_LIMIT,
  retry: { maximumAttempts: 1 },
})

/**
 * Makes the first attempts of deliveries by a local activity, within the workflow task that records their events, and returns those
 * that are open. Where it fails, all are.
 */
export async function attemptDeliveriesLocally(deliveries: string[]): Promise<OpenDelivery[]> {
  const options = { summary: 'first delivery attempts' }
  const attempts = firstAttemptProxies.attemptFirstDeliveries.executeWithOptions(options, [deliveries])
  const { open: openDeliveries } = await localOr(attempts, () => ({
    open: deliveries.map(deliveryUuid => ({ deliveryUuid })),
  }))
  return openDeliveries
}

/** Webhook attempts and call-outs, on a task queue of their own. One takes up to 15 s, and waits up to 2 s for a slot. */
export const proxyDeliveryActivities = () =>
  proxyActivities<ReturnType<typeof webhookActivities>>({
    taskQueue: webhookTaskQueueOf(workflowInfo().taskQueue),
    startToCloseTimeout: '40 seconds',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
  })

/** Maintenance of events. A first pruning may have much to delete; the next run does what is left. */
export const eventMaintenanceActivities = proxyActivities<
  Pick<MaintenanceActivities, 'sweepDeliveries' | 'replayMissedEvents' | 'pruneEvents'>
>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
})

/** Archives of the ledger: millions of lines take minutes. What a failed run did not archive, the next one does. */
export const archiveActivities = proxyActivities<Pick<MaintenanceActivities, 'archiveClosedMonths'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
})

/** The sweep of stored provider notifications. It is not retried: the schedule starts another one a minute later. */
export const notificationSweepActivities = proxyActivities<
  Pick<MaintenanceActivities, 'sweepProviderNotifications'>
>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 1 },
})

/** Reconciliation, sweeps, and orders of scheduled reports. A statement may have many pages; a later run finds what a failed one did not. */
export const reconciliationActivities = proxyActivities<
  Pick<
    MaintenanceActivities,
    'listProviderAccounts' | 'reconcile' | 'sweepDisputes' | 'sweepWorkflows' | 'orderScheduledReports'
  >
>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
})

// biome-ignore lint/suspicious/noExplicitAny: the input of any activity is passed on.
type ProxiedActivity = ((...input: any[]) => Promise<unknown>) & {
  executeWithOptions(options: { summary: string }, input: unknown[]): Promise<unknown>
}

/** Adds a default summary to each activity; a workflow passes another one by `executeWithOptions`. */
function withSummaries<Activities extends object>(
  activities: Activities,
  summaries: Record<keyof Activities, string>,
): Activities {
  const entries = Object.entries<string>(summaries).map(([name, summary]) => {
    const { executeWithOptions } = activities[name as keyof Activities] as ProxiedActivity
    const call = (...input: unknown[]) => executeWithOptions({ summary }, input)
    return [name, Object.assign(call, { executeWithOptions })]
  })
  return Object.fromEntries(entries) as Activities
}
