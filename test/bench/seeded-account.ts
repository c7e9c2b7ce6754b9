import { randomUUID } from 'node:crypto'
import { createAccount } from '../../src/admin/accounts.ts'
import { createConnection } from '../../src/admin/connections.ts'
import { createToken } from '../../src/admin/tokens.ts'
import { CHARGE_EXAMPLE } from '../../src/contract/charges/charge-example.ts'
import { migrate } from '../../src/db/client/migrate.ts'
import { type Orm, openOrm } from '../../src/db/client/orm.ts'
import { replaceDefaultConnections } from '../../src/db/repositories/connections.ts'
import { foldListCounters } from '../../src/db/repositories/list-counters.ts'
import { PROVIDER_NAMES } from '../../src/domain/providers/provider.ts'
import type { Sealer } from '../../src/security/sealing.ts'

/**
 * A merchant with a year of data: charges, transfers, refunds, disputes, the ledger, events and deliveries, written in
 * SQL. The newest rows are written with every constraint and trigger on but one (outgoing money is not posted here),
 * the older ones without triggers and before the indexes exist: a million rows take minutes, not an hour.
 */
export type SeededAccount = {
  databaseUrl: string
  token: string
  accountUuid: string
  connections: string[]
  webhook: string
  /** A batch of transfers. */
  batch: string
  /** Charges that carry a refund, whose refunds are a list of their own. */
  refunded: string
  charges: number
  /** How long a thousand charges take to be written, in milliseconds. */
  perThousandMs: number
}

const ROWS_PER_STATEMENT = 100_000
/** The newest charges, and all that belongs to them. */
const NEWEST_ROWS = 10_000

export async function seedAccount(
  server: { databaseUrl: string; sealer: Sealer },
  { name, charges }: { name: string; charges: number },
): Promise<SeededAccount> {
  const databaseUrl = await createDatabase(server.databaseUrl, name)
  // No statement of a request is as long as these.
  const orm = await openOrm({ databaseUrl, poolSize: 1, statementMs: null })
  try {
    const merchant = await createSeedMerchant(orm, server.sealer)
    await orm.em.fork().execute('alter table movement disable trigger movement_booked')
    const write = (rows: string, slice: Pick<Slice, 'from' | 'upTo'>) =>
      runSlice(orm, rows, { merchant, charges, ...slice })
    const newest = { from: 0, upTo: Math.min(NEWEST_ROWS, charges) }
    await writeOlderRows(orm, async () => {
      for (const rows of [CHARGES, ...ROWS_OF_CHARGES])
        for (const slice of olderSlicesOf(charges)) await write(rows, slice)
    })
    const began = performance.now()
    await write(CHARGES, newest)
    const perThousandMs = (performance.now() - began) / (newest.upTo / 1_000)
    for (const rows of ROWS_OF_CHARGES) await write(rows, newest)
    while ((await foldListCounters(orm)) > 0);
    await orm.em.fork().execute('vacuum (analyze)')
    const [one] = await orm.em.fork().execute(`select charge_uuid from refund order by uuid limit 1`)
    const [batch] = await orm.em.fork().execute(`select uuid from transfer_batch order by created_at limit 1`)
    return {
      databaseUrl,
      charges,
      perThousandMs,
      token: merchant.token,
      accountUuid: merchant.accountUuid,
      webhook: merchant.webhook,
      connections: merchant.connections,
      batch: batch?.uuid ?? randomUUID(),
      refunded: one?.charge_uuid ?? randomUUID(),
    }
  } finally {
    await orm.close()
  }
}

async function createDatabase(url: string, name: string): Promise<string> {
  const server = await openOrm({ databaseUrl: url, poolSize: 1 })
  try {
    await server.em.fork().execute(`create database ${name}`)
  } finally {
    await server.close()
  }
  const own = new URL(url)
  own.pathname = `/${name}`
  await migrate(own.href)
  return own.href
}

type SeedMerchant = { accountUuid: string; token: string; connections: string[]; webhook: string }

