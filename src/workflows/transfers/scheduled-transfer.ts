import { condition, setCurrentDetails } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { FallbackResult } from './provider-fallback.ts'

/** A transfer that waits for its time, and how its candidates are tried. */
export type ScheduledTransfer = {
  /** ISO 8601 UTC. */
  scheduledFor: string
  timeScale: number
  tryProviders: () => Promise<FallbackResult>
  /** Whether the account has cancelled it meanwhile. */
  isCancelled: () => boolean
  /** Ends it. `kept`: a pause keeps it, or it cannot end now. A round: a live attempt was followed. */
  end: (event: UnsentTransferEvent) => Promise<FallbackResult | 'ended' | 'kept'>
}

/** How a transfer ends that was not sent. */
export type UnsentTransferEvent = 'cancelled' | 'never_sent'

/**
 * Waits until a transfer's time, then sends it (SPEC §4): a missing balance or an unreachable provider is tried again, a final
 * refusal ends it. It expires 24 hours after its time, also where the service was down meanwhile; the hours start over with each
 * attempt that an operator's pause holds back. `firstRound` is the round that an earlier run of its workflow was in.
 */
export async function runScheduled(
  { scheduledFor, timeScale, tryProviders: round, isCancelled, end }: ScheduledTransfer,
  firstRound?: FallbackResult,
): Promise<FallbackResult | 'ended'> {
  const dueAtMs = Date.parse(scheduledFor)
  const expiresAfterMs = scaleWait(WAITS.expireTransferAfter, timeScale)
  let countedFrom = dueAtMs
  if (!firstRound) {
    setCurrentDetails('Scheduled: waits for its time')
    await condition(isCancelled, Math.max(1, dueAtMs - Date.now()), { summary: 'scheduled' })
  }
  const isLate = () => Date.now() >= countedFrom + expiresAfterMs
  for (let outcome: FallbackResult | 'ended' | 'kept' | undefined = firstRound; ; outcome = undefined) {
    if (isCancelled()) outcome = await end('cancelled')
    else outcome ??= isLate() ? await end('never_sent') : await round()
    if (outcome === 'ended') return outcome
    if (outcome !== 'kept' && !outcome.retryLater) return outcome
    if (outcome === 'kept' || outcome.isPaused) countedFrom = Date.now()
    if (isLate()) continue
    setCurrentDetails('Not sent yet: retried')
    await condition(isCancelled, scaleWait(WAITS.retryTransfer, timeScale), { summary: 'retry' })
  }
}
