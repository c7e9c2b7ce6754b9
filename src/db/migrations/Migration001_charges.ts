import { Migration } from '@mikro-orm/migrations'

/**
 * Accounts and their connections, charges, the ledger, the notice inbox, events and webhooks.
 * Every rule about money stands here a second time, as a constraint.
 */
export class Migration001_charges extends Migration {
  override up() {
    this.addSql(ACCOUNTS)
    this.addSql(CHARGES)
    this.addSql(LEDGER)
    this.addSql(NOTICES)
    this.addSql(WEBHOOKS)
    this.addSql(LIMITS)
  }
}

const ACCOUNTS = `
create table account (
  uuid uuid primary key,
  name varchar(140) not null,
  document varchar(14) not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'BLOCKED')),
  unmatched_policy text not null default 'refund' check (unmatched_policy in ('refund', 'keep')),
  unique_external_ref boolean not null default false,
  created_at timestamptz not null default now()
);

-- Where money really sits at a provider; POOL connections of many accounts share one.
create table provider_account (
  uuid uuid primary key,
  provider text not null check (provider in ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D')),
  name text not null,
  created_at timestamptz not null default now(),
  unique (provider, name)
);

create table connection (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null references provider_account,
  provider text not null check (provider in ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D')),
  dialect text not null check (dialect in ('efi', 'woovi')),
  type text not null check (type in ('NOMINAL', 'POOL')),
  status text not null,
  is_public boolean not null default true,
  is_simulated boolean not null,
  base_url text not null,
  sealed_credentials text not null,
  secret_key_id text not null,
  collection_key varchar(77),
  fees jsonb not null,
  virtual_account jsonb,
  settle_window_ms int not null default 600000 check (settle_window_ms > 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index on connection (account_uuid, created_at desc, uuid desc);
create index on connection (provider_account_uuid);

create table default_provider (
  account_uuid uuid not null references account,
  payment_type text not null check (payment_type = 'PIX'),
  position int not null check (position between 1 and 10),
  connection_uuid uuid not null references connection,
  primary key (account_uuid, payment_type, position),
  unique (account_uuid, payment_type, connection_uuid)
);

create table token (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid references connection,
  name text not null,
  mode text not null check (mode in ('live', 'test')),
  prefix text not null,
  hash bytea not null unique,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index on token (account_uuid, created_at desc);

create table breaker (
  connection_uuid uuid primary key references connection,
  failures timestamptz[] not null default '{}',
  opened_at timestamptz,
  probed_at timestamptz
);`

