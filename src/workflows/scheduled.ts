import { condition, setCurrentDetails } from '@temporalio/workflow'
import { scaled, WAITS } from '../domain/waits.ts'
import type { Round } from './round.ts'

/** A transfer that waits for its time, and how its candidates are tried. */
export type Scheduled = {
  /** ISO 8601 UTC. */
  scheduledFor: string
  timeScale: number
  round: () => Promise<Round>
  /** Whether the account has cancelled it meanwhile. */
  isCancelled: () => boolean
  /** Ends it as never sent; false where an operator's pause keeps it, or where it cannot end. */
  expire: () => Promise<boolean>
}

/**
 * SPEC §4: from its time on, no balance and no reachable provider are tried again; a final refusal is the end. It expires
 * 24 hours after its time, also where the service was away meanwhile; the hours begin anew with each look that finds it kept
 * by an operator's pause. `begun` is the round that an earlier run of its workflow was in.
 */
export async function tryWhenDue(
  { scheduledFor, timeScale, round, isCancelled, expire }: Scheduled,
  begun?: Round,
): Promise<Round | 'expired' | 'cancelled'> {
  const due = Date.parse(scheduledFor)
  const givenUpAfter = scaled(WAITS.transferGivenUp, timeScale)
  let countedFrom = due
  if (!begun) {
    setCurrentDetails('Waits for its time')
    await condition(isCancelled, Math.max(1, due - Date.now()), { summary: 'scheduled' })
  }
  for (let earlier = begun; !isCancelled(); earlier = undefined) {
    if (earlier || Date.now() < countedFrom + givenUpAfter) {
      const tried = earlier ?? (await round())
      if (!tried.mayBeTriedAgain) return tried
      if (tried.isPaused) countedFrom = Date.now()
    }
    if (Date.now() >= countedFrom + givenUpAfter) {
      if (await expire()) return 'expired'
      countedFrom = Date.now()
    }
    setCurrentDetails('Could not be sent yet; tried again')
    await condition(isCancelled, scaled(WAITS.transferAgain, timeScale), { summary: 'try again' })
  }
  return 'cancelled'
}
