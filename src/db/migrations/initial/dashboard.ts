import type { SchemaPart } from './schema-part.ts'

/** Sessions of the dashboard and attempts to sign in. */
export const dashboard: SchemaPart = {
  tables: `
create table dashboard_session (
  -- SHA-256 of the cookie.
  hash bytea primary key constraint dashboard_session_hash_check check (length(hash) = 32),
  user_uuid uuid not null references app_user,
  -- SHA-256 of the password's hash at signing in: a new password ends every session of the old one.
  password_digest bytea not null,
  csrf text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
-- The sessions of a user, and those that have expired.
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
-- The limits by e-mail, by address and by device, and the deletion by age.
create index sign_in_attempt_of_email on sign_in_attempt (email_hash, at);
create index sign_in_attempt_of_address on sign_in_attempt (address_hash, at);
create index sign_in_attempt_device on sign_in_attempt (device_hash, at);
create index sign_in_attempt_age on sign_in_attempt (at);`,
}
