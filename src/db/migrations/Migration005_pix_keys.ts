import { Migration } from '@mikro-orm/migrations'

/** PIX keys of accounts, the codes that prove an address, and how often an account may ask (SPEC §9). */
export class Migration005_pix_keys extends Migration {
  override up() {
    this.addSql(AUTH_CODES)
    this.addSql(PIX_KEYS)
    this.addSql(TRIES)
    this.addSql(ATTEMPTS)
  }
}

const AUTH_CODES = `
create table auth_code (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  type text not null check (type in ('EMAIL', 'PHONE')),
  key varchar(77) not null,
  -- The code itself is kept nowhere: an HMAC under the service's key tells whether a guess is right.
  mac text not null,
  wrong_tries int not null default 0 check (wrong_tries between 0 and 5),
  used_at timestamptz,
  expires_at timestamptz not null,
  -- What is to be sent and where to, sealed; gone once it was sent.
  sealed_message text,
  delivery text not null check (delivery in ('waiting', 'sent', 'kept', 'refused', 'expired')),
  sent_at timestamptz,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null default now(),
  constraint auth_code_lives check (expires_at <= created_at + interval '10 minutes'),
  constraint auth_code_message check (sealed_message is not null or delivery <> 'waiting')
);
create index on auth_code (account_uuid, created_at desc);
create index auth_code_outbox on auth_code (created_at) where sealed_message is not null;`

const PIX_KEYS = `
create table pix_key (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null references connection,
  provider_account_uuid uuid not null references provider_account,
  -- The keys of a simulator are a world of their own.
  is_simulated boolean not null,
  type text not null check (type in ('DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM')),
  key varchar(77),
  state text not null check (state in ('creating', 'active', 'removing', 'removed', 'refused')),
  -- SPEC §9: a code is used once.
  auth_code_uuid uuid references auth_code,
  -- The random keys that its provider had before this one was asked for: a new one among them tells of a lost answer.
  listed_before text[],
  failure jsonb,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint pix_key_named check (key is not null or (type = 'RANDOM' and state in ('creating', 'refused'))),
  constraint pix_key_proved check (state = 'refused' or (auth_code_uuid is not null) = (type in ('EMAIL', 'PHONE')))
);
create unique index pix_key_taken on pix_key (is_simulated, key) where state in ('creating', 'active', 'removing');
create unique index pix_key_code_once on pix_key (auth_code_uuid) where state <> 'refused';
create index on pix_key (account_uuid, created_at desc, uuid desc);
create index on pix_key (provider_account_uuid, state);

-- SPEC §9: three of a type, whoever asks at once; what collects for a connection is not counted.
create function counted_pix_keys(account uuid, of_type text, simulated boolean) returns bigint stable language sql as $$
  select count(*) from pix_key
  where account_uuid = account and type = of_type and is_simulated = simulated
    and state in ('creating', 'active', 'removing')
    and not exists (select from connection where account_uuid = account and collection_key = pix_key.key)
$$;
create function at_most_3_pix_keys() returns trigger language plpgsql volatile as $$
begin
  perform from account where uuid = new.account_uuid for no key update;
  if counted_pix_keys(new.account_uuid, new.type, new.is_simulated) >= 3 then
    raise exception 'an account has at most 3 keys of a type' using errcode = 'check_violation', constraint = 'pix_key_limit';
  end if;
  return new;
end $$;
create trigger pix_key_limit before insert on pix_key for each row
  when (new.state in ('creating', 'active', 'removing')) execute function at_most_3_pix_keys();

-- SPEC §6: the key that collects for a connection, and one that an open charge can be paid to, stay.
create function pix_key_is_in_use(text) returns boolean stable language sql as $$
  select exists (select from connection where collection_key = $1)
      or exists (select from charge where pix_key = $1 and state in ('pending', 'paying'))
$$;
create index on connection (collection_key) where collection_key is not null;
create index charge_open_key on charge (pix_key) where state in ('pending', 'paying');
create function pix_key_stays() returns trigger language plpgsql as $$
begin
  if pix_key_is_in_use(old.key) then
    raise exception 'the key is in use' using errcode = 'check_violation', constraint = 'pix_key_in_use';
  end if;
  return new;
end $$;
create trigger pix_key_in_use before update of state on pix_key for each row
  when (old.state = 'active' and new.state = 'removing') execute function pix_key_stays();`

const TRIES = `
-- When an account asked for a key within the last minute: three times at most.
create table pix_key_tries (
  account_uuid uuid primary key references account,
  at timestamptz[] not null check (cardinality(at) <= 3)
);
-- Counts one try and answers 0, or, where there were three within a minute, in how many seconds there is room again.
create function take_pix_key_try(account uuid) returns int language plpgsql as $$
declare
  recent timestamptz[];
begin
  insert into pix_key_tries values (account, '{}') on conflict do nothing;
  perform from pix_key_tries where account_uuid = account for update;
  select coalesce(array_agg(one order by one), '{}') into recent
  from pix_key_tries, unnest(at) as one
  where account_uuid = account and one > clock_timestamp() - interval '60 seconds';
  if cardinality(recent) >= 3 then
    return greatest(1, ceil(extract(epoch from recent[1] + interval '60 seconds' - clock_timestamp())));
  end if;
  update pix_key_tries set at = recent || clock_timestamp() where account_uuid = account;
  return 0;
end $$;`

const ATTEMPTS = `
alter table attempt drop constraint attempt_operation_check;
alter table attempt add constraint attempt_operation_check
  check (operation in ('issue', 'transfer', 'refund', 'return', 'create_key', 'delete_key'));`
