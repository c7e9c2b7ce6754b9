import type { Engine } from '../engine/start.ts'
import { FIRST_STATEMENT_MS, NOT_STORED_MS } from './limits.ts'
import { within } from './outage.ts'

/**
 * Starts a life and waits until it answers; what was not even stored after 5 s is no longer waited for (SPEC §1).
 * Whatever interrupts the waiting, the row tells afterwards where the life stands, and the life goes on.
 */
export async function beginLife(
  engine: Engine,
  { start, isStored }: { start: () => Promise<void>; isStored: () => Promise<boolean> },
): Promise<void> {
  await engine.client() // Refuses here where Temporal is away: nothing has been started yet.
  const answered = start().then(
    () => 'answered' as const,
    () => 'unknown' as const,
  )
  const soon = await within(NOT_STORED_MS, answered).catch(() => 'late' as const)
  if (soon === 'late' && (await within(FIRST_STATEMENT_MS, isStored()))) await answered
}
