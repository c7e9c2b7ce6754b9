import { setTimeout as sleep } from 'node:timers/promises'
import type { StatementLine } from '../../src/simulator/client.ts'
import type { Cast } from './cast.ts'
import { panelOf } from './panel.ts'
import type { Dispute } from './scene.ts'
import type { Site } from './site.ts'
import { isHousework, keptAnswers, oddItemsOf } from './witness.ts'

/** What still goes on, by the words of an operator. */
export type Unrest = Record<string, number>

/** One look could come between two steps; so everything must be at rest this often in a row. */
const LOOKS = 3
const LOOK_EVERY_MS = 1_000

/** Everything that waits for something, in one question. */
const UNREST = `
  select 'charges' as what, count(*)::int as count from charge where state in ('issuing', 'pending', 'paying', 'refunding')
  union all select 'transfers', count(*)::int from transfer where state in ('created', 'sending', 'settling')
  union all select 'refunds', count(*)::int from refund where state in ('sending', 'settling')
  union all select 'disputes', count(*)::int from med where state in ('open', 'analysing', 'accepted')
  union all select 'attempts', count(*)::int from attempt where state = 'orphan' or (operation = 'issue' and state = 'calling')
  union all select 'returns', count(*)::int from movement where disposition in ('held', 'returning')
  union all select 'deliveries', count(*)::int from delivery where status = 'PENDING'
  union all select 'notices', count(*)::int from notice where handed_at is null`

/** The weather clears: no fault is left, and every endpoint answers. */
export async function clearSkies({ simulator }: Site, { merchants }: Cast): Promise<void> {
  await simulator.clearFaults()
  for (const inbox of merchants.flatMap(one => one.inboxes)) await simulator.setInbox(inbox, { status: 200 })
}

/** Lets each provider list an item of no documented shape once, when nothing is in the way of keeping it. */
export async function listOddItems({ simulator }: Site, { merchants }: Cast): Promise<void> {
  const accounts = new Map(
    merchants.flatMap(one => one.connections).map(({ provider, account }) => [provider, account]),
  )
  for (const [provider, account] of accounts)
    await simulator.faults({ provider, account, operation: 'statement', fault: 'odd_item' })
}

/**
 * Waits until every life is over and the far side has nothing that we do not know, or the limit has passed; answers what
 * goes on then. What a fault or a kill left half done is taken up by itself: nothing here helps.
 */
export async function quiescence(
  site: Site,
  { limitMs, say, ...far }: FarSide & { limitMs: number; say: (line: string) => void },
): Promise<Unrest> {
  const deadline = Date.now() + limitMs
  const panel = panelOf(site, far.cast)
  let still = 0
  for (let looks = 1; ; looks++) {
    // What waits for a person is decided by one: each second order is carried out.
    while (await panel.decideOrder(looks % 2 === 0)) looks++
    const unrest = await restlessness(site, far).catch(error => ({ [String(error)]: 1 }))
    still = Object.keys(unrest).length === 0 ? still + 1 : 0
    if (still >= LOOKS) return {}
    if (Date.now() > deadline) return unrest
    if (looks % 15 === 0) say(`waiting: ${inWords(unrest)}`)
    await sleep(LOOK_EVERY_MS)
  }
}

/** Reasons of what is no PIX and is in a statement. */
const BOOKED_ENTRIES = new Set(['provider_tariff', 'provider_withdrawal', 'provider_credit'])

/** What the far side knows, which we must know as well: its accounts' movements, and what banks contest. */
type FarSide = { cast: Cast; disputes: Dispute[]; clearSince: Date }

async function restlessness(site: Site, far: FarSide): Promise<Unrest> {
  const rows = await site.sql<{ what: string; count: number }>(UNREST)
  const lives = (await site.runningLives()).filter(id => !isHousework(id))
  const busy = [...rows, { what: 'lives', count: lives.length }].filter(({ count }) => count > 0)
  if (busy.length === 0) busy.push(...(await unheardOf(site, far)))
  return Object.fromEntries(busy.map(({ what, count }) => [what, count]))
}

/** Movements of the rail and disputes that nobody told us of, or not yet: reconciliation finds them in its time. */
async function unheardOf(site: Site, { cast: { merchants }, disputes, clearSince }: FarSide) {
  const { simulator, sql } = site
  const accounts = new Set(merchants.flatMap(one => one.connections.map(({ account }) => account)))
  const lines = (await simulator.statement()).filter(line => accounts.has(line.account))
  const known = await sql<{ end_to_end: string; account: string }>(
    `select coalesce(end_to_end, reason) as end_to_end, p.name as account
     from movement m join provider_account p on p.uuid = m.provider_account_uuid
     where (end_to_end is not null or reason like 'provider_%') and status = 'SETTLED'`,
  )
  const entries = known.filter(({ end_to_end }) => BOOKED_ENTRIES.has(end_to_end)).length
  const [kept, odd] = [await keptAnswers(site), await oddItemsOf(site, clearSince)]
  const ours = new Set(known.map(({ end_to_end, account }) => `${account} ${end_to_end}`))
  const isPix = (line: StatementLine) => line.end_to_end !== null
  const count = lines.filter(line => isPix(line) && !ours.has(`${line.account} ${line.end_to_end}`)).length
  const meds = new Set(
    (await sql<{ id: string }>('select provider_med_id as id from med')).map(({ id }) => id),
  )
  return [
    { what: 'movements unheard of', count },
    { what: 'entries unheard of', count: lines.filter(line => !isPix(line)).length - entries },
    { what: 'odd items to be listed', count: (await simulator.listFaults()).length },
    {
      what: 'odd items not kept',
      count: odd.filter(({ id, mustBeKept }) => mustBeKept && !kept.some(body => body.includes(id))).length,
    },
    { what: 'disputes unheard of', count: disputes.filter(({ id }) => !meds.has(id)).length },
  ].filter(one => one.count > 0)
}

function inWords(unrest: Unrest): string {
  return Object.entries(unrest)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')
}
