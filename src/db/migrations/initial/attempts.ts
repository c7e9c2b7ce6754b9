import type { SchemaPart } from './schema-part.ts'
import { createStateFunction } from './trigger-functions.ts'

/** What the attempts at each operation may become by one event, as in `src/domain/providers/attempt.ts`. */
const PAYOUT_ATTEMPT_STATES = createStateFunction('payout_attempt', {
  preparing: 'calling accepted settled duplicate rejected unreachable unknown',
  calling: 'preparing accepted settled duplicate rejected unreachable unknown',
  unknown: 'calling accepted settled duplicate rejected unreachable',
  accepted: 'settled duplicate rejected unreachable',
  rejected: 'preparing calling settled duplicate unreachable unknown',
  unreachable: 'preparing calling settled duplicate rejected unknown',
})
const ISSUE_ATTEMPT_STATES = createStateFunction('issue_attempt', {
  calling: 'accepted rejected unreachable orphan',
  rejected: 'accepted orphan',
  unreachable: 'accepted orphan',
  orphan: 'accepted closed',
})
const KEY_CREATION_STATES = createStateFunction('create_key_attempt', {
  calling: 'accepted rejected unreachable unknown',
  unknown: 'accepted rejected unreachable',
})
const KEY_REMOVAL_STATES = createStateFunction('delete_key_attempt', {
  calling: 'accepted rejected unreachable unknown',
  unknown: 'calling accepted rejected unreachable',
  rejected: 'calling',
  unreachable: 'calling',
})
const RECURRENCE_CREATION_STATES = createStateFunction('create_recurrence_attempt', {
  calling: 'accepted rejected unreachable unknown',
  unknown: 'calling accepted rejected unreachable',
})

