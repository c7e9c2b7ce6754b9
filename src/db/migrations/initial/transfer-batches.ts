import { FREQUENT_VACUUM, type SchemaPart } from './schema-part.ts'
import { createTransitionTrigger, createValueTrigger } from './trigger-functions.ts'

const TRANSITIONS = createTransitionTrigger('transfer_batch', {
  draft: 'processing completed cancelled',
  processing: 'completed cancelled',
})
const ITEM_TRANSITIONS = createTransitionTrigger('transfer_batch_item', {
  pending: 'starting started cancelled',
  starting: 'started',
})

/** Batches of transfers, and their items. Each item that was started is a row of `transfer` too. */
export const transferBatches: SchemaPart = {
  tables: `
create table transfer_batch (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  is_simulated boolean not null,
  -- The only connection it may go through; null: those of \`candidates\`, in their order.
  connection_uuid uuid references connection,
  candidates uuid[] not null check (cardinality(candidates) > 0),
  state text not null check (state in ('draft', 'processing', 'completed', 'cancelled')),
  name varchar(140),
  mode text not null check (mode in ('ALL_VALID', 'EACH')),
  on_short_balance text not null check (on_short_balance in ('WAIT', 'FAIL')),
  item_count int not null check (item_count between 1 and 5000),
  value_cents bigint not null check (value_cents > 0),
  scheduled_for timestamptz,
  cancel_reason text check (cancel_reason in ('item_failed', 'rejected', 'approval_expired')),
  -- Why the next item is not started; null where one may be.
  wait_reason text,
  history jsonb not null default '[]',
  sequence int not null default 0,
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- Only a cancelled batch has a reason of it.
  constraint transfer_batch_reason check (cancel_reason is null or state = 'cancelled'),
  -- A bound batch has one candidate.
  constraint transfer_batch_bound check (connection_uuid is null or candidates = array[connection_uuid])
);
create index transfer_batch_listed on transfer_batch (account_uuid, created_at, uuid)
  include (connection_uuid, is_simulated, state);
-- The few that a workflow carries out.
create index transfer_batch_open on transfer_batch (created_at, uuid) where state in ('draft', 'processing');

create table transfer_batch_item (
  batch_uuid uuid not null references transfer_batch,
  line int not null check (line between 1 and 5000),
  -- Derived of the batch and the line. No transfer is referred to: one is written when the item is started.
  transfer_uuid uuid not null,
  state text not null default 'pending' check (state in ('pending', 'starting', 'started', 'cancelled')),
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  external_ref varchar(255) not null,
  description varchar(140),
  -- Whom and how it pays: the details of the order of its transfer.
  details jsonb not null check (jsonb_typeof(details) = 'object'),
  primary key (batch_uuid, line),
  -- Each item is started once: its transfer belongs to it alone.
  constraint transfer_batch_item_transfer unique (transfer_uuid),
  -- A reference names one item of its batch.
  constraint transfer_batch_item_ref unique (batch_uuid, external_ref)
) ${FREQUENT_VACUUM};
create index transfer_batch_item_by_state on transfer_batch_item (batch_uuid, state, line);`,

  rules: `${TRANSITIONS}
${createValueTrigger('transfer_batch')}
${ITEM_TRANSITIONS}
${createValueTrigger('transfer_batch_item')}
-- What an item orders never changes, and neither does the transfer that it becomes. Only an erasure removes whom it paid, once the
-- transfer's row has all that.
create trigger transfer_batch_item_fixed before update of transfer_uuid, external_ref, details on transfer_batch_item for each row
  when (old.transfer_uuid <> new.transfer_uuid or old.external_ref <> new.external_ref or (old.details <> new.details
      and (new.state not in ('started', 'cancelled') or (new.details ->> 'isErased') is distinct from 'true')))
  execute function refuse();

-- What waits for approvals is carried out only once its request is approved.
create function check_batch_approval() returns trigger language plpgsql as $$
begin
  if exists (select from approval_request where subject_uuid = new.uuid and decision = 'approved') then return new; end if;
  raise exception 'batch % is not approved', new.uuid
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create trigger transfer_batch_approved before update of state on transfer_batch for each row
  when (old.state = 'draft' and new.state not in ('draft', 'cancelled')) execute function check_batch_approval();

-- An item is started only while its batch is carried out: it was approved where it needed that, and nobody has cancelled it.
create function check_started_item() returns trigger language plpgsql as $$
begin
  if (select state from transfer_batch where uuid = new.batch_uuid) = 'processing' then return new; end if;
  raise exception 'batch % is not carried out', new.batch_uuid
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create trigger transfer_batch_item_start before update of state on transfer_batch_item for each row
  when (old.state = 'pending' and new.state in ('starting', 'started')) execute function check_started_item();

-- The count and the sum of a batch are those of its items.
create function check_batch_items() returns trigger language plpgsql as $$
declare
  found record;
begin
  select count(*) as items, sum(value_cents) as cents into found from transfer_batch_item where batch_uuid = new.uuid;
  if found.items = new.item_count and found.cents = new.value_cents then return new; end if;
  raise exception 'batch % does not have the items that it counts', new.uuid
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create constraint trigger transfer_batch_counts_items after insert on transfer_batch deferrable initially deferred
  for each row execute function check_batch_items();

-- A completed batch has started every item.
create function check_completed_batch() returns trigger language plpgsql as $$
begin
  if not exists (select from transfer_batch_item where batch_uuid = new.uuid and state <> 'started') then return new; end if;
  raise exception 'batch % has items that were not started', new.uuid
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create trigger transfer_batch_completed before update of state on transfer_batch for each row
  when (new.state = 'completed') execute function check_completed_batch();

-- A cancelled batch starts no item: none is left that a workflow could start.
create function check_cancelled_batch() returns trigger language plpgsql as $$
begin
  if not exists (select from transfer_batch_item where batch_uuid = new.uuid and state = 'pending') then return new; end if;
  raise exception 'batch % is cancelled and has pending items', new.uuid
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
create constraint trigger transfer_batch_cancelled after update of state on transfer_batch deferrable initially deferred
  for each row when (new.state = 'cancelled') execute function check_cancelled_batch();`,
}
