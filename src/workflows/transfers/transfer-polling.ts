import { allHandlersFinished, condition, continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { WAITS } from '../../domain/shared/intervals.ts'
import {
  isSettledTransferState,
  type TransferState,
  transferMachine,
} from '../../domain/transfers/transfer.ts'
import type { ReopenedInput } from '../contracts/reopening.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import type { TransferInput, TransferResult, TransferWorkflowSignature } from '../contracts/transfers.ts'
import { hasUnknownReturns, type PayoutRun, type TerminalOutcome } from '../payouts/execute-payout.ts'
import { findRestoredPayout, type PayoutSearch } from '../payouts/restore.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'
import { TRANSFER_STATUS_DETAILS, UNKNOWN_OUTCOME_DETAILS } from '../shared/status-details.ts'
import { upsertVisibility } from '../shared/visibility.ts'

/** Polls for a return that was notified and is not listed: after 5 s, 10 s, 30 s, 1 min and 5 min. */
const MAX_RETURN_POLLS = 5

/** Base of `TransferWorkflow`: polls providers, restores and reopens a transfer. It sends nothing. */
export class TransferPolling {
  state: TransferState = 'created'
  protected hasResult = false
  /** It was sent, or is about to be: it cannot be cancelled. */
  protected isSent = false
  protected readonly inbox: ProviderInbox
  /** Input of the next run after continue-as-new. */
  protected nextRunInput: TransferInput | ReopenedInput
  readonly #timeScale: number
  /** The connection of the latest attempt. */
  #connectionUuid = ''

  constructor(input: TransferInput | ReopenedInput) {
    this.#timeScale = input.timeScale
    this.nextRunInput = input
    this.inbox = new ProviderInbox(input.timeScale, () => this.#continueRun())
  }

  /** Stores a transfer again that is newer than the restored database, and polls it at the candidate that has it. */
  async rebuild(order: TransferInput): Promise<void> {
    const { uuid, candidates, restored } = order
    this.isSent = true
    this.hasResult = true
    await this.applyState(await dbActivities.storeTransfer(order))
    if (!transferMachine.isFinal(this.state)) {
      const hadSettled = isSettledTransferState(restored?.ended)
      await this.#findTransfer(uuid, { candidates, orderedAt: restored?.orderedAt, hadSettled })
    }
    await this.pollLateUpdates(uuid)
  }

  /** Finds a transfer at its candidates after its row or workflow was lost, and polls it to its end. */
  async #findTransfer(uuid: string, search: PayoutSearch): Promise<void> {
    const find = () => findRestoredPayout(this.createRun(uuid), search)
    const outcome = await this.end(uuid, await find(), find)
    if (hasUnknownReturns(outcome)) this.inbox.addConnection(this.#connectionUuid)
  }

  /** Reopens a completed transfer for a late notification, or resumes one that lost its workflow before it was final. */
  async reopen({ reopen: uuid, pendingConnections, unfinished }: ReopenedInput): Promise<void> {
    this.hasResult = true
    if (unfinished) {
      this.isSent = true
      this.inbox.resumeManualSettlement()
      await this.#findTransfer(uuid, { ...unfinished, hadSettled: false })
      return this.pollLateUpdates(uuid)
    }
    if (pendingConnections) this.inbox.seedPending(pendingConnections)
    await condition(() => this.inbox.hasPending)
    // A signal that arrives during the last poll is processed too: it is not delivered again.
    do {
      await this.pollLateUpdates(uuid)
      await this.applyState(await dbActivities.getTransfer(uuid))
      await this.#pollReturns(uuid)
    } while (this.inbox.hasPending)
  }

  /** Polls a few times for a return that was notified and is not listed yet; later, the statement shows it. */
  async #pollReturns(uuid: string): Promise<void> {
    const connections = this.inbox.drainConnectionsWithReturns()
    for (
      let pollCount = 1;
      pollCount <= MAX_RETURN_POLLS && connections.length > 0 && this.state === 'paid';
      pollCount++
    ) {
      await this.inbox.waitForNotification(WAITS.nextPoll(pollCount), 'return not listed yet: next poll')
      for (const connectionUuid of connections) this.inbox.addConnection(connectionUuid)
      await this.pollLateUpdates(uuid)
      await this.applyState(await dbActivities.getTransfer(uuid))
    }
  }

  /**
   * Polls the connections with pending notifications until they answer: a return by the recipient, or a settlement after
   * the failure.
   */
  protected async pollLateUpdates(uuid: string): Promise<void> {
    let connections = this.inbox.drain()
    for (let pollCount = 0; connections.length > 0; pollCount++) {
      const pendingConnections: string[] = []
      for (const connectionUuid of connections) {
        const result = await this.inbox.pollActivities.pollTransfer({ uuid, connectionUuid, pollCount })
        await this.applyState(await dbActivities.getTransfer(uuid))
        if (result.kind === 'unknown' || hasUnknownReturns(result)) pendingConnections.push(connectionUuid)
      }
      this.nextRunInput = { reopen: uuid, timeScale: this.#timeScale, pendingConnections }
      if (pendingConnections.length > 0)
        await this.inbox.waitForNotification(WAITS.nextPoll(pollCount + 1), 'no response: next poll')
      connections = [...new Set([...pendingConnections, ...this.inbox.drain()])]
    }
  }

  protected createRun(uuid: string): PayoutRun {
    return { noun: 'Transfer', uuid, inbox: this.inbox, onPending: kind => this.#onPending(kind) }
  }

  /**
   * Ends the transfer: settled, or failed because no candidate is left. `pollLiveAttempt` polls an attempt to its end that a
   * paused worker has started at this connection meanwhile. Returns the last outcome.
   */
  protected async end(
    uuid: string,
    outcome: TerminalOutcome,
    pollLiveAttempt: (connectionUuid: string) => Promise<TerminalOutcome>,
  ): Promise<TerminalOutcome> {
    if (outcome.kind === 'settled') {
      const { transfer } = outcome
      await this.applyState(transfer ? { ...outcome, ...transfer } : await dbActivities.getTransfer(uuid))
      return outcome
    }
    const transfer = await dbActivities.failTransfer(uuid)
    await this.applyState(transfer)
    const { liveConnectionUuid } = transfer
    if (liveConnectionUuid === undefined) return outcome
    return this.end(uuid, await pollLiveAttempt(liveConnectionUuid), pollLiveAttempt)
  }

  protected async applyState(transfer: TransferResult): Promise<void> {
    const { state, connectionUuid } = transfer
    this.state = state
    this.#connectionUuid = connectionUuid
    upsertVisibility([
      { key: SEARCH_ATTRIBUTES.status, value: transferMachine.statusOf(state) },
      { key: SEARCH_ATTRIBUTES.provider, value: connectionUuid },
    ])
    setCurrentDetails(TRANSFER_STATUS_DETAILS[state])
    await startFollowUps(transfer, this.#timeScale)
  }

  #onPending(kind: 'in_process' | 'unknown'): void {
    this.hasResult ||= kind === 'in_process'
    setCurrentDetails(kind === 'in_process' ? TRANSFER_STATUS_DETAILS.settling : UNKNOWN_OUTCOME_DETAILS)
  }

  async #continueRun(): Promise<void> {
    this.hasResult = true
    await condition(allHandlersFinished)
    await continueAsNew<TransferWorkflowSignature>(this.#nextRunInputWithPending())
  }

  /** Carries connections with unprocessed notifications over continue-as-new: their signals are not delivered again. */
  #nextRunInputWithPending(): TransferInput | ReopenedInput {
    const { nextRunInput: input } = this
    const { pendingConnections } = this.inbox
    if (!('continuation' in input) || !input.continuation || pendingConnections.length === 0) return input
    return { ...input, continuation: { ...input.continuation, pendingConnections } }
  }
}
