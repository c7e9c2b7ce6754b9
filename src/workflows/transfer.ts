import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { Asked } from '../activities/outgoing.ts'
import { hasGone, transfer as life, type TransferState } from '../domain/transfer.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { providers, records, sending } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { Notices } from './asking.ts'
import { ATTRIBUTES } from './ids.ts'
import { answered, cancelTransfer, type Resumed, type TransferOrder } from './messages.ts'
import { type Round, tryInTurn } from './round.ts'
import { findAndFollow } from './seeking.ts'
import { returnsUnsaid, type Sender, sendOnce } from './sending.ts'
import { IN_DOUBT, TRANSFER_SENTENCES } from './sentences.ts'
import { type Begun, show } from './shown.ts'

/**
 * A transfer's life, from the order to paid or failed, through one provider after another until one takes it. An ended
 * life is woken by a late notice: a return by its recipient, or a settlement after the failure.
 */
export async function transferWorkflow(order: TransferOrder | Resumed): Promise<TransferState> {
  const transfer = new TransferLife(order)
  if ('resume' in order) await transfer.resume(order.resume)
  else await (order.restored && !order.restored.waits ? transfer.rebuild(order) : transfer.send(order))
  await condition(allHandlersFinished)
  return transfer.state
}

class TransferLife {
  state: TransferState = 'created'
  #answered = false
  #cancelWanted = false
  #sent = false
  #unstored: { order: TransferOrder } | undefined
  readonly #notices: Notices
  readonly #timeScale: number
  readonly #begun: Begun

