import { Migration } from '@mikro-orm/migrations'

/**
 * Money that moves at a provider without us: entries of its statement that are no PIX, PIX of its panel, opening balances
 * and adjustments that two operators agree on. Each rule of the code is a constraint here. Each statement is a transaction
 * of its own, and may be done again.
 */
export class Migration031_provider_movements extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    for (const sql of [
      REASONS,
      VALIDATE_REASONS,
      ENTRY_NAME,
      ENTRY_NAME_INDEX,
      ENTRY_NAME_CHECK,
      VALIDATE_ENTRY_NAME_CHECK,
      OPENING_BALANCE_INDEX,
    ])
      this.addSql(sql)
    for (const sql of [IS_SERVICE, IS_SERVICE_INDEX, CREDITED_SINCE, WAITS]) this.addSql(sql)
    for (const sql of [
      ENTRIES,
      ENTRIES_OPEN,
      ENTRY_IMMUTABLE,
      ADJUSTMENTS,
      ADJUSTMENTS_OPEN,
      ADJUSTMENT_IMMUTABLE,
    ])
      this.addSql(sql)
    for (const sql of [MOVEMENT_HAS_ADJUSTMENT, BALANCE_CHECKS]) this.addSql(sql)
  }
}

const REASONS = `
alter table movement drop constraint if exists movement_reason, drop constraint if exists movement_reasons,
  add constraint movement_reasons check (reason in ('deposit', 'second_payment', 'wrong_amount', 'charge_over', 'orphan',
    'duplicate_settlement', 'late_settlement', 'provider_tariff', 'provider_withdrawal', 'provider_credit', 'provider_block',
    'provider_unblock', 'panel_transfer', 'panel_return', 'opening_balance', 'adjustment')) not valid`
const VALIDATE_REASONS = 'alter table movement validate constraint movement_reasons'

/** What is no PIX is known by the provider's own id of it, or by the proposal of an adjustment. */
const ENTRY_NAME = 'alter table movement add column if not exists entry_name text'
const ENTRY_NAME_INDEX = `
create unique index if not exists movement_entry_once on movement (provider_account_uuid, movement_type, entry_name)
  where entry_name is not null`
const ENTRY_NAME_CHECK = `
alter table movement drop constraint if exists movement_entry,
  add constraint movement_entry check (
    (entry_name is not null) = coalesce(reason in ('provider_tariff', 'provider_withdrawal', 'provider_credit',
      'provider_block', 'provider_unblock', 'adjustment'), false)
    and (reason is distinct from 'panel_transfer' or (end_to_end is not null and status = 'SETTLED'))
  ) not valid`
const VALIDATE_ENTRY_NAME_CHECK = 'alter table movement validate constraint movement_entry'

/** A provider account has one opening balance, whichever of its connections came first. */
const OPENING_BALANCE_INDEX = `
create unique index if not exists movement_opened_once on movement (provider_account_uuid) where reason = 'opening_balance'`

/** The account that bears what moves at a shared provider account without its merchants. */
const IS_SERVICE = 'alter table account add column if not exists is_service boolean not null default false'
const IS_SERVICE_INDEX =
  'create unique index if not exists account_service on account (is_service) where is_service'

/** What is older is part of the opening balance. Null: nothing is. */
const CREDITED_SINCE = 'alter table connection add column if not exists credited_since timestamptz'
const WAITS = 'alter table difference add column if not exists waits text'

const ENTRIES = `
create table if not exists account_entry (
  uuid uuid primary key,
  provider_account_uuid uuid not null references provider_account,
  type text not null check (type <> ''),
  entry_id text not null check (entry_id <> ''),
  kind text not null check (kind in ('tariff', 'withdrawal', 'credit', 'block', 'unblock', 'unlisted')),
  value_cents bigint not null check (value_cents > 0),
  end_to_end text,
  moved_at timestamptz not null,
  first_seen_at timestamptz not null default now(),
  -- What accounts for it: the movement that books it, or the dispute whose block it is.
  movement_uuid uuid unique references movement,
  med_uuid uuid references med,
  constraint account_entry_once unique (provider_account_uuid, type, entry_id),
  constraint account_entry_accounted check (movement_uuid is null or med_uuid is null),
  constraint account_entry_med check (med_uuid is null or kind in ('block', 'unblock'))
)`
const ENTRIES_OPEN = `
create index if not exists account_entry_open on account_entry (provider_account_uuid, moved_at)
  where movement_uuid is null and med_uuid is null`
