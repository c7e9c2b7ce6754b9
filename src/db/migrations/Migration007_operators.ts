import { Migration } from '@mikro-orm/migrations'

/** Who signs in, what is paused, and what operators did and why. */
export class Migration007_operators extends Migration {
  override up() {
    this.addSql(USERS)
    this.addSql(PAUSES)
    this.addSql(ACTS)
  }
}

const USERS = `
create table app_user (
  uuid uuid primary key,
  account_uuid uuid references account,
  email varchar(254) not null unique check (email = lower(email) and email like '%_@_%'),
  password_hash text not null check (password_hash like '$argon2id$%'),
  role text not null check (role in ('merchant', 'operator')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- A merchant's user sees one account, an operator belongs to none.
  constraint app_user_account check ((role = 'operator') = (account_uuid is null))
);
create index on app_user (account_uuid) where account_uuid is not null;`

const PAUSES = `
create table pause (
  uuid uuid primary key,
  account_uuid uuid references account,
  connection_uuid uuid references connection,
  reach text not null check (reach in ('money_out', 'everything')),
  reason text not null check (reason <> ''),
  who text not null check (who <> ''),
  created_at timestamptz not null default now(),
  constraint pause_of_one check (account_uuid is null or connection_uuid is null),
  constraint pause_once unique nulls not distinct (account_uuid, connection_uuid)
);`

const ACTS = `
create table operator_act (
  uuid uuid primary key,
  who text not null check (who <> ''),
  act text not null check (act ~ '^[a-z_]+$'),
  subject text not null check (subject <> ''),
  reason text not null check (reason <> ''),
  at timestamptz not null default now()
);
create index on operator_act (at desc);
create index on operator_act (subject, at desc);
create trigger operator_act_immutable before update or delete or truncate on operator_act
  for each statement execute function immutable();`
