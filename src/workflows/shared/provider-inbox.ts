import { condition, log, setHandler } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { type ManualSettlement, manualSettlementSignal } from '../contracts/payouts.ts'
import {
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../contracts/provider-notifications.ts'
import { idempotentProviderActivities, localActivities } from './activity-proxies.ts'
import { shouldContinueAsNew } from './workflow-info.ts'

/** Buffers signals of provider notifications. Their content is polled at the provider; only their arrival counts. */
export class ProviderInbox {
  readonly timeScale: number
  readonly #continueRun: (() => Promise<void>) | undefined
  #pendingCount = 0
  /** A pending notification is new. */
  #hasNewNotification = false
  /** One of the notifications processed last was new. */
  #shouldPollLocally = false
  #manualSettlements: ManualSettlement[] = []
  #isManualSettlementEnabled = false
  readonly #pendingConnections = new Set<string>()
  readonly #connectionsWithReturns = new Set<string>()

  /** `continueRun`: continues the workflow as new, where it may wait for months. */
  constructor(timeScale: number, continueRun?: () => Promise<void>) {
    this.timeScale = timeScale
    this.#continueRun = continueRun
    const bufferSignal = ({ connectionUuid, isNew, isAboutReturn }: ProviderNotificationSignal) => {
      this.#pendingCount += 1
      if (isAboutReturn) this.#connectionsWithReturns.add(connectionUuid)
      this.#hasNewNotification ||= isNew === true
      this.#pendingConnections.add(connectionUuid)
    }
    setHandler(providerNotificationSignal, bufferSignal, {
      description: 'The provider has notified of a change: poll it now',
    })
  }

  /** Adds notifications that an earlier run received through these connections and could not resolve. */
  seedPending(connections: string[]): void {
    this.#pendingCount += 1
    for (const connectionUuid of connections) this.#pendingConnections.add(connectionUuid)
  }

  get hasNotification(): boolean {
    return this.#pendingCount > 0
  }

  /** Whether a notification or a manual settlement is pending. */
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

  /** Removes and returns the oldest manual settlement that was signalled and not applied yet. */
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
    const connections = [...this.#connectionsWithReturns]
    this.#connectionsWithReturns.clear()
    return connections
  }

  /** Connections to be polled because of a notification. */
  get pendingConnections(): string[] {
    return [...this.#pendingConnections]
  }

  /** Removes and returns the connections with pending notifications, to be polled now. */
  drain(): string[] {
    const { pendingConnections } = this
    this.#pendingConnections.clear()
    this.markProcessed()
    return pendingConnections
  }

  /** Waits for a notification, at most `waitMs` (before the time scale); a long history continues as new here. */
  async waitForNotification(waitMs: number, summary: string): Promise<void> {
    if (this.#continueRun && !this.hasPending && shouldContinueAsNew()) await this.#continueRun()
    await condition(() => this.hasPending, scaleWait(waitMs, this.timeScale), { summary })
  }
}

/** Poll results without an outcome: `no_answer` of charges and disputes, `unknown` of payouts. */
type UnansweredPoll = { kind: 'no_answer' | 'unknown' }

/**
 * Polls on the schedule of SPEC §6 until there is an answer, at once when a notification arrives. There is no time limit.
 * `pollCount`: number of polls before.
 */
export async function pollUntilResolved<Answer extends { kind: string }>(
  poll: (pollCount: number) => Promise<Answer>,
  inbox: ProviderInbox,
): Promise<Exclude<Answer, UnansweredPoll>> {
  for (let pollCount = 0; ; pollCount++) {
    inbox.markProcessed()
    const answer = await poll(pollCount)
    if (answer.kind !== 'no_answer' && answer.kind !== 'unknown')
      return answer as Exclude<Answer, UnansweredPoll>
    await inbox.waitForNotification(WAITS.nextPoll(pollCount + 1), 'no response: next poll')
  }
}

/**
 * Polls for a dispute or PIX that only a notification names. The provider may list it later than it notifies, so "not found" is
 * polled again a minute later; a forged notification has no effect. A signal that arrives during the last poll is processed too:
 * it is not delivered again.
 */
export async function pollAfterNotification<Answer extends { kind: string }>(
  poll: () => Promise<Answer>,
  inbox: ProviderInbox,
): Promise<Exclude<Answer, UnansweredPoll>> {
  let answer = await pollUntilResolved(poll, inbox)
  const confirmAtMs = Date.now() + scaleWait(WAITS.absenceConfirmation, inbox.timeScale)
  for (let nowMs = Date.now(); ; ) {
    if (answer.kind === 'not_found' && nowMs < confirmAtMs)
      await inbox.waitForNotification((confirmAtMs - nowMs) * inbox.timeScale, 'second poll')
    else if (!['not_found', 'foreign'].includes(answer.kind) || !inbox.hasPending) return answer
    nowMs = Date.now()
    answer = await pollUntilResolved(poll, inbox)
  }
}

/**
 * Proof that a request never arrived (SPEC §6): "not found" after the settle window, which begins with the first one, and
 * again a minute later. One within the window proves nothing.
 */
export class AbsenceProof {
  readonly #timeScale: number
  #windowEndsAtMs: number | undefined
  /** First "not found" after the window. */
  #firstNotFoundAtMs: number | undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** Records a "not found"; returns the wait before the next poll (before the time scale), or null where absence is proved. */
  recordNotFound(settleWindowMs: number): number | null {
    const nowMs = Date.now()
    this.#windowEndsAtMs ??= nowMs + scaleWait(settleWindowMs, this.#timeScale)
    if (nowMs < this.#windowEndsAtMs) return (this.#windowEndsAtMs - nowMs) * this.#timeScale
    this.#firstNotFoundAtMs ??= nowMs
    const leftMs = this.#firstNotFoundAtMs + scaleWait(WAITS.absenceConfirmation, this.#timeScale) - nowMs
    return leftMs > 0 ? leftMs * this.#timeScale : null
  }
}
