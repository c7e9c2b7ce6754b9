import type { SchemaPart } from './schema-part.ts'

/** The provider APIs that a connection may have. After the first release they are widened by a migration of their own. */
const DIALECTS = "('efi', 'woovi', 'sicoob', 'inter', 'stark')"

/** Accounts at providers, the connections of merchants to them, their priority and the circuit breaker of each. */
export const connections: SchemaPart = {
  tables: `
-- Where the money is held at a provider, real or simulated; POOL connections of many accounts share one.
create table provider_account (
  uuid uuid primary key,
  provider text not null check (provider in ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D')),
  is_simulated boolean not null,
  name text not null,
  -- The account in whose name it is; null where it is the service's own, which POOL connections share.
  owner_uuid uuid references account,
  -- When its list of disputes was polled last; the sweep goes round in this order, at a pace that providers bear.
  disputes_polled_at timestamptz,
  -- When it last answered with the list, to the minute.
  disputes_listed_at timestamptz,
  -- When its statement was compared last, and up to when it was compared without a gap.
  compared_at timestamptz,
  compared_until timestamptz,
  created_at timestamptz not null default now(),
  constraint provider_account_once unique (provider, is_simulated, name),
  -- Targets of references of connections, which repeat these columns.
  constraint provider_account_kind unique (uuid, provider, is_simulated),
  constraint provider_account_owned unique (uuid, owner_uuid)
);
create index provider_account_dispute_sweep on provider_account (disputes_polled_at nulls first);

-- What identifies the account at the bank, hashed (src/admin/provider-account.ts): whatever provider, name, owner or mode
-- it is connected under, it is one provider account. A hash is kept when the bank no longer lists what it is of.
create table provider_account_identity (
  dialect text not null check (dialect in ${DIALECTS}),
  hash text not null,
  provider_account_uuid uuid not null references provider_account,
  constraint provider_account_identity_once primary key (dialect, hash)
);
create index provider_account_identity_listed on provider_account_identity (provider_account_uuid);

create table connection (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  provider_account_uuid uuid not null,
  provider text not null check (provider in ('PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D')),
  dialect text not null check (dialect in ${DIALECTS}),
  type text not null check (type in ('NOMINAL', 'POOL')),
  status text not null,
  is_public boolean not null default true,
  is_simulated boolean not null,
  base_url text not null,
  sealed_credentials text not null,
  secret_key_id text not null,
  provider_identity jsonb,
  credentials_epoch integer not null default 1,
  credentials_since timestamptz,
  collection_key varchar(77),
  fees jsonb not null,
  virtual_account jsonb,
  -- The URL of another system that registering ours has replaced at the provider.
  sealed_replaced_url text,
  -- Whose name the account at the provider must be in; null: it may be shared.
  nominal_account_uuid uuid generated always as (case when type = 'NOMINAL' then account_uuid end) stored,
  -- The most that one transfer through it may send; null: no limit is known.
  max_transfer_cents bigint check (max_transfer_cents > 0),
  settle_window_ms int not null default 600000 check (settle_window_ms > 0),
  credited_since timestamptz,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz not null default now(),
  -- Target of references that must stay within one account.
  constraint connection_of_account unique (uuid, account_uuid),
  constraint connection_at_provider_account unique (uuid, provider_account_uuid),
  -- Test and live money never meet: a provider account and its connections are all simulated or all real.
  constraint connection_mode foreign key (provider_account_uuid, provider, is_simulated)
    references provider_account (uuid, provider, is_simulated),
  -- Only its owner has NOMINAL connections to a provider account; every other one is a POOL.
  constraint connection_owner foreign key (provider_account_uuid, nominal_account_uuid)
    references provider_account (uuid, owner_uuid),
  constraint connection_epoch check (credentials_epoch >= 1)
);
create index connection_listed on connection (account_uuid, created_at, uuid);
create index connection_of_provider_account on connection (provider_account_uuid);
create index connection_by_collection_key on connection (collection_key) where collection_key is not null;

-- What the first balance of a provider account was read with. Its movements are part of that balance: those of before
-- certain_until, and those that the statement listed then. Whether another one of before credited_since is, nothing proves.
create table provider_account_opening (
  provider_account_uuid uuid primary key references provider_account,
  certain_until timestamptz not null,
  credited_since timestamptz not null,
  listed text[] not null,
  constraint provider_account_opening_times check (certain_until <= credited_since)
);

create table default_provider (
  account_uuid uuid not null references account,
  payment_type text not null check (payment_type = 'PIX'),
  connection_uuid uuid not null references connection,
  position int not null check (position between 1 and 10),
  primary key (account_uuid, payment_type, connection_uuid)
);

create table circuit_breaker (
  connection_uuid uuid primary key references connection,
  -- Calls without a useful answer lately, and orders without one in a row, which the answer to a look-up does not end.
  failures timestamptz[] not null default '{}',
  failed_charges integer not null default 0,
  failed_payouts integer not null default 0,
  opened_at timestamptz,
  probed_at timestamptz,
  -- Last answer and the worker that had it, so that a worker that reaches no provider opens no breaker.
  answered_at timestamptz,
  answered_by text
);

-- Access tokens that all processes share; the uuid is a hash of what a token is bound to (src/provider-access/access-tokens.ts).
create table provider_access_token (
  uuid uuid primary key,
  provider_account_uuid uuid not null references provider_account on delete cascade,
  sealed_token text,
  token_digest bytea,
  -- From then on a token is renewed.
  renew_at timestamptz,
  -- The process that requests the next token, until then.
  lease_uuid uuid not null,
  leased_until timestamptz not null,
  constraint provider_access_token_whole check (num_nulls(sealed_token, token_digest, renew_at) in (0, 3))
);
create index provider_access_token_of_account on provider_access_token (provider_account_uuid);

-- From when on the calls of one kind have their turn (src/domain/providers/capabilities.ts, Pace): each moves it by one interval. The place
-- is that of the next order that waits for its turn, after all that wait already; each moves it likewise. Items of batches have places
-- of their own, after those.
-- Unlogged: after a crash of PostgreSQL every kind may have its burst again.
create unlogged table provider_pace (
  provider_account_uuid uuid not null references provider_account on delete cascade,
  kind text not null check (kind in ('send', 'lookUp', 'charge', 'refund', 'token')),
  next_turn_at timestamptz not null,
  next_place_at timestamptz not null default '-infinity',
  next_item_at timestamptz not null default '-infinity',
  primary key (provider_account_uuid, kind)
);

-- Which provider each worker reaches, so that a worker without a network knows that another worker has one.
-- Unlogged: after a crash the next probe follows in 5 s.
create unlogged table provider_reach (
  worker text not null,
  origin text not null,
  probed_at timestamptz not null,
  reached_at timestamptz,
  primary key (worker, origin)
);`,

  rules: `
-- An opening is not changed: what was part of the balance stays so.
create trigger provider_account_opening_fixed before update or delete on provider_account_opening
  for each statement execute function refuse_change();

-- What moved before the opening, or may have, is not booked by itself: it may be part of the balance that was booked.
create function check_movement_after_opening() returns trigger language plpgsql as $$
begin
  if exists (select from provider_account_opening o
      where o.provider_account_uuid = new.provider_account_uuid and new.settled_at < o.credited_since) then
    raise exception 'movement % is of before the opening balance', new.uuid
      using errcode = 'check_violation', constraint = 'movement_after_opening';
  end if;
  return new;
end $$;
create trigger movement_after_opening before insert on movement for each row
  when (new.reason in ('deposit', 'provider_tariff', 'provider_withdrawal', 'provider_credit', 'provider_block',
    'provider_unblock', 'panel_transfer', 'panel_return'))
  execute function check_movement_after_opening();

-- No epoch of credentials comes back: "not found" in a later one says nothing about an attempt of an earlier one.
create trigger connection_epoch_increases before update of credentials_epoch on connection for each row
  when (new.credentials_epoch < old.credentials_epoch) execute function refuse();

create function set_credentials_since() returns trigger language plpgsql as $$
begin new.credentials_since = now(); return new; end $$;
create trigger connection_epoch_start before update of credentials_epoch on connection for each row
  when (new.credentials_epoch > old.credentials_epoch) execute function set_credentials_since();`,
}