const CHARGES = `
create table charge (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  -- Who carries it: the first candidate until one has issued it.
  connection_uuid uuid not null references connection,
  provider_account_uuid uuid not null references provider_account,
  state text not null check (state in ('issuing', 'pending', 'paying', 'paid', 'refunding', 'partially_refunded',
    'refunded', 'failed', 'expired', 'cancelled')),
  value_cents bigint not null check (value_cents between 0 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  external_ref varchar(255),
  beneficiary_name varchar(140),
  beneficiary_document varchar(14),
  payment_uuid uuid not null,
  payload text,
  txid varchar(35),
  pix_key varchar(77),
  receiver jsonb,
  expires_in_seconds int not null check (expires_in_seconds between 60 and 2592000),
  expires_at timestamptz,
  cancel_requested_at timestamptz,
  movement_uuid uuid,
  end_to_end varchar(32),
  paid_at timestamptz,
  received_cents bigint not null default 0 check (received_cents >= 0),
  refunding_cents bigint not null default 0 check (refunding_cents >= 0),
  refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  disputed_cents bigint not null default 0 check (disputed_cents >= 0),
  failure jsonb,
  history jsonb not null default '[]',
  sequence int not null default 0,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- SPEC §3: the payer is never paid back more than was received, whoever asks.
  constraint charge_remainder check (refunding_cents + refunded_cents + disputed_cents <= received_cents),
  constraint charge_beneficiary check ((beneficiary_name is null) = (beneficiary_document is null)),
  constraint charge_issued check (state in ('issuing', 'failed') or payload is not null),
  constraint charge_paid check (state not in ('paid', 'refunding', 'partially_refunded', 'refunded') or movement_uuid is not null)
);
create index on charge (account_uuid, created_at desc, uuid desc);
create index on charge (account_uuid, state, created_at desc, uuid desc);
create index on charge (account_uuid, connection_uuid, created_at desc, uuid desc);
create index on charge (account_uuid, external_ref) where external_ref is not null;
create index on charge (account_uuid, txid) where txid is not null;
create index on charge (account_uuid, end_to_end) where end_to_end is not null;
create index on charge (account_uuid, paid_at) where paid_at is not null;

create table split (
  uuid uuid primary key,
  charge_uuid uuid not null references charge,
  position int not null,
  type text not null check (type in ('PERCENTAGE', 'FIXED')),
  -- Hundredths of a percent, or centavos where FIXED.
  amount bigint not null check (amount >= 0 and (type = 'FIXED' or amount <= 10000)),
  recipient_account_uuid uuid not null references account,
  status text not null default 'PENDING' check (status in ('PENDING', 'CREDITED', 'FAILED')),
  credited_cents bigint not null default 0 check (credited_cents >= 0),
  -- What settled refunds have asked back of it; the recipient may have lacked some of it.
  asked_back_cents bigint not null default 0 check (asked_back_cents between 0 and credited_cents),
  unique (charge_uuid, recipient_account_uuid, type)
);
create index on split (charge_uuid, position);

-- One row per (operation, provider), written before the call; its reference is the id the provider gets.
create table attempt (
  uuid uuid primary key,
  operation text not null check (operation in ('issue', 'transfer', 'refund', 'return')),
  subject_uuid uuid not null,
  connection_uuid uuid not null references connection,
  provider_account_uuid uuid not null references provider_account,
  position int not null,
  reference varchar(35) not null,
  state text not null check (state in ('calling', 'accepted', 'settled', 'rejected', 'unreachable', 'unknown', 'orphan', 'closed', 'duplicate')),
  finality text check (finality in ('other_may_help', 'final')),
  code text,
  provider_code text,
  message text,
  end_to_end varchar(32),
  unknown_since timestamptz,
  next_check_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (operation, subject_uuid, connection_uuid)
);
-- Money goes out through one provider at a time: a second live attempt cannot be written.
create unique index attempt_one_live on attempt (operation, subject_uuid)
  where operation <> 'issue' and state not in ('rejected', 'unreachable', 'duplicate');
create index on attempt (reference);
create index attempt_unknown on attempt (unknown_since) where state = 'unknown';`

const LEDGER = `
create table movement (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null references provider_account,
  connection_uuid uuid references connection,
  type text not null check (type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND', 'SPLIT', 'FEE', 'HOLD', 'DEPOSIT', 'ADJUSTMENT')),
  movement_type text not null check (movement_type in ('IN', 'OUT')),
  value_cents bigint not null check (value_cents > 0),
  status text not null check (status in ('PENDING', 'SETTLED', 'FAILED')),
  end_to_end varchar(32),
  txid varchar(35),
  pix_key varchar(77),
  sender jsonb,
  receiver jsonb,
  charge_uuid uuid references charge,
  original_uuid uuid references movement,
  -- Why a PIX stands alone: deposit, or not the charge's; and what became of the latter.
  reason text check (reason in ('deposit', 'second_payment', 'wrong_amount', 'charge_over', 'orphan', 'duplicate_settlement')),
  disposition text check (disposition in ('held', 'returning', 'returned', 'kept', 'not_returned')),
  sequence int not null default 0,
  settled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index movement_once on movement (provider_account_uuid, movement_type, end_to_end) where end_to_end is not null;
create index on movement (account_uuid, created_at desc, uuid desc);
create index on movement (charge_uuid) where charge_uuid is not null;
create index movement_unmatched on movement (created_at) where disposition in ('held', 'returning', 'not_returned');
alter table charge add constraint charge_movement foreign key (movement_uuid) references movement;

create table balance (
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null references provider_account,
  bucket text not null check (bucket in ('available', 'pending', 'provisioned', 'blocked', 'retained', 'fee', 'shortfall', 'outside')),
  cents bigint not null,
  primary key (account_uuid, provider_account_uuid, bucket),
  -- SPEC §7: no bucket of a merchant below zero.
  constraint balance_covered check (bucket in ('outside', 'shortfall') or cents >= 0),
  constraint balance_shortfall check (bucket <> 'shortfall' or cents <= 0)
);
create index on balance (provider_account_uuid);

-- An account can only hold money where it has a connection, and there it has every bucket from the start:
-- so postings never insert a balance, they only lock it and add to it.
create function open_balances() returns trigger language plpgsql as $$
begin
  insert into balance (account_uuid, provider_account_uuid, bucket, cents)
  select new.account_uuid, new.provider_account_uuid, name, 0
  from unnest(array['available', 'pending', 'provisioned', 'blocked', 'retained', 'fee', 'shortfall', 'outside']) as name
  on conflict do nothing;
  return null;
end $$;
create trigger connection_balances after insert or update of provider_account_uuid on connection
  for each row execute function open_balances();

create table posting (
  id bigint generated always as identity primary key,
  movement_uuid uuid not null references movement,
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null references provider_account,
  bucket text not null,
  cents bigint not null check (cents <> 0),
  -- The bucket's balance after this posting.
  balance_cents bigint not null,
  created_at timestamptz not null default now(),
  foreign key (account_uuid, provider_account_uuid, bucket) references balance
);
create index on posting (movement_uuid);
create index on posting (account_uuid, provider_account_uuid, bucket, id);

create function postings_balance() returns trigger language plpgsql as $$
begin
  if exists (select from written group by movement_uuid, provider_account_uuid having sum(cents) <> 0) then
    raise exception 'the postings of a movement do not add up to zero' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger posting_balanced after insert on posting referencing new table as written
  for each statement execute function postings_balance();

create function immutable() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;
create trigger posting_immutable before update or delete or truncate on posting
  for each statement execute function immutable();`

