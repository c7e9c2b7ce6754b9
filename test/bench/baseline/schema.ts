/** The tables of the baseline: merchants with their endpoints, charges, and jobs that are webhooks to send. */
export const SCHEMA = `
create table merchant (id bigint generated always as identity primary key, token_hash bytea not null unique);
create table endpoint (
  id bigint generated always as identity primary key,
  merchant_id bigint not null references merchant,
  url text not null,
  secret text not null
);
create index on endpoint (merchant_id);
create table charge (
  uuid uuid primary key,
  merchant_id bigint not null references merchant,
  txid text not null unique,
  status text not null check (status in ('pending', 'paid')),
  value_cents bigint not null check (value_cents > 0),
  payload text not null,
  end_to_end text,
  external_ref text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  paid_at timestamptz
);
create index on charge (merchant_id, created_at desc, uuid desc);
create table job (
  id bigint generated always as identity primary key,
  endpoint_id bigint not null references endpoint,
  event_id uuid not null,
  body text not null,
  attempts int not null default 0,
  run_at timestamptz not null default now(),
  done_at timestamptz
);
create index on job (run_at) where done_at is null;
`
