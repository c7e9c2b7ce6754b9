import { Attempt } from '../../src/db/entities/attempt.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { addDays } from '../../src/domain/charges/business-days.ts'
import { referenceOf } from '../../src/domain/pix/identifiers.ts'
import { computeBrasiliaDay } from '../../src/domain/shared/brasilia-day.ts'
import { runInBatches } from './batches.ts'
import type { FinalState, Mode } from './final-state.ts'
import { workflowIdOf } from './invariants/requests.ts'
import { getUntilAnswered, type RequestRecord } from './merchant-requests.ts'
import { isToldOfBatches, type Participants } from './participants.ts'
import { findStatementId, splitByVisibility } from './provider-visibility.ts'
import { readStatements } from './read-statements.ts'
import type { StackClients } from './stack-clients.ts'
import type { OpenedDispute } from './storm-context.ts'

/** `clearSince`: the time after which no process is killed and every provider answers. */
type FinalStateInput = {
  participants: Participants
  requests: RequestRecord[]
  disputes: OpenedDispute[]
  faultsClearedAt: Date
  failedReplays: FinalState['failedReplays']
}

/** Reads the final state of a storm: our rows, the simulator's books, running workflows, received webhooks. */
export async function readFinalState(
  site: StackClients,
  {
    participants: cast,
    requests: asked,
    disputes,
    faultsClearedAt: clearSince,
    failedReplays: unreplayed,
  }: FinalStateInput,
): Promise<FinalState> {
  const rows = await readDatabaseRows(site)
  const running = (await site.runningWorkflowIds()).filter(id => !isScheduledWorkflow(id))
  return {
    ...rows,
    ...(await readProviderState(site, cast)),
    callouts: await readCallouts(site, cast),
    disputesAtProvider: await readProviderDisputes(site, cast, disputes),
    undisclosedPayloads: await readUndisclosedPayloads(site),
    undocumentedItems: await readUndocumentedItems(site, clearSince),
    unexplainedAnswers: await readUnexplainedAnswers(site),
    endpoints: cast.merchants.flatMap(({ uuid, mode, inboxes }) =>
      inboxes.map(inbox => ({ account: uuid, mode, inbox, isToldOfBatches: isToldOfBatches(inbox) })),
    ),
    statements: await readStatements(site, cast),
    merchantAccounts: [...cast.merchants, ...cast.recipients].map(({ uuid }) => uuid),
    runningWorkflowIds: running,
    failedReplays: unreplayed,
    startedWorkflowIds: await findStartedWorkflowIds(site, asked),
    requests: asked,
    ...(await readResources(site, cast, rows)),
  }
}

/** Schedules, which start and end all the time. */
export function isScheduledWorkflow(workflowId: string): boolean {
  return !/^(charge|transfer|batch|refund|orphan|return|deposit|deposit-return|med|webhook)\//.test(
    workflowId,
  )
}

type DatabaseRows = Pick<
  FinalState,
  | 'charges'
  | 'revisions'
  | 'splits'
  | 'transfers'
  | 'batches'
  | 'batchItems'
  | 'refunds'
  | 'disputes'
  | 'depositReturns'
  | 'keyLookups'
  | 'limitUsages'
  | 'movements'
  | 'attempts'
  | 'unbalancedMovements'
  | 'buckets'
  | 'events'
  | 'deliveries'
  | 'unroutedNotifications'
>

const HISTORY_STATUSES_SQL = `jsonb_path_query_array(history, '$[*].status') as history`

/** The mode of a row, by its connection. */
const MODE_SQL = `(select case when c.is_simulated then 'test' else 'live' end from connection c where c.uuid = connection_uuid) as mode`

