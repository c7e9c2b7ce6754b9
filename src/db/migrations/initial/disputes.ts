import type { SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

const TRANSITIONS = createTransitionTrigger('dispute', {
  requesting: 'refused open analysing accepted resolved rejected cancelled lapsed',
  open: 'analysing accepted resolved rejected cancelled lapsed',
  analysing: 'open accepted resolved rejected cancelled lapsed',
  accepted: 'resolved cancelled',
  lapsed: 'resolved rejected cancelled',
})

const CONTEST_TRANSITIONS = createTransitionTrigger('contest', {
  pending: 'sent',
  sent: 'accepted rejected',
})

/** Disputes (MED), what they claim and hold, the attachments of their replies, and their contests. */
export const disputes: SchemaPart = {
  tables: `
create table dispute (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint dispute_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  provider_dispute_id text,
  kind text not null check (kind in ('RECEIVED_MED', 'REQUESTED_MED')),
  dispute_type text not null check (dispute_type in ('UNDEFINED', 'SCAM',
    'WRONG_TRANSACTION', 'COERCION_CRIME', 'UNAUTHORIZED_ACCESS')),
  state text not null check (state in ('requesting', 'refused', 'open', 'analysing', 'accepted', 'resolved', 'rejected',
    'cancelled', 'lapsed')),
  end_to_end text not null,
  movement_uuid uuid not null references movement,
  charge_uuid uuid references charge,
  transfer_uuid uuid references transfer,
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  claimed_cents bigint not null default 0 constraint dispute_claimed_cents_check check (claimed_cents between 0 and value_cents),
  held_cents bigint not null default 0 check (held_cents >= 0),
  retained_cents bigint not null default 0 check (retained_cents >= 0),
  returned_cents bigint not null default 0 check (returned_cents >= 0),
  -- Settlement of the latest return that the provider has made by it.
  returned_at timestamptz,
  reclaimed_cents bigint not null default 0,
  -- What each split's recipient owes of the claim, and what it has paid of that.
  split_parts jsonb not null default '[]',
  opened_at timestamptz not null,
  due_at timestamptz not null,
  warned_hours int,
  details text not null default '',
  provider_analysis text not null default '',
  accept boolean,
  analysis varchar(2000),
  replied_at timestamptz,
  reply_state text check (reply_state in ('pending', 'sent')),
  -- One call at a time sends it: a provider that knows no id of ours would take two for two replies.
  replying_until timestamptz,
  reply_request_id varchar(128),
  reply_sent_by varchar(128),
  replies int not null default 0,
  failure jsonb,
  recovery jsonb,
  requested_at timestamptz,
  cancel_requested_at timestamptz,
  -- Of one that the account requests: the request, and its token or user.
  fingerprint text,
  token_number int,
  user_uuid uuid,
  history jsonb not null default '[]',
  sequence int not null default 0,
  request_id varchar(128) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- A dispute of a provider is one for each of its sides, however often it is reported (SPEC §5).
  constraint dispute_once unique (provider_account_uuid, provider_dispute_id, kind),
  -- One that its provider has not accepted is requested by the account, and only that has no id of its provider.
  constraint dispute_request check (case when state in ('requesting', 'refused')
    then kind = 'REQUESTED_MED' and transfer_uuid is not null and fingerprint is not null and returned_cents = 0
    else provider_dispute_id is not null end),
  -- Only what goes on is cancelled, and only by who has requested it.
  constraint dispute_cancellation check (cancel_requested_at is null or (kind = 'REQUESTED_MED' and state <> 'requesting')),
  -- The rail gives seven days; 168 hours everywhere, also where clocks change.
  constraint dispute_deadline check (due_at <= opened_at + interval '168 hours'),
  -- No more is held or retained than is claimed,
  constraint dispute_held_limit check (held_cents + retained_cents <= claimed_cents),
  -- no more is taken back from splits,
  constraint dispute_reclaimed_limit check (reclaimed_cents between 0 and claimed_cents),
  -- and an ended dispute claims nothing.
  constraint dispute_ended check (state in ('open', 'analysing', 'accepted') or claimed_cents = 0),
  -- A dispute of ours is about a transfer: it claims nothing from us and takes no reply.
  constraint dispute_subject check (case kind when 'RECEIVED_MED' then transfer_uuid is null
    else charge_uuid is null and claimed_cents = 0 and accept is null end),
  -- A reply is whole.
  constraint dispute_reply check ((accept is null) = (analysis is null) and (accept is null or replied_at is not null)
    and (accept is null) = (reply_state is null)),
  constraint dispute_replying check (replying_until is null or reply_state is not null),
  constraint dispute_returned check ((returned_at is null) = (returned_cents = 0 or kind = 'REQUESTED_MED')),
  -- For contest.
  constraint dispute_of_account unique (uuid, account_uuid)
);
-- A PIX is disputed once for ever by who has sent it, also after a dispute that was cancelled.
create unique index dispute_requested_once on dispute (provider_account_uuid, end_to_end)
  where kind = 'REQUESTED_MED' and state <> 'refused';
create index dispute_listed on dispute (account_uuid, created_at, uuid)
  include (connection_uuid, state, kind, dispute_type);
-- Those of transfers, of which most accounts have few.
create index dispute_requested on dispute (account_uuid, created_at, uuid) where kind = 'REQUESTED_MED';
-- Those by which money was returned.
create index dispute_returned_at on dispute (account_uuid, created_at, uuid) include (returned_at) where returned_at is not null;
create index dispute_of_provider on dispute (account_uuid, connection_uuid, created_at, uuid);
create index dispute_of_charge on dispute (charge_uuid) where charge_uuid is not null;
create index dispute_of_transfer on dispute (transfer_uuid) where transfer_uuid is not null;
create index dispute_of_movement on dispute (movement_uuid);
create index dispute_by_end_to_end on dispute (provider_account_uuid, end_to_end);
-- Those that wait for an answer, by deadline.
create index dispute_due on dispute (account_uuid, due_at, uuid) where state = 'open';
-- Replies that have not reached their provider.
create index dispute_reply_pending on dispute (due_at) where reply_state = 'pending';
-- The disputes that an inflow may cover.
create index dispute_unresolved on dispute (account_uuid, provider_account_uuid) where state in ('open', 'analysing', 'accepted');

create table attachment (
  uuid uuid primary key,
  dispute_uuid uuid not null references dispute,
  -- Null of one that came with the contest.
  reply int check (reply >= 1),
  position int not null check (position between 0 and 9),
  name varchar(255) not null,
  content_type text not null check (content_type in ('application/pdf', 'image/png', 'image/jpeg', 'image/webp')),
  bytes int not null check (bytes between 1 and 10485760),
  storage_key text not null unique,
  created_at timestamptz not null,
  constraint attachment_once unique nulls not distinct (dispute_uuid, reply, position)
);

create table contest (
  -- A dispute is contested once.
  dispute_uuid uuid primary key,
  account_uuid uuid not null,
  constraint contest_dispute foreign key (dispute_uuid, account_uuid) references dispute (uuid, account_uuid),
  state text not null check (state in ('pending', 'sent', 'accepted', 'rejected')),
  analysis varchar(2000) not null,
  -- The provider's reference of what an operator has handed in.
  protocol varchar(100),
  -- What came back by it, and the movement that has credited it.
  value_cents bigint check (value_cents >= 1),
  movement_uuid uuid unique references movement,
  -- The token whose request created it, or the user of the dashboard.
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  -- Id of the order, by its Idempotency-Key, and digest of its request.
  order_uuid uuid not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  sent_at timestamptz,
  decided_at timestamptz,
  constraint contest_sent check ((state = 'pending') = (sent_at is null) and (protocol is null) = (sent_at is null)),
  constraint contest_decided check ((state in ('accepted', 'rejected')) = (decided_at is not null)),
  constraint contest_accepted check ((state = 'accepted') = (value_cents is not null) and (value_cents is null) = (movement_uuid is null))
);
-- Those that wait for an operator.
create index contest_waiting on contest (created_at) where state in ('pending', 'sent');`,

  rules: `${TRANSITIONS}

-- What disputes keep from the refunds of a charge is what they claim: with charge_remainder, refunds and disputes
-- together never exceed what was received.
create function check_claims_counted() returns trigger language plpgsql as $$
declare
  checked_charge uuid := to_jsonb(new) ->> tg_argv[0];
begin
  if exists (select from charge c where c.uuid = checked_charge
             and c.disputed_cents <> coalesce((select sum(claimed_cents) from dispute where charge_uuid = checked_charge), 0)) then
    raise exception 'charge % does not keep what its disputes claim', checked_charge
      using errcode = 'check_violation', constraint = 'charge_disputed';
  end if;
  return null;
end $$;
create constraint trigger dispute_claimed after insert or update of claimed_cents on dispute
  deferrable initially deferred for each row execute function check_claims_counted('charge_uuid');
create constraint trigger charge_claimed after update of disputed_cents on charge
  deferrable initially deferred for each row when (old.disputed_cents is distinct from new.disputed_cents)
  execute function check_claims_counted('uuid');

-- Nor do the claims on a PIX that paid no charge exceed it.
create function check_movement_claimed() returns trigger language plpgsql as $$
begin
  if new.charge_uuid is null and new.kind = 'RECEIVED_MED' and
     (select sum(claimed_cents) from dispute where movement_uuid = new.movement_uuid) >
     (select value_cents from movement where uuid = new.movement_uuid) then
    raise exception 'disputes claim more than movement % brought', new.movement_uuid
      using errcode = 'check_violation', constraint = 'movement_claimed';
  end if;
  return null;
end $$;
create constraint trigger movement_claimed after insert or update of claimed_cents on dispute
  deferrable initially deferred for each row execute function check_movement_claimed();

${CONTEST_TRANSITIONS}

-- Money was returned by what is contested,
create function check_contest_disputed() returns trigger language plpgsql as $$
begin
  if not exists (select from dispute d where d.uuid = new.dispute_uuid and d.kind = 'RECEIVED_MED' and d.returned_cents > 0) then
    raise exception 'nothing was returned by dispute %', new.dispute_uuid
      using errcode = 'check_violation', constraint = 'contest_disputed';
  end if;
  return new;
end $$;
create trigger contest_disputed before insert on contest for each row execute function check_contest_disputed();

-- and what came back is one credit of its account at its provider, that belongs to nothing else, and never more than was returned.
create function check_contest_credited() returns trigger language plpgsql as $$
begin
  if not exists (select from dispute d join movement m on m.uuid = new.movement_uuid
    where d.uuid = new.dispute_uuid and m.account_uuid = d.account_uuid and m.provider_account_uuid = d.provider_account_uuid
      and m.movement_type = 'IN' and m.status = 'SETTLED' and m.reason in ('deposit', 'provider_credit', 'adjustment')
      and m.value_cents = new.value_cents and new.value_cents <= d.returned_cents
  ) then
    raise exception 'movement % is no credit of what dispute % has returned', new.movement_uuid, new.dispute_uuid
      using errcode = 'check_violation', constraint = 'contest_credited';
  end if;
  return new;
end $$;
create trigger contest_credited before update of state on contest
  for each row when (new.state = 'accepted') execute function check_contest_credited();`,
}