/** Attempts: one row per operation and provider, written before the call. */
export const attempts: SchemaPart = {
  tables: `
create table attempt (
  uuid uuid primary key,
  operation text not null check (operation in ('issue', 'transfer', 'refund', 'return', 'create_key', 'delete_key', 'create_recurrence')),
  subject_uuid uuid not null,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint attempt_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  position int not null,
  state text not null check (state in ('preparing', 'calling', 'accepted', 'settled', 'rejected',
    'unreachable', 'unknown', 'orphan', 'closed', 'duplicate')),
  preparations integer not null default 0,
  sendings integer not null default 0,
  -- What the provider calls the payout, or a debit that it makes itself, where that is not our id; a handle is stored before a prepared payout is sent.
  sealed_handle text,
  provider_ref text check (length(provider_ref) <= 200),
  prepared_at timestamptz,
  credentials_epoch integer not null default 1,
  called_at timestamptz,
  is_refused_before_call boolean not null default false,
  finality text check (finality in ('other_may_help', 'final')),
  code text,
  provider_code text,
  message text,
  refused_by text check (refused_by in ('service', 'provider', 'operator')),
  provider_message text,
  missing_cents bigint,
  refusal jsonb,
  contradiction_code text,
  contradiction_at timestamptz,
  end_to_end text,
  settled_cents bigint,
  unknown_since timestamptz,
  was_unknown_from timestamptz,
  was_unknown_until timestamptz,
  next_check_at timestamptz,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- An operation has one row for each connection. A provider knows it by its subject's uuid without hyphens.
  constraint attempt_once unique (subject_uuid, operation, connection_uuid),
  -- What may have been sent is not prepared anew: another preparation would be another payment.
  constraint attempt_prepared_unsent check (state <> 'preparing' or sendings = 0),
  constraint attempt_prepared_handle check (prepared_at is null or sealed_handle is not null),
  constraint attempt_handle_ref check (case operation when 'issue' then sealed_handle is null else (sealed_handle is null) = (provider_ref is null) end),
  -- A refusal says whether another provider may help.
  constraint attempt_refusal check (refusal is null or refusal ->> 'finality' in ('other_may_help', 'final')),
  -- The balance that was missing belongs to a refusal before any call.
  constraint attempt_missing_cents check (missing_cents is null or (missing_cents > 0 and is_refused_before_call)),
  -- Only a provider that has refused is quoted.
  constraint attempt_provider_message check (provider_message is null or refused_by = 'provider'),
  -- A time without an outcome has a beginning and an end.
  constraint attempt_was_unknown check ((was_unknown_from is null) = (was_unknown_until is null)
    and was_unknown_until >= was_unknown_from),
  -- A contradicted settlement has both, code and time.
  constraint attempt_contradiction check ((contradiction_code is null) = (contradiction_at is null))
);
-- Money leaves through one provider at a time: the next one is tried only after proof that nothing moved.
create unique index attempt_one_active on attempt (operation, subject_uuid)
  where operation <> 'issue' and state not in ('rejected', 'unreachable', 'duplicate');
-- What a connection answered lately, and how fast.
create index attempt_of_connection on attempt (connection_uuid, created_at);
-- Operators' lists and metrics: unknown outcomes, payouts that move, orphan payloads, contradicted settlements.
create index attempt_unknown on attempt (unknown_since) where state = 'unknown';
create index attempt_moving on attempt (created_at)
  where state in ('preparing', 'calling', 'accepted', 'unknown') and operation in ('transfer', 'refund', 'return');
-- A debit that its provider makes itself is the charge of one cycle.
create unique index attempt_debit_once on attempt (provider_account_uuid, provider_ref)
  where operation = 'issue' and provider_ref is not null;
-- Notifications may name the provider's own id of a payout, or of such a debit.
create index attempt_by_provider_ref on attempt (provider_ref) where provider_ref is not null;
-- Notifications of prepared transfers name the end-to-end id only.
create index attempt_prepared on attempt (end_to_end) where prepared_at is not null;
create index attempt_orphan on attempt (created_at, uuid) where state = 'orphan';
create index attempt_contradicted on attempt (contradiction_at) where contradiction_at is not null;

-- What a provider answered about an attempt whose outcome is unknown: one row of each different answer to a sending, counted when repeated.
create table attempt_answer (
  attempt_uuid uuid not null references attempt on delete cascade,
  sending integer not null,
  kind text not null check (kind in ('unknown', 'not_found', 'no_answer', 'awaiting_approval', 'in_process', 'settled',
    'rejected', 'unreachable')),
  code text not null,
  message text,
  occurrences integer not null default 1 check (occurrences > 0),
  first_at timestamptz not null,
  last_at timestamptz not null check (last_at >= first_at),
  primary key (attempt_uuid, sending, kind, code)
);`,

  rules: `
-- A state changes by the events of its operation. A settlement stays: after it no other may be sent (attempt_one_active). What a
-- provider has accepted is not sent again.
${PAYOUT_ATTEMPT_STATES}
${ISSUE_ATTEMPT_STATES}
${KEY_CREATION_STATES}
${KEY_REMOVAL_STATES}
${RECURRENCE_CREATION_STATES}
create function attempt_transition() returns trigger language plpgsql as $$
declare
  is_allowed boolean := case new.operation
    when 'issue' then issue_attempt_can_become(old.state, new.state)
    when 'create_key' then create_key_attempt_can_become(old.state, new.state)
    when 'create_recurrence' then create_recurrence_attempt_can_become(old.state, new.state)
    when 'delete_key' then delete_key_attempt_can_become(old.state, new.state)
    else payout_attempt_can_become(old.state, new.state) end;
begin
  if is_allowed then return new; end if;
  raise exception 'an attempt at % that is % does not become %', new.operation, old.state, new.state
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create trigger attempt_transition before update of state on attempt for each row
  when (old.state <> new.state) execute function attempt_transition();

-- A payout settles by a report of the value that was ordered, and of no other.
create function refuse_other_value() returns trigger language plpgsql as $$
declare
  ordered_cents bigint := case new.operation
    when 'transfer' then (select value_cents from transfer where uuid = new.subject_uuid)
    when 'refund' then (select value_cents from refund where uuid = new.subject_uuid)
    else (select value_cents from movement where uuid = new.subject_uuid) end;
begin
  if new.settled_cents = ordered_cents then return new; end if;
  raise exception 'a row of attempt would break attempt_settled_value'
    using errcode = 'check_violation', constraint = 'attempt_settled_value', table = 'attempt';
end $$;
create trigger attempt_settled_value before update of state on attempt for each row
  when (new.state in ('settled', 'duplicate') and old.state not in ('settled', 'duplicate')
    and new.operation in ('transfer', 'refund', 'return'))
  execute function refuse_other_value();

-- Only an attempt of which nothing moved may begin again in another epoch of credentials: one that was refused, or whose
-- request did not leave the worker or was not made.
create trigger attempt_epoch_fixed before update of credentials_epoch on attempt for each row
  when (new.credentials_epoch <> old.credentials_epoch and old.state not in ('preparing', 'rejected', 'unreachable')
    and (old.state <> 'calling' or coalesce(old.code, '') not in ('not_connected', 'paced')))
  execute function refuse();

-- A payout that may have been sent keeps the handle that it was sent by: by another one it would be another payment.
create trigger attempt_handle_fixed before update of prepared_at on attempt for each row
  when (old.sendings > 0 and new.prepared_at is distinct from old.prepared_at)
  execute function refuse();

-- No transfer begins at a connection whose limit is below its value. One that may have been sent already is sent again all the same.
create function refuse_above_limit() returns trigger language plpgsql as $$
begin
  if exists (select from transfer t join connection c on c.uuid = new.connection_uuid
    where t.uuid = new.subject_uuid and t.value_cents > c.max_transfer_cents) then
    raise exception 'a row of attempt would break attempt_within_limit'
      using errcode = 'check_violation', constraint = 'attempt_within_limit', table = 'attempt';
  end if;
  return new;
end $$;
create trigger attempt_within_limit before insert on attempt for each row
  when (new.operation = 'transfer' and new.state in ('preparing', 'calling')) execute function refuse_above_limit();
create trigger attempt_again_within_limit before update of state on attempt for each row
  when (new.operation = 'transfer' and new.state in ('preparing', 'calling') and old.state in ('rejected', 'unreachable'))
  execute function refuse_above_limit();

-- No sending begins after the order's deadline: its caller may have been answered that it was not accepted.
create function refuse_late_sending() returns trigger language plpgsql as $$
begin
  if exists (select from transfer where uuid = new.subject_uuid and accept_before < clock_timestamp())
    or exists (select from refund where uuid = new.subject_uuid and accept_before < clock_timestamp()) then
    raise exception 'a row of attempt would break attempt_before_deadline'
      using errcode = 'check_violation', constraint = 'attempt_before_deadline', table = 'attempt';
  end if;
  return new;
end $$;
create trigger attempt_before_deadline before insert or update of state on attempt for each row
  when (new.state = 'calling' and new.operation in ('transfer', 'refund'))
  execute function refuse_late_sending();
-- Nor where an order is looked up by repeating it.
create trigger attempt_repeated_before_deadline before update of sendings on attempt for each row
  when (new.sendings > old.sendings and new.operation in ('transfer', 'refund'))
  execute function refuse_late_sending();`,
}