const ENTRY_IMMUTABLE = `
create or replace trigger account_entry_stays before update on account_entry for each row
  when (old.type <> new.type or old.entry_id <> new.entry_id or old.value_cents <> new.value_cents
    or old.provider_account_uuid <> new.provider_account_uuid
    or (old.movement_uuid is not null and new.movement_uuid is distinct from old.movement_uuid))
  execute function refuse()`

const ADJUSTMENTS = `
create table if not exists ledger_adjustment (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null references connection,
  movement_type text not null check (movement_type in ('IN', 'OUT')),
  value_cents bigint not null check (value_cents > 0),
  reason text not null check (reason <> ''),
  -- The entry of a statement that it explains.
  entry_uuid uuid references account_entry,
  proposed_by uuid not null references app_user,
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  approved_by uuid references app_user,
  approved_at timestamptz,
  movement_uuid uuid unique references movement,
  constraint ledger_adjustment_second_person check (approved_by <> proposed_by),
  constraint ledger_adjustment_booked check (
    (approved_by is null) = (approved_at is null) and (approved_by is null) = (movement_uuid is null)),
  constraint ledger_adjustment_in_time check (expires_at > proposed_at and approved_at <= expires_at)
)`
const ADJUSTMENTS_OPEN = `
create index if not exists ledger_adjustment_open on ledger_adjustment (proposed_at) where movement_uuid is null`

/** A proposal is approved as it was proposed, once. */
const ADJUSTMENT_IMMUTABLE = `
create or replace function ledger_adjustment_stays() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.movement_uuid is not null
    or (old.account_uuid, old.connection_uuid, old.movement_type, old.value_cents, old.reason, old.proposed_by, old.proposed_at,
        old.expires_at) is distinct from
       (new.account_uuid, new.connection_uuid, new.movement_type, new.value_cents, new.reason, new.proposed_by, new.proposed_at,
        new.expires_at)
    or old.entry_uuid is distinct from new.entry_uuid
  then
    raise exception 'a proposed adjustment does not change'
      using errcode = 'check_violation', constraint = 'ledger_adjustment_stays';
  end if;
  return new;
end $$;
create or replace trigger ledger_adjustment_stays before update or delete on ledger_adjustment for each row
  execute function ledger_adjustment_stays()`

const MOVEMENT_HAS_ADJUSTMENT = `
create or replace function movement_is_adjustment() returns trigger language plpgsql as $$
begin
  if not exists (
    select from ledger_adjustment a join connection c on c.uuid = a.connection_uuid
    where a.movement_uuid = new.uuid and a.account_uuid = new.account_uuid and a.value_cents = new.value_cents
      and a.movement_type = new.movement_type and c.provider_account_uuid = new.provider_account_uuid
  ) then
    raise exception 'movement % is an adjustment that was not approved', new.uuid
      using errcode = 'check_violation', constraint = 'movement_adjusted';
  end if;
  return null;
end $$;
drop trigger if exists movement_adjusted on movement;
create constraint trigger movement_adjusted after insert or update of reason on movement
  deferrable initially deferred for each row when (new.reason = 'adjustment') execute function movement_is_adjustment()`

/** What a provider last said that it holds, beside the ledger. */
const BALANCE_CHECKS = `
create table if not exists balance_check (
  provider_account_uuid uuid primary key references provider_account,
  provider_cents bigint not null,
  ledger_cents bigint not null,
  -- Of the ledger: what may have left or not have come yet, because it is under way.
  moving_cents bigint not null check (moving_cents >= 0),
  checked_at timestamptz not null,
  differs_since timestamptz,
  constraint balance_check_differs check (
    (differs_since is not null) = (provider_cents not between ledger_cents - moving_cents and ledger_cents))
)`
