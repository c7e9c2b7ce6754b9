import { setTimeout as sleep } from 'node:timers/promises'
import type { Cast } from './cast.ts'
import type { Site } from './site.ts'
import { isHousework } from './witness.ts'

/** What still goes on, by the words of an operator. */
export type Unrest = Record<string, number>

/** One look shorter than a life's longest wait would be luck; so everything must be at rest this often in a row. */
const LOOKS = 4
const LOOK_EVERY_MS = 500

/** Everything that waits for something, in one question. */
const UNREST = `
  select 'charges' as what, count(*)::int as count from charge where state in ('issuing', 'pending', 'paying', 'refunding')
  union all select 'transfers', count(*)::int from transfer where state in ('created', 'sending', 'settling')
  union all select 'refunds', count(*)::int from refund where state in ('sending', 'settling')
  union all select 'attempts', count(*)::int from attempt where state = 'orphan' or (operation = 'issue' and state = 'calling')
  union all select 'returns', count(*)::int from movement where disposition in ('held', 'returning')
  union all select 'deliveries', count(*)::int from delivery where status = 'PENDING'
  union all select 'notices', count(*)::int from notice where handed_at is null`

/** The weather clears: no fault is left, and every endpoint answers. */
export async function clearSkies({ simulator }: Site, { merchants }: Cast): Promise<void> {
  await simulator.clearFaults()
  for (const inbox of merchants.flatMap(one => one.inboxes)) await simulator.setInbox(inbox, { status: 200 })
}

/**
 * Waits until every life is over and the far side is still, or the limit has passed; answers what goes on then. What a
 * restart or a kill left half done is taken up by itself: nothing here helps.
 */
export async function quiescence(
  site: Site,
  { limitMs, say }: { limitMs: number; say: (line: string) => void },
): Promise<Unrest> {
  const deadline = Date.now() + limitMs
  let still = 0
  let before = ''
  for (let looks = 1; ; looks++) {
    const unrest = await restlessness(site).catch(error => ({ unanswered: 1, [String(error)]: 1 }))
    const lines = await site.simulator.statement().then(statement => statement.length)
    const now = JSON.stringify([unrest, lines])
    still = Object.keys(unrest).length === 0 && now === before ? still + 1 : 0
    before = now
    if (still >= LOOKS) return {}
    if (Date.now() > deadline) return unrest
    if (looks % 20 === 0)
      say(
        `waiting: ${Object.entries(unrest)
          .map(([what, count]) => `${count} ${what}`)
          .join(', ')}`,
      )
    await sleep(LOOK_EVERY_MS)
  }
}

async function restlessness(site: Site): Promise<Unrest> {
  const rows = await site.sql<{ what: string; count: number }>(UNREST)
  const lives = (await site.runningLives()).filter(id => !isHousework(id))
  const counts = [...rows, { what: 'lives', count: lives.length }]
  return Object.fromEntries(counts.filter(({ count }) => count > 0).map(({ what, count }) => [what, count]))
}
