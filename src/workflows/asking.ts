import { condition, log, setHandler } from '@temporalio/workflow'
import { scaled, WAITS } from '../domain/waits.ts'
import { atOnce, providers } from './activities.ts'
import { isLong } from './going-on.ts'
import { type OperatorsWord, operatorSettles, type ProviderNotice, providerNotice } from './messages.ts'

/** Buffers signals of provider notifications. Their content is polled at the provider; only their arrival counts. */
export class Notices {
  readonly timeScale: number
  readonly #goOn: (() => Promise<void>) | undefined
  #waiting = 0
  /** Whether a pending notification is new; whether one of those processed last was. */
  #justTold = false
  #asksAtOnce = false
  #settlements: OperatorsWord[] = []
  #hearsOperator = false
  readonly #from = new Set<string>()
  readonly #returnsAt = new Set<string>()

  /** `goOn`: continues the workflow as new, where it may wait for months. */
  constructor(timeScale: number, goOn?: () => Promise<void>) {
    this.timeScale = timeScale
    this.#goOn = goOn
    const count = ({ connectionUuid, justNow, tellsReturn }: ProviderNotice) => {
      this.#waiting += 1
      if (tellsReturn) this.#returnsAt.add(connectionUuid)
      this.#justTold ||= justNow === true
      this.#from.add(connectionUuid)
    }
    setHandler(providerNotice, count, { description: 'Something changed at the provider: ask it now' })
  }

  /** Adds notifications that an earlier run received through these connections and could not resolve. */
  heardBefore(connections: string[]): void {
    this.#waiting += 1
    for (const connectionUuid of connections) this.#from.add(connectionUuid)
  }

  /** Whether a provider's notification is pending. */
  get isNotified(): boolean {
    return this.#waiting > 0
  }

  get waiting(): boolean {
    return this.#waiting > 0 || this.#settlements.length > 0
  }

  /**
   * Enables manual settlement by an operator until `hearsOperatorNoMore`. Signals before and after are about another sending, and
   * are refused.
   */
  hearOperator(): void {
    if (this.#hearsOperator) return
    this.#listenToOperator()
    this.#refuseSettlements()
    this.#hearsOperator = true
  }

  /** Enables manual settlement again after continue-as-new; keeps a signal that has been buffered already. */
  hearOperatorStill(): void {
    this.#hearsOperator = true
    this.#listenToOperator()
  }

  #listenToOperator(): void {
    setHandler(
      operatorSettles,
      // A payload of the Temporal UI may be anything, also absent: the activity refuses what is not complete.
      word => {
        this.#settlements.push(word ?? {})
        if (!this.#hearsOperator) this.#refuseSettlements()
      },
      {
        description:
          'Settles an unknown outcome: { attempt, sending, as: "rejected" | "settled", endToEnd?, reason }',
      },
    )
  }

  hearsOperatorNoMore(): void {
    this.#refuseSettlements()
    this.#hearsOperator = false
  }

  #refuseSettlements(): void {
    for (const { attempt, sending } of this.#settlements)
      log.warn('the settlement of an operator is refused: that sending is over', { attempt, sending })
    this.#settlements = []
  }

  /** The oldest settlement that an operator signalled and that was not applied yet. */
  operatorsWord(): OperatorsWord | undefined {
    return this.#settlements.shift()
  }

  /** Marks all pending notifications as processed by one poll; a connection that is given has none left. */
  taken(connectionUuid?: string): void {
    this.#waiting = 0
    this.#asksAtOnce = this.#justTold
    this.#justTold = false
    if (connectionUuid !== undefined) this.#from.delete(connectionUuid)
  }

  /** Proxies of the next poll: a local activity first where a notification just processed was new, else regular activities. */
  get asked(): typeof atOnce {
    return this.#asksAtOnce ? atOnce : providers
  }

  /** Marks a connection to be polled, as if a notification had come through it. */
  listenTo(connectionUuid: string): void {
    this.#from.add(connectionUuid)
  }

  /** The connections through which a return was notified since this was last asked. */
  takeReturnsAt(): string[] {
    const at = [...this.#returnsAt]
    this.#returnsAt.clear()
    return at
  }

  /** Connections with a notification that have not been polled since. */
  get from(): string[] {
    return [...this.#from]
  }

  /** Removes and returns the connections with pending notifications, to be polled now. */
  unheard(): string[] {
    const { from } = this
    this.#from.clear()
    this.taken()
    return from
  }

  /**
   * Waits for a notification, at most `waitMs` (before the time scale). A workflow with a long history continues as new here.
   */
  async orAfter(waitMs: number, summary: string): Promise<void> {
    if (this.#goOn && !this.waiting && isLong()) await this.#goOn()
    await condition(() => this.waiting, scaled(waitMs, this.timeScale), { summary })
  }
}

/** Answers without an outcome: `no_answer` of charges and keys, `unknown` of payouts. */
type Silence = { kind: 'no_answer' | 'unknown' }

/**
 * Polls on the schedule of SPEC §6 until there is an answer, at once when a notification arrives. There is no time limit.
 * `asked`: number of polls before.
 */
export async function askUntilKnown<Answer extends { kind: string }>(
  ask: (asked: number) => Promise<Answer>,
  notices: Notices,
): Promise<Exclude<Answer, Silence>> {
  for (let asked = 1; ; asked++) {
    notices.taken()
    const answer = await ask(asked - 1)
    if (answer.kind !== 'no_answer' && answer.kind !== 'unknown') return answer as Exclude<Answer, Silence>
    await notices.orAfter(WAITS.askAgain(asked), 'no answer: ask again')
  }
}

/**
 * Polls for something that is known by a notification only. The notification may run ahead of the provider's books, so "not
 * found" is polled again a minute later; a forged one has no effect. A signal that arrives during the last poll is processed
 * too: it is not delivered again.
 */
export async function askAfterNotice<Answer extends { kind: string }>(
  ask: () => Promise<Answer>,
  notices: Notices,
): Promise<Exclude<Answer, Silence>> {
  let answer = await askUntilKnown(ask, notices)
  const secondLookAt = Date.now() + scaled(WAITS.secondLook, notices.timeScale)
  for (let now = Date.now(); ; ) {
    if (answer.kind === 'absent' && now < secondLookAt)
      await notices.orAfter((secondLookAt - now) * notices.timeScale, 'second look')
    else if (!isNothing(answer) || !notices.waiting) return answer
    now = Date.now()
    answer = await askUntilKnown(ask, notices)
  }
}

function isNothing({ kind }: { kind: string }): boolean {
  return kind === 'absent' || kind === 'foreign'
}

/**
 * When "not found" proves that a request never arrived (SPEC §6): seen at the end of the settle window and again a
 * minute later. A "not found" before, after a notification, proves nothing.
 */
export class Absence {
  readonly #timeScale: number
  #windowEndsAt: number | undefined
  #firstProofAt: number | undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** Counts a "not found" of now; returns the wait before the next poll in milliseconds, or null where absence is proved. */
  waitAfter(settleWindowMs: number): number | null {
    const now = Date.now()
    this.#windowEndsAt ??= now + scaled(settleWindowMs, this.#timeScale)
    if (now < this.#windowEndsAt) return (this.#windowEndsAt - now) * this.#timeScale
    this.#firstProofAt ??= now
    const left = this.#firstProofAt + scaled(WAITS.secondLook, this.#timeScale) - now
    return left > 0 ? left * this.#timeScale : null
  }
}
