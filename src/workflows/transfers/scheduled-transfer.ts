import { condition, setCurrentDetails } from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { FallbackResult } from './provider-fallback.ts'

/** A scheduled transfer, and the steps of its workflow. */
export type ScheduledTransfer = {
  /** ISO 8601 UTC. */
  scheduledFor: string
  timeScale: number
  tryProviders: () => Promise<FallbackResult>
  /** Whether the account has requested its cancellation. */
  isCancelRequested: () => boolean
  /** Ends the transfer unsent. `kept`: a pause keeps it, or it cannot end now. A `FallbackResult`: a live attempt was polled. */
  endUnsent: (event: UnsentTransferEvent) => Promise<FallbackResult | 'ended' | 'kept'>
}

/** How a transfer ends that was not sent. */
export type UnsentTransferEvent = 'cancelled' | 'never_sent'

/**
 * Waits until a transfer's time, then tries its providers every 15 minutes until one settles it or refuses it finally (SPEC §4).
 * It expires 24 hours after its time, or after the last try that a pause kept from a provider. `earlierResult`: of a try that an
 * earlier run of the workflow began.
 */
export async function runScheduled(
  { scheduledFor, timeScale, tryProviders, isCancelRequested, endUnsent }: ScheduledTransfer,
  earlierResult?: FallbackResult,
): Promise<FallbackResult | 'ended'> {
  const scheduledForMs = Date.parse(scheduledFor)
  let expiresAtMs = scheduledForMs + scaleWait(WAITS.expireTransferAfter, timeScale)
  if (!earlierResult) {
    setCurrentDetails('Scheduled: waits for its time')
    await condition(isCancelRequested, Math.max(1, scheduledForMs - Date.now()), { summary: 'scheduled' })
  }
  for (let result: FallbackResult | 'ended' | 'kept' | undefined = earlierResult; ; result = undefined) {
    if (isCancelRequested()) result = await endUnsent('cancelled')
    else result ??= Date.now() >= expiresAtMs ? await endUnsent('never_sent') : await tryProviders()
    if (result === 'ended') return result
    if (result !== 'kept' && !result.retryLater) return result
    if (result === 'kept' || result.isPaused)
      expiresAtMs = Date.now() + scaleWait(WAITS.expireTransferAfter, timeScale)
    if (Date.now() >= expiresAtMs) continue
    setCurrentDetails('Not sent yet: retried')
    await condition(isCancelRequested, scaleWait(WAITS.retryTransfer, timeScale), { summary: 'retry' })
  }
}
