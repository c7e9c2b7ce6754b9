import type { SchemaPart } from './schema-part.ts'

/** Accounts of merchants, their API tokens and the rate limit of each token. */
export const accounts: SchemaPart = {
  tables: `
create table account (
  uuid uuid primary key,
  name varchar(140) not null,
  document varchar(14) not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'BLOCKED')),
  unmatched_policy text not null default 'refund' check (unmatched_policy in ('refund', 'keep')),
  wrong_payer_policy text not null default 'return' check (wrong_payer_policy in ('return', 'review')),
  disputed_split_policy text not null default 'share' check (disputed_split_policy in ('share', 'owner')),
  unique_external_ref boolean not null default false,
  -- Its days in the dashboard: a name of the IANA database, as the process knows it.
  time_zone text not null default 'America/Sao_Paulo' check (length(time_zone) between 1 and 64),
  is_service boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index account_service on account (is_service) where is_service;

create table token (
  uuid uuid primary key,
  -- Names the token in the rows that its requests created.
  number int generated always as identity constraint token_number unique,
  account_uuid uuid not null references account,
  -- A token bound to one connection sees and uses nothing else.
  connection_uuid uuid,
  name text not null,
  -- The person who made it, by whom what it orders counts as ordered: e-mail of a user, or name of an operator. Null: a program.
  author varchar(254) check (author <> '' and author = lower(author)),
  mode text not null check (mode in ('live', 'test')),
  scopes text[] not null default array['read', 'charges', 'transfers', 'refunds', 'webhooks'],
  -- IP addresses and networks in CIDR notation; empty: the token may be used from anywhere.
  allowed_addresses text[] not null default '{}' check (cardinality(allowed_addresses) <= 50),
  prefix text not null,
  hash bytea not null unique,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  -- The shown prefix names the mode and is too short to guess the token from.
  constraint token_prefix check (starts_with(prefix, 'trl_' || mode || '_') and length(prefix) < 20),
  constraint token_scopes check (
    cardinality(scopes) between 1 and 5 and scopes <@ array['read', 'charges', 'transfers', 'refunds', 'webhooks'])
);
create index token_listed on token (account_uuid, created_at desc);

-- The token bucket that all API processes lease from.
create table rate_bucket (
  token_uuid uuid primary key references token,
  tokens double precision not null,
  filled_at timestamptz not null
);`,

  rules: `
alter table token add constraint token_connection_uuid_fkey foreign key (connection_uuid) references connection;
-- A token is bound to a connection of its own account or to none.
alter table token add constraint token_binding foreign key (connection_uuid, account_uuid)
  references connection (uuid, account_uuid);`,
}
