import type { SchemaPart } from './schema-part.ts'

/** Notifications of providers, one row per fact, stored raw until thirty days after a workflow has accepted them. */
export const providerNotifications: SchemaPart = {
  tables: `
create table provider_notification (
  -- Of its connection and its text: a notification that is sent again is one fact, as long as its row is kept.
  uuid uuid primary key,
  connection_uuid uuid not null references connection,
  kind text not null check (kind in ('payment', 'refund', 'transfer', 'dispute', 'recurrence')),
  reference text,
  end_to_end text,
  -- text and not jsonb: the uuid is derived from its characters.
  body text not null,
  request_id varchar(128) not null,
  received_at timestamptz not null default now(),
  routed_at timestamptz,
  outcome text
);
create index provider_notification_waiting on provider_notification (received_at) where routed_at is null;
-- Details that only a notification reports (notified-details.ts).
create index provider_notification_payment on provider_notification (end_to_end) where kind = 'payment';
create index provider_notification_payout on provider_notification (reference) where kind in ('refund', 'transfer');
-- Those to delete.
create index provider_notification_routed on provider_notification (routed_at) where routed_at is not null;`,
}
