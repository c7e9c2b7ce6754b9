import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Asked, Sent } from '../activities/outgoing.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { Absence, type Notices } from './asking.ts'
import { ATTRIBUTES } from './ids.ts'
import type { OperatorsWord } from './messages.ts'

/** How one provider is told to send, and how it is asked what became of it. */
export type Sender = {
  connectionUuid: string
  /** `again` only after its absence was proved. What must not be sent any more is asked about instead. */
  send: (again: boolean) => Promise<Asked>
  /** `asked` is how often it was asked before; `unlessFinal`: a final outcome is answered from its row. */
  ask: (asked: number, unlessFinal?: boolean) => Promise<Asked>
  /** The same of another connection, where one operation may go through several. */
  at?: (connectionUuid: string) => Sender
  /** Keeps what an operator says where no provider can tell. */
  settleBy: (word: OperatorsWord) => Promise<Sent>
  /** Told of every answer of an activity, which one that broke off has not given. */
  heard?: (word: Asked) => void
  /** Told of every answer that is not final: accepted and on its way, or not known. */
  pending: (kind: 'in_process' | 'unknown') => void
  notices: Notices
}

export type Final = Extract<Sent, { kind: 'settled' | 'rejected' | 'unreachable' }>

/** Whether the payout has settled, but the look-up of its returns failed: this connection is polled again. */
export function returnsUnsaid(told: Asked): boolean {
  return told.kind === 'settled' && told.returnsUnsaid === true
}

/**
 * Sends money once through one provider and asks that provider until it knows (SPEC §6). Nothing is sent a second time
 * unless two "not found" after the settle window have proved that the first never arrived; then by the same id, and
 * that answer counts as a first one.
 */
export async function sendOnce(begun: Sender): Promise<Final> {
  let sender = begun
  sender.notices.hearOperator()
  const doubt = new Doubt(sender.notices.timeScale)
  let absence = new Absence(sender.notices.timeScale)
  let wasTaken = false
  let sent: Asked = await firstAnswer(sender, false)
  for (let asked = 0; ; asked++) {
    let waitMs: number | null = WAITS.askAgain(asked + 1)
    switch (sent.kind) {
      case 'settled':
      case 'rejected':
      case 'unreachable':
        doubt.isOver()
        sender.notices.hearsOperatorNoMore()
        return sent
      case 'never_begun':
        sent = await firstAnswer(sender, false)
        asked = -1
        continue
      case 'elsewhere':
        // The history was rolled back: the operation goes on where its rows say that it is.
        sender = sender.at?.(sent.connectionUuid) ?? sender
        absence = new Absence(sender.notices.timeScale)
        sender.pending('unknown')
        break
      case 'absent':
        // Polled on the schedule too: a payout may be listed long before its absence can be proved.
        waitMs = earliest(waitMs, absence.waitAfter(sent.settleWindowMs))
        break
      case 'unknown':
        // An order that stands at its provider is there.
        if (sent.code === 'awaiting_approval') absence = new Absence(sender.notices.timeScale)
        doubt.grows()
        sender.pending('unknown')
        break
      case 'in_process':
        // However long the doubt was: what has been taken settles soon, so it is asked as often as at first.
        if (!wasTaken) {
          asked = 0
          waitMs = WAITS.askAgain(1)
        }
        wasTaken = true
        doubt.isOver()
        sender.pending('in_process')
    }
    if (waitMs === null) {
      absence = new Absence(sender.notices.timeScale)
      asked = -1 // The answer to a repeat counts as a first one.
      // One who knows better is heard before anything is sent a second time.
      const word = sender.notices.operatorsWord()
      sent = word ? await sender.settleBy(word) : await firstAnswer(sender, true)
      continue
    }
    await sender.notices.orAfter(waitMs, `${sent.kind}: ask again`)
    // A notification may run ahead of the provider's books: it is asked as often as at first.
    if (sender.notices.waiting && wasTaken) asked = -1
    const isNotified = sender.notices.isNotified
    sender.notices.taken(sender.connectionUuid)
    const word = sender.notices.operatorsWord()
    sent = word ? await sender.settleBy(word) : await sender.ask(asked + 1, !isNotified)
    sender.heard?.(sent)
    // What a provider once had did arrive: that it does not find it now is one more missing answer.
    if (sent.kind === 'absent' && wasTaken) sent = { kind: 'unknown', code: 'no_longer_found' }
  }
}

/** The shorter wait; null where absence is proved. */
function earliest(scheduledMs: number, proofMs: number | null): number | null {
  return proofMs === null ? null : Math.min(scheduledMs, proofMs)
}

/** A sending that breaks off without an answer has one: unknown. */
async function firstAnswer(sender: Sender, again: boolean): Promise<Asked> {
  try {
    const sent = await sender.send(again)
    sender.heard?.(sent)
    return sent
  } catch (error) {
    if (isInterruption(error)) return { kind: 'unknown', code: 'interrupted' }
    throw error
  }
}

/** A call that Temporal does not repeat broke off, with its worker or before its answer was kept: nobody knows what came of it. */
export function isInterruption(error: unknown): boolean {
  return error instanceof ActivityFailure && !(error.cause instanceof CancelledFailure)
}

/**
 * Sets search attribute TrilhoOutcome=unknown once an outcome has been unknown for `WAITS.tellOperator` (10 min, scaled). A durable
 * timer decides, not the clock: two readings of `Date.now()` may lie on either side of the limit when a history is replayed.
 */
export class Doubt {
  readonly #timeScale: number
  #timer: CancellationScope | undefined
  /** An earlier run may have set the attribute before continue-as-new. */
  #isShown = workflowInfo().typedSearchAttributes.get(ATTRIBUTES.outcome) !== undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** The outcome is unknown: starts the timer, unless it runs or has fired. */
  grows(): void {
    if (this.#isShown || this.#timer) return
    this.#timer = new CancellationScope()
    void this.#timer.run(() => this.#showLater()).catch(ignoreCancellation)
  }

  /** The outcome is known: stops the timer and removes the attribute. */
  isOver(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#isShown) upsertSearchAttributes([{ key: ATTRIBUTES.outcome, value: null }])
    this.#isShown = false
  }

  async #showLater(): Promise<void> {
    await sleep(scaled(WAITS.tellOperator, this.#timeScale), { summary: 'alert operators: outcome unknown' })
    this.#isShown = true
    upsertSearchAttributes([{ key: ATTRIBUTES.outcome, value: 'unknown' }])
  }
}

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error
}