/** Column names are the names of our terms; PostgreSQL's bigint becomes a number. */
/** Compares counters with orders by the windows that each order names. */
const LIMIT_USAGES_SQL = `
  with orders as (
    select account_uuid, connection_uuid, value_cents, limit_windows from transfer
    where state not in ('failed', 'cancelled', 'expired')
    union all
    select account_uuid, connection_uuid, value_cents, limit_windows from refund where state <> 'failed'
  ), ordered as (
    select o.account_uuid, c.is_simulated, w.name, w."startsOn" as starts_on, w."receiverHash" as receiver_hash,
      sum(o.value_cents) as cents
    from orders o join connection c on c.uuid = o.connection_uuid,
      jsonb_to_recordset(o.limit_windows) as w (name text, "startsOn" date, "receiverHash" text)
    group by 1, 2, 3, 4, 5
  )
  select concat_ws(' ', account_uuid, name, starts_on, is_simulated) as counter,
    coalesce(u.used_cents, 0)::float as "usedCents", coalesce(o.cents, 0)::float as "orderedCents"
  from limit_usage u full join ordered o using (account_uuid, is_simulated, name, starts_on, receiver_hash)`

/** Compares each revision with the moment in which its charge was not pending any more. */
const REVISIONS_SQL = `
  select r.uuid, charge_uuid as charge, number, status, r.total_cents::float as "totalCents", r.due,
    coalesce(r.updated_at >= (
      select min((entry ->> 'created_at')::timestamptz) from jsonb_array_elements(c.history) as entry
      where entry ->> 'status' not in ('UNDEFINED', 'PENDING')), false) as "isEndedWithCharge"
  from charge_revision r join charge c on c.uuid = r.charge_uuid`

