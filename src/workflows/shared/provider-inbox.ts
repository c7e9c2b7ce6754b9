import { condition, log, setHandler } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { type ManualSettlement, manualSettlementSignal } from '../contracts/payouts.ts'
import {
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../contracts/provider-notifications.ts'
import { idempotentProviderActivities, localActivities } from './activity-proxies.ts'
import { shouldContinueAsNew } from './continue-as-new.ts'

/** Buffers signals of provider notifications. Their content is polled at the provider; only their arrival counts. */
export class ProviderInbox {
  readonly timeScale: number
  readonly #continueRun: (() => Promise<void>) | undefined
  #pendingCount = 0
  /** Whether a pending notification is new; whether one of those processed last was. */
  #hasNewNotification = false
  #shouldPollLocally = false
  #manualSettlements: ManualSettlement[] = []
  #isManualSettlementEnabled = false
  readonly #pendingConnections = new Set<string>()
  readonly #connectionsWithReturns = new Set<string>()

  /** `continueRun`: continues the workflow as new, where it may wait for months. */
  constructor(timeScale: number, continueRun?: () => Promise<void>) {
    this.timeScale = timeScale
    this.#continueRun = continueRun
    const count = ({ connectionUuid, isNew, isAboutReturn }: ProviderNotificationSignal) => {
      this.#pendingCount += 1
      if (isAboutReturn) this.#connectionsWithReturns.add(connectionUuid)
      this.#hasNewNotification ||= isNew === true
      this.#pendingConnections.add(connectionUuid)
    }
    setHandler(providerNotificationSignal, count, {
      description: 'The provider has notified of a change: poll it now',
    })
  }

  /** Adds notifications that an earlier run received through these connections and could not resolve. */
  seedPending(connections: string[]): void {
    this.#pendingCount += 1
    for (const connectionUuid of connections) this.#pendingConnections.add(connectionUuid)
  }

  /** Whether a provider's notification is pending. */
  get hasNotification(): boolean {
    return this.#pendingCount > 0
  }

  get hasPending(): boolean {
    return this.#pendingCount > 0 || this.#manualSettlements.length > 0
  }

  /**
   * Enables manual settlement by an operator until `disableManualSettlement`. Signals before and after are about another sending, and
   * are refused.
   */
  enableManualSettlement(): void {
    if (this.#isManualSettlementEnabled) return
    this.#registerManualSettlementHandler()
    this.#rejectManualSettlements()
    this.#isManualSettlementEnabled = true
  }

  /** Enables manual settlement again after continue-as-new; keeps a signal that has been buffered already. */
  resumeManualSettlement(): void {
    this.#isManualSettlementEnabled = true
    this.#registerManualSettlementHandler()
  }

  #registerManualSettlementHandler(): void {
    setHandler(
      manualSettlementSignal,
      // A payload of the Temporal UI may be anything, also absent: the activity refuses what is not complete.
      settlement => {
        this.#manualSettlements.push(settlement ?? {})
        if (!this.#isManualSettlementEnabled) this.#rejectManualSettlements()
      },
      {
        description:
          'Settles an unknown outcome: { attempt, sending, as: "rejected" | "settled", endToEnd?, reason }',
      },
    )
  }

  disableManualSettlement(): void {
    this.#rejectManualSettlements()
    this.#isManualSettlementEnabled = false
  }

  #rejectManualSettlements(): void {
    for (const { attempt, sending } of this.#manualSettlements)
      log.warn('manual settlement refused: the send has ended', { attempt, sending })
    this.#manualSettlements = []
  }

  /** The oldest settlement that an operator signalled and that was not applied yet. */
  nextManualSettlement(): ManualSettlement | undefined {
    return this.#manualSettlements.shift()
  }

  /** Marks all pending notifications as processed by one poll; a connection that is given has none left. */
  markProcessed(connectionUuid?: string): void {
    this.#pendingCount = 0
    this.#shouldPollLocally = this.#hasNewNotification
    this.#hasNewNotification = false
    if (connectionUuid !== undefined) this.#pendingConnections.delete(connectionUuid)
  }

  /** Proxies of the next poll: a local activity first where a notification just processed was new, else regular activities. */
  get pollActivities(): typeof localActivities {
    return this.#shouldPollLocally ? localActivities : idempotentProviderActivities
  }

  /** Marks a connection to be polled, as if a notification had come through it. */
  addConnection(connectionUuid: string): void {
    this.#pendingConnections.add(connectionUuid)
  }

  /** Returns and clears the connections through which a return was notified. */
  drainConnectionsWithReturns(): string[] {
    const at = [...this.#connectionsWithReturns]
    this.#connectionsWithReturns.clear()
    return at
  }

  /** Connections with a notification that have not been polled since. */
  get pendingConnections(): string[] {
    return [...this.#pendingConnections]
  }

  /** Removes and returns the connections with pending notifications, to be polled now. */
  drain(): string[] {
    const { pendingConnections: from } = this
    this.#pendingConnections.clear()
    this.markProcessed()
    return from
  }

  /** Waits for a notification, at most `waitMs` (before the time scale); a long history continues as new here. */
  async waitForNotification(waitMs: number, summary: string): Promise<void> {
    if (this.#continueRun && !this.hasPending && shouldContinueAsNew()) await this.#continueRun()
    await condition(() => this.hasPending, scaleWait(waitMs, this.timeScale), { summary })
  }
}

/** Answers without an outcome: `no_answer` of charges and keys, `unknown` of payouts. */
type UnansweredPoll = { kind: 'no_answer' | 'unknown' }

/**
 * Polls on the schedule of SPEC §6 until there is an answer, at once when a notification arrives. There is no time limit.
 * `pollCount`: number of polls before.
 */
export async function pollUntilResolved<Answer extends { kind: string }>(
  poll: (pollCount: number) => Promise<Answer>,
  inbox: ProviderInbox,
): Promise<Exclude<Answer, UnansweredPoll>> {
  for (let pollCount = 1; ; pollCount++) {
    inbox.markProcessed()
    const answer = await poll(pollCount - 1)
    if (answer.kind !== 'no_answer' && answer.kind !== 'unknown')
      return answer as Exclude<Answer, UnansweredPoll>
    await inbox.waitForNotification(WAITS.nextPoll(pollCount), 'no response: next poll')
  }
}

/**
 * Polls for something that is known by a notification only. The notification may run ahead of the provider's books, so "not
 * found" is polled again a minute later; a forged one has no effect. A signal that arrives during the last poll is processed
 * too: it is not delivered again.
 */
export async function pollAfterNotification<Answer extends { kind: string }>(
  poll: () => Promise<Answer>,
  inbox: ProviderInbox,
): Promise<Exclude<Answer, UnansweredPoll>> {
  let answer = await pollUntilResolved(poll, inbox)
  const secondLookAt = Date.now() + scaleWait(WAITS.absenceConfirmation, inbox.timeScale)
  for (let now = Date.now(); ; ) {
    if (answer.kind === 'not_found' && now < secondLookAt)
      await inbox.waitForNotification((secondLookAt - now) * inbox.timeScale, 'second poll')
    else if (!isNotFoundOrForeign(answer) || !inbox.hasPending) return answer
    now = Date.now()
    answer = await pollUntilResolved(poll, inbox)
  }
}

function isNotFoundOrForeign({ kind }: { kind: string }): boolean {
  return kind === 'not_found' || kind === 'foreign'
}

/**
 * When "not found" proves that a request never arrived (SPEC §6): seen at the end of the settle window and again a
 * minute later. A "not found" before, after a notification, proves nothing.
 */
export class AbsenceProof {
  readonly #timeScale: number
  #windowEndsAtMs: number | undefined
  #firstProofAtMs: number | undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** Counts a "not found" of now; returns the wait before the next poll in milliseconds, or null where absence is proved. */
  recordNotFound(settleWindowMs: number): number | null {
    const now = Date.now()
    this.#windowEndsAtMs ??= now + scaleWait(settleWindowMs, this.#timeScale)
    if (now < this.#windowEndsAtMs) return (this.#windowEndsAtMs - now) * this.#timeScale
    this.#firstProofAtMs ??= now
    const remainingMs = this.#firstProofAtMs + scaleWait(WAITS.absenceConfirmation, this.#timeScale) - now
    return remainingMs > 0 ? remainingMs * this.#timeScale : null
  }
}
