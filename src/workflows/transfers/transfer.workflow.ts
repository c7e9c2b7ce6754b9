import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import { WAITS_FOR_APPROVAL } from '../../domain/approvals/approval.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { type TransferState, transferMachine } from '../../domain/transfers/transfer.ts'
import type { ReopenedInput } from '../contracts/orders.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import {
  approvalDecidedSignal,
  cancelTransferUpdate,
  type EndScheduledTransferInput,
  type TransferInput,
  type TransferResult,
} from '../contracts/transfers.ts'
import type { SendingResult, TerminalOutcome } from '../payouts/candidates.ts'
import { PayoutWorkflow } from '../payouts/payout-workflow.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { startCallout } from '../shared/start-callout.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'
import { upsertVisibility } from '../shared/workflow-info.ts'

/**
 * Workflow of a transfer: tries one provider after another until one accepts, and ends when it is paid or failed. A late
 * notification reopens a completed one: a return by its recipient, or a settlement after the failure.
 */
export async function transferWorkflow(input: TransferInput | ReopenedInput): Promise<TransferState> {
  const transfer = new TransferWorkflow(input)
  await ('reopen' in input ? transfer.reopen(input) : transfer.send(input))
  await condition(allHandlersFinished)
  return transfer.state
}

/** Polls for a return that was notified and is not listed: after 5 s, 10 s, 30 s, 1 min and 5 min. */
const MAX_RETURN_POLLS = 5

