import type { SchemaPart } from './schema-part.ts'

/** The connection of an event that no connection carried. */
const NO_CONNECTION_UUID = `'00000000-0000-0000-0000-000000000000'::uuid`

/** Builds the triggers that count the rows of a table by day, connection and state. */
const createRowCounters = (table: string) => `
create trigger ${table}_counted_on_insert after insert on ${table} for each row execute function count_row_change('${table}');
create trigger ${table}_counted_on_update after update of state, connection_uuid, created_at on ${table} for each row
  when ((old.state, old.connection_uuid, old.created_at) is distinct from (new.state, new.connection_uuid, new.created_at))
  execute function count_row_change('${table}');`

/** Builds the triggers that count the rows that a statement inserts or deletes; `rows` selects them from `changed`. */
const createStatementCounters = (table: string, rows: string) => `
create function count_${table}_changes() returns trigger language plpgsql as $$
begin
  insert into list_counter_change
  select '${table}', account_uuid, connection_uuid, (created_at at time zone 'UTC')::date as day, state, tg_argv[0]::int * count(*)
  from (${rows}) counted group by account_uuid, connection_uuid, day, state;
  return null;
end $$;
create trigger ${table}_counted_on_insert after insert on ${table} referencing new table as changed
  for each statement execute function count_${table}_changes('1');
create trigger ${table}_counted_on_delete after delete on ${table} referencing old table as changed
  for each statement execute function count_${table}_changes('-1');`

/**
 * Exact totals of lists without counting rows: each transaction appends its changes, and a sweep folds them into the
 * counters (src/db/repositories/list-counters.ts).
 */
export const listCounters: SchemaPart = {
  tables: `
create table list_counter (
  noun text not null check (noun in ('charge', 'transfer', 'refund', 'recurrence', 'posting', 'event', 'delivery')),
  account_uuid uuid not null,
  -- Of a posting its provider account, of a delivery its webhook; zeros for an event that no connection carried.
  connection_uuid uuid not null,
  -- The UTC day of creation; infinity: the sum over all days.
  day date not null,
  -- Of a posting or an event its type.
  state text not null,
  count bigint not null,
  primary key (noun, account_uuid, day, connection_uuid, state)
);

-- Appended to, so that no two transactions wait for one counter's row.
create table list_counter_change (
  noun text not null,
  account_uuid uuid not null,
  connection_uuid uuid not null,
  day date not null,
  state text not null,
  count int not null,
  -- The state that the counted row had before; its counter falls by count.
  left_state text
);
-- What a total adds to the counters.
create index list_counter_change_of_account on list_counter_change (account_uuid);`,

  rules: `
create function count_row_change() returns trigger language plpgsql as $$
declare
  day date := (new.created_at at time zone 'UTC')::date;
  left_state text;
begin
  if tg_op = 'UPDATE' then
    if (old.connection_uuid, old.created_at) = (new.connection_uuid, new.created_at) then left_state = old.state;
    else
      insert into list_counter_change values
        (tg_argv[0], old.account_uuid, old.connection_uuid, (old.created_at at time zone 'UTC')::date, old.state, -1);
    end if;
  end if;
  insert into list_counter_change values (tg_argv[0], new.account_uuid, new.connection_uuid, day, new.state, 1, left_state);
  return null;
end $$;
${createRowCounters('charge')}
${createRowCounters('transfer')}
${createRowCounters('refund')}
${createRowCounters('recurrence')}

${createStatementCounters(
  'posting', // The lines of account statements.
  `select account_uuid, provider_account_uuid as connection_uuid, created_at, type as state from changed where bucket = 'available'`,
)}
${createStatementCounters(
  'event',
  `select account_uuid, coalesce(connection_uuid, ${NO_CONNECTION_UUID}) as connection_uuid, created_at, type as state from changed`,
)}
${createStatementCounters(
  'delivery',
  `select w.account_uuid, w.uuid as connection_uuid, c.created_at, c.status as state
   from changed c join webhook w on w.uuid = c.webhook_uuid`,
)}

create function count_delivery_status_change() returns trigger language plpgsql as $$
begin
  insert into list_counter_change
  select 'delivery', account_uuid, uuid, (new.created_at at time zone 'UTC')::date, new.status, 1, old.status
  from webhook where uuid = new.webhook_uuid;
  return null;
end $$;
create trigger delivery_counted_on_update after update of status on delivery for each row
  when (old.status is distinct from new.status) execute function count_delivery_status_change();`,
}
