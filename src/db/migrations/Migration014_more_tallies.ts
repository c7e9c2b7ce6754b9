import { Migration } from '@mikro-orm/migrations'

/** The ledger, events and deliveries say how many there are as charges and transfers do: a million cost what one does. */
export class Migration014_more_tallies extends Migration {
  override up() {
    this.addSql(NOUNS)
    this.addSql(POSTINGS)
    this.addSql(EVENTS)
    this.addSql(DELIVERIES)
    this.addSql(BACKFILL)
    this.addSql(PAGES)
  }
}

const NOUNS = `
alter table tally drop constraint tally_noun_check;
alter table tally add constraint tally_noun_check check (noun in ('charge', 'transfer', 'posting', 'event', 'delivery'));
comment on column tally.connection_uuid is
  'Of a posting its provider account, of a delivery its webhook; nothing but zeros for an event that no connection carried.';
comment on column tally.state is 'Of a posting its bucket, of an event its type.';`

/** One row of a tally for each kind of row that a statement has written or deleted. */
const INSERT_DELTA = `insert into tally_delta (noun, account_uuid, connection_uuid, day, state, count)`

const POSTINGS = `
create function tally_postings() returns trigger language plpgsql as $$
begin
  ${INSERT_DELTA}
  select 'posting', account_uuid, provider_account_uuid, (created_at at time zone 'UTC')::date as day, bucket, count(*)
  from written where bucket = 'available' group by account_uuid, provider_account_uuid, day, bucket;
  return null;
end $$;
create trigger posting_tallied after insert on posting referencing new table as written
  for each statement execute function tally_postings();`

const NO_CONNECTION_UUID = `'00000000-0000-0000-0000-000000000000'::uuid`

const EVENTS = `
create function tally_events() returns trigger language plpgsql as $$
begin
  ${INSERT_DELTA}
  select 'event', account_uuid, coalesce(connection_uuid, ${NO_CONNECTION_UUID}) as through, (created_at at time zone 'UTC')::date as day,
    type, tg_argv[0]::int * count(*)
  from changed group by account_uuid, through, day, type;
  return null;
end $$;
create trigger event_born after insert on event referencing new table as changed
  for each statement execute function tally_events('1');
create trigger event_forgotten after delete on event referencing old table as changed
  for each statement execute function tally_events('-1');`

const DELIVERIES = `
create function tally_deliveries() returns trigger language plpgsql as $$
begin
  ${INSERT_DELTA}
  select 'delivery', w.account_uuid, w.uuid, (c.created_at at time zone 'UTC')::date as day, c.status,
    tg_argv[0]::int * count(*)
  from changed c join webhook w on w.uuid = c.webhook_uuid group by w.uuid, day, c.status;
  return null;
end $$;
create trigger delivery_born after insert on delivery referencing new table as changed
  for each statement execute function tally_deliveries('1');
create trigger delivery_forgotten after delete on delivery referencing old table as changed
  for each statement execute function tally_deliveries('-1');

create function tally_delivery_move() returns trigger language plpgsql as $$
begin
  ${INSERT_DELTA}
  select 'delivery', w.account_uuid, w.uuid, (new.created_at at time zone 'UTC')::date, its.status, its.count
  from webhook w cross join (values (old.status, -1), (new.status, 1)) as its (status, count)
  where w.uuid = new.webhook_uuid;
  return null;
end $$;
create trigger delivery_moved after update of status on delivery for each row
  when (old.status is distinct from new.status) execute function tally_delivery_move();`

const BACKFILL = `
with rows (noun, account_uuid, through, day, state) as (
  select 'posting', account_uuid, provider_account_uuid, (created_at at time zone 'UTC')::date, bucket
  from posting where bucket = 'available'
  union all
  select 'event', account_uuid, coalesce(connection_uuid, ${NO_CONNECTION_UUID}), (created_at at time zone 'UTC')::date, type from event
  union all
  select 'delivery', w.account_uuid, w.uuid, (d.created_at at time zone 'UTC')::date, d.status
  from delivery d join webhook w on w.uuid = d.webhook_uuid
)
insert into tally (noun, account_uuid, connection_uuid, day, state, count)
select noun, account_uuid, through, kept, state, count(*)
from rows cross join lateral (values (day), ('infinity'::date)) as its (kept)
group by noun, account_uuid, through, kept, state;`

const PAGES = `
-- What failed at a provider that carries little is found without reading all that it carried.
create index charge_of_provider_and_state on charge (account_uuid, connection_uuid, state, created_at desc, uuid desc);`
