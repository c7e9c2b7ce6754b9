import type { SchemaPart } from './schema-part.ts'

/** Payment links: public addresses at which a payer sees a PIX code, of one charge or of a charge of the payer's own (SPEC §9). */
export const paymentLinks: SchemaPart = {
  tables: `
create table payment_link (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  mode text not null check (mode in ('live', 'test')),
  -- The charge that it shows. Without one, each payer who asks for a code gets a charge of its own, by the terms below.
  charge_uuid uuid references charge,
  -- SHA-256 of the token in the address, by which a visit finds it; sealed, so that the merchant can copy it again.
  token_hash bytea not null constraint payment_link_token unique check (length(token_hash) = 32),
  sealed_token text not null,
  -- What the payer reads about the charge, besides its value and the name of the account.
  note varchar(140),
  -- The only provider of its charges, whose tokens see it; null: the default ones.
  connection_uuid uuid references connection,
  value_cents bigint check (value_cents between 1 and 999999999999),
  expires_in_seconds int check (expires_in_seconds > 0),
  external_ref varchar(255),
  -- Shares of other accounts, as of a charge: [{type, amount, recipientAccountUuid}].
  splits jsonb not null default '[]',
  metadata jsonb not null default '{}',
  -- Most charges that are paid or can be paid at one time (payment_link_places).
  max_payments int check (max_payments between 1 and 10000),
  expires_at timestamptz,
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz,
  -- A link shows a charge, or has the terms of those that it creates.
  constraint payment_link_terms check (case
    when charge_uuid is null then value_cents is not null and expires_in_seconds is not null and max_payments is not null
    else value_cents is null and expires_in_seconds is null and max_payments is null and expires_at is null end)
);
-- A charge has one link that works.
create unique index payment_link_active on payment_link (charge_uuid) where revoked_at is null;
-- The list, newest first.
create index payment_link_listed on payment_link (account_uuid, created_at, uuid);

-- The charges that payers have asked a link for. A row is written before the workflow of its charge starts.
create table payment_link_charge (
  charge_uuid uuid primary key,
  link_uuid uuid not null references payment_link,
  -- Key of the press of the button, from which the uuid of the charge follows: pressed again, it is the same charge.
  press_key uuid not null,
  created_at timestamptz not null default now()
);
create index payment_link_charge_listed on payment_link_charge (link_uuid, created_at);`,

  rules: `
-- An address that was sent keeps what it promises: a link is revoked once, and nothing else of it changes.
create trigger payment_link_fixed before update on payment_link for each row
  when (to_jsonb(old) - array['revoked_at', 'sealed_token'] is distinct from to_jsonb(new) - array['revoked_at', 'sealed_token']
    or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at))
  execute function refuse();
create trigger payment_link_charge_fixed before update or delete on payment_link_charge for each row
  execute function refuse_change();

-- Charges of a link that take one of its places: the paid ones, and those that can still be paid. One that failed, or expired or was
-- cancelled unpaid, takes none; nor does a press whose charge has not been stored within a day.
create function payment_link_places(link uuid)
  returns table (charge_uuid uuid, press_key uuid, created_at timestamptz, is_paid boolean) language sql stable as $$
  select p.charge_uuid, p.press_key, p.created_at, coalesce(c.received_cents, 0) > 0
  from payment_link_charge p left join charge c on c.uuid = p.charge_uuid
  where p.link_uuid = link and case
    when c.uuid is null then p.created_at > now() - interval '1 day'
    else c.received_cents > 0 or c.state not in ('failed', 'expired', 'cancelled') end
$$;

-- A link creates a charge while it works and has a place, however many payers ask at once.
create function take_payment_link_place() returns trigger language plpgsql as $$
declare
  link payment_link;
begin
  select * into link from payment_link where uuid = new.link_uuid for update;
  if exists (select from payment_link_charge where charge_uuid = new.charge_uuid) then
    return null; -- The same press once more.
  end if;
  if link.charge_uuid is not null or link.revoked_at is not null or link.expires_at <= clock_timestamp() then
    raise exception 'the link creates no charge' using errcode = 'check_violation', constraint = 'payment_link_open';
  end if;
  if (select count(*) from payment_link_places(link.uuid)) >= link.max_payments then
    raise exception 'the link has no place left' using errcode = 'check_violation', constraint = 'payment_link_full';
  end if;
  return new;
end $$;
create trigger payment_link_place before insert on payment_link_charge for each row
  execute function take_payment_link_place();`,
}