async function readDatabaseRows({ sql }: StackClients): Promise<DatabaseRows> {
  const [charges, splits, transfers, refunds, meds, depositReturns, movements, attempts] = await Promise.all([
    sql<DatabaseRows['charges'][number]>(
      `select uuid, account_uuid as account, ${MODE_SQL}, state, coalesce(txid, '') as txid, end_to_end as "endToEnd",
         value_cents::float as "valueCents", fee_cents::float as "feeCents", received_cents::float as "receivedCents",
         refunding_cents::float as "refundingCents", refunded_cents::float as "refundedCents",
         disputed_cents::float as "disputedCents",
         external_ref as "externalRef", total_cents::float as "totalCents", due, revision, issued_as as "issuedAs",
         paid_parts as "paidParts", ${HISTORY_STATUSES_SQL} from charge`,
    ),
    sql<DatabaseRows['splits'][number]>(
      `select charge_uuid as charge, status, credited_cents::float as cents,
         return_requested_cents::float as "returnRequestedCents" from split`,
    ),
    sql<DatabaseRows['transfers'][number]>(
      `select uuid, account_uuid as account, ${MODE_SQL}, state, value_cents::float as cents, held_cents::float as "heldCents",
         returned_cents::float as "returnedCents", external_ref as "externalRef", lookup, batch_uuid as batch,
         extract(epoch from created_at)::float * 1000 as "createdAtMs", ${HISTORY_STATUSES_SQL} from transfer`,
    ),
    sql<DatabaseRows['refunds'][number]>(
      `select uuid, charge_uuid as charge, state, value_cents::float as cents,
         (select coalesce(sum((part ->> 'cents')::float), 0) from jsonb_array_elements(parts) as part) as "partsCents"
       from refund`,
    ),
    sql<DatabaseRows['disputes'][number]>(
      `select m.uuid, m.account_uuid as account, ${MODE_SQL}, p.name as "providerAccount", provider_dispute_id as id, kind, state,
         charge_uuid as charge, claimed_cents::float as "claimedCents", held_cents::float as "heldCents",
         retained_cents::float as "retainedCents", returned_cents::float as "returnedCents", replies, ${HISTORY_STATUSES_SQL}
       from dispute m join provider_account p on p.uuid = m.provider_account_uuid`,
    ),
    sql<DatabaseRows['depositReturns'][number]>(
      `select uuid, movement_uuid as movement, failure ->> 'code' as failure from deposit_return`,
    ),
    sql<DatabaseRows['movements'][number]>(
      `select m.uuid, m.account_uuid as account, p.name as "providerAccount", type, movement_type as direction,
         value_cents::float as cents, m.status, end_to_end as "endToEnd", charge_uuid as charge,
         transfer_uuid as transfer, refund_uuid as refund, original_uuid as original, dispute_uuid as med, reason, disposition
       from movement m join provider_account p on p.uuid = m.provider_account_uuid`,
    ),
    sql<DatabaseRows['attempts'][number]>(
      `select a.uuid, operation, subject_uuid as subject, state, p.name as "providerAccount", replace(subject_uuid::text, '-', '') as reference
       from attempt a join provider_account p on p.uuid = a.provider_account_uuid`,
    ),
  ])
  const revisions = await sql<DatabaseRows['revisions'][number]>(REVISIONS_SQL)
  const [unbalanced, buckets, events, deliveries, notifications, limitUsages, lookups, batches, batchItems] =
    await Promise.all([
      sql<DatabaseRows['unbalancedMovements'][number]>(
        `select movement_uuid as movement, sum(cents)::float as cents from posting
       group by movement_uuid, provider_account_uuid having sum(cents) <> 0`,
      ),
      sql<DatabaseRows['buckets'][number]>(
        `select b.account_uuid as account, p.name as "providerAccount", b.bucket, b.cents::float as cents,
         coalesce((select sum(cents) from posting q where q.account_uuid = b.account_uuid
           and q.provider_account_uuid = b.provider_account_uuid and q.bucket = b.bucket), 0)::float as "foldCents"
       from balance b join provider_account p on p.uuid = b.provider_account_uuid`,
      ),
      sql<DatabaseRows['events'][number]>(
        `select uuid, account_uuid as account, ${MODE_SQL}, type, subject_uuid as subject, sequence, body as data from event`,
      ),
      sql<DatabaseRows['deliveries'][number]>(
        `select d.uuid, d.event_uuid as event, regexp_replace(w.url, '^.*/', '') as inbox, d.status
       from delivery d join webhook w on w.uuid = d.webhook_uuid`,
      ),
      sql<{ uuid: string }>('select uuid from provider_notification where routed_at is null'),
      sql<DatabaseRows['limitUsages'][number]>(LIMIT_USAGES_SQL),
      sql<{ uuid: string }>('select uuid from key_lookup'),
      sql<DatabaseRows['batches'][number]>(
        `select uuid, b.account_uuid as account, case when is_simulated then 'test' else 'live' end as mode, state, name, b.mode as "sendMode",
         cancel_reason as "cancelReason", item_count as "itemCount", value_cents::float as "valueCents", ${HISTORY_STATUSES_SQL},
         case when a.subject_uuid is not null then jsonb_build_object('decision', a.decision,
           'decidedAtMs', extract(epoch from a.decided_at)::float * 1000) end as approval
       from transfer_batch b left join approval_request a on a.subject_uuid = b.uuid`,
      ),
      sql<DatabaseRows['batchItems'][number]>(
        `select batch_uuid as batch, line, transfer_uuid as transfer, state, value_cents::float as cents, external_ref as reference
       from transfer_batch_item`,
      ),
    ])
  const waitingNotifications = notifications.map(({ uuid }) => uuid)
  return {
    charges: charges.map(row => ({ ...row, endToEnd: findStatementId(row.endToEnd) })),
    revisions,
    splits,
    transfers,
    batches,
    batchItems,
    refunds,
    disputes: meds,
    depositReturns,
    keyLookups: lookups.map(({ uuid }) => uuid),
    limitUsages,
    movements: movements.map(row => ({ ...row, endToEnd: findStatementId(row.endToEnd) })),
    attempts,
    unbalancedMovements: unbalanced,
    buckets,
    events,
    deliveries,
    unroutedNotifications: waitingNotifications,
  }
}

/** Reads what waited for the call-outs of merchants, with what their servers were asked. */
async function readCallouts(
  { sql, simulator }: StackClients,
  { merchants }: Participants,
): Promise<FinalState['callouts']> {
  const found = await runInBatches(merchants, async ({ uuid, callout }) => {
    if (!callout) return []
    const rows = await sql<Omit<FinalState['callouts'][number], 'says' | 'requestCount'>>(
      `select r.subject_uuid as subject, r.decision,
         (select verdict from approval a where a.subject_uuid = r.subject_uuid and a.approver = 'callout') as verdict,
         exists (select from attempt t where t.operation = 'transfer' and t.subject_uuid = r.subject_uuid)
           or exists (select from transfer_batch_item i where i.batch_uuid = r.subject_uuid and i.state = 'started') as "isStarted"
       from approval_request r where r.account_uuid = ?`,
      [uuid],
    )
    const requested = (await simulator.listInbox(callout.inbox)).map(({ body }) => JSON.parse(body).data.uuid)
    return rows.map(row => ({
      ...row,
      says: callout.says,
      requestCount: requested.filter(subject => subject === row.subject).length,
    }))
  })
  return found.flat()
}

