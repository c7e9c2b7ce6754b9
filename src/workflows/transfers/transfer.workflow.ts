import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import { type TransferState, transferMachine } from '../../domain/transfers/transfer.ts'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { PollResult } from '../contracts/payouts.ts'
import type { ReopenedInput } from '../contracts/reopening.ts'
import { cancelTransferUpdate, type TransferInput } from '../contracts/transfers.ts'
import { executePayout, hasUnknownReturns, type PayoutPort } from '../payouts/execute-payout.ts'
import { dbActivities, payoutActivities } from '../shared/activity-proxies.ts'
import { continuationOf } from '../shared/continue-as-new.ts'
import { TRANSFER_STATUS_DETAILS } from '../shared/status-details.ts'
import { type FallbackResult, tryProvidersInOrder } from './provider-fallback.ts'
import { runScheduled, type UnsentTransferEvent } from './scheduled-transfer.ts'
import { TransferPolling } from './transfer-polling.ts'

/**
 * Workflow of a transfer: tries one provider after another until one accepts, and ends when it is paid or failed. A late
 * notification reopens a completed one: a return by its recipient, or a settlement after the failure.
 */
export async function transferWorkflow(order: TransferInput | ReopenedInput): Promise<TransferState> {
  const transfer = new TransferWorkflow(order)
  if ('reopen' in order) await transfer.reopen(order)
  else await (order.restored && !order.restored.isScheduled ? transfer.rebuild(order) : transfer.send(order))
  await condition(allHandlersFinished)
  return transfer.state
}

class TransferWorkflow extends TransferPolling {
  #isCancelRequested = false
  #inputToStore: { order: TransferInput } | undefined

  constructor(begun: TransferInput | ReopenedInput) {
    super(begun)
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

  /** Continues after continue-as-new: the attempt of the earlier run exists, and is only polled. */
  async #continueSending(order: TransferInput): Promise<void> {
    this.isSent = true
    this.hasResult = true
    this.inbox.resumeManualSettlement()
    for (const connectionUuid of order.continuation?.pendingConnections ?? [])
      this.inbox.addConnection(connectionUuid)
    await this.applyState(await dbActivities.getTransfer(order.uuid))
    const round = await this.#tryProviders(order)
    const all = { ...order, candidates: order.continuation!.candidates }
    await (order.scheduledFor ? this.#runScheduled(all, round) : this.#finish(order, round))
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
      const last = await executePayout(this.#createPayoutPort(uuid, connectionUuid))
      if (hasUnknownReturns(last)) this.inbox.addConnection(connectionUuid)
      return last
    })
  }

  #createPayoutPort(uuid: string, connectionUuid: string): PayoutPort {
    return {
      ...this.createPollingPort(uuid, connectionUuid),
      send: again =>
        payoutActivities.sendTransfer({ uuid, connectionUuid, isResend: again, ...this.#inputToStore }),
      onResult: word => this.#markStored(word),
      forConnection: other => this.#createPayoutPort(uuid, other),
    }
  }

  /** Any answer but `not_started` has found the row, which is never written a second time, also after a restore. */
  #markStored({ kind }: PollResult): void {
    if (kind !== 'not_started') this.#inputToStore = undefined
  }

  async #finish(order: TransferInput, { last }: FallbackResult): Promise<void> {
    await this.end(order.uuid, last, async live => (await this.#tryProviders(order, [live])).last)
  }

  /** `begun`: the fallback round that an earlier run was in. */
  async #runScheduled(order: TransferInput, begun?: FallbackResult): Promise<void> {
    const outcome = await runScheduled(
      {
        scheduledFor: order.scheduledFor!,
        timeScale: order.timeScale,
        isCancelled: () => this.#isCancelRequested,
        end: event => this.#endUnsent(order, event),
        tryProviders: async () => this.#updateCancellable(await this.#startSending(order)),
      },
      begun && this.#updateCancellable(begun),
    )
    if (outcome !== 'ended') await this.#finish(order, outcome)
  }

  /** Ends the transfer. An attempt that a paused worker has started meanwhile is polled to its end, and its round returned. */
  async #endUnsent(
    order: TransferInput,
    event: UnsentTransferEvent,
  ): Promise<FallbackResult | 'ended' | 'kept'> {
    const unlessPaused = event === 'never_sent' && { unlessPaused: order.candidates }
    const ended = await dbActivities.endScheduledTransfer({ uuid: order.uuid, event, ...unlessPaused })
    await this.applyState(ended)
    if (transferMachine.isFinal(this.state)) return 'ended'
    this.#isCancelRequested = false
    const { liveConnectionUuid: live } = ended
    return live === undefined ? 'kept' : this.#updateCancellable(await this.#startSending(order, [live]))
  }

  #startSending(order: TransferInput, candidates?: string[]): Promise<FallbackResult> {
    this.isSent = true
    return this.#tryProviders(order, candidates)
  }

  /** A transfer that may be tried again waits, and can be cancelled. */
  #updateCancellable(round: FallbackResult): FallbackResult {
    this.isSent = !round.retryLater
    return round
  }

  async #handleCancelTransfer(): Promise<boolean> {
    if (this.isSent || transferMachine.isFinal(this.state)) return false
    this.#isCancelRequested = true
    await condition(() => transferMachine.isFinal(this.state) || !this.#isCancelRequested)
    return this.state === 'cancelled'
  }
}
