import type { SchemaPart } from './schema-part.ts'
import { createTransitionTrigger, createValueTrigger } from './trigger-functions.ts'

const TRANSITIONS = createTransitionTrigger('refund', {
  sending: 'settling settled failed',
  settling: 'settled failed',
  failed: 'settled',
})

/** Refunds of charges, whole or in part. */
export const refunds: SchemaPart = {
  tables: `
create table refund (
  uuid uuid primary key,
  charge_uuid uuid not null references charge,
  account_uuid uuid not null references account,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint refund_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  dispute_uuid uuid,
  state text not null check (state in ('sending', 'settling', 'settled', 'failed')),
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  -- What the payer is shown; no provider takes a longer text.
  description text constraint refund_description check (char_length(description) between 1 and 140),
  -- Who pays how much: the owner's part and that of each split; they add up to the value.
  parts jsonb not null default '[]',
  movement_uuid uuid references movement,
  end_to_end text,
  failure jsonb,
  -- Where it counts against the limits of its account, while it does; null where it does not.
  limit_windows jsonb,
  -- From then on a repeated request is answered as accepted.
  accepted_at timestamptz,
  sequence int not null default 0,
  -- The token whose request created it, or the user of the dashboard; neither: a provider.
  token_number int,
  user_uuid uuid,
  accept_before timestamptz,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- What a provider has returned by a dispute has settled from the start.
  constraint refund_of_dispute check (dispute_uuid is null or state = 'settled'),
  -- A provider has it only if it was sent before the deadline, which is then cleared.
  constraint refund_accept_before check (accept_before is null or state in ('sending', 'failed'))
);
-- One refund of a charge runs at a time (SPEC §3).
create unique index refund_one_running on refund (charge_uuid) where state in ('sending', 'settling');
create index refund_by_end_to_end on refund using hash (end_to_end);
create index refund_of_charge on refund (charge_uuid, created_at, uuid);
-- The list of all refunds, without and with a filter.
create index refund_listed on refund (account_uuid, created_at, uuid) include (connection_uuid, state);
create index refund_by_state on refund (account_uuid, state, created_at, uuid) where state <> 'settled';
create index refund_of_provider on refund (account_uuid, connection_uuid, created_at, uuid) include (state);`,

  rules: `
alter table refund add constraint refund_dispute_uuid_fkey foreign key (dispute_uuid) references dispute;
${TRANSITIONS}
${createValueTrigger('refund')}

-- A charge counts its refunds: the running ones exactly, of the settled ones no more than there are (late settlements
-- beyond what was received are not counted). None exceeds what was received, except by a dispute.
create function check_refunds_counted() returns trigger language plpgsql as $$
declare
  checked_charge uuid := to_jsonb(new) ->> tg_argv[0];
begin
  if exists (
    select from charge c, lateral (
      select coalesce(sum(value_cents) filter (where state in ('sending', 'settling')), 0) as running,
        coalesce(sum(value_cents) filter (where state = 'settled'), 0) as settled,
        max(value_cents) filter (where state <> 'failed' and dispute_uuid is null) as largest
      from refund where charge_uuid = c.uuid) r
    where c.uuid = checked_charge and (c.refunding_cents <> r.running or c.refunded_cents > r.settled or r.largest > c.received_cents)
  ) then
    raise exception 'charge % does not count its refunds', checked_charge
      using errcode = 'check_violation', constraint = 'charge_refunds';
  end if;
  return null;
end $$;
create constraint trigger refund_counted after insert or update of state on refund
  deferrable initially deferred for each row execute function check_refunds_counted('charge_uuid');
create constraint trigger charge_counted after update of refunding_cents, refunded_cents on charge
  deferrable initially deferred for each row
  when (old.refunding_cents <> new.refunding_cents or old.refunded_cents <> new.refunded_cents)
  execute function check_refunds_counted('uuid');`,
}
