import { setTimeout as sleep } from 'node:timers/promises'

const DAY_MS = 86_400_000
/** São Paulo has had no daylight saving time since 2019. */
const SAO_PAULO_OFFSET_MS = -3 * 3_600_000

/** Waits for midnight in São Paulo where that is nearer: what happens within this time is then of one day. */
export async function stayWithinDay(forMs: number): Promise<void> {
  const leftMs = DAY_MS - ((Date.now() + SAO_PAULO_OFFSET_MS) % DAY_MS)
  if (leftMs < forMs) await sleep(leftMs)
}
