import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import type { Followed } from '../activities/following.ts'
import { type ChargeState, charge, isCarried } from '../domain/charge.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { providers, records } from './activities.ts'
import { startOnce, startWhatIsLeft } from './announce.ts'
import { askUntilKnown, Notices } from './asking.ts'
import { Cancellers } from './cancelling.ts'
import { isLong } from './going-on.ts'
import { ATTRIBUTES, orphanId } from './ids.ts'
import { type CancelAnswer, type ChargeOrder, cancelCharge, type Resumed, ready } from './messages.ts'
import { orphanWorkflow } from './orphan.ts'
import { CHARGE_SENTENCES } from './sentences.ts'
import { show } from './shown.ts'

/**
 * Workflow of a charge: issues it, waits for its payment, and ends when it is paid, expired, cancelled or failed. A later
 * notification reopens a completed one from its row.
 */
export async function chargeWorkflow(order: ChargeOrder | Resumed): Promise<ChargeState> {
  const life = new ChargeLife(order)
  await ('resume' in order ? life.resume(order) : life.issue(order))
  for (let step = life.next(); step !== 'end'; step = life.next()) {
    if (step === 'wait') await life.wait()
    else if (step === 'cancel') await life.cancel()
    else await life.ask()
  }
  await condition(allHandlersFinished)
  return life.state
}

/** After 5 s, 10 s, 30 s, 1 min and 5 min. */
const MOST_LOOKS_AFTER_THE_END = 5

class ChargeLife {
  state: ChargeState = 'issuing'
  #uuid = ''
  #opened = false
  /** Workflow time from which the provider is polled whether it was paid. */
  #closesAt = Number.POSITIVE_INFINITY
  /** After a poll without an answer: time of the next poll, and number of polls so far. */
  #askAt = 0
  #unanswered = 0
  /** A notification reported a payment that the provider does not list yet: it is polled again on the schedule. */
  #isAhead = false
  readonly #cancellers = new Cancellers()
  readonly #notices: Notices

