import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { type TransferState, transferMachine } from '../../domain/transfers/transfer.ts'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { PollResult } from '../contracts/payouts.ts'
import type { ReopenedInput } from '../contracts/reopening.ts'
import type { EndScheduledTransferInput } from '../contracts/transfers.ts'
import { cancelTransferUpdate, type TransferInput } from '../contracts/transfers.ts'
import {
  createPollingPort,
  executePayout,
  hasUnknownReturns,
  type PayoutPort,
} from '../payouts/execute-payout.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { continuationOf } from '../shared/continue-as-new.ts'
import { TRANSFER_STATUS_DETAILS } from '../shared/status-details.ts'
import { type FallbackResult, tryProvidersInOrder } from './provider-fallback.ts'
import { TransferPolling } from './transfer-polling.ts'

/**
 * Workflow of a transfer: tries one provider after another until one accepts, and ends when it is paid or failed. A late
 * notification reopens a completed one: a return by its recipient, or a settlement after the failure.
 */
export async function transferWorkflow(input: TransferInput | ReopenedInput): Promise<TransferState> {
  const transfer = new TransferWorkflow(input)
  if ('reopen' in input) await transfer.reopen(input)
  else await (input.restored && !input.restored.isScheduled ? transfer.rebuild(input) : transfer.send(input))
  await condition(allHandlersFinished)
  return transfer.state
}

class TransferWorkflow extends TransferPolling {
  #isCancelRequested = false
  /** Given to the sending activity as long as the row may not exist: it stores the transfer with its first attempt. */
  #inputToStore: { order: TransferInput } | undefined

  constructor(input: TransferInput | ReopenedInput) {
    super(input)
    setHandler(awaitResultUpdate, () => condition(() => this.hasResult), {
      description: 'Waits until a provider accepts the transfer, or it fails',
    })
    setHandler(cancelTransferUpdate, () => this.#handleCancelTransfer(), {
      description: 'Cancels a scheduled transfer that has not been sent',
    })
  }

  async send(order: TransferInput): Promise<void> {
    if (order.continuation) await this.#continueSending(order)
    else await (order.scheduledFor ? this.#storeAndSchedule(order) : this.#sendImmediately(order))
    this.hasResult = true
    await this.pollLateUpdates(order.uuid)
  }

  /** Sends at once; the first attempt writes the row. */
  async #sendImmediately(order: TransferInput): Promise<void> {
    this.isSent = true
    this.#inputToStore = { order }
    setCurrentDetails(TRANSFER_STATUS_DETAILS.sending)
    await this.#finish(order, await this.#tryProviders(order))
  }

  /** Stores a scheduled transfer, and sends it at its time. */
  async #storeAndSchedule(order: TransferInput): Promise<void> {
    await this.applyState(await dbActivities.storeTransfer(order))
    this.hasResult = true
    if (!transferMachine.isFinal(this.state)) await this.#runScheduled(order)
  }

  /** Continues the sending of an earlier run, whose attempt exists: `sendTransfer` finds it, so that it is polled. */
  async #continueSending(order: TransferInput): Promise<void> {
    this.isSent = true
    this.hasResult = true
    this.inbox.resumeManualSettlement()
    for (const connectionUuid of order.continuation?.pendingConnections ?? [])
      this.inbox.addConnection(connectionUuid)
    await this.applyState(await dbActivities.getTransfer(order.uuid))
    const result = await this.#tryProviders(order)
    const originalOrder = { ...order, candidates: order.continuation!.candidates }
    await (order.scheduledFor ? this.#runScheduled(originalOrder, result) : this.#finish(order, result))
  }

  #tryProviders(order: TransferInput, candidates = order.candidates): Promise<FallbackResult> {
    const { uuid } = order
    return tryProvidersInOrder(candidates, async connectionUuid => {
      this.nextRunInput = {
        ...order,
        candidates: candidates.slice(candidates.indexOf(connectionUuid)),
        continuation: {
          ...continuationOf(order),
          candidates: order.continuation?.candidates ?? order.candidates,
        },
      }
      const outcome = await executePayout(this.#createPayoutPort(uuid, connectionUuid))
      if (hasUnknownReturns(outcome)) this.inbox.addConnection(connectionUuid)
      return outcome
    })
  }

  #createPayoutPort(uuid: string, connectionUuid: string): PayoutPort {
    return {
      ...createPollingPort(this.createRun(uuid), connectionUuid),
      send: (isResend, { sendTransfer }) =>
        sendTransfer({ uuid, connectionUuid, isResend, ...this.#inputToStore }),
      onResult: result => this.#markStored(result),
      forConnection: liveConnectionUuid => this.#createPayoutPort(uuid, liveConnectionUuid),
    }
  }

  /** Any result but `not_started` proves that the row is stored: it is never stored again, also after a restore. */
  #markStored({ kind }: PollResult): void {
    if (kind !== 'not_started') this.#inputToStore = undefined
  }

  async #finish(order: TransferInput, { last }: FallbackResult): Promise<void> {
    await this.end(order.uuid, last, async connectionUuid => {
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
    const transfer = await dbActivities.endScheduledTransfer({ uuid: order.uuid, event, ...unlessPaused })
    await this.applyState(transfer)
    if (transferMachine.isFinal(this.state)) return 'ended'
    this.#isCancelRequested = false
    const { liveConnectionUuid } = transfer
    return liveConnectionUuid === undefined ? 'kept' : this.#tryScheduled(order, [liveConnectionUuid])
  }

  async #tryScheduled(order: TransferInput, candidates?: string[]): Promise<FallbackResult> {
    this.isSent = true
    return this.#markSentUnlessRetried(await this.#tryProviders(order, candidates))
  }

  /** A transfer that is tried again later can be cancelled until then. */
  #markSentUnlessRetried(result: FallbackResult): FallbackResult {
    this.isSent = !result.retryLater
    return result
  }

  async #handleCancelTransfer(): Promise<boolean> {
    if (this.isSent || transferMachine.isFinal(this.state)) return false
    this.#isCancelRequested = true
    await condition(() => transferMachine.isFinal(this.state) || !this.#isCancelRequested)
    return this.state === 'cancelled'
  }
}