const NOTICES = `
-- What providers told us, one row per fact, kept until its life has taken it.
create table notice (
  uuid uuid primary key,
  connection_uuid uuid not null references connection,
  digest bytea not null,
  kind text not null check (kind in ('payment', 'refund', 'transfer')),
  reference text,
  end_to_end text,
  body text not null,
  request_id varchar(128) not null,
  received_at timestamptz not null default now(),
  handed_at timestamptz,
  outcome text,
  unique (connection_uuid, digest)
);
create index notice_waiting on notice (received_at) where handed_at is null;`

const WEBHOOKS = `
create table event (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid references connection,
  type text not null check (type in ('PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION')),
  subject_uuid uuid not null,
  sequence int not null,
  -- Not jsonb: the receiver gets the resource with its fields in the order of GET.
  body json not null,
  -- The subject of the life that starts its deliveries.
  life_uuid uuid not null,
  request_id varchar(128) not null,
  created_at timestamptz not null,
  unique (subject_uuid, type, sequence)
);
create index on event (account_uuid, created_at desc, uuid desc);
create index on event (life_uuid);

create table webhook (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  url text not null check (length(url) <= 2048),
  sealed_token text not null,
  masked_token text not null,
  sealed_previous_token text,
  previous_token_until timestamptz,
  events text[] not null check (cardinality(events) between 1 and 5),
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'DISABLED')),
  disabled_reason text,
  last_success_at timestamptz,
  failing_since timestamptz,
  deleted_at timestamptz,
  fingerprint text not null,
  created_at timestamptz not null
);
create index on webhook (account_uuid, created_at desc, uuid desc) where deleted_at is null;

create function at_most_20_webhooks() returns trigger language plpgsql as $$
begin
  perform from account where uuid = new.account_uuid for update;
  if (select count(*) from webhook where account_uuid = new.account_uuid and deleted_at is null) >= 20 then
    raise exception 'an account has at most 20 webhooks' using errcode = 'check_violation', constraint = 'webhook_limit';
  end if;
  return new;
end $$;
create trigger webhook_limit before insert on webhook for each row execute function at_most_20_webhooks();

create table delivery (
  uuid uuid primary key,
  webhook_uuid uuid not null references webhook,
  event_uuid uuid not null references event,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
  tries int not null default 0,
  next_try_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (webhook_uuid, event_uuid)
);
create index on delivery (webhook_uuid, created_at desc, uuid desc);
create index on delivery (event_uuid);

create table delivery_try (
  delivery_uuid uuid not null references delivery,
  number int not null,
  status_code int,
  failure text,
  duration_ms int not null,
  answer text not null default '',
  at timestamptz not null,
  primary key (delivery_uuid, number)
);`

const LIMITS = `
-- The token bucket that all API processes lease from.
create table rate_bucket (
  token_uuid uuid primary key references token,
  tokens double precision not null,
  filled_at timestamptz not null
);`
