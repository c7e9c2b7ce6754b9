import { condition, setCurrentDetails } from '@temporalio/workflow'
import { scaled, WAITS } from '../domain/waits.ts'
import type { Round } from './round.ts'

/** A transfer that waits for its time, how its candidates are tried, and whether somebody has cancelled it meanwhile. */
export type Scheduled = {
  /** ISO 8601 UTC. */
  scheduledFor: string
  timeScale: number
  round: () => Promise<Round>
  isCancelled: () => boolean
}

/**
 * SPEC §4: from its time on, no balance and nobody reachable are tried again; a final refusal is the end. `begun` is the
 * round that an earlier run of its life was in.
 */
export async function tryWhenDue(
  { scheduledFor, timeScale, round, isCancelled }: Scheduled,
  begun?: Round,
): Promise<Round | 'never_sent' | 'cancelled'> {
  const due = Date.parse(scheduledFor)
  const givenUpAt = due + scaled(WAITS.transferGivenUp, timeScale)
  if (!begun) {
    setCurrentDetails('Waits for its time')
    await condition(isCancelled, Math.max(1, due - Date.now()), { summary: 'scheduled' })
  }
  for (let earlier = begun; !isCancelled(); earlier = undefined) {
    const tried = earlier ?? (await round())
    if (!tried.mayBeTriedAgain) return tried
    if (Date.now() >= givenUpAt) return 'never_sent'
    setCurrentDetails('Could not be sent yet; tried again')
    await condition(isCancelled, scaled(WAITS.transferAgain, timeScale), { summary: 'try again' })
  }
  return 'cancelled'
}
