import type { Asked } from '../activities/outgoing.ts'
import type { Look, Sought } from '../activities/seeking.ts'
import { WAITS } from '../domain/waits.ts'
import { Absence, type Notices } from './asking.ts'
import { Doubt, type Final, type Sender, sendOnce } from './sending.ts'

/** How candidates are polled for a payout, and how it is polled further at the one that has it. */
export type Seeker = {
  /** The workflow had seen it settled: then no "not found" proves that it was not sent. */
  hadSettled: boolean
  look: (at: Look) => Promise<Sought>
  follower: (connectionUuid: string) => Omit<Sender, 'send'>
  notices: Notices
}

/**
 * Finds a payout whose database was restored to a time before it was sent (SPEC §11), and polls it to its end. Sends nothing:
 * where all candidates have twice answered "not found", the last poll closes it.
 */
export async function findAndFollow({ hadSettled, look, follower, notices }: Seeker): Promise<Final> {
  const absence = new Absence(notices.timeScale)
  const doubt = new Doubt(notices.timeScale)
  let lastLook = false
  notices.hearOperator()
  for (let asked = 0; ; asked++) {
    notices.taken()
    const told = await look({ asked, lastLook })
    if (told.kind === 'found') {
      doubt.isOver()
      return follow(follower(told.connectionUuid))
    }
    if (told.kind === 'rejected') return over(told)
    const isAbsent = told.kind === 'absent' && !hadSettled
    const waitMs = isAbsent ? absence.waitAfter(told.settleWindowMs) : WAITS.askAgain(asked + 1)
    lastLook ||= waitMs === null
    if (waitMs === null) continue
    if (!isAbsent) doubt.grows()
    const { pending, settleBy } = follower(told.connectionUuid)
    pending('unknown')
    await notices.orAfter(waitMs, `${told.kind}: look again`)
    const word = notices.operatorsWord()
    const sent = word && (await settleBy(word))
    if (sent?.kind === 'settled' || sent?.kind === 'rejected') return over(sent)
  }

  function over(last: Final): Final {
    doubt.isOver()
    notices.hearsOperatorNoMore()
    return last
  }
}

/** Polls where `sendOnce` would send: the provider has the payout, now or later. */
function follow({ ask, ...follower }: Omit<Sender, 'send'>): Promise<Final> {
  const askAgain = async (asked: number, unlessFinal?: boolean): Promise<Asked> => {
    const told = await ask(asked, unlessFinal)
    return told.kind === 'never_begun' ? { kind: 'unknown', code: told.kind } : told
  }
  return sendOnce({ ...follower, ask: askAgain, send: () => askAgain(0) })
}
