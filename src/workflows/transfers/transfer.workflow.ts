import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import {
  isSettledTransferState,
  type TransferState,
  transferMachine,
} from '../../domain/transfers/transfer.ts'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { PreRestoreState, ReopenedInput } from '../contracts/reopening.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import {
  cancelTransferUpdate,
  type EndScheduledTransferInput,
  type TransferInput,
  type TransferResult,
} from '../contracts/transfers.ts'
import {
  createPollingPort,
  executePayout,
  hasUnknownReturns,
  type PayoutPort,
  type PayoutRun,
  type TerminalOutcome,
} from '../payouts/execute-payout.ts'
import { findRestoredPayout, type PayoutSearch } from '../payouts/restore.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { continuationOf } from '../shared/continue-as-new.ts'
import { ProviderInbox } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'
import { upsertVisibility } from '../shared/visibility.ts'
import { type FallbackResult, tryProvidersInOrder } from './provider-fallback.ts'

/**
 * Workflow of a transfer: tries one provider after another until one accepts, and ends when it is paid or failed. A late
 * notification reopens a completed one: a return by its recipient, or a settlement after the failure.
 */
export async function transferWorkflow(input: TransferInput | ReopenedInput): Promise<TransferState> {
  const transfer = new TransferWorkflow(input)
  if ('reopen' in input) await transfer.reopen(input)
  else if (!input.restored || input.restored.isScheduled) await transfer.send(input)
  else await transfer.rebuild(input, input.restored)
  await condition(allHandlersFinished)
  return transfer.state
}

/** Polls for a return that was notified and is not listed: after 5 s, 10 s, 30 s, 1 min and 5 min. */
const MAX_RETURN_POLLS = 5

class TransferWorkflow {
  state: TransferState = 'created'
  #hasResult = false
  /** It was sent, or is about to be: it cannot be cancelled. */
  #isSent = false
  #isCancelRequested = false
  /** Given to the sending activity as long as the row may not exist: it stores the transfer with its first attempt. */
  #inputToStore: { order: TransferInput } | undefined
  /** Input of the next run after continue-as-new. */
  #nextRunInput: TransferInput | ReopenedInput
  /** The connection of the latest attempt. */
  #connectionUuid = ''
  readonly #uuid: string
  readonly #inbox: ProviderInbox