async function readProviderState(
  { simulator }: StackClients,
  cast: Participants,
): Promise<
  Pick<FinalState, 'lines' | 'holdings' | 'chargesAtProvider' | 'dueChargesAtProvider' | 'receivedDeliveries'>
> {
  const modes = new Map(
    cast.merchants.flatMap(({ mode, connections }) => connections.map(one => [one.account, mode] as const)),
  )
  const ours = new Set(modes.keys())
  const { shown, hidden } = splitByVisibility(await simulator.listStatement(), cast)
  const lines = shown.map(
    ({ id, kind, account, shown_id: endToEnd, shown_original_id: original, value, receiver }) => ({
      id,
      kind,
      providerAccount: account,
      endToEnd,
      original,
      receiver,
      cents: Math.round(value * 100),
    }),
  )
  const holdings = await runInBatches([...modes], async ([account, mode]) => {
    const { balance, held, blocked } = await simulator.findAccount(account)
    const unseen = hidden.reduce((sum, line) => (line.account === account ? sum + line.value : sum), 0)
    return { providerAccount: account, mode, cents: Math.round((balance + held + blocked - unseen) * 100) }
  })
  const received = await runInBatches(
    cast.merchants.flatMap(({ inboxes }) => inboxes),
    async inbox =>
      (await simulator.listInbox(inbox)).map(({ body }) => {
        const { id, data } = JSON.parse(body)
        return { inbox, event: id as string, data }
      }),
  )
  const charges = (await simulator.listCharges())
    .filter(({ account }) => ours.has(account))
    .map(({ account, ...charge }) => ({ ...charge, providerAccount: account }))
  return {
    lines,
    holdings,
    chargesAtProvider: charges,
    dueChargesAtProvider: (await readDueCharges(simulator)).filter(one => ours.has(one.providerAccount)),
    receivedDeliveries: received.flat(),
  }
}

/** Days from today, before and after the due days of a storm, on which what a charge costs is compared. */
const COMPARED_DAYS = [0, 5, 12, 25, 40]

async function readDueCharges({
  listDueCharges,
}: StackClients['simulator']): Promise<FinalState['dueChargesAtProvider']> {
  const today = computeBrasiliaDay(new Date())
  const days = COMPARED_DAYS.map(count => addDays(today, count))
  const lists = await Promise.all(days.map(listDueCharges))
  return lists[0]!.map(({ account, txid, payments }, place) => ({
    providerAccount: account,
    txid,
    asks: days.map((on, day) => ({ on, cents: centsFromReais(lists[day]![place]!.value) })),
    payments: payments.map(paid => ({
      cents: centsFromReais(paid.value),
      originalCents: centsFromReais(paid.original),
      fineCents: centsFromReais(paid.fine),
      interestCents: centsFromReais(paid.interest),
      discountCents: centsFromReais(paid.discount),
      abatementCents: centsFromReais(paid.abatement),
    })),
  }))
}

function centsFromReais(value: number): number {
  return Math.round(value * 100)
}

/** Both sides of every dispute, as far as they are ours. */
async function readProviderDisputes(
  { simulator }: StackClients,
  { merchants }: Participants,
  disputes: OpenedDispute[],
): Promise<FinalState['disputesAtProvider']> {
  const ours = new Set(merchants.flatMap(({ connections }) => connections.map(one => one.account)))
  const sides = await runInBatches(disputes, ({ id }) => simulator.findDispute(id))
  return sides
    .flat()
    .filter(({ account }) => ours.has(account))
    .map(({ id, account, status, replies }) => ({
      id,
      status,
      replies,
      providerAccount: account,
    }))
}

