import { setTimeout as sleep } from 'node:timers/promises'
import type { StatementLine } from '../../packages/simulator/control/client.ts'
import { settleUnknownPayouts } from './bank-inquiries.ts'
import type { Participants } from './participants.ts'
import { createProviderPanel } from './provider-panel.ts'
import { findStatementId, splitByVisibility } from './provider-visibility.ts'
import { isScheduledWorkflow, readUndocumentedItems, readUnexplainedAnswers } from './read-final-state.ts'
import type { StackClients } from './stack-clients.ts'
import type { OpenedDispute } from './storm-context.ts'

/** What is unfinished, as the operator commands name it. */
export type PendingWork = Record<string, number>

/** One check could come between two steps; so all must be finished this often in a row. */
const REQUIRED_IDLE_CHECKS = 3
const CHECK_INTERVAL_MS = 1_000

/** Everything that is unfinished, in one query. */
const PENDING_WORK_SQL = `
  select 'charges' as what, count(*)::int as count from charge where state in ('issuing', 'pending', 'paying', 'refunding')
  union all select 'revisions of charges', count(*)::int from charge_revision where status = 'requested'
  union all select 'transfers', count(*)::int from transfer where state in ('created', 'held', 'approved', 'sending', 'settling')
  union all select 'batches', count(*)::int from transfer_batch where state in ('draft', 'processing')
  union all select 'batch items', count(*)::int from transfer_batch_item where state in ('pending', 'starting')
  union all select 'refunds', count(*)::int from refund where state in ('sending', 'settling')
  union all select 'disputes', count(*)::int from dispute where state in ('open', 'analysing', 'accepted')
  union all select 'attempts', count(*)::int from attempt where state = 'orphan' or (operation = 'issue' and state = 'calling')
  union all select 'returns', count(*)::int from movement where disposition in ('held', 'returning')
  union all select 'deliveries', count(*)::int from delivery where status = 'PENDING'
  union all select 'provider notifications', count(*)::int from provider_notification where routed_at is null`

/** Ends all faults, and every endpoint answers. */
export async function clearAllFaults(
  { simulator }: StackClients,
  { merchants }: Participants,
): Promise<void> {
  await simulator.clearFaults()
  for (const inbox of merchants.flatMap(one => one.inboxes))
    await simulator.setInboxResponse(inbox, { status: 200 })
}

/** Makes each provider API list an item of no documented shape once, when nothing hinders its storage. */
export async function injectUndocumentedItems(
  { simulator }: StackClients,
  { merchants }: Participants,
): Promise<void> {
  const connections = new Map(
    merchants.flatMap(one => one.connections).map(connection => [connection.api, connection]),
  )
  for (const { provider, account } of connections.values())
    await simulator.addFault({ provider, account, operation: 'statement', fault: 'odd_item' })
}

type QuiescenceInput = ExpectedProviderState & {
  limitMs: number
  timeScale: number
  say: (line: string) => void
}

/**
 * Waits until every workflow has ended and we know all that the simulator knows, or the limit has passed; answers what
 * is unfinished then. What a fault or a kill interrupted must recover by itself: nothing here helps, except that people
 * decide what waits in a bank's panel, and settle what no API can report any more.
 */
export async function waitForQuiescence(
  site: StackClients,
  { limitMs, timeScale, say, ...expected }: QuiescenceInput,
): Promise<PendingWork> {
  const deadline = Date.now() + limitMs
  const panel = createProviderPanel(site, expected.participants)
  let still = 0
  for (let checks = 1; ; checks++) {
    // A person decides what waits in a panel: each second payment is carried out.
    while (await panel.decideOrder(checks % 2 === 0)) checks++
    const settled = await settleUnknownPayouts(site, timeScale)
    if (settled > 0) say(`an operator settles ${settled} payouts`)
    const unrest = await findPendingWork(site, expected).catch(error => ({ [String(error)]: 1 }))
    still = Object.keys(unrest).length === 0 ? still + 1 : 0
    if (still >= REQUIRED_IDLE_CHECKS) return {}
    if (Date.now() > deadline) return unrest
    if (checks % 15 === 0) say(`waiting: ${formatPendingWork(unrest)}`)
    await sleep(CHECK_INTERVAL_MS)
  }
}

/** Reasons of statement entries that are not a PIX. */
const BOOKED_ENTRY_REASONS = new Set(['provider_tariff', 'provider_withdrawal', 'provider_credit'])

/** What the simulator knows, which we must know as well: its accounts' movements, and the banks' disputes. */
type ExpectedProviderState = { participants: Participants; disputes: OpenedDispute[]; faultsClearedAt: Date }

async function findPendingWork(site: StackClients, expected: ExpectedProviderState): Promise<PendingWork> {
  const rows = await site.sql<{ what: string; count: number }>(PENDING_WORK_SQL)
  const workflowIds = (await site.runningWorkflowIds()).filter(id => !isScheduledWorkflow(id))
  const busy = [...rows, { what: 'running workflows', count: workflowIds.length }].filter(
    ({ count }) => count > 0,
  )
  if (busy.length === 0) busy.push(...(await findUnrecordedFacts(site, expected)))
  return Object.fromEntries(busy.map(({ what, count }) => [what, count]))
}

/** Movements and disputes that were not notified, or not yet: reconciliation finds them in time. */
async function findUnrecordedFacts(
  site: StackClients,
  { participants, disputes, faultsClearedAt: clearSince }: ExpectedProviderState,
) {
  const { simulator, sql } = site
  const { shown: lines } = splitByVisibility(await simulator.listStatement(), participants)
  const known = await sql<{ end_to_end: string; account: string }>(
    `select coalesce(end_to_end, reason) as end_to_end, p.name as account
     from movement m join provider_account p on p.uuid = m.provider_account_uuid
     where (end_to_end is not null or reason like 'provider_%') and status = 'SETTLED'`,
  )
  const entries = known.filter(({ end_to_end }) => BOOKED_ENTRY_REASONS.has(end_to_end)).length
  const [kept, odd] = [await readUnexplainedAnswers(site), await readUndocumentedItems(site, clearSince)]
  const ours = new Set(known.map(({ end_to_end, account }) => `${account} ${findStatementId(end_to_end)}`))
  const isPix = (line: StatementLine) => line.end_to_end !== null
  const count = lines.filter(line => isPix(line) && !ours.has(`${line.account} ${line.shown_id}`)).length
  const meds = new Set(
    (await sql<{ id: string }>('select provider_dispute_id as id from dispute')).map(({ id }) => id),
  )
  return [
    { what: 'unknown movements', count },
    { what: 'unknown entries', count: lines.filter(line => !isPix(line)).length - entries },
    { what: 'unreadable items to be listed', count: (await simulator.listFaults()).length },
    {
      what: 'unreadable items not stored',
      count: odd.filter(({ id, mustBeKept }) => mustBeKept && !kept.some(body => body.includes(id))).length,
    },
    { what: 'unknown disputes', count: disputes.filter(({ id }) => !meds.has(id)).length },
  ].filter(one => one.count > 0)
}

function formatPendingWork(unrest: PendingWork): string {
  return Object.entries(unrest)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')
}