class TransferWorkflow {
  state: TransferState = 'created'
  /** It was sent, or is about to be: it cannot be cancelled. */
  #isSent = false
  #isCancelRequested = false
  /** What waits for approvals may have been decided: its row is to be read again. */
  #isApprovalSignalled = false
  #approvedAtMs = 0
  readonly #payout: PayoutWorkflow
  readonly #wakeForApproval = () => {
    this.#isApprovalSignalled = true
  }

  constructor(input: TransferInput | ReopenedInput) {
    this.#payout = new PayoutWorkflow(input, TRANSFER)
    setHandler(cancelTransferUpdate, () => this.#handleCancelTransfer(), {
      description: 'Cancels a transfer that waits and has not been sent',
    })
    setHandler(approvalDecidedSignal, this.#wakeForApproval, {
      description: 'Tells that persons have decided about the transfer',
    })
  }

  async send(order: TransferInput): Promise<void> {
    if (order.continuation) await this.#continueSending(order)
    else await (order.scheduledFor ? this.#storeAndSchedule(order) : this.#sendImmediately(order))
    this.#payout.hasResult = true
    await this.#pollLateUpdates()
  }

  /** Sends at once; the first attempt writes the row. */
  async #sendImmediately(order: TransferInput): Promise<void> {
    this.#isSent = true
    this.#payout.orderToStore = order
    setCurrentDetails(TRANSFER_STATUS_DETAILS.sending)
    const result = await this.#payout.send(order)
    await (isHeld(result) ? this.#sendOnceApproved(order) : this.#finish(order, result))
  }

  /** Waits for the approvals of a transfer whose money is held, and sends it first where it is held. */
  async #sendOnceApproved(order: TransferInput): Promise<void> {
    const heldAt = await this.#awaitApproval(order)
    if (heldAt === undefined) return
    this.#isSent = true
    const candidates = [heldAt, ...order.candidates.filter(one => one !== heldAt)]
    await this.#finish(order, await this.#payout.send(order, candidates))
  }

  /**
   * Waits until the approvals of the transfer are given, it is rejected or cancelled, or its time is over; asks the merchant's server when
   * its call-out is due. What was decided is read from its row, so that a signal which does not arrive changes nothing but the time.
   * Returns its connection where it is approved.
   */
  async #awaitApproval(order: TransferInput): Promise<string | undefined> {
    this.#isSent = false
    for (;;) {
      this.#isApprovalSignalled = false
      const transfer = await dbActivities.advanceHeldTransfer(this.#payout.uuid)
      await this.#applyState(transfer)
      this.#payout.hasResult = true
      const { remainingMs, calloutInMs, connectionUuid } = transfer
      if (remainingMs === undefined) {
        this.#approvedAtMs = Date.now()
        return this.state === 'approved' ? connectionUuid : undefined
      }
      if (calloutInMs === 0) startCallout(this.#payout.uuid, this.#wakeForApproval)
      const isAwake = () => this.#isApprovalSignalled || this.#isCancelRequested
      const waitMs = Math.max(1, Math.min(remainingMs, calloutInMs || remainingMs))
      const summary = calloutInMs ? 'waits for its call-out' : 'waits for approvals'
      await condition(isAwake, waitMs, { summary })
      if (this.#isCancelRequested) await this.#endUnsent(order, 'cancelled')
    }
  }

  /** Stores a scheduled transfer, and sends it at its time. */
  async #storeAndSchedule(order: TransferInput): Promise<void> {
    await this.#applyState(await dbActivities.storeTransfer(order))
    this.#payout.hasResult = true
    if (this.state === 'held') await this.#awaitApproval(order)
    if (!transferMachine.isFinal(this.state)) await this.#runScheduled(order)
  }

  /** Continues the sending of an earlier run: `sendTransfer` finds an attempt that exists, so that it is polled. */
  async #continueSending(order: TransferInput): Promise<void> {
    const { candidates = order.candidates, isUnstored } = order.continuation!
    const originalOrder = { ...order, candidates }
    this.#isSent = true
    if (isUnstored) this.#payout.orderToStore = originalOrder
    else await this.#readState()
    const result = await this.#payout.send(order)
    await (order.scheduledFor ? this.#runScheduled(originalOrder, result) : this.#finish(order, result))
  }

  async #finish(order: TransferInput, { last }: SendingResult): Promise<void> {
    await this.#end(last, async connectionUuid => (await this.#payout.send(order, [connectionUuid])).last)
  }

  /**
   * Waits until the transfer's time, then tries its providers every 15 minutes until one settles it or refuses it finally
   * (SPEC §4). It expires 24 hours after its time, or after the last try that a pause kept from a provider.
   * `earlierResult`: of a try that an earlier run of the workflow began.
   */
  async #runScheduled(order: TransferInput, earlierResult?: SendingResult): Promise<void> {
    const { timeScale } = order
    const scheduledForMs = Date.parse(order.scheduledFor!)
    const isCancelRequested = () => this.#isCancelRequested
    let expiresAtMs =
      Math.max(scheduledForMs, this.#approvedAtMs) + scaleWait(WAITS.expireTransferAfter, timeScale)
    if (earlierResult) this.#markSentUnlessRetried(earlierResult)
    else {
      setCurrentDetails('Scheduled: waits for its time')
      await condition(isCancelRequested, Math.max(1, scheduledForMs - Date.now()), { summary: 'scheduled' })
    }
    for (let result: SendingResult | 'ended' | 'kept' | undefined = earlierResult; ; result = undefined) {
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
  ): Promise<SendingResult | 'ended' | 'kept'> {
    const unlessPaused = event === 'never_sent' && { unlessPaused: order.candidates }
    const transfer = await dbActivities.endScheduledTransfer({
      uuid: this.#payout.uuid,
      event,
      ...unlessPaused,
    })
    await this.#applyState(transfer)
    if (transferMachine.isFinal(this.state)) return 'ended'
    this.#isCancelRequested = false
    const { liveConnectionUuid } = transfer
    return liveConnectionUuid === undefined ? 'kept' : this.#tryScheduled(order, [liveConnectionUuid])
  }

  async #tryScheduled(order: TransferInput, candidates?: string[]): Promise<SendingResult> {
    this.#isSent = true
    return this.#markSentUnlessRetried(await this.#payout.send(order, candidates))
  }

  /** A transfer that is tried again later can be cancelled until then. */
  #markSentUnlessRetried(result: SendingResult): SendingResult {
    this.#isSent = !result.retryLater
    return result
  }

  async #handleCancelTransfer(): Promise<boolean> {
    if (this.#isSent || transferMachine.isFinal(this.state)) return false
    this.#isCancelRequested = true
    await condition(() => transferMachine.isFinal(this.state) || !this.#isCancelRequested)
    return this.state === 'cancelled'
  }

  /** Reopens a completed transfer for a late notification, or resumes one that was interrupted before it was final. */
  async reopen(input: ReopenedInput): Promise<void> {
    const { unfinished } = input
    this.#isSent = true
    const outcome = await this.#payout.reopen(input)
    if (outcome) {
      await this.#end(outcome, () => this.#payout.lookUp(unfinished!))
      return this.#pollLateUpdates()
    }
    // A signal that arrives during the last poll is processed too: it is not delivered again.
    do {
      await this.#pollLateUpdates()
      await this.#readState()
      await this.#pollReturns()
    } while (this.#payout.inbox.hasPending)
  }

  /** Polls a few times for a return that was notified and is not listed yet; later, the statement shows it. */
  async #pollReturns(): Promise<void> {
    const { inbox } = this.#payout
    const connections = inbox.drainConnectionsWithReturns()
    for (
      let pollCount = 1;
      pollCount <= MAX_RETURN_POLLS && connections.length > 0 && this.state === 'paid';
      pollCount++
    ) {
      await inbox.waitForNotification(WAITS.nextPoll(pollCount), 'return not listed yet: next poll')
      for (const connectionUuid of connections) inbox.addConnection(connectionUuid)
      await this.#pollLateUpdates()
      await this.#readState()
    }
  }

  #pollLateUpdates(): Promise<void> {
    return this.#payout.pollLateUpdates(() => this.#readState())
  }

  /**
   * Ends the transfer: settled, or failed because no candidate is left. `pollLiveAttempt` polls an attempt to its end that a
   * paused worker has started at this connection meanwhile.
   */
  async #end(
    outcome: TerminalOutcome,
    pollLiveAttempt: (connectionUuid: string) => Promise<TerminalOutcome>,
  ): Promise<void> {
    if (outcome.kind === 'settled') {
      const { transfer } = outcome
      return transfer ? this.#applyState({ ...outcome, ...transfer }) : this.#readState()
    }
    const transfer = await dbActivities.failTransfer(this.#payout.uuid)
    await this.#applyState(transfer)
    const { liveConnectionUuid } = transfer
    if (liveConnectionUuid === undefined) return
    return this.#end(await pollLiveAttempt(liveConnectionUuid), pollLiveAttempt)
  }

  async #readState(): Promise<void> {
    await this.#applyState(await dbActivities.getTransfer(this.#payout.uuid))
  }

  async #applyState(transfer: TransferResult): Promise<void> {
    const { state, connectionUuid } = transfer
    this.state = state
    upsertVisibility([
      { key: SEARCH_ATTRIBUTES.status, value: transferMachine.statusOf(state) },
      { key: SEARCH_ATTRIBUTES.provider, value: connectionUuid },
    ])
    setCurrentDetails(TRANSFER_STATUS_DETAILS[state])
    await startFollowUps(transfer, this.#payout.inbox.timeScale)
  }
}

/** Texts that the Temporal UI shows of a transfer in each state. */
const TRANSFER_STATUS_DETAILS: Record<TransferState, string> = {
  held: 'Waits for the approvals of persons who have not ordered it',
  approved: 'Approved: sent at its time',
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

/** Tells whether a transfer was not sent because it waits for its approvals. */
function isHeld({ last }: SendingResult): boolean {
  return last.kind === 'rejected' && last.code === WAITS_FOR_APPROVAL
}

const TRANSFER = {
  noun: 'Transfer',
  pendingDetails: {
    in_process: TRANSFER_STATUS_DETAILS.settling,
    unknown: 'Outcome unknown: the provider is polled, and no other provider is called',
  },
} as const