async function createSeedMerchant(orm: Orm, sealer: Sealer): Promise<SeedMerchant> {
  const em = orm.em.fork()
  const { uuid: accountUuid } = await createAccount(em, {
    name: 'Padaria Trilho',
    document: '11222333000181',
  })
  const connections: string[] = []
  for (const provider of PROVIDER_NAMES) {
    const connection = await createConnection(em, sealer, {
      accountUuid,
      provider,
      providerAccount: `bench-${provider}`,
      dialect: 'efi',
      type: 'NOMINAL',
      isSimulated: true,
      baseUrl: 'https://127.0.0.1',
      credentials: {},
      collectionKey: randomUUID(),
    })
    connections.push(connection.uuid)
  }
  await replaceDefaultConnections(em, { accountUuid }, connections)
  const webhook = randomUUID()
  await em.execute(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, 'https://127.0.0.1/', 'sealed', '…', '{PAYMENT,PIX_TRANSACTION,TRANSFER,REFUND}', 'f', now())`,
    [webhook, accountUuid],
  )
  const token = await createToken(em, { accountUuid, name: 'bench', mode: 'test' })
  return { accountUuid, token, connections, webhook }
}

/** Writes rows without triggers and secondary indexes, then builds the indexes and counts the rows. */
async function writeOlderRows(orm: Orm, write: () => Promise<void>): Promise<void> {
  const em = orm.em.fork()
  const indexes = await em.execute<{ name: string; definition: string }[]>(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any (array['${FILLED_TABLES.join("','")}']::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  )
  await em.execute(`drop index ${indexes.map(({ name }) => name).join(', ')}`)
  // The pool has one connection, whose setting this is.
  await em.execute(`set session_replication_role = replica`)
  await write()
  await em.execute(SEARCH_ENTRIES)
  await em.execute(`set session_replication_role = origin`)
  for (const { definition } of indexes) await em.execute(definition)
  await em.execute(COUNTERS)
  await em.execute('analyze')
}

/** Slices of all but the newest rows, the oldest first: lines of the ledger are numbered in their order. */
function olderSlicesOf(charges: number): Pick<Slice, 'from' | 'upTo'>[] {
  const slices: Pick<Slice, 'from' | 'upTo'>[] = []
  for (let upTo = charges; upTo > NEWEST_ROWS; upTo -= ROWS_PER_STATEMENT)
    slices.push({ from: Math.max(NEWEST_ROWS, upTo - ROWS_PER_STATEMENT), upTo })
  return slices
}

type Slice = { merchant: SeedMerchant; charges: number; from: number; upTo: number }

/** `:account`, `:from` … are placeholders, because each statement uses them several times. */
async function runSlice(
  orm: Orm,
  statement: string,
  { merchant, charges, from, upTo }: Slice,
): Promise<void> {
  const given: Record<string, string> = {
    account: `'${merchant.accountUuid}'::uuid`,
    webhook: `'${merchant.webhook}'::uuid`,
    from: String(from),
    upto: String(upTo - 1),
    charges: String(charges),
  }
  const sql = statement.replace(/:(account|webhook|from|upto|charges)\b/g, (_, name) => given[name]!)
  await orm.em.fork().execute(sql, [], 'run')
}

/** The same number everywhere, without a sequence: the row's place in the year decides its values. */
const uuidSql = (noun: string, n = 'n') => `md5('${noun}' || ${n})::uuid`
const AT = `(now() - interval '365 days' * (n::float8 / :charges))`
/** Most are paid at once, one of ten later on that day, and one of twenty weeks later. */
const DELAY = `case (n / 100) % 20 when 0 then interval '20 days' when 1 then interval '5 hours'
  when 2 then interval '15 hours' else interval '5 minutes' end`
const SERIES = `generate_series(:from, :upto) as n`
const CONNECTION = `join (
  select uuid, provider_account_uuid, row_number() over (order by provider) - 1 as place
  from connection where account_uuid = :account
) c on c.place = case when n % 10 < 6 then 0 when n % 10 < 9 then 1 when n % 100 < 99 then 2 else 3 end`
const PARTY = `'{"name":"Maria da Silva","document":"52998224725","account_number":"1234567","account_agency":"0001",
  "bank":{"code":"","name":"Banco A","ispb":"09089356"},"account_type":"PAYMENT"}'::jsonb`
