import type { createFullAccount } from './full-account.ts'

type FullAccount = Awaited<ReturnType<typeof createFullAccount>>

/** More rows than a page of a list has. */
const ROWS = 60

/** Copies the operations of a full account, so that its lists and those of operators are full. */
export async function multiplyRows(of: FullAccount): Promise<void> {
  const { sql } = of
  /** Copies a row; `changes` are SQL of the columns that may not be equal. */
  const copy = async (table: string, uuid: string, changes: Record<string, string> = {}) => {
    const values: Record<string, string> = { uuid: 'gen_random_uuid()', ...changes }
    // A generated column takes no value.
    const columns = await sql(
      "select column_name as name from information_schema.columns where table_name = ? and is_generated = 'NEVER'",
      [table],
    )
    const names = columns.map(({ name }) => String(name))
    return sql(
      `insert into ${table} (${names.join(', ')}) select ${names.map(name => values[name] ?? `one.${name}`).join(', ')}
       from ${table} one, generate_series(1, ${ROWS}) n where one.uuid = ?`,
      [uuid],
    )
  }
  // The copies of a payment are not posted.
  await sql('alter table movement disable trigger movement_booked')
  await copy('charge', of.open)
  await copy('transfer', of.waiting)
  await copy('recurrence', of.recurrence, { rail_id: 'gen_random_uuid()' })
  await copy('movement', of.unmatched, { end_to_end: `'E' || n` })
  await copy('dispute', of.dispute, { provider_dispute_id: 'gen_random_uuid()' })
  await copy('event', of.event, { sequence: '1 + n' })
  await sql(`update webhook set events = '{PAYMENT,TRANSFER,REFUND,MED,PIX_TRANSACTION}' where uuid = ?`, [
    of.webhook,
  ])
  await sql(
    `with made as (
       insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, attempt_count, created_at, updated_at)
       select gen_random_uuid(), ?, uuid, type, 'FAILED', 8, created_at, created_at from event
       where account_uuid = ? and uuid <> ? returning uuid
     )
     insert into delivery_attempt (delivery_uuid, number, status_code, duration_ms, answer, at)
     select uuid, n, 500, 12, '{"error":"Internal Server Error"}', now() from made, generate_series(1, 8) n`,
    [of.webhook, of.account, of.event],
  )
  await sql(
    `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
     select movement_uuid, account_uuid, provider_account_uuid, 'HOLD', bucket, cents, balance_cents
     from posting, generate_series(1, ${ROWS}) where account_uuid = ? and type = 'EXTERNAL_TRANSFER'`,
    [of.account],
  )
  await copy('transfer', of.unknown)
  await sql(
    `insert into attempt select (jsonb_populate_record(one, jsonb_build_object('uuid', gen_random_uuid(), 'subject_uuid', t.uuid,
       'reference', left(t.uuid::text, 30)))).*
     from attempt one, transfer t where one.uuid = ? and t.state = 'sending' and t.uuid <> one.subject_uuid`,
    [of.unknownAttempt],
  )
  await sql(
    `insert into operator_action (uuid, actor, action, subject, reason)
     select gen_random_uuid(), 'operator@example.com', 'return_unmatched', 'return/' || gen_random_uuid(), repeat('reason ', 10)
     from generate_series(1, 200)`,
  )
}
