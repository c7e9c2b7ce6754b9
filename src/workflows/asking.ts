import { condition, log, patched, setHandler } from '@temporalio/workflow'
import { scaled, WAITS } from '../domain/waits.ts'
import { atOnce, providers } from './activities.ts'
import { isLong } from './going-on.ts'
import { type OperatorsWord, operatorSettles, type ProviderNotice, providerNotice } from './messages.ts'

/** The notices that wake a life; what they say is asked of the provider, so only their coming counts. */
export class Notices {
  readonly timeScale: number
  readonly #goOn: (() => Promise<void>) | undefined
  #waiting = 0
  /** Of those that wait, and of those that were taken last. */
  #justTold = false
  #asksAtOnce = false
  #settlements: OperatorsWord[] = []
  #hearsOperator = false
  readonly #from = new Set<string>()
  readonly #returnsAt = new Set<string>()

  /** `goOn`: how its life goes on as new, where that may wait for months. */
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

  /** As if these had come through these connections: an earlier run of its life heard them, and got no answer. */
  heardBefore(connections: string[]): void {
    this.#waiting += 1
    for (const connectionUuid of connections) this.#from.add(connectionUuid)
  }

  /** Whether a provider's notification has come that no look has answered yet. */
  get isNotified(): boolean {
    return this.#waiting > 0
  }

  get waiting(): boolean {
    return this.#waiting > 0 || this.#settlements.length > 0
  }

  /**
   * Lets an operator end what no provider can tell, until `hearsOperatorNoMore`. What was said before was about another
   * sending, and what is said after it is too late.
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

  /** One look at a provider answers all that have come so far; of one that is named, nothing is left to hear. */
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

  /** A connection that has not said all it may know: as if a notice had come through it. */
  listenTo(connectionUuid: string): void {
    this.#from.add(connectionUuid)
  }

  /** The connections through which a return was notified since this was last asked. */
  takeReturnsAt(): string[] {
    const at = [...this.#returnsAt]
    this.#returnsAt.clear()
    return at
  }

  /** The connections that notices came through and that were not asked since. */
  get from(): string[] {
    return [...this.#from]
  }

  /** The same, which are asked now. */
  unheard(): string[] {
    const { from } = this
    this.#from.clear()
    this.taken()
    return from
  }

  /**
   * Waits until a notice comes, at most `waitMs` before the time scale. A life whose history has grown long goes on as
   * new here, long before Temporal would end it for its length.
   */
  async orAfter(waitMs: number, summary: string): Promise<void> {
    if (this.#goOn && !this.waiting && isLong()) await this.#goOn()
    await condition(() => this.waiting, scaled(waitMs, this.timeScale), { summary })
  }
}

/** What a provider's silence is called, by those who ask about charges and by those who send money. */
type Silence = { kind: 'no_answer' | 'unknown' }

/**
 * Asks again and again, on the schedule of SPEC §6, until an answer is one; a notice makes it ask at once.
 * Only the answer ends it: no time does. `asked` is how often it was asked before.
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
 * Asks about what only a notice tells of. It may run ahead of the provider's own books, so that what they do not know yet
 * is looked for again a minute later; a forged one comes to nothing. What is told while the last look is made is heard as
 * well: nobody would tell it again.
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
    else if (!isNothing(answer) || !isToldBeforeTheEnd(notices)) return answer
    now = Date.now()
    answer = await askUntilKnown(ask, notices)
  }
}

function isNothing({ kind }: { kind: string }): boolean {
  return kind === 'absent' || kind === 'foreign'
}

/** Whether a life that could end was told of something since its last look. */
export function isToldBeforeTheEnd(notices: Notices): boolean {
  return notices.waiting && patched('told before the end')
}

/**
 * When "not found" proves that a request never arrived (SPEC §6): seen at the end of the settle window and again a
 * minute later. A notice may make a life look earlier; what is not found then proves nothing.
 */
export class Absence {
  readonly #timeScale: number
  #windowEndsAt: number | undefined
  #firstProofAt: number | undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** Counts a "not found" of now; answers how long to wait before looking again, or null where it is proved. */
  waitAfter(settleWindowMs: number): number | null {
    const now = Date.now()
    this.#windowEndsAt ??= now + scaled(settleWindowMs, this.#timeScale)
    if (now < this.#windowEndsAt) return (this.#windowEndsAt - now) * this.#timeScale
    this.#firstProofAt ??= now
    const left = this.#firstProofAt + scaled(WAITS.secondLook, this.#timeScale) - now
    return left > 0 ? left * this.#timeScale : null
  }
}