const PAYLOAD = `'00020101021226790014br.gov.bcb.pix2557pix.example.com/qr/v2/' || replace(uuid::text, '-', '') ||
  '520400005303986540510.005802BR5913Maria da Silva6009SAO PAULO62070503***63041A10'`
/** From a real to a hundred thousand, most of them small. */
const VALUE = `(100 * exp(11.5 * ((n * 7919::bigint) % 100000) / 100000.0))::bigint`
const STATE = `case
  when n % 20000 = 3 then 'paying' when n % 50000 = 5 then 'issuing'
  when n % 100 < 63 then 'paid' when n % 100 < 85 then 'expired' when n % 100 < 91 then 'pending'
  when n % 100 < 94 then 'refunded' when n % 100 < 96 then 'partially_refunded' when n % 100 < 98 then 'failed'
  else 'cancelled' end`
const IS_PAID = `state in ('paid', 'refunded', 'partially_refunded')`
const PAID_HISTORY = `'[{"status":"PENDING","created_at":"2026-01-01T00:00:00.000000Z"},
  {"status":"PROCESSING","created_at":"2026-01-01T00:00:00.000000Z"},
  {"status":"PAID","created_at":"2026-01-01T00:00:00.000000Z"}]'::jsonb`

const CHARGES = `
with made as (
  select n, ${uuidSql('charge')} as uuid, c.uuid as connection_uuid, c.provider_account_uuid, ${STATE} as state,
    ${VALUE} as cents, ${AT} as at, 'E' || lpad(n::text, 31, '0') as end_to_end
  from ${SERIES} ${CONNECTION}
), moved as (
  insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
    status, end_to_end, txid, pix_key, sender, receiver, charge_uuid, settled_at, created_at, updated_at)
  select ${uuidSql('incoming')}, :account, provider_account_uuid, connection_uuid, 'EXTERNAL_TRANSFER', 'IN', cents,
    'SETTLED', end_to_end, replace(uuid::text, '-', ''), 'key', ${PARTY}, ${PARTY}, uuid, at, at, at
  from made where ${IS_PAID}
)
insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
  external_ref, payment_uuid, payload, txid, pix_key, receiver, expires_in_seconds, expires_at, movement_uuid,
  end_to_end, paid_at, received_cents, refunded_cents, history, sequence, request_id, fingerprint, created_at, updated_at)
select uuid, :account, connection_uuid, provider_account_uuid, state, cents, cents, 'pedido-' || n, ${uuidSql('payment')},
  ${PAYLOAD}, replace(uuid::text, '-', ''),
  case when not (${IS_PAID}) then 'key' end, case when not (${IS_PAID}) then ${PARTY} end, 86400, at + interval '1 day',
  case when ${IS_PAID} then ${uuidSql('incoming')} end, case when ${IS_PAID} then end_to_end end,
  case when ${IS_PAID} then least(at + ${DELAY}, now()) end, case when ${IS_PAID} then cents else 0 end,
  case state when 'refunded' then cents when 'partially_refunded' then 1 else 0 end,
  ${PAID_HISTORY}, 3, 'bench', 'f', at, at
from made`

/** Every fourth 5,000 transfers are one batch. */
const IS_ITEM = '(n / 5000) % 4 = 0'
const BATCH = uuidSql('batch', 'n / 5000')

