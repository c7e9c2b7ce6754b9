import type { SchemaPart } from './schema-part.ts'

/** PIX keys, the auth codes that prove an address, and how often an account may order either (SPEC §9). */
export const pixKeys: SchemaPart = {
  tables: `
create table auth_code (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  type text not null check (type in ('EMAIL', 'PHONE')),
  key varchar(77) not null,
  -- Requested by a test token: the message is kept in the outbox and never sent.
  is_simulated boolean not null,
  -- An HMAC under the service's key tells whether a guess is right; the code itself is stored nowhere.
  mac text not null,
  wrong_attempts int not null default 0 check (wrong_attempts between 0 and 5),
  used_at timestamptz,
  expires_at timestamptz not null,
  -- Message and address, sealed; null once it was sent.
  sealed_message text,
  delivery text not null check (delivery in ('waiting', 'sent', 'kept', 'refused', 'expired')),
  sent_at timestamptz,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null default now(),
  constraint auth_code_lifetime check (expires_at <= created_at + interval '10 minutes'),
  constraint auth_code_message check (sealed_message is not null or delivery <> 'waiting')
);
create index auth_code_of_account on auth_code (account_uuid, created_at desc);
create index auth_code_expiry on auth_code (expires_at);
-- Messages that are still stored, by age.
create index auth_code_outbox on auth_code (created_at) where sealed_message is not null;

create table pix_key (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint pix_key_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  -- Keys of simulators and of real providers are apart.
  is_simulated boolean not null,
  type text not null check (type in ('DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM')),
  key varchar(77),
  state text not null check (state in ('creating', 'active', 'removing', 'removed', 'refused')),
  auth_code_uuid uuid references auth_code,
  listed_before text[],
  failure jsonb,
  -- The token whose request created it, or the user of the dashboard.
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- Only a random key has no value yet.
  constraint pix_key_named check (key is not null or (type = 'RANDOM' and state in ('creating', 'refused'))),
  -- An address is proved by a code, the other keys by nothing.
  constraint pix_key_proved check (state = 'refused' or (auth_code_uuid is not null) = (type in ('EMAIL', 'PHONE')))
);
create unique index pix_key_already_registered on pix_key (is_simulated, key) where state in ('creating', 'active', 'removing');
-- A code is used once (SPEC §9).
create unique index pix_key_code_once on pix_key (auth_code_uuid) where state <> 'refused';
-- A code that proves a key, a refused one too, is not deleted.
create index pix_key_of_code on pix_key (auth_code_uuid) where auth_code_uuid is not null;
create index pix_key_listed on pix_key (account_uuid, created_at, uuid);
create index pix_key_of_provider_account on pix_key (provider_account_uuid, state);

-- When an account ordered a key within the last minute: three times at most.
create table pix_key_creation_times (
  account_uuid uuid primary key references account,
  at timestamptz[] not null check (cardinality(at) <= 3)
);

-- Auth codes that were requested within the last hour.
create table auth_code_request (
  id bigint generated always as identity primary key,
  account_uuid uuid not null references account,
  -- SHA-256 of the address; null for a test token, whose code is sent nowhere.
  address_hash bytea check (length(address_hash) = 32),
  -- A repeat with the same Idempotency-Key requests the same code; its row is stored later.
  auth_code_uuid uuid not null,
  at timestamptz not null
);
create index auth_code_request_of_account on auth_code_request (account_uuid, at);
create index auth_code_request_of_address on auth_code_request (address_hash, at) where address_hash is not null;
create index auth_code_request_age on auth_code_request (at);`,

  rules: `
-- Counts the keys of a type, without those that collect for a connection.
create function count_pix_keys(account uuid, of_type text, simulated boolean) returns bigint stable language sql as $$
  select count(*) from pix_key
  where account_uuid = account and type = of_type and is_simulated = simulated
    and state in ('creating', 'active', 'removing')
    and not exists (select from connection c
      where c.account_uuid = account and c.collection_key = pix_key.key and c.is_simulated = simulated)
$$;
-- An account has three keys of a type, however many requests come at once (SPEC §9).
create function limit_pix_keys() returns trigger language plpgsql volatile as $$
begin
  perform from account where uuid = new.account_uuid for no key update;
  if count_pix_keys(new.account_uuid, new.type, new.is_simulated) >= 3 then
    raise exception 'an account has at most 3 keys of a type' using errcode = 'check_violation', constraint = 'pix_key_limit';
  end if;
  return new;
end $$;
create trigger pix_key_limit before insert on pix_key for each row
  when (new.state in ('creating', 'active', 'removing')) execute function limit_pix_keys();

-- A key that collects for a connection, or that an open charge or an active static code can be paid to, is not removed (SPEC §6).
create function pix_key_is_in_use(of_key text, simulated boolean) returns boolean stable language sql as $$
  select exists (select from connection where collection_key = of_key and is_simulated = simulated)
      or exists (select from charge h join connection c on c.uuid = h.connection_uuid
           where h.pix_key = of_key and h.state in ('pending', 'debiting', 'paying') and c.is_simulated = simulated)
      or exists (select from qr_code q join connection c on c.uuid = q.connection_uuid
           where q.pix_key = of_key and q.status = 'ACTIVE' and not q.is_single and c.is_simulated = simulated)
$$;
create function refuse_key_in_use() returns trigger language plpgsql as $$
begin
  if pix_key_is_in_use(old.key, old.is_simulated) then
    raise exception 'the key is in use' using errcode = 'check_violation', constraint = 'pix_key_in_use';
  end if;
  return new;
end $$;
create trigger pix_key_in_use before update of state on pix_key for each row
  when (old.state = 'active' and new.state = 'removing') execute function refuse_key_in_use();

-- Counts one order and returns 0, or, after three within a minute, the seconds until the next is allowed.
create function count_pix_key_creation(account uuid) returns int language plpgsql as $$
declare
  recent timestamptz[];
begin
  insert into pix_key_creation_times (account_uuid, at) values (account, '{}') on conflict do nothing;
  perform from pix_key_creation_times where account_uuid = account for update;
  select coalesce(array_agg(one order by one), '{}') into recent
  from pix_key_creation_times, unnest(at) as one
  where account_uuid = account and one > clock_timestamp() - interval '60 seconds';
  if cardinality(recent) >= 3 then
    return greatest(1, ceil(extract(epoch from recent[1] + interval '60 seconds' - clock_timestamp())));
  end if;
  update pix_key_creation_times set at = recent || clock_timestamp() where account_uuid = account;
  return 0;
end $$;

-- Counts one request of a code and returns 0, or, after five within a minute for the account or five within an hour for the
-- address, the seconds until the next is allowed. A repeat for the same code and address is counted once. The locks make
-- concurrent requests wait for each other, always the account's first.
create function count_auth_code_request(account uuid, address bytea, code uuid) returns int language plpgsql volatile as $$
declare
  present timestamptz;
  next_at timestamptz;
begin
  perform pg_advisory_xact_lock(7013010, hashtext(account::text));
  if address is not null then
    perform pg_advisory_xact_lock(7013011, hashtext(address::text));
  end if;
  present := clock_timestamp();
  if exists (select from auth_code_request where account_uuid = account and auth_code_uuid = code
    and address_hash is not distinct from address and at > present - interval '1 hour') then
    return 0;
  end if;
  delete from auth_code_request where id in (
    select id from auth_code_request where at <= present - interval '1 hour' order by at limit 1000 for update skip locked
  );
  select max(one.at) into next_at from (
    select min(at) + interval '60 seconds' as at from auth_code_request
      where account_uuid = account and at > present - interval '60 seconds' having count(*) >= 5
    union all
    select min(at) + interval '1 hour' from auth_code_request
      where address_hash = address and at > present - interval '1 hour' having count(*) >= 5
  ) as one;
  if next_at is not null then
    return greatest(1, ceil(extract(epoch from next_at - present)));
  end if;
  insert into auth_code_request (account_uuid, address_hash, auth_code_uuid, at) values (account, address, code, present);
  return 0;
end $$;`,
}
