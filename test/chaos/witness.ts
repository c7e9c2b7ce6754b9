import { Attempt } from '../../src/db/entities/attempt.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { type Asked, read } from './asking.ts'
import type { Cast } from './cast.ts'
import { inTurn } from './in-turn.ts'
import type { Dispute } from './scene.ts'
import type { Site } from './site.ts'
import type { Shown, World } from './world.ts'

/** `clearSince`: the moment from which on nothing dies and every provider answers. */
type Looked = {
  cast: Cast
  asked: Asked[]
  disputes: Dispute[]
  clearSince: Date
  unreplayed: World['unreplayed']
}

/** Looks at everything once a storm is over: our rows, the far side's books, who runs, what was heard. */
export async function witnessed(
  site: Site,
  { cast, asked, disputes, clearSince, unreplayed }: Looked,
): Promise<World> {
  const rows = await rowsOf(site)
  const running = (await site.runningLives()).filter(id => !isHousework(id))
  return {
    ...rows,
    ...(await farSide(site, cast)),
    contested: await contestedAt(site, cast, disputes),
    unseen: await unseenPayloads(site),
    oddItems: await oddItemsOf(site, clearSince),
    kept: await keptAnswers(site),
    endpoints: cast.merchants.flatMap(({ uuid, inboxes }) =>
      inboxes.map(inbox => ({ account: uuid, inbox })),
    ),
    running,
    unreplayed,
    begun: await begunLives(site, asked),
    asked,
    shown: await shownBy(site, cast, rows),
  }
}

/** Schedules, which begin and end all the time. */
export function isHousework(workflowId: string): boolean {
  return !/^(charge|transfer|refund|orphan|return|deposit|med|webhook)\//.test(workflowId)
}

type Rows = Pick<
  World,
  | 'charges'
  | 'splits'
  | 'transfers'
  | 'refunds'
  | 'meds'
  | 'movements'
  | 'attempts'
  | 'unbalanced'
  | 'buckets'
  | 'events'
  | 'deliveries'
  | 'waitingNotices'
>

const STATUSES = `(select coalesce(json_agg(entry ->> 'status'), '[]') from jsonb_array_elements(history) as entry) as history`

/** Column names are the names of our terms; PostgreSQL's bigint is made a number. */
async function rowsOf({ sql }: Site): Promise<Rows> {
  const [charges, splits, transfers, refunds, meds, movements, attempts] = await Promise.all([
    sql<Rows['charges'][number]>(
      `select uuid, account_uuid as account, state, end_to_end as "endToEnd", value_cents::float as "valueCents",
         fee_cents::float as "feeCents", received_cents::float as "receivedCents",
         refunding_cents::float as "refundingCents", refunded_cents::float as "refundedCents",
         disputed_cents::float as "disputedCents",
         external_ref as "externalRef", ${STATUSES} from charge`,
    ),
    sql<Rows['splits'][number]>(
      `select charge_uuid as charge, status, credited_cents::float as cents,
         asked_back_cents::float as "askedBackCents" from split`,
    ),
    sql<Rows['transfers'][number]>(
      `select uuid, account_uuid as account, state, value_cents::float as cents, held_cents::float as "heldCents",
         returned_cents::float as "returnedCents", external_ref as "externalRef", ${STATUSES} from transfer`,
    ),
    sql<Rows['refunds'][number]>(
      `select uuid, charge_uuid as charge, state, value_cents::float as cents,
         (select coalesce(sum((part ->> 'cents')::float), 0) from jsonb_array_elements(parts) as part) as "partsCents"
       from refund`,
    ),
    sql<Rows['meds'][number]>(
      `select m.uuid, m.account_uuid as account, p.name as "providerAccount", provider_med_id as id, kind, state,
         charge_uuid as charge, claimed_cents::float as "claimedCents", held_cents::float as "heldCents",
         retained_cents::float as "retainedCents", returned_cents::float as "returnedCents", replies, ${STATUSES}
       from med m join provider_account p on p.uuid = m.provider_account_uuid`,
    ),
    sql<Rows['movements'][number]>(
      `select m.uuid, m.account_uuid as account, p.name as "providerAccount", type, movement_type as direction,
         value_cents::float as cents, m.status, end_to_end as "endToEnd", charge_uuid as charge,
         transfer_uuid as transfer, refund_uuid as refund, original_uuid as original, med_uuid as med, reason, disposition
       from movement m join provider_account p on p.uuid = m.provider_account_uuid`,
    ),
    sql<Rows['attempts'][number]>(
      `select a.uuid, operation, subject_uuid as subject, state, p.name as "providerAccount", reference
       from attempt a join provider_account p on p.uuid = a.provider_account_uuid`,
    ),
  ])
  const [unbalanced, buckets, events, deliveries, notices] = await Promise.all([
    sql<Rows['unbalanced'][number]>(
      `select movement_uuid as movement, sum(cents)::float as cents from posting
       group by movement_uuid, provider_account_uuid having sum(cents) <> 0`,
    ),
    sql<Rows['buckets'][number]>(
      `select b.account_uuid as account, p.name as "providerAccount", b.bucket, b.cents::float as cents,
         coalesce((select sum(cents) from posting q where q.account_uuid = b.account_uuid
           and q.provider_account_uuid = b.provider_account_uuid and q.bucket = b.bucket), 0)::float as "foldCents"
       from balance b join provider_account p on p.uuid = b.provider_account_uuid`,
    ),
    sql<Rows['events'][number]>(
      'select uuid, account_uuid as account, type, subject_uuid as subject, sequence, body as data from event',
    ),
    sql<Rows['deliveries'][number]>(
      `select d.uuid, d.event_uuid as event, regexp_replace(w.url, '^.*/', '') as inbox, d.status
       from delivery d join webhook w on w.uuid = d.webhook_uuid`,
    ),
    sql<{ uuid: string }>('select uuid from notice where handed_at is null'),
  ])
  const waitingNotices = notices.map(({ uuid }) => uuid)
  return {
    charges,
    splits,
    transfers,
    refunds,
    meds,
    movements,
    attempts,
    unbalanced,
    buckets,
    events,
    deliveries,
    waitingNotices,
  }
}

