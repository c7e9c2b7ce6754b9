import type { SchemaPart } from './schema-part.ts'

/** What a provider's books and the ledger disagree on, and the adjustments that two operators agree on. */
export const reconciliation: SchemaPart = {
  tables: `
-- The amounts and the status that a difference is about. A closing holds for them only.
create function difference_facts(detail jsonb) returns text[] language sql immutable as $$
  select array[detail #>> '{entry,cents}', detail #>> '{ours,cents}', detail #>> '{ours,status}']
$$;

-- One disagreement about one PIX, until a comparison finds it gone, or until an operator closes it.
create table difference (
  uuid uuid primary key,
  provider_account_uuid uuid not null references provider_account,
  kind text not null check (kind in ('missing_here', 'missing_there', 'value_differs', 'status_differs')),
  movement_type text not null check (movement_type in ('IN', 'OUT')),
  end_to_end text not null,
  detail jsonb not null,
  pending_reason text,
  found_at timestamptz not null,
  seen_at timestamptz not null,
  settled_at timestamptz,
  closed_at timestamptz,
  closed_as text check (closed_as in ('resolved', 'accepted')),
  closed_cause text check (
    closed_cause in ('adjusted', 'corrected_by_provider', 'recorded_under_other_id', 'absent_from_list')),
  closed_reason text check (closed_reason <> ''),
  -- E-mail of the operator.
  closed_by text check (closed_by <> ''),
  constraint difference_once unique (provider_account_uuid, movement_type, end_to_end, kind),
  -- A closing has its operator and reason; what is resolved has its cause.
  constraint difference_closed check (case when closed_at is null
    then num_nonnulls(closed_as, closed_cause, closed_reason, closed_by) = 0
    else num_nulls(closed_as, closed_reason, closed_by) = 0 and (closed_as = 'resolved') = (closed_cause is not null) end)
);
create index difference_closed_listed on difference (closed_at desc) where closed_at is not null;
create index difference_open on difference (found_at) where settled_at is null;

-- An entry of a provider's statement that is not a PIX.
create table account_entry (
  uuid uuid primary key,
  provider_account_uuid uuid not null references provider_account,
  type text not null check (type <> ''),
  entry_id text not null check (entry_id <> ''),
  kind text not null check (kind in ('tariff', 'withdrawal', 'credit', 'block', 'unblock', 'unlisted')),
  value_cents bigint not null check (value_cents > 0),
  end_to_end text,
  moved_at timestamptz not null,
  first_seen_at timestamptz not null default now(),
  movement_uuid uuid references movement,
  dispute_uuid uuid references dispute,
  -- Since then the statement lists it no longer, such as a withdrawal that it lists as a PIX now.
  absent_since timestamptz,
  -- An entry is read once, and a movement books one entry.
  constraint account_entry_once unique (provider_account_uuid, type, entry_id),
  constraint account_entry_movement_once unique (movement_uuid),
  -- What the statement lists no longer is not booked: the PIX in its place is.
  constraint account_entry_accounted check (num_nonnulls(movement_uuid, dispute_uuid, absent_since) <= 1),
  -- A dispute blocks and unblocks, nothing else.
  constraint account_entry_dispute check (dispute_uuid is null or kind in ('block', 'unblock'))
);
create index account_entry_open on account_entry (provider_account_uuid, moved_at)
  where movement_uuid is null and dispute_uuid is null and absent_since is null;

create table ledger_adjustment (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null references connection,
  movement_type text not null check (movement_type in ('IN', 'OUT')),
  value_cents bigint not null check (value_cents > 0),
  reason text not null check (reason <> ''),
  entry_uuid uuid references account_entry,
  proposed_by uuid not null references app_user,
  proposed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  approved_by uuid references app_user,
  approved_at timestamptz,
  movement_uuid uuid references movement,
  -- A movement books one adjustment.
  constraint ledger_adjustment_movement_once unique (movement_uuid),
  -- An operator cannot approve his own proposal.
  constraint ledger_adjustment_second_person check (approved_by <> proposed_by),
  -- An approval books at once.
  constraint ledger_adjustment_booked check (
    (approved_by is null) = (approved_at is null) and (approved_by is null) = (movement_uuid is null)),
  constraint ledger_adjustment_in_time check (expires_at > proposed_at and approved_at <= expires_at)
);
create index ledger_adjustment_open on ledger_adjustment (proposed_at) where movement_uuid is null;

-- What a provider holds by its own answer, compared with the ledger.
create table balance_check (
  provider_account_uuid uuid primary key references provider_account,
  provider_cents bigint not null,
  ledger_cents bigint not null,
  -- Part of ledger_cents that may have left, or not arrived, at the provider.
  moving_cents bigint not null check (moving_cents >= 0),
  checked_at timestamptz not null,
  differs_since timestamptz,
  constraint balance_check_differs check (
    (differs_since is not null) = (provider_cents not between ledger_cents - moving_cents and ledger_cents))
);`,

  rules: `
-- Only an open difference is closed, a closing is not overwritten, and the facts do not change under it.
create trigger difference_closed_once before update on difference for each row
  when (new.closed_at is not null and case when old.closed_at is null then old.settled_at is not null
    else (old.closed_at, old.closed_as, old.closed_cause, old.closed_reason, old.closed_by, difference_facts(old.detail))
      is distinct from
      (new.closed_at, new.closed_as, new.closed_cause, new.closed_reason, new.closed_by, difference_facts(new.detail)) end)
  execute function refuse();

-- An entry does not change, and stays booked by its movement.
create trigger account_entry_fixed before update on account_entry for each row
  when (old.type <> new.type or old.entry_id <> new.entry_id or old.value_cents <> new.value_cents
    or old.provider_account_uuid <> new.provider_account_uuid
    or (old.movement_uuid is not null and new.movement_uuid is distinct from old.movement_uuid))
  execute function refuse();

-- A proposal is approved as it was proposed, once.
create trigger ledger_adjustment_fixed before update on ledger_adjustment for each row
  when (old.movement_uuid is not null
    or (old.account_uuid, old.connection_uuid, old.movement_type, old.value_cents, old.reason, old.entry_uuid, old.proposed_by,
        old.proposed_at, old.expires_at) is distinct from
       (new.account_uuid, new.connection_uuid, new.movement_type, new.value_cents, new.reason, new.entry_uuid, new.proposed_by,
        new.proposed_at, new.expires_at))
  execute function refuse();
create trigger ledger_adjustment_kept before delete on ledger_adjustment for each statement execute function refuse_change();

-- Of two proposals without an entry for the same money one is approved: the other must be proposed again, by an operator who
-- knows of the first. The lock orders approvals through different connections to the provider account.
create function check_adjustment_known() returns trigger language plpgsql as $$
declare
  account uuid;
begin
  select c.provider_account_uuid into account from connection c where c.uuid = new.connection_uuid;
  perform from provider_account where uuid = account for no key update;
  if exists (
    select from ledger_adjustment a join connection c on c.uuid = a.connection_uuid
    where c.provider_account_uuid = account and a.uuid <> new.uuid and a.entry_uuid is null
      and a.movement_type = new.movement_type and a.value_cents = new.value_cents and a.approved_at >= new.proposed_at
  ) then
    raise exception 'adjustment % was proposed before another one of its value was approved', new.uuid
      using errcode = 'check_violation', constraint = 'ledger_adjustment_known';
  end if;
  return new;
end $$;
create trigger ledger_adjustment_known before update on ledger_adjustment for each row
  when (old.movement_uuid is null and new.movement_uuid is not null and new.entry_uuid is null)
  execute function check_adjustment_known();

-- Whether an adjustment that names no entry may have booked money that moved before its approval: one that no adjustment of the
-- opposite direction has undone, and no difference was closed by.
create function may_be_adjusted(account uuid, direction text, cents bigint, moved_at timestamptz) returns boolean
language sql stable as $$
  select count(*) filter (where a.movement_type = direction) > count(*) filter (where a.movement_type <> direction)
    + (select count(*) from difference d where d.provider_account_uuid = account and d.closed_cause = 'adjusted'
         and d.movement_type = direction and (d.detail #>> '{entry,cents}')::bigint = cents)
  from ledger_adjustment a join connection c on c.uuid = a.connection_uuid
  where c.provider_account_uuid = account and a.entry_uuid is null and a.value_cents = cents and a.approved_at >= moved_at
$$;

-- What an adjustment may have booked is not booked again.
create function check_movement_unadjusted() returns trigger language plpgsql as $$
begin
  if may_be_adjusted(new.provider_account_uuid, new.movement_type, new.value_cents, new.settled_at) then
    raise exception 'movement % may be booked by an adjustment already', new.uuid
      using errcode = 'check_violation', constraint = 'movement_unadjusted';
  end if;
  return new;
end $$;
create trigger movement_unadjusted before insert on movement for each row
  when (new.reason in ('deposit', 'provider_tariff', 'provider_withdrawal', 'provider_credit', 'provider_block',
    'provider_unblock', 'panel_transfer', 'panel_return'))
  execute function check_movement_unadjusted();

-- A movement that is an adjustment is the one that was approved, and books the entry that its proposal names.
create function check_movement_adjustment() returns trigger language plpgsql as $$
begin
  if not exists (
    select from ledger_adjustment a join connection c on c.uuid = a.connection_uuid
    where a.movement_uuid = new.uuid and a.account_uuid = new.account_uuid and a.value_cents = new.value_cents
      and a.movement_type = new.movement_type and c.provider_account_uuid = new.provider_account_uuid
      and (a.entry_uuid is null
        or exists (select from account_entry e where e.uuid = a.entry_uuid and e.movement_uuid = new.uuid))
  ) then
    raise exception 'movement % is an adjustment that was not approved', new.uuid
      using errcode = 'check_violation', constraint = 'movement_adjusted';
  end if;
  return null;
end $$;
create constraint trigger movement_adjusted after insert or update of reason on movement
  deferrable initially deferred for each row when (new.reason = 'adjustment') execute function check_movement_adjustment();`,
}
