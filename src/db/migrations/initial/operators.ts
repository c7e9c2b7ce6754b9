import type { SchemaPart } from './schema-part.ts'

/** Users of the dashboard, the pauses that operators set, and the record of what operators did and why. */
export const operators: SchemaPart = {
  tables: `
create table app_user (
  uuid uuid primary key,
  account_uuid uuid references account,
  email varchar(254) not null constraint app_user_email_key unique
    constraint app_user_email_check check (email = lower(email) and email like '%_@_%'),
  password_hash text not null constraint app_user_password_hash_check check (password_hash like '$argon2id$%'),
  role text not null constraint app_user_role_check check (role in ('merchant', 'operator')),
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- A merchant's user belongs to one account, an operator to none.
  constraint app_user_account check ((role = 'operator') = (account_uuid is null))
);
-- The users of an account.
create index app_user_of_account on app_user (account_uuid) where account_uuid is not null;

create table pause (
  uuid uuid primary key,
  -- Both null: the whole service.
  account_uuid uuid references account,
  connection_uuid uuid references connection,
  reach text not null constraint pause_reach_check check (reach in ('money_out', 'everything')),
  reason text not null constraint pause_reason_check check (reason <> ''),
  actor text not null constraint pause_actor_check check (actor <> ''),
  created_at timestamptz not null default now(),
  constraint pause_of_one check (account_uuid is null or connection_uuid is null),
  -- One pause of each.
  constraint pause_once unique nulls not distinct (account_uuid, connection_uuid)
);

create table operator_action (
  uuid uuid primary key,
  actor text not null constraint operator_action_actor_check check (actor <> ''),
  action text not null constraint operator_action_action_check check (action ~ '^[a-z_]+$'),
  subject text not null constraint operator_action_subject_check check (subject <> ''),
  reason text not null constraint operator_action_reason_check check (reason <> ''),
  at timestamptz not null default now()
);
-- The record, newest first, and of one subject.
create index operator_action_listed on operator_action (at desc);
create index operator_action_of_subject on operator_action (subject, at desc);`,

  rules: `
-- What operators did is a record.
create trigger operator_action_immutable before update or delete or truncate on operator_action
  for each statement execute function refuse_change();`,
}
