import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { ReplySent } from '../activities/med-replies.ts'
import type { MedNow } from '../activities/meds.ts'
import { med as life, type MedState, nextDeadlineMs, warningDue } from '../domain/med.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { providers, sending, steps } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { askAfterNotice, Notices } from './asking.ts'
import { showOperator } from './med-shown.ts'
import { type MedOrder, type MedReplyAnswer, type MedReplyOrder, replyMed } from './messages.ts'
import { isInterruption } from './sending.ts'

/**
 * A dispute's life, from a provider's word to its end: warnings, the one reply, the deadline, the decision and the
 * return, which the provider sends and we only see. An ended life is woken by a late notice, which it looks at once.
 */
export function medWorkflow(order: MedOrder): Promise<MedState | 'foreign'> {
  return new MedLife(order).live()
}

class MedLife {
  #now: MedNow | undefined
  #isForeign = false
  /** Its row was there and is not any more, as after a restore: the next look opens it again, or ends this. */
  #isLost = false
  #replied = false
  /** Tries to tell our reply, and looks without an answer. */
  #tries = 0
  #silences = 0
  #looked = 0 // Since it last changed.
  #inDoubt = false // Our reply was told, and whether it has arrived only a look can tell.
  #replyAtMs = 0
  #lookAtMs = 0
  readonly #order: MedOrder
  readonly #notices: Notices

