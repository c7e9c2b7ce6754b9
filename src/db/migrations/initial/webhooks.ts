import { FREQUENT_VACUUM, type SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

/** What a delivery may become by one event, as in `src/domain/webhooks/delivery.ts`. */
const DELIVERY_TRANSITIONS = createTransitionTrigger(
  'delivery',
  {
    PENDING: 'DELIVERED FAILED CANCELLED',
    DELIVERED: 'PENDING',
    FAILED: 'DELIVERED PENDING',
    CANCELLED: 'DELIVERED PENDING',
  },
  'status',
)

/** Events, the endpoints that receive them, and the deliveries with their attempts. */
export const webhooks: SchemaPart = {
  tables: `
create table event (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid references connection,
  -- TEST is sent on request and cannot be subscribed to.
  type text not null check (type in ('PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION', 'BATCH', 'RECURRENCE', 'REPORT', 'TEST')),
  subject_uuid uuid not null,
  sequence int not null,
  -- json and not jsonb: the fields keep the order of GET, and a delivery its text, also when it is sent again.
  body json not null,
  owner_uuid uuid not null,
  request_id varchar(128) not null,
  created_at timestamptz(3) not null,
  -- A change of a resource is one event.
  constraint event_once unique (subject_uuid, sequence)
) ${FREQUENT_VACUUM};
-- The list, and the oldest of each account, which are deleted, their deliveries with them.
create index event_listed on event (account_uuid, created_at, uuid) include (connection_uuid, type);
create index event_of_kind on event (account_uuid, type, created_at, uuid) include (connection_uuid);
create index event_of_workflow on event (owner_uuid);

create table webhook (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  url text not null check (length(url) <= 2048),
  mode text check (mode in ('live', 'test')),
  events text[] not null check (cardinality(events) >= 1),
  sealed_secret text not null,
  masked_secret text not null,
  previous_secrets jsonb not null default '[]',
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DISABLED')),
  disabled_reason text,
  last_success_at timestamptz,
  failing_since timestamptz,
  deleted_at timestamptz,
  -- The answer of its POST, which a repeated request gets again.
  sealed_creation text,
  sequence int not null default 0,
  -- The token whose request created it, or the user of the dashboard.
  token_number int,
  user_uuid uuid,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  constraint webhook_kinds check (events <@ array['PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION', 'BATCH', 'RECURRENCE', 'REPORT']),
  -- A delivery is signed by ten secrets at most.
  constraint webhook_previous_secrets
    check (jsonb_typeof(previous_secrets) = 'array' and jsonb_array_length(previous_secrets) <= 9),
  -- A disabled endpoint says why.
  constraint webhook_disabled check ((status = 'DISABLED') = (disabled_reason is not null))
);
create index webhook_listed on webhook (account_uuid, created_at, uuid) where deleted_at is null;
create index webhook_failing on webhook (failing_since) where status = 'ACTIVE' and deleted_at is null;
-- Whether an account has test events, which are shown in the endpoint's mode only.
create index webhook_tested on webhook (account_uuid, mode) where sequence > 0;

create table delivery (
  uuid uuid primary key,
  webhook_uuid uuid not null references webhook,
  event_uuid uuid not null references event on delete cascade,
  -- The type of the event, by which the list selects.
  event_type text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
  attempt_count int not null default 0,
  attempts_before_run int not null default 0,
  next_attempt_at timestamptz,
  -- When the sweep signals its workflow unless the row has changed by then; null: nothing is left to do.
  sweep_at timestamptz default now() + interval '5 minutes',
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- An event is delivered to an endpoint once.
  constraint delivery_once unique (event_uuid, webhook_uuid),
  constraint delivery_run check (attempts_before_run between 0 and attempt_count),
  constraint delivery_next_attempt check (status = 'PENDING' or next_attempt_at is null)
) ${FREQUENT_VACUUM};
-- The list, without and with a type or days: the index alone finds the rows of a type.
create index delivery_listed on delivery (webhook_uuid, created_at, uuid, event_type);
create index delivery_of_status on delivery (webhook_uuid, status, created_at, uuid) where status <> 'DELIVERED';
-- The longest overdue delivery of each endpoint, and the sweep; by endpoint, so that the backlog of one delays no other.
create index delivery_of_webhook_due on delivery (webhook_uuid, coalesce(next_attempt_at, created_at))
  where status = 'PENDING';
create index delivery_of_webhook_to_sweep on delivery (webhook_uuid, sweep_at) where sweep_at is not null;

create table delivery_attempt (
  delivery_uuid uuid not null references delivery on delete cascade,
  number int not null,
  status_code int,
  failure text,
  duration_ms int not null,
  answer text not null default '' constraint delivery_attempt_answer check (octet_length(answer) <= 1024),
  at timestamptz not null,
  primary key (delivery_uuid, number)
);`,

  rules: `
-- An account has 20 endpoints, however many requests come at once.
create function limit_webhooks() returns trigger language plpgsql as $$
begin
  perform from account where uuid = new.account_uuid for update;
  if (select count(*) from webhook where account_uuid = new.account_uuid and deleted_at is null) >= 20 then
    raise exception 'an account has at most 20 webhooks' using errcode = 'check_violation', constraint = 'webhook_limit';
  end if;
  return new;
end $$;
create trigger webhook_limit before insert on webhook for each row execute function limit_webhooks();

-- What an endpoint has accepted neither fails nor is cancelled.
${DELIVERY_TRANSITIONS}`,
}
