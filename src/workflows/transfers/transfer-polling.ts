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
import { hasUnknownReturns, type PayoutPort, type TerminalOutcome } from '../payouts/execute-payout.ts'
import { pollLateUpdates } from '../payouts/late-updates.ts'
import { findRestoredPayout } from '../payouts/restore.ts'
import { dbActivities, idempotentProviderActivities } from '../shared/activity-proxies.ts'
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
  async #findTransfer(uuid: string, { hadSettled, ...search }: TransferSearch): Promise<void> {
    const find = () =>
      findRestoredPayout({
        hadSettled,
        searchProviders: poll => idempotentProviderActivities.restoreTransfer({ uuid, ...search, ...poll }),
        createPollingPort: connectionUuid => this.createPollingPort(uuid, connectionUuid),
        inbox: this.inbox,
      })
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

  /** Polls the connections with pending notifications: a return by the recipient, or a settlement after the failure. */
  protected pollLateUpdates(uuid: string): Promise<void> {
    return pollLateUpdates(this.inbox, {
      poll: async (connectionUuid, pollCount) => {
        const result = await this.inbox.pollActivities.pollTransfer({ uuid, connectionUuid, pollCount })
        await this.applyState(await dbActivities.getTransfer(uuid))
        return result
      },
      onUnanswered: pendingConnections => {
        this.nextRunInput = { reopen: uuid, timeScale: this.#timeScale, pendingConnections }
      },
    })
  }

  /** Creates the activities of a payout at one connection, except `send`. */
  protected createPollingPort(uuid: string, connectionUuid: string): Omit<PayoutPort, 'send'> {
    return {
      connectionUuid,
      poll: (pollCount, canAnswerFromRow = false) =>
        this.inbox.pollActivities.pollTransfer({ uuid, connectionUuid, pollCount, canAnswerFromRow }),
      settleManually: settlement =>
        dbActivities.manuallySettleTransfer({ uuid, connectionUuid, signal: settlement }),
      onPending: kind => this.#onPending(kind),
      inbox: this.inbox,
    }
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

/** Connections that may have the money, and whether it was seen settled. */
type TransferSearch = { candidates: string[]; orderedAt: string | undefined; hadSettled: boolean }
