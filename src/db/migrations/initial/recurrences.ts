import type { SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

/** What a recurrence may become, as in `src/domain/recurrences/recurrence.ts`. */
const TRANSITIONS = createTransitionTrigger('recurrence', {
  creating: 'pending processing active rejected expired cancelled ended failed',
  pending: 'processing active rejected expired cancelled ended',
  processing: 'active rejected expired cancelled ended',
  active: 'cancelled ended',
})

/** Recurrences of Pix Automático: what a payer authorizes once, and then is debited for cycle by cycle. */
export const recurrences: SchemaPart = {
  tables: `
create table recurrence (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  -- The first candidate until a provider has created the recurrence.
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint recurrence_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  -- What a charge refers to: its account and provider are those of its recurrence.
  constraint recurrence_at_provider unique (uuid, account_uuid, connection_uuid),
  state text not null check (state in ('creating', 'pending', 'processing', 'active', 'rejected', 'expired', 'cancelled',
    'ended', 'failed')),
  -- What each charge asks; null where it varies.
  value_cents bigint check (value_cents between 1 and 999999999999),
  -- The payer's fee on top of a fixed value, which the payer has authorized with it.
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  minimum_cents bigint check (minimum_cents between 1 and 999999999999),
  frequency text not null check (frequency in ('WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'ANNUAL')),
  starts_on text not null check (starts_on ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  ends_on text check (ends_on ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  contract varchar(35) not null check (contract <> ''),
  subject varchar(35),
  retry_policy text not null check (retry_policy in ('NOT_ALLOWED', 'THREE_IN_SEVEN_DAYS')),
  journey text not null check (journey in ('REQUEST', 'QR', 'QR_WITH_PAYMENT', 'PAYMENT_THEN_OFFER')),
  generate text not null check (generate in ('AUTOMATIC', 'MANUAL')),
  days_before int not null check (days_before between 3 and 9),
  debtor_name varchar(140) not null,
  debtor_document varchar(14) not null,
  -- The charge that the payer pays by the code with which they consent. It is ordered with the recurrence, and is issued before it.
  first_charge_uuid uuid constraint recurrence_first_charge_once unique,
  -- Where a provider needs it.
  debtor_address jsonb,
  -- The account of the payer that the request for consent goes to, sealed.
  sealed_payer_account text,
  request_expires_at timestamptz,
  -- When the payer's bank had the request.
  requested_at timestamptz,
  external_ref varchar(255),
  -- Shares of each charge that the worker creates.
  splits jsonb not null default '[]' check (jsonb_array_length(splits) <= 100),
  metadata jsonb not null default '{}',
  -- The rail's id (idRec), and the code by which the payer consents.
  rail_id text,
  payload text,
  -- Why the payer's bank rejected or cancelled it, and who cancelled it.
  reason_code text,
  cancelled_by text check (cancelled_by in ('payer', 'receiver')),
  -- The first cycle that has neither a charge nor was skipped.
  next_cycle int not null default 1 check (next_cycle > 0),
  -- Cycles whose charge could not be created in time.
  skipped_cycles jsonb not null default '[]',
  cancel_requested_at timestamptz,
  failure jsonb,
  history jsonb not null default '[]',
  sequence int not null default 0,
  -- The token whose request created it, or the user of the dashboard.
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- A minimum is of charges that vary, and only a fixed value has a fee that is known before.
  constraint recurrence_value check (case when value_cents is null then fee_cents = 0 else minimum_cents is null end),
  -- Only charges of a fixed value are created without an order of the merchant.
  constraint recurrence_generated check (generate = 'MANUAL' or value_cents is not null),
  constraint recurrence_days check (ends_on is null or ends_on >= starts_on),
  -- A request goes to an account, and ends.
  constraint recurrence_request check ((journey = 'REQUEST') = (sealed_payer_account is not null)
    and (journey = 'REQUEST') = (request_expires_at is not null) and (requested_at is null or journey = 'REQUEST')),
  -- Two journeys have a first charge.
  constraint recurrence_first_charge check ((journey in ('QR_WITH_PAYMENT', 'PAYMENT_THEN_OFFER')) = (first_charge_uuid is not null)),
  -- What a provider has created has an id of the rail.
  constraint recurrence_created check ((state in ('creating', 'failed')) = (rail_id is null)),
  constraint recurrence_failed check ((state = 'failed') = (failure is not null))
);
-- A recurrence of a provider is one of ours.
create unique index recurrence_rail_id on recurrence (provider_account_uuid, rail_id) where rail_id is not null;
create index recurrence_listed on recurrence (account_uuid, created_at, uuid) include (connection_uuid, state, value_cents);
create index recurrence_by_state on recurrence (account_uuid, state, created_at, uuid) include (connection_uuid);
create index recurrence_by_external_ref on recurrence (account_uuid, external_ref) where external_ref is not null;
create index recurrence_unfinished on recurrence (created_at, uuid)
  where state in ('creating', 'pending', 'processing', 'active');`,

  rules: `${TRANSITIONS}
-- What the payer authorizes never changes: another value or day is another recurrence.
create trigger recurrence_terms_fixed before update on recurrence for each row
  when ((old.value_cents, old.minimum_cents, old.frequency, old.starts_on, old.ends_on, old.contract, old.subject, old.retry_policy,
      old.journey, old.first_charge_uuid, old.sealed_payer_account is null)
    is distinct from (new.value_cents, new.minimum_cents, new.frequency, new.starts_on, new.ends_on, new.contract, new.subject,
      new.retry_policy, new.journey, new.first_charge_uuid, new.sealed_payer_account is null)
    -- Only an erasure changes the payer, of a recurrence that has ended.
    or (old.debtor_document <> new.debtor_document
      and (not is_erased(new.debtor_document) or new.state in ('creating', 'pending', 'processing', 'active'))))
  execute function refuse();
-- Nor does where it is, once a provider has created it, nor the fee on top of its value.
create trigger recurrence_provider_fixed before update of rail_id, connection_uuid, fee_cents on recurrence for each row
  when (old.rail_id is not null and (old.rail_id, old.connection_uuid, old.fee_cents)
    is distinct from (new.rail_id, new.connection_uuid, new.fee_cents))
  execute function refuse();
-- The first charge is one of the account that the provider of the recurrence has issued, with a due date where the journey says so.
create function check_first_charge() returns trigger language plpgsql as $$
begin
  if not exists (
    select from charge c where c.uuid = new.first_charge_uuid and c.account_uuid = new.account_uuid
      and c.connection_uuid = new.connection_uuid and c.txid is not null and c.value_cents > 0
      and c.recurrence_uuid is null and (c.due is not null) = (new.journey = 'PAYMENT_THEN_OFFER')
  ) then
    raise exception 'recurrence % has no first charge at its provider', new.uuid
      using errcode = 'check_violation', constraint = 'recurrence_first_charge_issued', table = 'recurrence';
  end if;
  return new;
end $$;
create trigger recurrence_first_charge_issued before insert or update of rail_id, connection_uuid on recurrence for each row
  when (new.first_charge_uuid is not null and new.rail_id is not null) execute function check_first_charge();
-- A cycle that was charged or skipped is never the next one again.
create trigger recurrence_cycle_forward before update of next_cycle on recurrence for each row
  when (new.next_cycle < old.next_cycle) execute function refuse();`,
}
