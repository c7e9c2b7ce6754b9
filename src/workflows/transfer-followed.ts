import { allHandlersFinished, condition, continueAsNew, setCurrentDetails } from '@temporalio/workflow'
import { hasGone, transfer as life, type TransferState } from '../domain/transfer.ts'
import { WAITS } from '../domain/waits.ts'
import { providers, records } from './activities.ts'
import { startWhatIsLeft } from './announce.ts'
import { Notices } from './asking.ts'
import { ATTRIBUTES } from './ids.ts'
import { hearOthers } from './late-words.ts'
import type { Resumed, TransferOrder } from './messages.ts'
import { findAndFollow } from './seeking.ts'
import { type Final, returnsUnsaid, type Sender } from './sending.ts'
import { IN_DOUBT, TRANSFER_SENTENCES } from './sentences.ts'
import { show } from './shown.ts'
import type { transferWorkflow } from './transfer.ts'

/** After 5 s, 10 s, 30 s, 1 min and 5 min. */
const MOST_LOOKS = 5

/** The part of a transfer's workflow that polls providers. It sends nothing. */
export class FollowedTransfer {
  state: TransferState = 'created'
  protected answered = false
  /** From here on it cannot be cancelled. */
  protected sent = false
  protected readonly notices: Notices
  /** Input of the next run after continue-as-new. */
  protected onward: TransferOrder | Resumed
  readonly #timeScale: number
  /** The connection to poll. */
  #connectionUuid = ''

  constructor(begun: TransferOrder | Resumed) {
    this.#timeScale = begun.timeScale
    this.onward = begun
    this.notices = new Notices(begun.timeScale, () => this.#goOn())
  }

  /** For a transfer that is newer than its restored database: stores it again, and polls it where it is found. */
  async rebuild(order: TransferOrder): Promise<void> {
    const { uuid, candidates, restored } = order
    this.sent = true
    this.answered = true
    await this.stands(await records.storeTransfer(order))
    if (!life.isOver(this.state)) {
      const orderedAt = restored?.orderedAt
      await this.#find(uuid, { candidates, orderedAt, hadSettled: hasGone(restored?.ended) })
    }
    await this.hearOthers(uuid)
  }

  async #find(uuid: string, { hadSettled, ...whom }: Sought): Promise<void> {
    const find = () =>
      findAndFollow({
        hadSettled,
        look: at => providers.seekTransfer({ uuid, ...whom, ...at }),
        follower: connectionUuid => this.follower(uuid, connectionUuid),
        notices: this.notices,
      })
    const last = await this.end(uuid, await find(), find)
    if (returnsUnsaid(last)) this.notices.listenTo(this.#connectionUuid)
  }

  /** Handles a late notification: a return by the recipient, or a settlement after the failure. */
  async resume({ resume: uuid, told, unfinished }: Resumed): Promise<void> {
    this.answered = true
    if (unfinished) {
      this.sent = true
      this.notices.hearOperatorStill()
      await this.#find(uuid, { ...unfinished, hadSettled: false })
      return this.hearOthers(uuid)
    }
    if (told) this.notices.heardBefore(told)
    await condition(() => this.notices.waiting)
    // A signal that arrives during the last poll is processed too: it is not delivered again.
    do {
      await this.hearOthers(uuid)
      await this.stands(await records.transferNow(uuid))
      await this.#followReturns(uuid)
    } while (this.notices.waiting)
  }

  /** Polls a few times for a return that was notified and is not listed yet; later, the statement shows it. */
  async #followReturns(uuid: string): Promise<void> {
    const connections = this.notices.takeReturnsAt()
    for (let asked = 1; asked <= MOST_LOOKS && connections.length > 0 && this.state === 'paid'; asked++) {
      await this.notices.orAfter(WAITS.askAgain(asked), 'return not listed yet: ask again')
      for (const connectionUuid of connections) this.notices.listenTo(connectionUuid)
      await this.hearOthers(uuid)
      await this.stands(await records.transferNow(uuid))
    }
  }

  protected hearOthers(uuid: string): Promise<void> {
    return hearOthers(this.notices, {
      ask: async (connectionUuid, asked) => {
        const told = await this.notices.asked.askTransfer({ uuid, connectionUuid, asked })
        await this.stands(await records.transferNow(uuid))
        return told
      },
      silent: told => {
        this.onward = { resume: uuid, timeScale: this.#timeScale, told }
      },
    })
  }

  /** Activities that poll one provider. */
  protected follower(uuid: string, connectionUuid: string): Omit<Sender, 'send'> {
    return {
      connectionUuid,
      ask: (asked, unlessFinal = false) =>
        this.notices.asked.askTransfer({ uuid, connectionUuid, asked, unlessFinal }),
      settleBy: word => records.settleTransfer({ uuid, connectionUuid, word }),
      pending: kind => this.#pending(kind),
      notices: this.notices,
    }
  }

  /**
   * Ends the transfer: settled, or failed because no candidate is left. `follow` polls an attempt that is live at this connection
   * because a paused worker started it meanwhile. Returns the last outcome.
   */
  protected async end(
    uuid: string,
    last: Final,
    follow: (connectionUuid: string) => Promise<Final>,
  ): Promise<Final> {
    if (last.kind === 'settled') {
      await this.stands(last.transfer ? { ...last, ...last.transfer } : await records.transferNow(uuid))
      return last
    }
    const ended = await records.failTransfer(uuid)
    await this.stands(ended)
    const { liveConnectionUuid: live } = ended
    return live === undefined ? last : this.end(uuid, await follow(live), follow)
  }

  protected async stands(
    now: Awaited<ReturnType<typeof records.transferNow>>,
    shown: TransferState = now.state,
  ): Promise<void> {
    this.state = now.state
    this.#connectionUuid = now.connectionUuid
    show([
      { key: ATTRIBUTES.status, value: life.shows(shown) },
      { key: ATTRIBUTES.provider, value: now.connectionUuid },
    ])
    setCurrentDetails(TRANSFER_SENTENCES[shown])
    await startWhatIsLeft(now, this.#timeScale)
  }

  #pending(kind: 'in_process' | 'unknown'): void {
    this.answered ||= kind === 'in_process'
    setCurrentDetails(kind === 'in_process' ? TRANSFER_SENTENCES.settling : IN_DOUBT)
  }

  async #goOn(): Promise<void> {
    this.answered = true
    await condition(allHandlersFinished)
    await continueAsNew<typeof transferWorkflow>(this.#onwardTold())
  }

  /** Carries connections with unprocessed notifications over continue-as-new: their signals are not delivered again. */
  #onwardTold(): TransferOrder | Resumed {
    const { onward } = this
    const told = this.notices.from
    if (!('goesOn' in onward) || !onward.goesOn || told.length === 0) return onward
    return { ...onward, goesOn: { ...onward.goesOn, told } }
  }
}

/** Connections that may have the money, and whether it was seen settled. */
type Sought = { candidates: string[]; orderedAt: string | undefined; hadSettled: boolean }
