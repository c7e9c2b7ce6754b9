import type { SchemaPart } from './schema-part.ts'

/**
 * Users of the dashboard, their sessions and attempts to sign in, the pauses that operators set, the record of what operators did and
 * why, and the hourly comparison of rows that move with running workflows.
 */
export const operators: SchemaPart = {
  tables: `
create table app_user (
  uuid uuid primary key,
  account_uuid uuid references account,
  email varchar(254) not null unique check (email = lower(email) and email like '%_@_%'),
  password_hash text not null check (password_hash like '$argon2id$%'),
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer', 'operator')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- A user of an account belongs to one, an operator to none.
  constraint app_user_account check ((role = 'operator') = (account_uuid is null))
);
create index app_user_of_account on app_user (account_uuid) where account_uuid is not null;

create table dashboard_session (
  -- SHA-256 of the cookie.
  hash bytea primary key check (length(hash) = 32),
  user_uuid uuid not null references app_user,
  -- The account whose pages an operator reads.
  opened_account_uuid uuid references account,
  -- SHA-256 of the password's hash at signing in: a new password ends every session of the old one.
  password_digest bytea not null,
  csrf text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index dashboard_session_of_user on dashboard_session (user_uuid);
create index dashboard_session_expiry on dashboard_session (expires_at);

-- Attempts that failed or are undecided. Hashes only: what is typed as an e-mail may be a password.
create table sign_in_attempt (
  id bigint generated always as identity primary key,
  email_hash bytea not null,
  address_hash bytea not null,
  -- A device that has signed in before is limited by itself.
  device_hash bytea,
  at timestamptz not null default now()
);
create index sign_in_attempt_of_email on sign_in_attempt (email_hash, at);
create index sign_in_attempt_of_address on sign_in_attempt (address_hash, at);
create index sign_in_attempt_device on sign_in_attempt (device_hash, at);
create index sign_in_attempt_age on sign_in_attempt (at);

create table pause (
  uuid uuid primary key,
  account_uuid uuid references account,
  connection_uuid uuid references connection,
  reach text not null check (reach in ('money_out', 'everything')),
  reason text not null check (reason <> ''),
  actor text not null check (actor <> ''),
  created_at timestamptz not null default now(),
  constraint pause_of_one check (account_uuid is null or connection_uuid is null),
  -- One pause of each.
  constraint pause_once unique nulls not distinct (account_uuid, connection_uuid)
);

create table operator_action (
  uuid uuid primary key,
  actor text not null check (actor <> ''),
  action text not null check (action ~ '^[a-z_]+$'),
  subject text not null check (subject <> ''),
  reason text not null check (reason <> ''),
  at timestamptz not null default now()
);
create index operator_action_listed on operator_action (at desc);
create index operator_action_of_subject on operator_action (subject, at desc);

-- Rows that move without a workflow, until it runs again.
create table lost_workflow (
  workflow_id text primary key,
  noun text not null,
  subject_uuid uuid not null,
  account_uuid uuid not null references account,
  state text not null,
  is_reopened boolean not null,
  found_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- The last comparison of each noun.
create table workflow_sweep (
  noun text primary key,
  swept_at timestamptz not null,
  checked_count integer not null,
  lost_count integer not null
);`,

  rules: `
create trigger operator_action_immutable before update or delete or truncate on operator_action
  for each statement execute function refuse_change();`,
}
