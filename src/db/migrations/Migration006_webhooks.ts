import { Migration } from '@mikro-orm/migrations'

/** Webhooks that are changed, rotated and tested, deliveries that are sent again, events that are read and forgotten. */
export class Migration006_webhooks extends Migration {
  override up() {
    this.addSql(TOKENS)
    this.addSql(EVENTS)
    this.addSql(WEBHOOKS)
    this.addSql(DELIVERIES)
  }
}

const TOKENS = `
alter table token add constraint token_prefix check (starts_with(prefix, 'trl_' || mode || '_') and length(prefix) < 20);
-- A token is bound to a provider of its own account or to none.
alter table connection add constraint connection_of_account unique (uuid, account_uuid);
alter table token add constraint token_binding foreign key (connection_uuid, account_uuid)
  references connection (uuid, account_uuid);`

const EVENTS = `
-- TEST is no kind that an endpoint subscribes to: it is sent where somebody asks for it.
alter table event drop constraint event_type_check;
alter table event add constraint event_type_check
  check (type in ('PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION', 'TEST'));
create index event_of_provider on event (account_uuid, connection_uuid, created_at desc, uuid desc);
create index event_of_type on event (account_uuid, type, created_at desc, uuid desc);
-- What is kept for 30 days is found by its age, and what hangs on it goes with it.
create index event_age on event (created_at);
alter table delivery drop constraint delivery_event_uuid_fkey;
alter table delivery add constraint delivery_event_uuid_fkey
  foreign key (event_uuid) references event on delete cascade;
alter table delivery_try drop constraint delivery_try_delivery_uuid_fkey;
alter table delivery_try add constraint delivery_try_delivery_uuid_fkey
  foreign key (delivery_uuid) references delivery on delete cascade;`

const WEBHOOKS = `
-- Tokens that were replaced sign for a day more: [{ sealed, until }], the newest first.
alter table webhook add column previous_tokens jsonb not null default '[]';
update webhook set previous_tokens = jsonb_build_array(
  jsonb_build_object('sealed', sealed_previous_token, 'until', previous_token_until))
  where sealed_previous_token is not null and previous_token_until is not null;
alter table webhook drop column sealed_previous_token, drop column previous_token_until;
alter table webhook add constraint webhook_previous_tokens
  check (jsonb_typeof(previous_tokens) = 'array' and jsonb_array_length(previous_tokens) <= 9);
-- What its POST answered, so that its key answers the same for ever.
alter table webhook add column sealed_creation text;
-- Counts its test events.
alter table webhook add column sequence int not null default 0;
update webhook set disabled_reason = 'unknown' where status = 'DISABLED' and disabled_reason is null;
update webhook set disabled_reason = null where status = 'ACTIVE';
alter table webhook add constraint webhook_disabled check ((status = 'DISABLED') = (disabled_reason is not null));
alter table webhook add constraint webhook_kinds
  check (events <@ array['PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION']);
create index webhook_failing on webhook (failing_since) where status = 'ACTIVE' and deleted_at is null;`

const DELIVERIES = `
-- A delivery that is sent again begins the schedule anew; its tries are counted on.
alter table delivery add column round_from int not null default 0;
alter table delivery add constraint delivery_round check (round_from between 0 and tries);
-- From then on its life is woken from outside, unless it has moved by itself; null where nothing is left to do.
alter table delivery add column wake_at timestamptz default now() + interval '5 minutes';
update delivery set wake_at = null where status <> 'PENDING';
update delivery set next_try_at = null where status <> 'PENDING';
alter table delivery add constraint delivery_waits check (status = 'PENDING' or next_try_at is null);
create index delivery_to_wake on delivery (wake_at) where wake_at is not null;
create index delivery_of_webhook_pending on delivery (webhook_uuid) where status = 'PENDING';
create index delivery_event_pending on delivery (event_uuid) where status = 'PENDING';
alter table delivery_try add constraint delivery_try_answer check (octet_length(answer) <= 1024);`
