import { allHandlersFinished, condition, continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { WAITS } from '../../domain/shared/intervals.ts'
import {
  isSettledTransferState,
  type TransferState,
  transferMachine,
} from '../../domain/transfers/transfer.ts'
import type { ReopenedInput } from '../contracts/reopening.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import type { TransferInput, TransferWorkflowSignature } from '../contracts/transfers.ts'
import { hasUnknownReturns, type PayoutPort, type TerminalOutcome } from '../payouts/execute-payout.ts'
import { pollLateUpdates } from '../payouts/late-updates.ts'
import { findRestoredPayout } from '../payouts/restore.ts'
import { dbActivities, idempotentProviderActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'
import { TRANSFER_STATUS_DETAILS, UNKNOWN_OUTCOME_DETAILS } from '../shared/status-details.ts'
import { upsertVisibility } from '../shared/visibility.ts'

/** After 5 s, 10 s, 30 s, 1 min and 5 min. */
const MAX_RETURN_POLLS = 5

/** The part of a transfer's workflow that polls providers. It sends nothing. */
export class TransferPolling {
  state: TransferState = 'created'
  protected hasResult = false
  /** From here on it cannot be cancelled. */
  protected isSent = false
  protected readonly inbox: ProviderInbox
  /** Input of the next run after continue-as-new. */
  protected nextRunInput: TransferInput | ReopenedInput
  readonly #timeScale: number
  /** The connection to poll. */
  #connectionUuid = ''

  constructor(input: TransferInput | ReopenedInput) {
    this.#timeScale = input.timeScale
    this.nextRunInput = input
    this.inbox = new ProviderInbox(input.timeScale, () => this.#continueRun())
  }

  /** For a transfer that is newer than its restored database: stores it again, and polls it where it is found. */
  async rebuild(order: TransferInput): Promise<void> {
    const { uuid, candidates, restored } = order
    this.isSent = true
    this.hasResult = true
    await this.applyState(await dbActivities.storeTransfer(order))
    if (!transferMachine.isFinal(this.state)) {
      const orderedAt = restored?.orderedAt
      await this.#findPayout(uuid, {
        candidates,
        orderedAt,
        hadSettled: isSettledTransferState(restored?.ended),
      })
    }
    await this.pollLateUpdates(uuid)
  }

  async #findPayout(uuid: string, { hadSettled, ...search }: TransferSearch): Promise<void> {
    const find = () =>
      findRestoredPayout({
        hadSettled,
        searchProviders: at => idempotentProviderActivities.restoreTransfer({ uuid, ...search, ...at }),
        portFor: connectionUuid => this.createPollingPort(uuid, connectionUuid),
        inbox: this.inbox,
      })
    const last = await this.end(uuid, await find(), find)
    if (hasUnknownReturns(last)) this.inbox.addConnection(this.#connectionUuid)
  }

  /** Handles a late notification: a return by the recipient, or a settlement after the failure. */
  async reopen({ reopen: uuid, pendingConnections, unfinished }: ReopenedInput): Promise<void> {
    this.hasResult = true
    if (unfinished) {
      this.isSent = true
      this.inbox.resumeManualSettlement()
      await this.#findPayout(uuid, { ...unfinished, hadSettled: false })
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

  protected pollLateUpdates(uuid: string): Promise<void> {
    return pollLateUpdates(this.inbox, {
      poll: async (connectionUuid, pollCount) => {
        const result = await this.inbox.pollActivities.pollTransfer({
          uuid,
          connectionUuid,
          pollCount,
        })
        await this.applyState(await dbActivities.getTransfer(uuid))
        return result
      },
      onUnanswered: pendingConnections => {
        this.nextRunInput = { reopen: uuid, timeScale: this.#timeScale, pendingConnections }
      },
    })
  }

  /** Activities that poll one provider. */
  protected createPollingPort(uuid: string, connectionUuid: string): Omit<PayoutPort, 'send'> {
    return {
      connectionUuid,
      poll: (pollCount, canAnswerFromRow = false) =>
        this.inbox.pollActivities.pollTransfer({
          uuid,
          connectionUuid,
          pollCount,
          canAnswerFromRow,
        }),
      settleManually: signal => dbActivities.manuallySettleTransfer({ uuid, connectionUuid, signal }),
      onPending: kind => this.#onPending(kind),
      inbox: this.inbox,
    }
  }

  /**
   * Ends the transfer: settled, or failed because no candidate is left. `follow` polls an attempt that is live at this connection
   * because a paused worker started it meanwhile. Returns the last outcome.
   */
  protected async end(
    uuid: string,
    last: TerminalOutcome,
    follow: (connectionUuid: string) => Promise<TerminalOutcome>,
  ): Promise<TerminalOutcome> {
    if (last.kind === 'settled') {
      await this.applyState(
        last.transfer ? { ...last, ...last.transfer } : await dbActivities.getTransfer(uuid),
      )
      return last
    }
    const ended = await dbActivities.failTransfer(uuid)
    await this.applyState(ended)
    const { liveConnectionUuid: live } = ended
    return live === undefined ? last : this.end(uuid, await follow(live), follow)
  }

  protected async applyState(
    now: Awaited<ReturnType<typeof dbActivities.getTransfer>>,
    shownState: TransferState = now.state,
  ): Promise<void> {
    this.state = now.state
    this.#connectionUuid = now.connectionUuid
    upsertVisibility([
      { key: SEARCH_ATTRIBUTES.status, value: transferMachine.statusOf(shownState) },
      { key: SEARCH_ATTRIBUTES.provider, value: now.connectionUuid },
    ])
    setCurrentDetails(TRANSFER_STATUS_DETAILS[shownState])
    await startFollowUps(now, this.#timeScale)
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