  constructor(begun: ChargeOrder | Resumed) {
    this.#notices = new Notices(begun.timeScale, () => this.#goOnAs(begun))
    setHandler(ready, () => this.#whenOpen(), {
      description: 'Waits until the charge is issued, or cannot be',
    })
    setHandler(cancelCharge, () => this.#cancellation(), {
      description: 'Cancels a pending charge at its provider, then here',
    })
  }

  async issue(order: ChargeOrder): Promise<void> {
    this.#uuid = order.uuid
    const issued = order.restored ? await this.#found(order) : await this.#issued(order)
    this.#stands(issued.state, issued.expiresAt)
    this.#opened = true
    show([{ key: ATTRIBUTES.provider, value: issued.connectionUuid }])
    const { timeScale } = order
    for (const attemptUuid of issued.orphans)
      await startOnce(orphanWorkflow, orphanId(attemptUuid), { attemptUuid, timeScale })
    await startWhatIsLeft(issued, timeScale)
    // It may have been paid, cancelled or expired before it was found again.
    if (order.restored && isCarried(this.state)) await this.ask()
  }

  #issued(order: ChargeOrder) {
    return providers.issueCharge.executeWithOptions({ summary: `issue ${order.valueCents} centavos` }, [
      order,
    ])
  }

  /** For a charge that is newer than its restored database: looks its payload up where it was issued, and issues none. */
  async #found(order: ChargeOrder) {
    const found = await askUntilKnown(() => providers.seekCharge(order), this.#notices)
    return found.issued
  }

  async resume({ resume: uuid, told, restored }: Resumed): Promise<void> {
    this.#uuid = uuid
    if (told) this.#notices.heardBefore(told)
    const { ended } = restored ?? {}
    const now = await (ended ? records.restoreCharge({ uuid, ended }) : records.chargeNow(uuid))
    this.#stands(now.state, now.expiresAt)
    this.#cancellers.isWanted = now.cancelRequested
    this.#opened = true
  }

  /** The next step. The workflow ends only when its provider has been polled for all notifications. */
  next(): 'ask' | 'cancel' | 'wait' | 'end' {
    if (!isCarried(this.state)) return 'end'
    if (this.#notices.waiting) return 'ask'
    if (charge.isOver(this.state) && this.#unanswered === 0) return 'end'
    if (!this.#isCancelledNow() && Date.now() < this.#dueAt) return 'wait'
    return this.#cancellers.isWanted && charge.accepts(this.state, 'cancelled') ? 'cancel' : 'ask'
  }

  async wait(): Promise<void> {
    const { timeScale } = this.#notices
    const isUnheard = this.#unanswered > 0
    if (isLong()) await this.#goOnAs({ resume: this.#uuid, timeScale, ...(isUnheard && { told: [] }) })
    const woken = () => this.#notices.waiting || this.#isCancelledNow()
    await condition(woken, Math.max(1, this.#dueAt - Date.now()), {
      summary: isUnheard ? 'ask again' : 'payload expires',
    })
  }

  async ask(): Promise<void> {
    const isTold = this.#notices.waiting
    this.#notices.taken()
    await this.#took(
      await this.#notices.asked.followCharge({ chargeUuid: this.#uuid, closing: this.#isClosing() }),
      isTold,
    )
  }

  async cancel(): Promise<void> {
    const followed = await providers.cancelCharge.executeWithOptions({ summary: 'cancel at the provider' }, [
      { chargeUuid: this.#uuid },
    ])
    await this.#took(followed)
    if (followed.kind === 'no_answer') this.#cancellers.hear({ kind: 'no_answer' })
    // A provider that refuses to cancel an open payload would refuse again.
    else this.#cancellers.hear({ kind: 'over', state: followed.state })
  }

  async #took(followed: Followed, isTold = false): Promise<void> {
    if (followed.kind === 'no_answer') {
      this.#isAhead ||= isTold
      this.#askAgain()
      setCurrentDetails(
        `${charge.shows(this.state)}: the provider has not answered (${followed.code}); asked again`,
      )
      return startWhatIsLeft(followed, this.#notices.timeScale)
    }
    const isAwaited = this.#isAwaited()
    this.#stands(followed.state)
    this.#isAhead = (isTold || this.#isAhead) && this.#mayBeAhead(followed, isTold)
    // While an end is due and nothing changes, the polls become less frequent.
    if (this.#isAhead ? isTold : !isAwaited || !this.#isAwaited()) this.#unanswered = 0
    if (this.#isAhead || this.#isAwaited()) this.#askAgain()
    if (!charge.accepts(this.state, 'cancelled')) this.#cancellers.hear({ kind: 'over', state: this.state })
    await startWhatIsLeft(followed, this.#notices.timeScale)
  }

  /** Workflow time of the next poll if nothing happens before. */
  get #dueAt(): number {
    if (this.#unanswered === 0) return this.#closesAt
    const closesFirst = this.#isAhead && Date.now() < this.#closesAt
    return closesFirst ? Math.min(this.#askAt, this.#closesAt) : this.#askAt
  }

  /**
   * Whether a notification may have run ahead of what the provider lists: nothing is listed, and a payment could still
   * come. A charge that has ended is polled a few times more only, as its payload cannot be paid any more.
   */
  #mayBeAhead({ paymentsListed }: Extract<Followed, { kind: 'known' }>, isTold: boolean): boolean {
    if (paymentsListed !== 0 || !charge.accepts(this.state, 'payment_started')) return false
    return !charge.isOver(this.state) || isTold || this.#unanswered < MOST_LOOKS_AFTER_THE_END
  }

  /** A cancellation was requested, and its caller has not been answered `no_answer` yet. */
  #isCancelledNow(): boolean {
    return this.#cancellers.isWanted && this.#unanswered === 0 && charge.accepts(this.state, 'cancelled')
  }

  /** The payload has expired, so that the provider's "not paid" ends the charge. */
  #isClosing(): boolean {
    return Date.now() >= this.#closesAt && charge.accepts(this.state, 'payload_expired')
  }

  /** An end is due: a payment on its way is notified; where the notification is lost, polling finds it. */
  #isAwaited(): boolean {
    return charge.accepts(this.state, 'payment_confirmed') || this.#isClosing()
  }

  /** Continues as new, unless a caller waits for an update of this run. */
  async #goOnAs(order: ChargeOrder | Resumed): Promise<void> {
    if (allHandlersFinished()) await continueAsNew<typeof chargeWorkflow>(order)
  }

  #askAgain(): void {
    this.#unanswered += 1
    this.#askAt = Date.now() + scaled(WAITS.askAgain(this.#unanswered), this.#notices.timeScale)
  }

  #stands(state: ChargeState, expiresAt?: string | null): void {
    this.state = state
    if (expiresAt) this.#closesAt = Date.parse(expiresAt) + scaled(WAITS.afterExpiry, this.#notices.timeScale)
    show([{ key: ATTRIBUTES.status, value: charge.shows(state) }])
    setCurrentDetails(CHARGE_SENTENCES[state])
  }

  async #whenOpen(): Promise<ChargeState> {
    await condition(() => this.#opened)
    return this.state
  }

  async #cancellation(): Promise<CancelAnswer> {
    await condition(() => this.#opened)
    if (!charge.accepts(this.state, 'cancelled')) return { kind: 'over', state: this.state }
    this.#unanswered = 0 // Asked for by a person: not in the time of the schedule, but now.
    return this.#cancellers.wants()
  }
}
