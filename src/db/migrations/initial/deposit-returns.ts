import type { SchemaPart } from './schema-part.ts'

/** Orders of accounts to return a received PIX that pays no charge; the disposition of the PIX says how far it is. */
export const depositReturns: SchemaPart = {
  tables: `
create table deposit_return (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint deposit_return_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  movement_uuid uuid not null references movement,
  -- When its money was held; null: refused, nothing moved.
  held_at timestamptz,
  failure jsonb,
  accept_before timestamptz,
  -- The token whose request created it, or the user of the dashboard.
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- What holds no money was refused.
  constraint deposit_return_held check (held_at is not null or failure is not null)
);
-- A deposit is returned at most once: one order of it is carried out, or has been (SPEC §2).
create unique index deposit_return_once on deposit_return (movement_uuid) where failure is null;
create index deposit_return_of_movement on deposit_return (movement_uuid, created_at);`,

  rules: `
-- An order holds a deposit of its own account, at its own provider account, of which nothing was returned and that pays no charge.
create function check_deposit_return() returns trigger language plpgsql as $$
begin
  if not exists (select from movement m
    where m.uuid = new.movement_uuid and m.account_uuid = new.account_uuid
      and m.provider_account_uuid = new.provider_account_uuid and m.connection_uuid = new.connection_uuid
      and m.movement_type = 'IN' and m.type = 'EXTERNAL_TRANSFER' and m.status = 'SETTLED' and m.disposition = 'held'
  ) or exists (select from movement back
    where back.original_uuid = new.movement_uuid and back.type = 'EXTERNAL_REFUND' and back.status <> 'FAILED'
  ) or exists (select from charge c where c.movement_uuid = new.movement_uuid) then
    raise exception 'movement % cannot be returned', new.movement_uuid
      using errcode = 'check_violation', constraint = 'deposit_return_of_deposit';
  end if;
  return new;
end $$;
create trigger deposit_return_of_deposit before insert on deposit_return
  for each row when (new.failure is null) execute function check_deposit_return();

-- What was ordered stays as it was ordered.
create trigger deposit_return_fixed before update on deposit_return for each row
  when (old.movement_uuid <> new.movement_uuid or old.account_uuid <> new.account_uuid
    or old.connection_uuid <> new.connection_uuid or old.held_at is distinct from new.held_at)
  execute function refuse();

-- An order without a failure is on its way or carried out: its deposit is not the account's to spend.
create function check_return_disposition() returns trigger language plpgsql as $$
declare
  deposit_uuid uuid := to_jsonb(new) ->> tg_argv[0];
begin
  if exists (select from deposit_return r join movement m on m.uuid = r.movement_uuid
    where r.movement_uuid = deposit_uuid and r.failure is null
      and coalesce(m.disposition not in ('held', 'returning', 'returned'), true)
  ) then
    raise exception 'the return of movement % has no failure and no money', deposit_uuid
      using errcode = 'check_violation', constraint = 'deposit_return_disposition';
  end if;
  return null;
end $$;
create constraint trigger deposit_return_disposition after insert or update of failure on deposit_return
  deferrable initially deferred for each row when (new.failure is null)
  execute function check_return_disposition('movement_uuid');
create constraint trigger movement_return_disposition after update of disposition on movement
  deferrable initially deferred for each row
  when (old.disposition is distinct from new.disposition and old.disposition is not null)
  execute function check_return_disposition('uuid');`,
}
