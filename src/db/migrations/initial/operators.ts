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
  email varchar(254) not null check (email = lower(email) and email like '%_@_%'),
  name varchar(140) check (name <> ''),
  password_hash text not null check (password_hash like '$argon2id$%'),
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer', 'operator')),
  created_at timestamptz not null default now(),
  -- Disabled by an operator, who may enable the user again.
  disabled_at timestamptz,
  -- Removed by an owner of the account, for ever: the e-mail may be invited again.
  removed_at timestamptz,
  last_sign_in_at timestamptz,
  -- Filters of lists that the user has named: list, name and query of each.
  saved_filters jsonb not null default '[]'
    constraint app_user_saved_filters check (jsonb_typeof(saved_filters) = 'array' and jsonb_array_length(saved_filters) <= 20),
  -- A user of an account belongs to one, an operator to none.
  constraint app_user_account check ((role = 'operator') = (account_uuid is null))
);
create index app_user_of_account on app_user (account_uuid) where account_uuid is not null;
create unique index app_user_email on app_user (email) where removed_at is null;

-- An invitation to an account: a link that works once, which an owner sends, or an operator to the first owner.
create table user_invitation (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  email varchar(254) not null check (email = lower(email) and email like '%_@_%'),
  role text not null check (role in ('owner', 'finance', 'developer', 'viewer')),
  -- SHA-256 of the token in the address; the token itself is not stored.
  token_hash bytea not null constraint user_invitation_token unique check (length(token_hash) = 32),
  -- Null: an operator on the command line.
  invited_by uuid references app_user,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  -- The user that accepted it.
  user_uuid uuid references app_user,
  revoked_at timestamptz,
  constraint user_invitation_outcome check (accepted_at is null or revoked_at is null),
  constraint user_invitation_user check ((accepted_at is null) = (user_uuid is null))
);
-- An e-mail has one open invitation to an account.
create unique index user_invitation_open on user_invitation (account_uuid, email)
  where accepted_at is null and revoked_at is null;

-- A link by which a user who has forgotten the password chooses another one. It ends with the password.
create table password_reset (
  uuid uuid primary key,
  user_uuid uuid not null references app_user,
  -- SHA-256 of the hash of the password that it replaces: any new password ends it.
  password_digest bytea not null check (length(password_digest) = 32),
  -- SHA-256 of the token in the address; the token itself is not stored.
  token_hash bytea not null constraint password_reset_token unique check (length(token_hash) = 32),
  -- Message with the address of the link, sealed; null once it was sent, or where an owner passes the link on.
  sealed_message text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint password_reset_lifetime check (expires_at <= created_at + interval '30 minutes')
);
create index password_reset_age on password_reset (expires_at);

-- The second factor of a user (RFC 6238).
create table user_totp (
  uuid uuid primary key,
  user_uuid uuid not null references app_user constraint user_totp_of_user unique,
  sealed_secret text not null,
  -- Time step of the last accepted code: no code is accepted twice.
  last_step bigint not null,
  created_at timestamptz not null
);
create table recovery_code (
  totp_uuid uuid not null references user_totp on delete cascade,
  hash bytea not null check (length(hash) = 32),
  used_at timestamptz,
  primary key (totp_uuid, hash)
);

create table dashboard_session (
  -- SHA-256 of the cookie.
  hash bytea primary key check (length(hash) = 32),
  -- Names the session on its user's page.
  uuid uuid not null default gen_random_uuid() constraint dashboard_session_uuid unique,
  user_uuid uuid not null references app_user,
  -- The account whose pages an operator reads.
  opened_account_uuid uuid references account,
  -- SHA-256 of the password's hash at signing in: a new password ends every session of the old one.
  password_digest bytea not null,
  csrf text not null,
  -- Browser and network at signing in, which the user recognises.
  user_agent varchar(512),
  network varchar(64),
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
  -- All connections to a provider.
  provider text,
  reach text not null check (reach in ('money_out', 'everything')),
  reason text not null check (reason <> ''),
  actor text not null check (actor <> ''),
  created_at timestamptz not null default now(),
  constraint pause_of_one check (num_nonnulls(account_uuid, connection_uuid, provider) <= 1),
  -- One pause of each.
  constraint pause_once unique nulls not distinct (account_uuid, connection_uuid, provider)
);

create table operator_action (
  uuid uuid primary key,
  actor text not null check (actor <> ''),
  action text not null check (action ~ '^[a-z_]+$'),
  subject text not null check (subject <> ''),
  reason text not null check (reason <> ''),
  -- The account whose own user acted; null for operators and the command line.
  account_uuid uuid references account,
  at timestamptz not null default now()
);
create index operator_action_of_account on operator_action (account_uuid, at) where account_uuid is not null;
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
-- The last owner of an account stays its owner. The lock of the account's row orders concurrent changes: the second
-- sees the first.
create function keep_account_owner() returns trigger language plpgsql as $$
begin
  perform from account where uuid = old.account_uuid for no key update;
  if not exists (select from app_user where account_uuid = old.account_uuid and role = 'owner' and removed_at is null
      and disabled_at is null and uuid <> old.uuid) then
    raise exception 'account % would have no owner', old.account_uuid
      using errcode = 'check_violation', constraint = 'app_user_last_owner', table = 'app_user';
  end if;
  return null;
end $$;
create trigger app_user_last_owner after update on app_user for each row
  when (old.role = 'owner' and old.removed_at is null
    and (new.role <> 'owner' or new.removed_at is not null or new.account_uuid is distinct from old.account_uuid))
  execute function keep_account_owner();
create trigger app_user_last_owner_deleted after delete on app_user for each row
  when (old.role = 'owner' and old.removed_at is null) execute function keep_account_owner();

create trigger operator_action_immutable before update or delete or truncate on operator_action
  for each statement execute function refuse_change();`,
}
