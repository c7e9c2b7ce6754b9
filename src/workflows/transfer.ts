import { allHandlersFinished, condition, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { Asked } from '../activities/outgoing.ts'
import { transfer as life, type TransferState } from '../domain/transfer.ts'
import { records, sending } from './activities.ts'
import { onwards } from './going-on.ts'
import { answered, cancelTransfer, type Resumed, type TransferOrder } from './messages.ts'
import { type Round, tryInTurn } from './round.ts'
import { tryWhenDue, type WaitingEnd } from './scheduled.ts'
import { returnsUnsaid, type Sender, sendOnce } from './sending.ts'
import { TRANSFER_SENTENCES } from './sentences.ts'
import { FollowedTransfer } from './transfer-followed.ts'

/**
 * Workflow of a transfer: tries one provider after another until one accepts, and ends when it is paid or failed. A late
 * notification reopens a completed one: a return by its recipient, or a settlement after the failure.
 */
export async function transferWorkflow(order: TransferOrder | Resumed): Promise<TransferState> {
  const transfer = new TransferLife(order)
  if ('resume' in order) await transfer.resume(order)
  else await (order.restored && !order.restored.waits ? transfer.rebuild(order) : transfer.send(order))
  await condition(allHandlersFinished)
  return transfer.state
}

class TransferLife extends FollowedTransfer {
  #cancelWanted = false
  #unstored: { order: TransferOrder } | undefined

  constructor(begun: TransferOrder | Resumed) {
    super(begun)
    setHandler(answered, () => condition(() => this.answered), {
      description: 'Waits until a provider has accepted, or all have refused',
    })
    setHandler(cancelTransfer, () => this.#cancellation(), {
      description: 'Cancels a transfer that waits for its time',
    })
  }

  async send(order: TransferOrder): Promise<void> {
    if (order.goesOn) await this.#sendOn(order)
    else await (order.scheduledFor ? this.#storeAndWait(order) : this.#sendAtOnce(order))
    this.answered = true
    await this.hearOthers(order.uuid)
  }

  /** Sends at once; the first attempt writes the row. */
  async #sendAtOnce(order: TransferOrder): Promise<void> {
    this.sent = true
    this.#unstored = { order }
    setCurrentDetails(TRANSFER_SENTENCES.sending)
    await this.#ends(order, await this.#round(order))
  }

  /** Stores a scheduled transfer, and sends it at its time. */
  async #storeAndWait(order: TransferOrder): Promise<void> {
    await this.stands(await records.storeTransfer(order))
    this.answered = true
    if (!life.isOver(this.state)) await this.#whenDue(order)
  }

  /** Continues after continue-as-new: the attempt of the earlier run exists, and is only polled. */
  async #sendOn(order: TransferOrder): Promise<void> {
    this.sent = true
    this.answered = true
    this.notices.hearOperatorStill()
    for (const connectionUuid of order.goesOn?.told ?? []) this.notices.listenTo(connectionUuid)
    await this.stands(await records.transferNow(order.uuid))
    const round = await this.#round(order)
    const all = { ...order, candidates: order.goesOn!.candidates }
    await (order.scheduledFor ? this.#whenDue(all, round) : this.#ends(order, round))
  }

  #round(order: TransferOrder, candidates = order.candidates): Promise<Round> {
    const { uuid } = order
    return tryInTurn(candidates, async connectionUuid => {
      this.onward = {
        ...order,
        candidates: candidates.slice(candidates.indexOf(connectionUuid)),
        goesOn: { ...onwards(order), candidates: order.goesOn?.candidates ?? order.candidates },
      }
      const last = await sendOnce(this.#sender(uuid, connectionUuid))
      if (returnsUnsaid(last)) this.notices.listenTo(connectionUuid)
      return last
    })
  }

  #sender(uuid: string, connectionUuid: string): Sender {
    return {
      ...this.follower(uuid, connectionUuid),
      send: again => sending.sendTransfer({ uuid, connectionUuid, again, ...this.#unstored }),
      heard: word => this.#isStored(word),
      at: other => this.#sender(uuid, other),
    }
  }

  /** Any answer but `never_begun` has found the row, which is never written a second time, also after a restore. */
  #isStored({ kind }: Asked): void {
    if (kind !== 'never_begun') this.#unstored = undefined
  }

  async #ends(order: TransferOrder, { last }: Round): Promise<void> {
    await this.end(order.uuid, last, async live => (await this.#round(order, [live])).last)
  }

  /** `begun`: the fallback round that an earlier run was in. */
  async #whenDue(order: TransferOrder, begun?: Round): Promise<void> {
    const came = await tryWhenDue(
      {
        scheduledFor: order.scheduledFor!,
        timeScale: order.timeScale,
        isCancelled: () => this.#cancelWanted,
        end: event => this.#endsWaiting(order, event),
        round: async () => this.#isTried(await this.#sends(order)),
      },
      begun && this.#isTried(begun),
    )
    if (came !== 'ended') await this.#ends(order, came)
  }

  /** Ends the transfer. An attempt that a paused worker has started meanwhile is polled to its end, and its round returned. */
  async #endsWaiting(order: TransferOrder, event: WaitingEnd): Promise<Round | 'ended' | 'kept'> {
    const unlessPaused = event === 'never_sent' && { unlessPaused: order.candidates }
    const ended = await records.endWaiting({ uuid: order.uuid, event, ...unlessPaused })
    await this.stands(ended)
    if (life.isOver(this.state)) return 'ended'
    this.#cancelWanted = false
    const { liveConnectionUuid: live } = ended
    return live === undefined ? 'kept' : this.#isTried(await this.#sends(order, [live]))
  }

  #sends(order: TransferOrder, candidates?: string[]): Promise<Round> {
    this.sent = true
    return this.#round(order, candidates)
  }

  /** A transfer that may be tried again waits, and can be cancelled. */
  #isTried(round: Round): Round {
    this.sent = !round.mayBeTriedAgain
    return round
  }

  async #cancellation(): Promise<boolean> {
    if (this.sent || life.isOver(this.state)) return false
    this.#cancelWanted = true
    await condition(() => life.isOver(this.state) || !this.#cancelWanted)
    return this.state === 'cancelled'
  }
}
