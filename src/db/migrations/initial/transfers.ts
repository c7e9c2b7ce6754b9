import { FREQUENT_VACUUM, type SchemaPart } from './schema-part.ts'
import { createTransitionTrigger, createValueTrigger } from './trigger-functions.ts'

const TRANSITIONS = createTransitionTrigger('transfer', {
  created: 'held approved sending settling paid partially_refunded refunded failed cancelled expired',
  held: 'approved created sending settling paid partially_refunded refunded failed cancelled expired',
  approved: 'created held sending settling paid partially_refunded refunded failed cancelled expired',
  sending: 'created held approved settling paid partially_refunded refunded failed cancelled expired',
  settling: 'paid partially_refunded refunded failed',
  paid: 'partially_refunded refunded',
  partially_refunded: 'refunded',
  failed: 'paid partially_refunded refunded',
  cancelled: 'paid partially_refunded refunded',
  expired: 'paid partially_refunded refunded',
})

/** Transfers (PIX Out). */
export const transfers: SchemaPart = {
  tables: `
create table transfer (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  -- The first candidate until another was tried.
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint transfer_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  state text not null check (state in ('created', 'held', 'approved', 'sending', 'settling', 'paid',
    'partially_refunded', 'refunded', 'failed', 'cancelled', 'expired')),
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  held_cents bigint not null default 0 check (held_cents >= 0),
  returned_cents bigint not null default 0,
  -- Where it goes: a PIX key, an account at a bank, or the key of a code.
  pix_key varchar(77),
  bank_account jsonb,
  payment_code jsonb,
  -- CPF or CNPJ of the receiver, where the order names one.
  document varchar(14),
  -- By what transfers to the same receiver are found: src/domain/transfers/transfer-destination.ts has the same.
  receiver_id text not null generated always as (coalesce(pix_key, (bank_account -> 'bank' ->> 'ispb') || '/'
    || ltrim(bank_account ->> 'account_agency', '0') || '/' || ltrim(bank_account ->> 'account_number', '0'))) stored,
  -- The look-up of the key that it names: whom the merchant expects to pay.
  lookup jsonb,
  external_ref varchar(255),
  -- The batch that it is an item of. No foreign key: a restored backup may lack the batch of a transfer that is rebuilt.
  batch_uuid uuid,
  beneficiary_name varchar(140),
  beneficiary_document varchar(14),
  sender jsonb,
  receiver jsonb,
  movement_uuid uuid references movement,
  end_to_end text,
  settled_at timestamptz,
  scheduled_for timestamptz,
  -- Persons who must approve it, of its approval_request; null where it needed none.
  approvals_needed smallint check (approvals_needed in (1, 2)),
  failure jsonb,
  -- Where it counts against the limits of its account, while it does; null where it does not.
  limit_windows jsonb,
  accepted jsonb,
  history jsonb not null default '[]',
  sequence int not null default 0,
  -- The token whose request created it, or the user of the dashboard; neither: a provider.
  token_number int,
  user_uuid uuid,
  accept_before timestamptz,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- It has one destination, whole.
  constraint transfer_destination check (num_nonnulls(pix_key, bank_account) = 1),
  constraint transfer_payment_code check (payment_code is null or coalesce(pix_key is not null
    and payment_code ->> 'payload' <> '' and payment_code ->> 'initiation' in ('QR_STATIC', 'QR_DYNAMIC'), false)),
  constraint transfer_bank_account check (bank_account is null or coalesce(
    bank_account ->> 'document' = document and bank_account ->> 'name' <> '' and bank_account ->> 'account_type' <> '', false)),
  constraint transfer_approval check (approvals_needed is not null or state not in ('held', 'approved')),
  -- A beneficiary has both, name and document.
  constraint transfer_beneficiary check ((beneficiary_name is null) = (beneficiary_document is null)),
  -- A look-up is copied whole.
  constraint transfer_lookup check (lookup is null or (lookup ->> 'onMismatch' in ('REFUSE', 'WARN')
    and jsonb_typeof(lookup -> 'owner') = 'object' and lookup ->> 'uuid' is not null
    and lookup ->> 'providerAccountUuid' is not null and lookup ->> 'expiresAt' is not null)),
  -- No more comes back than went.
  constraint transfer_returns check (returned_cents between 0 and value_cents),
  -- Money is held only while it may leave,
  constraint transfer_held_while_open check (held_cents = 0 or state in ('held', 'approved', 'sending', 'settling')),
  -- and then all of it.
  constraint transfer_held_whole check (held_cents in (0, value_cents + fee_cents)),
  -- A paid transfer has its movement.
  constraint transfer_paid_by_movement check (state not in ('paid', 'partially_refunded', 'refunded')
    or (movement_uuid is not null and settled_at is not null)),
  -- A provider has it only if it was sent before the deadline, which is then cleared.
  constraint transfer_accept_before
    check (accept_before is null or state in ('created', 'held', 'approved', 'sending', 'failed', 'cancelled', 'expired'))
) ${FREQUENT_VACUUM};
-- The list, without and with a filter; index-only, so that a million transfers cost what a page costs.
-- Sorted by value, the rows of the index are.
create index transfer_listed on transfer (account_uuid, created_at, uuid)
  include (connection_uuid, state, settled_at, value_cents);
create index transfer_by_state on transfer (account_uuid, state, created_at, uuid);
create index transfer_of_provider on transfer (account_uuid, connection_uuid, created_at, uuid)
  include (state);
create index transfer_by_settlement on transfer (account_uuid, settled_at) include (connection_uuid, created_at, uuid)
  where settled_at is not null;
create index transfer_by_receiver on transfer (account_uuid, receiver_id, created_at, uuid) include (connection_uuid);
create index transfer_by_external_ref on transfer (account_uuid, external_ref) where external_ref is not null;
-- Of a batch: its list, and its counts, which the index alone answers.
create index transfer_of_batch on transfer (account_uuid, batch_uuid, created_at, uuid) include (connection_uuid, state)
  where batch_uuid is not null;
create index transfer_by_end_to_end on transfer using hash (end_to_end);
-- Operators' watch over the few that move, by created_at, which never changes.
create index transfer_moving on transfer (created_at) where state in ('created', 'held', 'approved', 'sending', 'settling');
create index transfer_held on transfer (created_at) where state = 'held';`,

  rules: `${TRANSITIONS}
${createValueTrigger('transfer')}
-- What waits for approvals is sent only once its request is approved. An attempt that no call has begun is of a look-up: a provider
-- may have the transfer from before the database was restored.
create function check_transfer_approval() returns trigger language plpgsql as $$
begin
  if exists (select from approval_request where subject_uuid = new.uuid and decision = 'approved')
    or exists (select from attempt where operation = 'transfer' and subject_uuid = new.uuid and sendings = 0
      and state not in ('preparing', 'calling')) then return new; end if;
  raise exception 'transfer % is not approved', new.uuid
    using errcode = 'check_violation', constraint = 'transfer_approved', table = tg_table_name;
end $$;
create trigger transfer_approved before update of state on transfer for each row
  when (old.state = 'held' and new.state not in ('held', 'failed', 'cancelled', 'expired'))
  execute function check_transfer_approval();`,
}