  constructor(input: TransferInput | ReopenedInput) {
    this.#uuid = 'reopen' in input ? input.reopen : input.uuid
    this.#nextRunInput = input
    this.#inbox = new ProviderInbox(input.timeScale, () => this.#continueRun())
    setHandler(awaitResultUpdate, () => condition(() => this.#hasResult), {
      description: 'Waits until a provider accepts the transfer, or it fails',
    })
    setHandler(cancelTransferUpdate, () => this.#handleCancelTransfer(), {
      description: 'Cancels a scheduled transfer that has not been sent',
    })
  }

  async send(order: TransferInput): Promise<void> {
    if (order.continuation) await this.#continueSending(order)
    else await (order.scheduledFor ? this.#storeAndSchedule(order) : this.#sendImmediately(order))
    this.#hasResult = true
    await this.#pollLateUpdates()
  }

  /** Sends at once; the first attempt writes the row. */
  async #sendImmediately(order: TransferInput): Promise<void> {
    this.#isSent = true
    this.#inputToStore = { order }
    setCurrentDetails(TRANSFER_STATUS_DETAILS.sending)
    await this.#finish(order, await this.#tryProviders(order))
  }

  /** Stores a scheduled transfer, and sends it at its time. */
  async #storeAndSchedule(order: TransferInput): Promise<void> {
    await this.#applyState(await dbActivities.storeTransfer(order))
    this.#hasResult = true
    if (!transferMachine.isFinal(this.state)) await this.#runScheduled(order)
  }

  /** Continues the sending of an earlier run: `sendTransfer` finds an attempt that exists, so that it is polled. */
  async #continueSending(order: TransferInput): Promise<void> {
    const { candidates, isUnstored, pendingConnections = [] } = order.continuation!
    const originalOrder = { ...order, candidates }
    this.#isSent = true
    this.#hasResult = !isUnstored
    this.#inbox.resumeManualSettlement()
    for (const connectionUuid of pendingConnections) this.#inbox.addConnection(connectionUuid)
    if (isUnstored) this.#inputToStore = { order: originalOrder }
    else await this.#applyState(await dbActivities.getTransfer(this.#uuid))
    const result = await this.#tryProviders(order)
    await (order.scheduledFor ? this.#runScheduled(originalOrder, result) : this.#finish(order, result))
  }

  #tryProviders(order: TransferInput, candidates = order.candidates): Promise<FallbackResult> {
    return tryProvidersInOrder(candidates, async connectionUuid => {
      this.#nextRunInput = {
        ...order,
        candidates: candidates.slice(candidates.indexOf(connectionUuid)),
        continuation: {
          ...continuationOf(order),
          candidates: order.continuation?.candidates ?? order.candidates,
        },
      }
      const outcome = await executePayout(this.#createPayoutPort(connectionUuid))
      if (hasUnknownReturns(outcome)) this.#inbox.addConnection(connectionUuid)
      return outcome
    })
  }

  #createPayoutPort(connectionUuid: string): PayoutPort {
    return {
      ...createPollingPort(this.#createRun(), connectionUuid),
      send: (isResend, { sendTransfer }) =>
        sendTransfer({ uuid: this.#uuid, connectionUuid, isResend, ...this.#inputToStore }),
      // Any result but `not_started` proves that the row is stored: it is never stored again, also after a restore.
      onResult: ({ kind }) => {
        if (kind !== 'not_started') this.#inputToStore = undefined
      },
      forConnection: liveConnectionUuid => this.#createPayoutPort(liveConnectionUuid),
    }
  }

  async #finish(order: TransferInput, { last }: FallbackResult): Promise<void> {
    await this.#end(last, async connectionUuid => {
      const result = await this.#tryProviders(order, [connectionUuid])
      return result.last
    })
  }

  /**
   * Waits until the transfer's time, then tries its providers every 15 minutes until one settles it or refuses it finally
   * (SPEC §4). It expires 24 hours after its time, or after the last try that a pause kept from a provider.
   * `earlierResult`: of a try that an earlier run of the workflow began.
   */
  async #runScheduled(order: TransferInput, earlierResult?: FallbackResult): Promise<void> {
    const { timeScale } = order
    const scheduledForMs = Date.parse(order.scheduledFor!)
    const isCancelRequested = () => this.#isCancelRequested
    let expiresAtMs = scheduledForMs + scaleWait(WAITS.expireTransferAfter, timeScale)
    if (earlierResult) this.#markSentUnlessRetried(earlierResult)
    else {
      setCurrentDetails('Scheduled: waits for its time')
      await condition(isCancelRequested, Math.max(1, scheduledForMs - Date.now()), { summary: 'scheduled' })
    }
    for (let result: FallbackResult | 'ended' | 'kept' | undefined = earlierResult; ; result = undefined) {
      if (isCancelRequested()) result = await this.#endUnsent(order, 'cancelled')
      else if (!result && Date.now() >= expiresAtMs) result = await this.#endUnsent(order, 'never_sent')
      result ??= await this.#tryScheduled(order)
      if (result === 'ended') return
      if (result !== 'kept' && !result.retryLater) return this.#finish(order, result)
      if (result === 'kept' || result.isPaused)
        expiresAtMs = Date.now() + scaleWait(WAITS.expireTransferAfter, timeScale)
      if (Date.now() >= expiresAtMs) continue
      setCurrentDetails('Not sent yet: retried')
      await condition(isCancelRequested, scaleWait(WAITS.retryTransfer, timeScale), { summary: 'retry' })
    }
  }

  /** Ends the transfer. An attempt that a paused worker has started meanwhile is polled to its end, and its result returned. */
  async #endUnsent(
    order: TransferInput,
    event: EndScheduledTransferInput['event'],
  ): Promise<FallbackResult | 'ended' | 'kept'> {
    const unlessPaused = event === 'never_sent' && { unlessPaused: order.candidates }
    const transfer = await dbActivities.endScheduledTransfer({ uuid: this.#uuid, event, ...unlessPaused })
    await this.#applyState(transfer)
    if (transferMachine.isFinal(this.state)) return 'ended'
    this.#isCancelRequested = false
    const { liveConnectionUuid } = transfer
    return liveConnectionUuid === undefined ? 'kept' : this.#tryScheduled(order, [liveConnectionUuid])
  }

  async #tryScheduled(order: TransferInput, candidates?: string[]): Promise<FallbackResult> {
    this.#isSent = true
    return this.#markSentUnlessRetried(await this.#tryProviders(order, candidates))
  }

  /** A transfer that is tried again later can be cancelled until then. */
  #markSentUnlessRetried(result: FallbackResult): FallbackResult {
    this.#isSent = !result.retryLater
    return result
  }

  async #handleCancelTransfer(): Promise<boolean> {
    if (this.#isSent || transferMachine.isFinal(this.state)) return false
    this.#isCancelRequested = true
    await condition(() => transferMachine.isFinal(this.state) || !this.#isCancelRequested)
    return this.state === 'cancelled'
  }

  /** Stores a transfer again that is newer than the restored database, and polls it at the candidate that has it. */
  async rebuild(order: TransferInput, { orderedAt, ended }: PreRestoreState): Promise<void> {
    const { candidates } = order
    this.#isSent = true
    this.#hasResult = true
    await this.#applyState(await dbActivities.storeTransfer(order))
    if (!transferMachine.isFinal(this.state)) {
      const hadSettled = isSettledTransferState(ended)
      await this.#findTransfer({ candidates, orderedAt, hadSettled })
    }
    await this.#pollLateUpdates()
  }

  /** Finds a transfer at its candidates after its row or workflow was lost, and polls it to its end. */
  async #findTransfer(search: PayoutSearch): Promise<void> {
    const find = () => findRestoredPayout(this.#createRun(), search)
    const outcome = await this.#end(await find(), find)
    if (hasUnknownReturns(outcome)) this.#inbox.addConnection(this.#connectionUuid)
  }

  /** Reopens a completed transfer for a late notification, or resumes one that lost its workflow before it was final. */
  async reopen({ pendingConnections, unfinished }: ReopenedInput): Promise<void> {
    this.#hasResult = true
    if (unfinished) {
      this.#isSent = true
      this.#inbox.resumeManualSettlement()
      await this.#findTransfer({ ...unfinished, hadSettled: false })
      return this.#pollLateUpdates()
    }
    if (pendingConnections) this.#inbox.seedPending(pendingConnections)
    await condition(() => this.#inbox.hasPending)
    // A signal that arrives during the last poll is processed too: it is not delivered again.
    do {
      await this.#pollLateUpdates()
      await this.#applyState(await dbActivities.getTransfer(this.#uuid))
      await this.#pollReturns()
    } while (this.#inbox.hasPending)
  }

  /** Polls a few times for a return that was notified and is not listed yet; later, the statement shows it. */
  async #pollReturns(): Promise<void> {
    const connections = this.#inbox.drainConnectionsWithReturns()
    for (
      let pollCount = 1;
      pollCount <= MAX_RETURN_POLLS && connections.length > 0 && this.state === 'paid';
      pollCount++
    ) {
      await this.#inbox.waitForNotification(WAITS.nextPoll(pollCount), 'return not listed yet: next poll')
      for (const connectionUuid of connections) this.#inbox.addConnection(connectionUuid)
      await this.#pollLateUpdates()
      await this.#applyState(await dbActivities.getTransfer(this.#uuid))
    }
  }

  /**
   * Polls the connections with pending notifications until they answer: a return by the recipient, or a settlement after
   * the failure.
   */
  async #pollLateUpdates(): Promise<void> {
    const uuid = this.#uuid
    let connections = this.#inbox.drain()
    for (let pollCount = 0; connections.length > 0; pollCount++) {
      const pendingConnections: string[] = []
      for (const connectionUuid of connections) {
        const result = await this.#inbox.pollActivities.pollTransfer({ uuid, connectionUuid, pollCount })
        await this.#applyState(await dbActivities.getTransfer(this.#uuid))
        if (result.kind === 'unknown' || hasUnknownReturns(result)) pendingConnections.push(connectionUuid)
      }
      this.#nextRunInput = { reopen: uuid, timeScale: this.#inbox.timeScale, pendingConnections }
      if (pendingConnections.length > 0)
        await this.#inbox.waitForNotification(WAITS.nextPoll(pollCount + 1), 'no response: next poll')
      connections = [...new Set([...pendingConnections, ...this.#inbox.drain()])]
    }
  }

  #createRun(): PayoutRun {
    return {
      ...{ noun: 'Transfer', uuid: this.#uuid, inbox: this.#inbox },
      onPending: kind => {
        this.#hasResult ||= kind === 'in_process'
        setCurrentDetails(kind === 'in_process' ? TRANSFER_STATUS_DETAILS.settling : UNKNOWN_OUTCOME_DETAILS)
      },
    }
  }

  /**
   * Ends the transfer: settled, or failed because no candidate is left. `pollLiveAttempt` polls an attempt to its end that a
   * paused worker has started at this connection meanwhile. Returns the last outcome.
   */
  async #end(
    outcome: TerminalOutcome,
    pollLiveAttempt: (connectionUuid: string) => Promise<TerminalOutcome>,
  ): Promise<TerminalOutcome> {
    if (outcome.kind === 'settled') {
      const { transfer } = outcome
      await this.#applyState(
        transfer ? { ...outcome, ...transfer } : await dbActivities.getTransfer(this.#uuid),
      )
      return outcome
    }
    const transfer = await dbActivities.failTransfer(this.#uuid)
    await this.#applyState(transfer)
    const { liveConnectionUuid } = transfer
    if (liveConnectionUuid === undefined) return outcome
    return this.#end(await pollLiveAttempt(liveConnectionUuid), pollLiveAttempt)
  }

  async #applyState(transfer: TransferResult): Promise<void> {
    const { state, connectionUuid } = transfer
    this.state = state
    this.#connectionUuid = connectionUuid
    upsertVisibility([
      { key: SEARCH_ATTRIBUTES.status, value: transferMachine.statusOf(state) },
      { key: SEARCH_ATTRIBUTES.provider, value: connectionUuid },
    ])
    setCurrentDetails(TRANSFER_STATUS_DETAILS[state])
    await startFollowUps(transfer, this.#inbox.timeScale)
  }

  /**
   * Continues as new. Passes on that the row may not exist, and the connections with unprocessed notifications, whose signals
   * are not delivered again.
   */
  async #continueRun(): Promise<void> {
    this.#hasResult = true
    await condition(allHandlersFinished)
    let input = this.#nextRunInput
    if ('continuation' in input && input.continuation) {
      const { pendingConnections } = this.#inbox
      const continuation = {
        ...input.continuation,
        ...(this.#inputToStore && { isUnstored: true as const }),
        ...(pendingConnections.length > 0 && { pendingConnections }),
      }
      input = { ...input, continuation }
    }
    await continueAsNew<typeof transferWorkflow>(input)
  }
}

/** Texts that the Temporal UI shows of a transfer in each state. */
const TRANSFER_STATUS_DETAILS: Record<TransferState, string> = {
  created: 'Stored: candidate providers are called in order',
  sending: 'Being sent',
  settling: 'Accepted by the provider: waiting for the settlement',
  paid: 'Settled',
  partially_refunded: 'Settled and partially returned by the receiver',
  refunded: 'Fully returned by the receiver',
  failed: 'Failed: no money moved',
  cancelled: 'Cancelled before it was sent',
  expired: 'Expired: not sent within a day of its scheduled time',
}

const UNKNOWN_OUTCOME_DETAILS = 'Outcome unknown: the provider is polled, and no other provider is called'
