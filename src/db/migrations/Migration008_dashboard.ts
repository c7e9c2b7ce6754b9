import { Migration } from '@mikro-orm/migrations'

/** Who is signed in at the dashboard, and who tried to be. */
export class Migration008_dashboard extends Migration {
  override up() {
    this.addSql(SESSIONS)
    this.addSql(SIGN_INS)
    this.addSql(STATISTICS)
  }
}

const SESSIONS = `
create table dashboard_session (
  -- SHA-256 of what the browser's cookie holds.
  hash bytea primary key check (length(hash) = 32),
  user_uuid uuid not null references app_user,
  -- SHA-256 of the password's hash at signing in: a new password ends every session of the old one.
  password_mark bytea not null,
  csrf text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index on dashboard_session (user_uuid);
create index on dashboard_session (expires_at);`

const SIGN_INS = `
-- Tries to sign in that failed, or whose outcome is still open. Only hashes: what is typed may be a password.
create table sign_in_try (
  id bigint generated always as identity primary key,
  email_hash bytea not null,
  address_hash bytea not null,
  at timestamptz not null default now()
);
create index on sign_in_try (email_hash, at);
create index on sign_in_try (address_hash, at);
create index on sign_in_try (at);`

const STATISTICS = `
-- What each connection answered lately, and how fast.
create index on attempt (connection_uuid, created_at);`
