import { isCancellation, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow'
import type {
  eventActivities,
  noticeActivities,
  providerActivities,
  reconciliationActivities,
  recordActivities,
  webhookActivities,
} from '../activities/index.ts'
import { webhookQueue } from './ids.ts'
import { summarised } from './summarised.ts'

/** The proxies by which lives reach the world, each with its limit and the reason for it. */

type Providers = ReturnType<typeof providerActivities>
type Records = ReturnType<typeof recordActivities>

/** A worker that is silent for so long has died; a busy one beats four times as often. */
const HEARTBEAT = '12 seconds'

/**
 * Asking and issuing are safe to repeat by our id; ten candidates of 5 s each fit into the limit. An activity fails here only by
 * its worker, its database or its way out, so that the wait for another worker, or for the database, stays short.
 */
export const providers = summarised(
  proxyActivities<Pick<Providers, Asking>>({
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '10 seconds' },
  }),
  {
    issueCharge: 'ask the candidates for a payload',
    seekCharge: 'ask the candidates for the payload that was shown',
    followCharge: 'ask the provider whether it was paid',
    cancelCharge: 'cancel at the provider',
    closeOrphan: 'cancel the payload that nobody was shown',
    takeDeposit: 'ask for the PIX that no charge expects',
    askTransfer: 'ask this provider what became of it',
    seekTransfer: 'ask the candidates whether it went',
    askRefund: 'ask the provider what became of it',
    seekRefund: 'ask the provider whether it went',
    askReturn: 'ask the provider what became of it',
    seekReturn: 'ask the provider whether it went',
    askKey: 'ask the provider whether the key is there',
    askKeyRemoval: 'ask the provider whether the key is gone',
    followMed: 'ask the provider how the dispute stands',
  },
)
type Asking =
  | 'issueCharge'
  | 'seekCharge'
  | 'followCharge'
  | 'cancelCharge'
  | 'closeOrphan'
  | 'takeDeposit'
  | 'askTransfer'
  | 'seekTransfer'
  | 'askRefund'
  | 'seekRefund'
  | 'askReturn'
  | 'seekReturn'
  | 'askKey'
  | 'askKeyRemoval'
  | 'followMed'

/**
 * A question within the task that heard a provider's word: no way through a queue and back. Who has just spoken answers
 * soon; while he does not, that task takes nothing else, so that another activity asks after a second.
 */
const within = summarised(
  proxyLocalActivities<Pick<Providers, Told>>({
    startToCloseTimeout: '1 second',
    retry: { maximumAttempts: 1 },
  }),
  {
    followCharge: 'ask the provider that told of it',
    askTransfer: 'ask the provider that told of it',
    askRefund: 'ask the provider that told of it',
    askReturn: 'ask the provider that told of it',
  },
)
type Told = 'followCharge' | 'askTransfer' | 'askRefund' | 'askReturn'

/** The questions of `providers`, asked at once: a question moves nothing, and may be asked twice. */
export const atOnce: Pick<Providers, Told> = {
  followCharge: order => orBeside(within.followCharge(order), () => providers.followCharge(order)),
  askTransfer: order => orBeside(within.askTransfer(order), () => providers.askTransfer(order)),
  askRefund: order => orBeside(within.askRefund(order), () => providers.askRefund(order)),
  askReturn: order => orBeside(within.askReturn(order), () => providers.askReturn(order)),
}

/** A local activity that breaks off throws what broke it, one that takes too long an `ActivityFailure`: either is asked again. */
async function orBeside<Answer>(asked: Promise<Answer>, beside: () => Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    if (isCancellation(error)) throw error
    return beside()
  }
}

/** What is sent once is never repeated by Temporal: whether to send again is the life's decision, by our id. */
export const sending = summarised(
  proxyActivities<Pick<Providers, Sending>>({
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: HEARTBEAT,
    retry: { maximumAttempts: 1 },
  }),
  {
    sendTransfer: 'send it through this provider',
    sendRefund: 'give it back through the provider that received it',
    sendReturn: 'send the unmatched PIX back',
    createKey: 'create the key',
    deleteKey: 'remove the key',
    sendMedReply: 'tell the provider our reply',
  },
)
type Sending = 'sendTransfer' | 'sendRefund' | 'sendReturn' | 'createKey' | 'deleteKey' | 'sendMedReply'

/** A code that comes twice does no harm; a carrier answers within 10 s or is tried again. */
export const messengers = proxyActivities<Pick<Providers, 'sendAuthCode'>>({
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
})

/** Reads and writes of a few milliseconds; a database that is down is tried again until it is back. */
export const records = proxyLocalActivities<Records>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
})

/**
 * Regular instead of local activities, for a workflow with update handlers: two local activities that complete in one workflow task
 * may be replayed in another order (non-determinism).
 */
export const steps = proxyActivities<Pick<Records, Steps>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
})
type Steps = 'medNow' | 'takeMedReply' | 'passMedDeadline' | 'warnOfMed'

/** A try takes 15 s and up to 5 s in line; it runs on a queue of its own, away from the providers. */
export const webhooks = () =>
  proxyActivities<ReturnType<typeof webhookActivities>>({
    taskQueue: webhookQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '40 seconds',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
  })

/** What is left undone the next run does; a first pruning may have much to delete. */
export const events = proxyActivities<ReturnType<typeof eventActivities>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
})

/** One sweep at a time; the next minute brings another. */
export const notices = proxyActivities<ReturnType<typeof noticeActivities>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 1 },
})

/** A statement may have many pages; a later run finds what a failed one did not. */
export const reconciliation = proxyActivities<ReturnType<typeof reconciliationActivities>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 3 },
})
