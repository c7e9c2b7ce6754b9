import type { SchemaPart } from './schema-part.ts'

/** Limits of what an account sends, and what counts against them. */
export const limits: SchemaPart = {
  tables: `
create table account_limits (
  account_uuid uuid primary key references account,
  -- As src/domain/limits/account-limits.ts has them, in centavos.
  limits jsonb not null,
  -- In force from then on by the clock: nothing has to move them.
  pending jsonb,
  pending_from timestamptz,
  version int not null default 1,
  updated_at timestamptz not null default now(),
  constraint account_limits_pending check ((pending is null) = (pending_from is null))
);

-- What was let through in one window. Locked after the account's limits, in the order of the key.
create table limit_usage (
  account_uuid uuid not null references account,
  is_simulated boolean not null,
  name text not null check (name in ('day', 'night', 'new_receiver', 'receiver_day')),
  -- Day of Brasília on which the window begins; of a night the day of the noon before it; of a new receiver the first day of the calendar.
  starts_on date not null,
  -- Of the receiver's PIX key or account; empty where it counts all receivers.
  receiver_hash text not null,
  used_cents bigint not null default 0 check (used_cents >= 0),
  -- Left without having been let through: a transfer that settled after it had failed. It takes room, and asks for none.
  late_cents bigint not null default 0 check (late_cents >= 0),
  primary key (account_uuid, is_simulated, name, starts_on, receiver_hash),
  constraint limit_usage_receiver check ((receiver_hash = '') = (name in ('day', 'night')))
);
-- What is old, to delete it.
create index limit_usage_by_age on limit_usage (starts_on) where name <> 'new_receiver';`,

  rules: `
create function limits_in_force(account uuid) returns jsonb stable language sql as $$
  select case when pending_from <= clock_timestamp() then pending else limits end
  from account_limits where account_uuid = account
$$;

-- No more is let through than the limit in force allows at the time. What was let through before it was lowered stays.
create function check_limit_usage() returns trigger language plpgsql as $$
declare
  in_force jsonb := limits_in_force(new.account_uuid);
  limit_cents bigint := case new.name
    when 'day' then in_force ->> 'perDayCents'
    when 'night' then in_force ->> 'perNightCents'
    when 'receiver_day' then in_force ->> 'perReceiverPerDayCents'
    else in_force -> 'newReceiver' ->> 'valueCents' end;
begin
  if new.used_cents + new.late_cents <= limit_cents or limit_cents is null then return new; end if;
  raise exception 'a % of account % would exceed its limit', new.name, new.account_uuid
    using errcode = 'check_violation', constraint = 'limit_usage_within_limit', table = tg_table_name;
end $$;
create trigger limit_usage_within_limit before update of used_cents on limit_usage for each row
  when (new.used_cents > old.used_cents) execute function check_limit_usage();

-- A counted transfer is within the limit of one transfer, and goes to an allowed receiver.
create function check_transfer_limit() returns trigger language plpgsql as $$
declare
  in_force jsonb := limits_in_force(new.account_uuid);
begin
  if new.value_cents > (in_force ->> 'perTransferCents')::bigint
    or (in_force ->> 'allowedReceiversOnly')::boolean and not exists (
      select from jsonb_array_elements(in_force -> 'trustedReceivers') receiver
      where receiver ->> 'pixKey' = new.pix_key or receiver ->> 'document' in (new.pix_key, new.document))
  then
    raise exception 'transfer % would exceed a limit of its account', new.uuid
      using errcode = 'check_violation', constraint = 'transfer_within_limit', table = tg_table_name;
  end if;
  return new;
end $$;
create trigger transfer_within_limit_at_once before insert on transfer for each row
  when (new.limit_windows is not null) execute function check_transfer_limit();
create trigger transfer_within_limit before update of limit_windows on transfer for each row
  when (old.limit_windows is null and new.limit_windows is not null) execute function check_transfer_limit();`,
}