async function farSide(
  { simulator }: Site,
  cast: Cast,
): Promise<Pick<World, 'lines' | 'holdings' | 'heard'>> {
  const accounts = cast.merchants.flatMap(({ connections }) => connections.map(one => one.account))
  const ours = new Set(accounts)
  const statement = await simulator.statement()
  const lines = statement
    .filter(line => ours.has(line.account))
    .map(({ id, kind, account, end_to_end: endToEnd, original_end_to_end: original, value }) => ({
      ...{ id, kind, providerAccount: account, endToEnd, original, cents: Math.round(value * 100) },
    }))
  const holdings = await inTurn(accounts, async account => {
    const { balance, held, blocked } = await simulator.findAccount(account)
    return { providerAccount: account, cents: Math.round((balance + held + blocked) * 100) }
  })
  const heard = await inTurn(
    cast.merchants.flatMap(({ inboxes }) => inboxes),
    async inbox =>
      (await simulator.inbox(inbox)).map(({ body }) => {
        const { id, data } = JSON.parse(body)
        return { inbox, event: id as string, data }
      }),
  )
  return { lines, holdings, heard: heard.flat() }
}

/** Both sides of every dispute, as far as they are ours. */
async function contestedAt(
  { simulator }: Site,
  { merchants }: Cast,
  disputes: Dispute[],
): Promise<World['contested']> {
  const ours = new Set(merchants.flatMap(({ connections }) => connections.map(one => one.account)))
  const sides = await inTurn(disputes, ({ id }) => simulator.findMed(id))
  return sides
    .flat()
    .filter(({ account }) => ours.has(account))
    .map(({ id, account, status, replies }) => ({
      ...{ id, status, replies, providerAccount: account },
    }))
}

/** Every payload that was asked for and is not the one a merchant was shown, as its provider sees it. */
async function unseenPayloads({ orm, providers }: Site): Promise<World['unseen']> {
  const em = orm.em.fork()
  const attempts = await em.find(Attempt, { operation: 'issue', state: { $ne: 'accepted' } })
  const connections = await em.find(Connection, {}, { populate: ['sealedCredentials'] })
  return inTurn(attempts, async ({ uuid, connectionUuid, reference }) => {
    const connection = connections.find(one => one.uuid === connectionUuid)!
    const found = await providers.providerFor(connection).findCharge(reference)
    if (found.kind === 'no_answer') return { attempt: uuid, status: 'no_answer' as const }
    const isOpen = found.kind === 'found' && found.status === 'open'
    return { attempt: uuid, status: isOpen ? ('open' as const) : ('closed' as const) }
  })
}

/** Every item of no documented shape that a provider listed. */
export async function oddItemsOf({ simulator }: Site, clearSince: Date): Promise<World['oddItems']> {
  const served = await simulator.servedFaults()
  return served.flatMap(({ account, item_id: id, at }) =>
    id === null ? [] : [{ id, providerAccount: account, mustBeKept: new Date(at) >= clearSince }],
  )
}

export async function keptAnswers({ sql, seal }: Site): Promise<string[]> {
  const rows = await sql<{ body: string }>('select sealed_body as body from unexplained_answer')
  return rows.map(({ body }) => seal.open(body) as string)
}

/** Of what was answered "not known whether it was taken": the lives that did begin. */
async function begunLives(site: Site, asked: Asked[]): Promise<string[]> {
  const doubtful = asked.flatMap(({ kind, answers }) =>
    answers
      .filter(({ code, uuid }) => code === 'not_confirmed' && uuid !== null)
      .map(({ uuid }) => `${kind}/${uuid}`),
  )
  return site.begun([...new Set(doubtful)])
}

/** Each charge, transfer, refund and dispute as its merchant reads it. */
async function shownBy({ api }: Site, cast: Cast, rows: Rows): Promise<Map<string, Shown>> {
  const tokens = new Map(cast.merchants.map(({ uuid, token }) => [uuid, token]))
  const owners = new Map(rows.charges.map(({ uuid, account }) => [uuid, account]))
  const wanted = [
    ...rows.charges.map(({ uuid, account }) => ({ uuid, account, path: `payments/${uuid}` })),
    ...rows.transfers.map(({ uuid, account }) => ({ uuid, account, path: `transfers/${uuid}` })),
    ...rows.meds.map(({ uuid, account }) => ({ uuid, account, path: `meds/${uuid}` })),
    ...rows.refunds.map(({ uuid, charge }) => ({
      uuid,
      account: owners.get(charge)!,
      path: `payments/${charge}/refunds/${uuid}`,
    })),
  ].filter(({ account }) => tokens.has(account))
  const shown = await inTurn(wanted, async ({ uuid, account, path }) => {
    const said = await read(api, { path: `/api/v1/${path}`, token: tokens.get(account)! })
    return [uuid, said?.status === 200 ? said.body.data : undefined] as const
  })
  return new Map(shown)
}
