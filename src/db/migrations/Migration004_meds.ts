import { Migration } from '@mikro-orm/migrations'

/** Disputes (MED): their holds, their replies, and the returns that their providers sent. */
export class Migration004_meds extends Migration {
  override up() {
    this.addSql(MEDS)
    this.addSql(CLAIMS)
    this.addSql(ATTACHMENTS)
    this.addSql(REFERENCES)
  }
}

const MEDS = `
create table med (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null references connection,
  provider_account_uuid uuid not null references provider_account,
  provider_med_id varchar(255) not null,
  kind text not null check (kind in ('RECEIVED_MED', 'REQUESTED_MED')),
  dispute_type text not null check (dispute_type in ('UNDEFINED', 'SCAM', 'WRONG_TRANSACTION', 'COERCION_CRIME',
    'UNAUTHORIZED_ACCESS')),
  state text not null check (state in ('open', 'analysing', 'accepted', 'resolved', 'rejected', 'cancelled')),
  end_to_end varchar(32) not null,
  movement_uuid uuid not null references movement,
  charge_uuid uuid references charge,
  transfer_uuid uuid references transfer,
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  claimed_cents bigint not null default 0 check (claimed_cents between 0 and value_cents),
  held_cents bigint not null default 0 check (held_cents >= 0),
  retained_cents bigint not null default 0 check (retained_cents >= 0),
  returned_cents bigint not null default 0 check (returned_cents >= 0),
  opened_at timestamptz not null,
  due_at timestamptz not null,
  warned_hours int,
  details text not null default '',
  provider_analysis text not null default '',
  accept boolean,
  analysis varchar(2000),
  replied_at timestamptz,
  reply_state text check (reply_state in ('wanted', 'sent')),
  reply_request_id varchar(128),
  replies int not null default 0,
  reply_failure jsonb,
  history jsonb not null default '[]',
  sequence int not null default 0,
  request_id varchar(128) not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- SPEC §5: whoever tells it how often, one dispute of a provider is one.
  constraint med_once unique (provider_account_uuid, provider_med_id),
  constraint med_deadline check (due_at <= opened_at + interval '7 days'),
  -- Money is kept for what is claimed, and for nothing once the dispute is over; against a transfer there is nothing to keep.
  constraint med_cover check (held_cents + retained_cents <= claimed_cents),
  constraint med_over check (state in ('open', 'analysing', 'accepted') or claimed_cents = 0),
  constraint med_subject check (case kind when 'RECEIVED_MED' then transfer_uuid is null
    else charge_uuid is null and claimed_cents = 0 and accept is null end),
  constraint med_reply check ((accept is null) = (analysis is null) and (accept is null or replied_at is not null)
    and (accept is null) = (reply_state is null))
);
create index on med (account_uuid, created_at desc, uuid desc);
create index on med (account_uuid, connection_uuid, created_at desc, uuid desc);
create index on med (charge_uuid) where charge_uuid is not null;
create index on med (transfer_uuid) where transfer_uuid is not null;
create index on med (movement_uuid);
create index on med (provider_account_uuid, end_to_end);
create index med_unresolved on med (account_uuid, provider_account_uuid) where state in ('open', 'analysing', 'accepted');`

const CLAIMS = `
-- What disputes keep from the refunds of a charge is what they claim: with charge_remainder, refunds and disputes
-- together never exceed what was received.
create function charge_disputed(wanted uuid) returns void language plpgsql as $$
begin
  if exists (select from charge c where c.uuid = wanted
             and c.disputed_cents <> coalesce((select sum(claimed_cents) from med where charge_uuid = wanted), 0)) then
    raise exception 'charge % does not keep what its disputes claim', wanted
      using errcode = 'check_violation', constraint = 'charge_disputed';
  end if;
end $$;
create function med_is_claimed() returns trigger language plpgsql as $$
begin
  if new.charge_uuid is not null then perform charge_disputed(new.charge_uuid); end if;
  return null;
end $$;
create function charge_is_claimed() returns trigger language plpgsql as $$
begin
  perform charge_disputed(new.uuid);
  return null;
end $$;
create constraint trigger med_claimed after insert or update of claimed_cents on med
  deferrable initially deferred for each row execute function med_is_claimed();
create constraint trigger charge_claimed after update of disputed_cents on charge
  deferrable initially deferred for each row when (old.disputed_cents is distinct from new.disputed_cents)
  execute function charge_is_claimed();

-- The claims on a PIX that is no charge's never exceed it either.
create function movement_is_claimed() returns trigger language plpgsql as $$
begin
  if new.charge_uuid is null and new.kind = 'RECEIVED_MED' and
     (select sum(claimed_cents) from med where movement_uuid = new.movement_uuid) >
     (select value_cents from movement where uuid = new.movement_uuid) then
    raise exception 'disputes claim more than movement % brought', new.movement_uuid
      using errcode = 'check_violation', constraint = 'movement_claimed';
  end if;
  return null;
end $$;
create constraint trigger movement_claimed after insert or update of claimed_cents on med
  deferrable initially deferred for each row execute function movement_is_claimed();`

const ATTACHMENTS = `
create table attachment (
  uuid uuid primary key,
  med_uuid uuid not null references med,
  reply int not null check (reply >= 1),
  position int not null check (position between 0 and 9),
  name varchar(255) not null,
  content_type text not null check (content_type in ('application/pdf', 'image/png', 'image/jpeg', 'image/webp')),
  bytes int not null check (bytes between 1 and 10485760),
  storage_key text not null unique,
  created_at timestamptz not null,
  unique (med_uuid, reply, position)
);`

const REFERENCES = `
alter table notice drop constraint notice_kind_check;
alter table notice add constraint notice_kind_check check (kind in ('payment', 'refund', 'transfer', 'med'));
alter table movement add column med_uuid uuid references med;
create index on movement (med_uuid) where med_uuid is not null;
-- A refund that a provider sent by a dispute; it is settled from the start.
alter table refund add column med_uuid uuid references med;
alter table refund add constraint refund_of_med check (med_uuid is null or state = 'settled');`