const TRANSFERS = `
with made as (
  select n, ${uuidSql('transfer')} as uuid, c.uuid as connection_uuid, c.provider_account_uuid, ${AT} as at,
    ${VALUE} as cents, 'S' || lpad(n::text, 31, '0') as end_to_end,
    case when n % 20000 = 3 then 'sending' when n % 20000 = 7 then 'settling' when n % 50 = 1 then 'failed'
      when n % 100 = 2 then 'refunded' else 'paid' end as state
  from ${SERIES} ${CONNECTION}
), moved as (
  insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
    status, end_to_end, pix_key, sender, receiver, transfer_uuid, settled_at, created_at, updated_at)
  select ${uuidSql('outgoing')}, :account, provider_account_uuid, connection_uuid, 'EXTERNAL_TRANSFER', 'OUT', cents,
    'SETTLED', end_to_end, 'key', ${PARTY}, ${PARTY}, uuid, at, at, at
  from made where state in ('paid', 'refunded')
), tried as (
  insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
    created_at, updated_at)
  select ${uuidSql('attempt')}, 'transfer', uuid, connection_uuid, provider_account_uuid, 1,
    case state when 'failed' then 'rejected' when 'sending' then 'calling' when 'settling' then 'accepted' else 'settled' end,
    at, at
  from made
)
insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, returned_cents, pix_key,
  external_ref, batch_uuid, sender, receiver, movement_uuid, end_to_end, settled_at, history, sequence, request_id, fingerprint,
  created_at, updated_at)
select uuid, :account, connection_uuid, provider_account_uuid, state, cents, case state when 'refunded' then cents else 0 end,
  'pagador-' || n % 5000 || '@example.com', 'saida-' || n, case when ${IS_ITEM} then ${BATCH} end, ${PARTY}, ${PARTY},
  case when state in ('paid', 'refunded') then ${uuidSql('outgoing')} end,
  case when state in ('paid', 'refunded') then end_to_end end,
  case when state in ('paid', 'refunded') then least(at + ${DELAY}, now()) end,
  ${PAID_HISTORY}, 1, 'bench', 'f', at, at
from made`

const BATCHES = `
with made as (
  select n, ${BATCH} as batch_uuid, t.uuid, t.value_cents, t.created_at as at
  from ${SERIES} join transfer t on t.uuid = ${uuidSql('transfer')} where ${IS_ITEM}
), batches as (
  insert into transfer_batch (uuid, account_uuid, is_simulated, candidates, state, mode, on_short_balance, item_count,
    value_cents, request_id, fingerprint, created_at, updated_at)
  select batch_uuid, :account, true, array(select uuid from connection where account_uuid = :account), 'completed', 'EACH', 'WAIT',
    count(*), sum(value_cents), 'bench', 'f', min(at), max(at)
  from made group by batch_uuid on conflict do nothing
)
insert into transfer_batch_item (batch_uuid, line, transfer_uuid, state, value_cents, external_ref, details)
select batch_uuid, n % 5000 + 1, uuid, 'started', value_cents, 'item-' || n, '{}' from made`

/** Two legs of each received PIX and of each refund; the balances are the sum of them, as if they had been posted one by one. */
const POSTINGS = `
with legs as (
  select m.uuid, m.provider_account_uuid, m.type, bucket,
    case m.movement_type when 'IN' then sign else -sign end * m.value_cents as cents, m.created_at
  from ${SERIES} join movement m on m.uuid in (${uuidSql('incoming')}, ${uuidSql('returned')})
  cross join (values ('outside', -1), ('available', 1)) as leg (bucket, sign)
), posted as (
  update balance b set cents = b.cents + s.cents
  from (select provider_account_uuid, bucket, sum(cents) as cents from legs group by provider_account_uuid, bucket) s
  where b.account_uuid = :account and b.provider_account_uuid = s.provider_account_uuid and b.bucket = s.bucket
)
insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, operation, cents, balance_cents,
  created_at)
select uuid, :account, provider_account_uuid, type, bucket, case type when 'EXTERNAL_REFUND' then 'R' else 'C' end, cents,
  cents, created_at from legs order by created_at`

const REFUNDS = `
with made as (
  select n, ${uuidSql('refund')} as uuid, ${uuidSql('returned')} as movement_uuid, c.uuid as charge_uuid, c.connection_uuid,
    c.provider_account_uuid, c.refunded_cents as cents, c.created_at as at
  from ${SERIES} join charge c on c.uuid = ${uuidSql('charge')} where c.refunded_cents > 0
), moved as (
  insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
    status, end_to_end, sender, receiver, charge_uuid, refund_uuid, settled_at, created_at, updated_at)
  select movement_uuid, :account, provider_account_uuid, connection_uuid, 'EXTERNAL_REFUND', 'OUT', cents, 'SETTLED',
    'D' || lpad(n::text, 31, '0'), ${PARTY}, ${PARTY}, charge_uuid, uuid, at, at, at
  from made
)
insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
  movement_uuid, request_id, fingerprint, created_at, updated_at)
select uuid, charge_uuid, :account, connection_uuid, provider_account_uuid, 'settled', cents, movement_uuid, 'bench', 'f',
  at, at
from made`