  constructor(order: MedOrder) {
    this.#order = order
    this.#notices = new Notices(order.timeScale, () => this.#goOn())
    if (order.told) this.#notices.heardBefore([])
    setHandler(replyMed, reply => this.#reply(reply), {
      description: 'Answers the dispute, once: { details (sealed), requestId }',
    })
  }

  async live(): Promise<MedState | 'foreign'> {
    const stored = await steps.medNow(this.#order.uuid)
    if (stored) await this.#stands(stored)
    if (!stored && !(await this.#opens())) {
      this.#isForeign = true
      setCurrentDetails('The provider knows no such dispute about money of ours')
      await condition(allHandlersFinished)
      return 'foreign'
    }
    // What is told while the last word is written down is heard as well: nobody would tell it again.
    while (this.#goesOn()) {
      while (this.#goesOn()) {
        await this.#next(this.#now!)
        if (workflowInfo().continueAsNewSuggested && !this.#notices.waiting) await this.#goOn()
      }
      await condition(allHandlersFinished)
    }
    await condition(allHandlersFinished)
    return this.#isForeign ? 'foreign' : this.#now!.state
  }

  /** Continues as new, unless a caller waits for an update of this run. */
  async #goOn(): Promise<void> {
    const { told: _, ...order } = this.#order
    if (allHandlersFinished())
      await continueAsNew<typeof medWorkflow>({ ...order, ...(this.#silences > 0 && { told: true }) })
  }

  #goesOn(): boolean {
    const isUnfinished = !life.isOver(this.#now!.state) || this.#notices.waiting || this.#silences > 0
    return isUnfinished && !this.#isForeign
  }

  async #opens(): Promise<boolean> {
    const told = await askAfterNotice(() => providers.followMed(this.#order), this.#notices)
    if (told.kind !== 'known') return false
    this.#looked = 1
    this.#lookAtMs = this.#in(WAITS.medLook(this.#looked))
    await this.#stands(told)
    return true
  }

  /** The one thing that is to be done now, or the wait for the next. */
  async #next(now: MedNow): Promise<void> {
    const { uuid, timeScale } = this.#order
    const at = Date.now()
    const dueAtMs = Date.parse(now.dueAt)
    if (this.#replied) {
      this.#replied = false
      return this.#standsOrIsLost(await steps.medNow(uuid))
    }
    if (this.#notices.waiting || at >= this.#lookAtMs) return this.#look()
    if (this.#isLost) return this.#notices.orAfter((this.#lookAtMs - at) * timeScale, 'open it again')
    if (now.replyWanted && at >= this.#replyAtMs) return this.#send()
    if (now.state === 'open' && at >= dueAtMs) return this.#standsOrIsLost(await steps.passMedDeadline(uuid))
    const hours = warningDue({ dueAtMs, nowMs: at, timeScale })
    if (now.answerable && hours !== null && hours < (now.warnedHours ?? Number.POSITIVE_INFINITY))
      return this.#standsOrIsLost(await steps.warnOfMed({ uuid, hours }))
    const [nextMs, summary] = this.#nextMoment(now, at)
    await condition(() => this.#replied || this.#notices.waiting, Math.max(1, nextMs - at), { summary })
  }

  #nextMoment(now: MedNow, at: number): [number, string] {
    const { timeScale } = this.#order
    const moments: [number, string][] = [[this.#lookAtMs, 'look at the provider']]
    if (now.replyWanted) moments.push([this.#replyAtMs, 'tell the reply again'])
    if (now.state === 'open') {
      const deadline = { dueAtMs: Date.parse(now.dueAt), nowMs: at, timeScale }
      moments.push([nextDeadlineMs(deadline), 'warning or deadline'])
    }
    return moments.reduce((first, other) => (other[0] < first[0] ? other : first))
  }

  async #look(): Promise<void> {
    const isTold = this.#notices.waiting
    this.#notices.taken()
    const told = await providers.followMed(this.#order)
    if (told.kind === 'known') {
      this.#isLost = this.#inDoubt = false
      this.#silences = 0
      if (isTold) this.#looked = 0 // It may have run ahead of what the provider shows: the next looks follow soon.
      this.#looked += 1
      await this.#stands(told)
      this.#lookAtMs = this.#in(WAITS.medLook(this.#looked))
      return
    }
    this.#isForeign = this.#isLost && (told.kind === 'absent' || told.kind === 'foreign')
    this.#silences += 1
    this.#lookAtMs = this.#in(WAITS.askAgain(this.#silences))
  }

  /** After a try without an answer the provider is asked first whether it has the reply. */
  async #send(): Promise<void> {
    if (this.#inDoubt) await this.#look()
    if (this.#inDoubt) {
      this.#replyAtMs = this.#lookAtMs
      return
    }
    if (!this.#now!.replyWanted) return
    const sent = await this.#told()
    this.#inDoubt = sent === null || sent.kind === 'again'
    this.#tries = this.#inDoubt ? this.#tries + 1 : 0
    if (this.#inDoubt) this.#replyAtMs = this.#in(WAITS.askAgain(this.#tries))
    if (sent) await this.#stands(sent)
  }

  /** Null where the call broke off: the provider may have the reply all the same. */
  async #told(): Promise<ReplySent | null> {
    try {
      return await sending.sendMedReply(this.#order)
    } catch (error) {
      if (isInterruption(error)) return null
      throw error
    }
  }

  async #standsOrIsLost(now: MedNow | null): Promise<void> {
    if (now) return this.#stands(now)
    this.#isLost = true
    this.#lookAtMs = 0
  }

  async #stands(now: MedNow): Promise<void> {
    const isNew = this.#now === undefined
    if (this.#now && this.#now.state !== now.state) {
      this.#looked = 1
      this.#lookAtMs = this.#in(WAITS.medLook(this.#looked))
    }
    this.#now = now
    showOperator(now, isNew)
    await startWhatIsLeft(now, this.#order.timeScale)
  }

  /** Taken under the row's lock, so that of two at once one is the second; the life then tells the provider. */
  async #reply(reply: MedReplyOrder): Promise<MedReplyAnswer> {
    await condition(() => this.#now !== undefined || this.#isForeign)
    if (!this.#now) return 'med_not_answerable'
    const answer = await steps.takeMedReply({ uuid: this.#order.uuid, ...reply })
    this.#replied ||= answer === 'taken'
    return answer
  }

  #in(waitMs: number): number {
    return Date.now() + scaled(waitMs, this.#order.timeScale)
  }
}
