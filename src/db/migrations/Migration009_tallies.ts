import { Migration } from '@mikro-orm/migrations'

/** Lists say exactly how many there are, without counting them: what changes is appended, and folded now and then. */
export class Migration009_tallies extends Migration {
  override up() {
    this.addSql(TALLIES)
  }
}

const TALLIES = `
create table tally (
  noun text not null check (noun in ('charge', 'transfer')),
  account_uuid uuid not null,
  connection_uuid uuid not null,
  -- The UTC day on which it was created.
  day date not null,
  state text not null,
  count bigint not null,
  primary key (noun, account_uuid, day, connection_uuid, state)
);

-- Appended in the transaction of each change, so that no two of them ever wait for one counter's row.
create table tally_delta (
  id bigint generated always as identity primary key,
  noun text not null,
  account_uuid uuid not null,
  connection_uuid uuid not null,
  day date not null,
  state text not null,
  count int not null
);
create index on tally_delta (noun, account_uuid) include (connection_uuid, day, state, count);

create function tally_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into tally_delta (noun, account_uuid, connection_uuid, day, state, count) values
      (tg_argv[0], old.account_uuid, old.connection_uuid, (old.created_at at time zone 'UTC')::date, old.state, -1);
  end if;
  insert into tally_delta (noun, account_uuid, connection_uuid, day, state, count) values
    (tg_argv[0], new.account_uuid, new.connection_uuid, (new.created_at at time zone 'UTC')::date, new.state, 1);
  return null;
end $$;

create trigger charge_born after insert on charge for each row execute function tally_change('charge');
create trigger charge_moved after update of state, connection_uuid, created_at on charge for each row
  when ((old.state, old.connection_uuid, old.created_at) is distinct from (new.state, new.connection_uuid, new.created_at))
  execute function tally_change('charge');
create trigger transfer_born after insert on transfer for each row execute function tally_change('transfer');
create trigger transfer_moved after update of state, connection_uuid, created_at on transfer for each row
  when ((old.state, old.connection_uuid, old.created_at) is distinct from (new.state, new.connection_uuid, new.created_at))
  execute function tally_change('transfer');

-- What is there already.
insert into tally (noun, account_uuid, connection_uuid, day, state, count)
select 'charge', account_uuid, connection_uuid, (created_at at time zone 'UTC')::date as day, state, count(*)
from charge group by account_uuid, connection_uuid, day, state;
insert into tally (noun, account_uuid, connection_uuid, day, state, count)
select 'transfer', account_uuid, connection_uuid, (created_at at time zone 'UTC')::date as day, state, count(*)
from transfer group by account_uuid, connection_uuid, day, state;`