/** One of a hundred charges is disputed, far more than in reality. */
const DISPUTES = `
insert into dispute (uuid, account_uuid, connection_uuid, provider_account_uuid, provider_dispute_id, kind, dispute_type, state,
  end_to_end, movement_uuid, charge_uuid, value_cents, opened_at, due_at, request_id, created_at, updated_at)
select ${uuidSql('med')}, :account, m.connection_uuid, m.provider_account_uuid, 'med-' || n, 'RECEIVED_MED',
  case when n % 3 = 0 then 'SCAM' when n % 3 = 1 then 'WRONG_TRANSACTION' else 'COERCION_CRIME' end,
  case when n % 20000 = 0 then 'open' when n % 20000 = 100 then 'analysing' when n % 300 = 0 then 'resolved'
    when n % 500 = 0 then 'cancelled' else 'rejected' end,
  m.end_to_end, m.uuid, m.charge_uuid, m.value_cents, m.created_at, m.created_at + interval '7 days', 'bench', m.created_at,
  m.created_at
from ${SERIES} join movement m on m.uuid = ${uuidSql('incoming')} where n % 100 = 0`

const EVENT_BODY = `'${JSON.stringify(CHARGE_EXAMPLE)}'::json`

/** They are kept for thirty days, so all of them are in that period. */
const EVENTS = `
insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
select ${uuidSql('event')}, :account, c.connection_uuid,
  case when n % 2000 = 0 then 'MED' when n % 3 = 0 then 'PIX_TRANSACTION' else 'PAYMENT' end, c.uuid, 1,
  ${EVENT_BODY}, c.uuid, 'bench',
  now() - interval '29 days' * (n::float8 / :charges)
from ${SERIES} join charge c on c.uuid = ${uuidSql('charge')}`

const DELIVERIES = `
with made as (
  select n, e.uuid as event_uuid, e.type as event_type, e.created_at as at,
    case when n % 20000 = 9 then 'PENDING' when n % 500 = 1 then 'FAILED' else 'DELIVERED' end as status
  from ${SERIES} join event e on e.uuid = ${uuidSql('event')}
), sent as (
  insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, attempt_count, sweep_at, created_at, updated_at)
  select ${uuidSql('delivery')}, :webhook, event_uuid, event_type, status, 1, null, at, at from made
  returning uuid
)
insert into delivery_attempt (delivery_uuid, number, status_code, duration_ms, at)
select ${uuidSql('delivery')}, 1, 200, 12, at from made`

/** What belongs to charges, in the order in which it is written. */
const ROWS_OF_CHARGES = [TRANSFERS, BATCHES, REFUNDS, POSTINGS, DISPUTES, EVENTS, DELIVERIES]
const FILLED_TABLES = [
  ...['charge', 'movement', 'transfer', 'attempt', 'posting', 'refund', 'dispute', 'event', 'delivery'],
  ...['delivery_attempt', 'transfer_batch', 'transfer_batch_item', 'search_entry'],
]

/** What the triggers would have written for the search. */
const SEARCH_ENTRIES = `
insert into search_entry (uuid, noun, account_uuid, connection_uuid, created_at, words)
select uuid, noun, account_uuid, connection_uuid, created_at, words from search_source on conflict do nothing`

/** What the triggers would have counted. */
const COUNTERS = `
insert into list_counter_change (noun, account_uuid, connection_uuid, day, state, count)
select noun, account_uuid, connection_uuid, (created_at at time zone 'UTC')::date as day, state, count(*)
from (
  select 'charge' as noun, account_uuid, connection_uuid, created_at, state from charge
  union all select 'transfer', account_uuid, connection_uuid, created_at, state from transfer
  union all select 'refund', account_uuid, connection_uuid, created_at, state from refund
  union all select 'posting', account_uuid, provider_account_uuid, created_at, type from posting where bucket = 'available'
  union all select 'event', account_uuid, connection_uuid, created_at, type from event
  union all select 'delivery', w.account_uuid, w.uuid, d.created_at, d.status
    from delivery d join webhook w on w.uuid = d.webhook_uuid
) counted
group by noun, account_uuid, connection_uuid, day, state`
