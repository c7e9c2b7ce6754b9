import type { SchemaPart } from './schema-part.ts'

/** Look-ups of PIX keys: what DICT answered about a key, each account's own rows, the providers' budgets, and limits (SPEC §9). */
export const keyLookups: SchemaPart = {
  tables: `
-- The answer about a key, for whatever account asks next. While one process asks, the others wait for it.
create table key_answer (
  -- Of the process that asks, or has asked.
  uuid uuid primary key,
  -- Keys of simulators and of real providers are apart.
  is_simulated boolean not null,
  -- An HMAC under the service's key.
  key_mac text not null,
  state text not null check (state in ('asking', 'found', 'not_found', 'refused', 'no_answer')),
  provider_account_uuid uuid not null references provider_account,
  leased_until timestamptz,
  -- Owner of the key and id of the look-up, sealed.
  sealed_answer text,
  -- Of an answer that was not requested because the budget was too low.
  retry_after_s int check (retry_after_s > 0),
  expires_at timestamptz,
  constraint key_answer_key unique (is_simulated, key_mac),
  constraint key_answer_lease check ((state = 'asking') = (leased_until is not null)),
  constraint key_answer_expiry check ((state = 'asking') = (expires_at is null)),
  constraint key_answer_sealed check ((state = 'found') = (sealed_answer is not null)),
  constraint key_answer_retry check (retry_after_s is null or state = 'no_answer')
);
create index key_answer_age on key_answer (expires_at);

create table key_lookup (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint key_lookup_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  is_simulated boolean not null,
  type text not null check (type in ('DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM')),
  -- Masked.
  shown_key varchar(77) not null,
  outcome text not null check (outcome in ('found', 'not_found', 'refused', 'no_answer')),
  -- Key, owner and id of the look-up, sealed, for as long as a transfer may name it.
  sealed_answer text,
  -- The owner as it is shown, masked.
  receiver jsonb,
  document_match text not null default 'UNKNOWN' check (document_match in ('MATCH', 'MISMATCH', 'UNKNOWN')),
  name_match text not null default 'UNKNOWN' check (name_match in ('EXACT', 'PARTIAL', 'NONE', 'UNKNOWN')),
  -- The transfer whose payment the provider binds to the look-up: one at most, and that one by no other.
  transfer_uuid uuid constraint key_lookup_transfer unique,
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  constraint key_lookup_found check ((outcome = 'found') = (receiver is not null)),
  constraint key_lookup_unfound check (outcome = 'found'
    or (sealed_answer is null and transfer_uuid is null and document_match = 'UNKNOWN' and name_match = 'UNKNOWN')),
  constraint key_lookup_validity check (expires_at between created_at and created_at + interval '15 minutes 1 second')
);
create index key_lookup_age on key_lookup (created_at);
create index key_lookup_sealed on key_lookup (expires_at) where sealed_answer is not null;

-- Tokens that a provider account has left for look-ups, as its provider reported them, less what was spent here since.
create table lookup_budget (
  provider_account_uuid uuid primary key references provider_account,
  capacity double precision not null check (capacity >= 0),
  tokens_left double precision not null,
  refill_per_minute double precision not null check (refill_per_minute >= 0),
  at timestamptz not null,
  read_at timestamptz not null,
  constraint lookup_budget_left check (tokens_left between 0 and capacity)
);

-- When a token, or a user of the dashboard, looked a key up within the last minute.
create table key_lookup_times (
  token_uuid uuid primary key,
  at timestamptz[] not null check (cardinality(at) <= 30)
);
-- How many look-ups an account has made on a day of Brasília.
create table key_lookup_count (
  account_uuid uuid primary key references account,
  day date not null,
  count int not null check (count between 0 and 3000)
);`,

  rules: `
-- Counts one look-up and returns 0, or, after thirty of the token within a minute or 3,000 of the account on a day, the seconds until
-- the next is allowed. The account's row is locked first, then the token's, until the transaction ends.
create function count_key_lookup(account uuid, token uuid) returns int language plpgsql volatile as $$
declare
  counted key_lookup_count;
  recent timestamptz[];
  present timestamptz;
  today date;
  used int;
begin
  select * into counted from key_lookup_count where account_uuid = account for update;
  if not found then
    insert into key_lookup_count (account_uuid, day, count) values (account, current_date, 0) on conflict do nothing;
    return count_key_lookup(account, token);
  end if;
  select at into recent from key_lookup_times where token_uuid = token for update;
  if not found then
    insert into key_lookup_times (token_uuid, at) values (token, '{}') on conflict do nothing;
    return count_key_lookup(account, token);
  end if;
  present := clock_timestamp();
  today := (present at time zone 'America/Sao_Paulo')::date;
  used := case when counted.day = today then counted.count else 0 end;
  if used >= 3000 then
    return greatest(1, ceil(extract(epoch from ((today + 1)::timestamp at time zone 'America/Sao_Paulo') - present)));
  end if;
  recent := array(select one from unnest(recent) as one where one > present - interval '60 seconds' order by one);
  if cardinality(recent) >= 30 then
    return greatest(1, ceil(extract(epoch from recent[1] + interval '60 seconds' - present)));
  end if;
  update key_lookup_times set at = recent || present where token_uuid = token;
  update key_lookup_count set day = today, count = used + 1 where account_uuid = account;
  return 0;
end $$;`,
}