/** Every issued payload that no merchant was shown, with its provider's state. */
async function readUndisclosedPayloads({
  orm,
  providers,
}: StackClients): Promise<FinalState['undisclosedPayloads']> {
  const em = orm.em.fork()
  const attempts = await em.find(Attempt, { operation: 'issue', state: { $ne: 'accepted' } })
  const connections = await em.find(Connection, {}, { populate: ['sealedCredentials'] })
  return runInBatches(attempts, async ({ uuid, connectionUuid, subjectUuid }) => {
    const connection = connections.find(one => one.uuid === connectionUuid)!
    const found = await providers.providerFor(connection).findCharge(referenceOf(subjectUuid))
    if (found.kind === 'no_answer') return { attempt: uuid, status: 'no_answer' as const }
    const isOpen = found.kind === 'found' && found.status === 'open'
    return { attempt: uuid, status: isOpen ? ('open' as const) : ('closed' as const) }
  })
}

/** Every item of no documented shape that a provider listed. */
export async function readUndocumentedItems(
  { simulator }: StackClients,
  clearSince: Date,
): Promise<FinalState['undocumentedItems']> {
  const served = await simulator.listServedFaults()
  return served.flatMap(({ account, item_id: id, at }) =>
    id === null ? [] : [{ id, providerAccount: account, mustBeKept: new Date(at) >= clearSince }],
  )
}

export async function readUnexplainedAnswers({ sql, seal }: StackClients): Promise<string[]> {
  const rows = await sql<{ body: string }>('select sealed_body as body from unexplained_answer')
  return rows.map(({ body }) => seal.open(body) as string)
}

/** Of the requests answered "not known whether it was taken": the workflows that did start. */
async function findStartedWorkflowIds(site: StackClients, asked: RequestRecord[]): Promise<string[]> {
  const doubtful = asked.flatMap(({ kind, answers }) =>
    answers
      .filter(({ code, uuid }) => code === 'not_confirmed' && uuid !== null)
      .map(({ uuid }) => workflowIdOf(kind, uuid!)),
  )
  return site.findStartedWorkflows([...new Set(doubtful)])
}

/** Each charge, transfer, batch, refund and dispute as its merchant reads it, and which the other mode's token reads too. */
async function readResources(
  { nextApiUrl: api }: StackClients,
  cast: Participants,
  rows: DatabaseRows,
): Promise<Pick<FinalState, 'resources' | 'readableInOtherMode'>> {
  const tokens = new Map(cast.merchants.map(({ uuid, mode, token }) => [`${uuid} ${mode}`, token]))
  const charges = new Map(rows.charges.map(charge => [charge.uuid, charge]))
  const wanted = [
    ...rows.charges.map(({ uuid, account, mode }) => ({ uuid, account, mode, path: `payments/${uuid}` })),
    ...rows.transfers.map(({ uuid, account, mode }) => ({ uuid, account, mode, path: `transfers/${uuid}` })),
    ...rows.batches.map(({ uuid, account, mode }) => ({
      uuid,
      account,
      mode,
      path: `transfers/batches/${uuid}`,
    })),
    ...rows.disputes.map(({ uuid, account, mode }) => ({ uuid, account, mode, path: `meds/${uuid}` })),
    ...rows.refunds.map(({ uuid, charge }) => {
      const { account, mode } = charges.get(charge)!
      return { uuid, account, mode, path: `payments/${charge}/refunds/${uuid}` }
    }),
  ]
  const readAs = async (mode: Mode, { account, path }: (typeof wanted)[number]) => {
    const token = tokens.get(`${account} ${mode}`)
    if (token === undefined) return undefined
    const answer = await getUntilAnswered(api, { path: `/api/v1/${path}`, token })
    return answer?.status === 200 ? answer.body.data : undefined
  }
  const shown = await runInBatches(wanted, async one => ({
    uuid: one.uuid,
    data: await readAs(one.mode, one),
    isReadableInOther: (await readAs(one.mode === 'test' ? 'live' : 'test', one)) !== undefined,
  }))
  return {
    resources: new Map(shown.map(({ uuid, data }) => [uuid, data])),
    readableInOtherMode: shown.flatMap(({ uuid, isReadableInOther }) => (isReadableInOther ? uuid : [])),
  }
}
