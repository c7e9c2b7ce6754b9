import type { SchemaPart } from './schema-part.ts'

/** Static codes: a payload of ours that pays a PIX key, of one charge or of a merchant's counter (SPEC §2). */
export const qrCodes: SchemaPart = {
  tables: `
create table qr_code (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  connection_uuid uuid not null,
  provider_account_uuid uuid not null references provider_account,
  constraint qr_code_connection foreign key (connection_uuid, provider_account_uuid)
    references connection (uuid, provider_account_uuid),
  -- The code of one charge, whose uuid it has. Any other is a merchant's, and each PIX to it is a charge of its own.
  is_single boolean not null default false,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  pix_key text not null check (pix_key <> ''),
  txid text not null constraint qr_code_txid check (txid ~ '^[a-zA-Z0-9]{1,25}$'),
  payload text not null check (length(payload) between 1 and 512),
  -- null: the payer decides the amount.
  value_cents bigint check (value_cents between 1 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  description varchar(72),
  external_ref varchar(255),
  -- Shares of other accounts, as of a charge: [{type, amount, recipientAccountUuid}].
  splits jsonb not null default '[]',
  on_payment text not null default 'KEEP' check (on_payment in ('KEEP', 'RETURN')),
  metadata jsonb not null default '{}',
  -- The charges that were paid to it (trigger charge_qr_code_received).
  received_count int not null default 0 check (received_count >= 0),
  received_cents bigint not null default 0 check (received_cents >= 0),
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- Of an open amount no fee is known before it is paid.
  constraint qr_code_open_fee check (value_cents is not null or fee_cents = 0),
  -- One charge is paid to the code of a charge, by a value that the payer chooses.
  constraint qr_code_single check (not is_single or (value_cents is null and received_count <= 1)),
  constraint qr_code_received check ((received_count = 0) = (received_cents = 0)),
  -- The charges of a code are of its account and provider account (charge_qr_code).
  constraint qr_code_owner unique (uuid, account_uuid, provider_account_uuid),
  -- A txid names one code: a PIX that carries it pays no other.
  constraint qr_code_reference unique (provider_account_uuid, txid)
);
-- The list, newest first.
create index qr_code_listed on qr_code (account_uuid, created_at, uuid) include (connection_uuid, status)
  where not is_single;
create index qr_code_by_external_ref on qr_code (account_uuid, external_ref) where external_ref is not null;
-- Which codes a PIX without a txid may have paid, and whether a key is in use.
create index qr_code_active on qr_code (pix_key, value_cents) where status = 'ACTIVE';`,

  rules: `
-- A printed code stays as it is: only its status and what was received change.
create trigger qr_code_fixed before update on qr_code for each row
  when ((old.account_uuid, old.connection_uuid, old.provider_account_uuid, old.is_single, old.pix_key, old.txid, old.payload,
      old.fee_cents, old.splits, old.on_payment)
    is distinct from (new.account_uuid, new.connection_uuid, new.provider_account_uuid, new.is_single, new.pix_key, new.txid,
      new.payload, new.fee_cents, new.splits, new.on_payment)
    or old.value_cents is distinct from new.value_cents or (old.status = 'DISABLED' and new.status = 'ACTIVE'))
  execute function refuse();

-- What a code has received is what its charges were paid: counted once, when a charge is.
create function count_qr_code_payment() returns trigger language plpgsql as $$
begin
  update qr_code set received_count = received_count + 1, received_cents = received_cents + new.received_cents
  where uuid = new.qr_code_uuid;
  return null;
end $$;
create trigger charge_qr_code_received after update of received_cents on charge for each row
  when (new.qr_code_uuid is not null and old.received_cents = 0 and new.received_cents > 0)
  execute function count_qr_code_payment();
-- A charge keeps its code.
create trigger charge_qr_code_fixed before update of qr_code_uuid on charge for each row
  when (old.qr_code_uuid is not null and new.qr_code_uuid is distinct from old.qr_code_uuid)
  execute function refuse();`,
}