  constructor(begun: Begun & { timeScale: number }) {
    this.#begun = begun
    this.#timeScale = begun.timeScale
    this.#notices = new Notices(begun.timeScale)
    setHandler(answered, () => condition(() => this.#answered), {
      description: 'Waits until a provider has accepted, or all have refused',
    })
    setHandler(cancelTransfer, () => this.#cancellation(), {
      description: 'Cancels a transfer that waits for its time',
    })
  }

  async send(order: TransferOrder): Promise<void> {
    await (order.storedWhenSent ? this.#sendAtOnce(order) : this.#storeAndSend(order))
    this.#answered = true
    await this.#hearOthers(order.uuid)
  }

  /** Its first attempt writes its row. */
  async #sendAtOnce(order: TransferOrder): Promise<void> {
    this.#sent = true
    this.#unstored = { order }
    setCurrentDetails(TRANSFER_SENTENCES.sending)
    await this.#end(order, await this.#round(order))
  }

  /** One that waits for its time is stored long before it is sent; so was every one that began before. */
  async #storeAndSend(order: TransferOrder): Promise<void> {
    const stored = await records.storeTransfer(order)
    await this.#stands(stored, order.scheduledFor || life.isOver(stored.state) ? stored.state : 'sending')
    if (order.scheduledFor) this.#answered = true
    else this.#sent = true
    if (!life.isOver(this.state))
      await (order.scheduledFor
        ? this.#whenDue(order)
        : this.#end(order, await this.#round({ candidates: order.candidates, ...stored, uuid: order.uuid })))
  }

  /** Newer than its restored database: stored again, and followed where it is found. Nothing of it is sent. */
  async rebuild(order: TransferOrder): Promise<void> {
    const { uuid, candidates, restored } = order
    this.#sent = true
    this.#answered = true
    await this.#stands(await records.storeTransfer(order))
    if (!life.isOver(this.state)) {
      const last = await findAndFollow({
        hadSettled: hasGone(restored?.ended),
        look: at => providers.seekTransfer({ uuid, candidates, ...at }),
        follower: connectionUuid => this.#follower(uuid, connectionUuid),
        notices: this.#notices,
      })
      await this.#end(order, { last, mayBeTriedAgain: false })
    }
    await this.#hearOthers(uuid)
  }

  /** A late word of a provider: a return by the recipient, or a settlement after the failure. */
  async resume(uuid: string): Promise<void> {
    this.#answered = true
    await condition(() => this.#notices.waiting)
    // What comes while the last of it is written down is heard as well: nobody would tell it again.
    do {
      await this.#hearOthers(uuid)
      await this.#stands(await records.transferNow(uuid))
    } while (this.#notices.waiting)
  }

  /** Asks every connection that a notice came through, until it answers, whether it knows more than before. */
  async #hearOthers(uuid: string): Promise<void> {
    let unheard = this.#notices.unheard()
    for (let asked = 0; unheard.length > 0; asked++) {
      const silent: string[] = []
      for (const connectionUuid of unheard) {
        const told = await providers.askTransfer({ uuid, connectionUuid, asked })
        if (told.kind === 'unknown' || returnsUnsaid(told)) silent.push(connectionUuid)
        await this.#stands(await records.transferNow(uuid))
      }
      if (silent.length > 0) await this.#notices.orAfter(WAITS.askAgain(asked + 1), 'no answer: ask again')
      unheard = [...new Set([...silent, ...this.#notices.unheard()])]
    }
  }

  #round({ uuid, candidates }: Pick<TransferOrder, 'uuid' | 'candidates'>): Promise<Round> {
    return tryInTurn(candidates, async connectionUuid => {
      const last = await sendOnce({
        ...this.#follower(uuid, connectionUuid),
        send: again => this.#heard(sending.sendTransfer({ uuid, connectionUuid, again, ...this.#unstored })),
      })
      if (returnsUnsaid(last)) this.#notices.listenTo(connectionUuid)
      return last
    })
  }

  /** How it is followed at one provider. */
  #follower(uuid: string, connectionUuid: string): Omit<Sender, 'send'> {
    return {
      connectionUuid,
      ask: asked => this.#heard(providers.askTransfer({ uuid, connectionUuid, asked })),
      settleBy: word => records.settleTransfer({ uuid, connectionUuid, word }),
      pending: kind => this.#pending(kind),
      notices: this.#notices,
    }
  }

  /** Whoever knows of a beginning has found its row, which is never written a second time, whatever database is there. */
  async #heard<Word extends Asked>(answer: Promise<Word>): Promise<Word> {
    const word = await answer
    if (word.kind !== 'never_begun') this.#unstored = undefined
    return word
  }

  /** SPEC §4: from its time on, no balance and nobody reachable are tried again; a final refusal is the end. */
  async #whenDue(order: TransferOrder): Promise<void> {
    const due = Date.parse(order.scheduledFor!)
    const givenUpAt = due + scaled(WAITS.transferGivenUp, this.#timeScale)
    setCurrentDetails('Waits for its time')
    await condition(() => this.#cancelWanted, Math.max(1, due - Date.now()), { summary: 'scheduled' })
    while (!this.#cancelWanted) {
      this.#sent = true
      const round = await this.#round(order)
      if (!round.mayBeTriedAgain) return this.#end(order, round)
      this.#sent = false
      if (Date.now() >= givenUpAt)
        return this.#stands(await records.endWaiting({ uuid: order.uuid, event: 'never_sent' }))
      setCurrentDetails('Could not be sent yet; tried again')
      await condition(() => this.#cancelWanted, scaled(WAITS.transferAgain, this.#timeScale), {
        summary: 'try again',
      })
    }
    await this.#stands(await records.endWaiting({ uuid: order.uuid, event: 'cancelled' }))
  }

  /** After an acceptance its provider's word was the end; otherwise nobody is left. */
  async #end({ uuid }: TransferOrder, { last }: Round): Promise<void> {
    if (last.kind !== 'settled') return this.#stands(await records.failTransfer(uuid))
    await this.#stands(last.transfer ? { ...last, ...last.transfer } : await records.transferNow(uuid))
  }

  #pending(kind: 'in_process' | 'unknown'): void {
    this.#answered ||= kind === 'in_process'
    setCurrentDetails(kind === 'in_process' ? TRANSFER_SENTENCES.settling : IN_DOUBT)
  }

  async #stands(
    now: Awaited<ReturnType<typeof records.transferNow>>,
    shown: TransferState = now.state,
  ): Promise<void> {
    this.state = now.state
    show(this.#begun, [
      { key: ATTRIBUTES.status, value: life.shows(shown) },
      { key: ATTRIBUTES.provider, value: now.connectionUuid },
    ])
    setCurrentDetails(TRANSFER_SENTENCES[shown])
    await startWhatIsLeft(now, this.#timeScale)
  }

  async #cancellation(): Promise<boolean> {
    if (this.#sent || life.isOver(this.state)) return false
    this.#cancelWanted = true
    await condition(() => life.isOver(this.state))
    return this.state === 'cancelled'
  }
}
