import { Migration } from '@mikro-orm/migrations'

/** Transfers and refunds: money on its way out, and what a recipient gave back. */
export class Migration002_money_out extends Migration {
  override up() {
    this.addSql(TRANSFERS)
    this.addSql(REFUNDS)
    this.addSql(RECONCILIATION)
  }
}

const TRANSFERS = `
create table transfer (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  -- Who sends it: the first candidate until another was tried.
  connection_uuid uuid not null references connection,
  provider_account_uuid uuid not null references provider_account,
  state text not null check (state in ('created', 'sending', 'settling', 'paid', 'partially_refunded', 'refunded',
    'failed', 'cancelled', 'expired')),
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  -- What is held for it now: value and fee of the provider that is being tried.
  held_cents bigint not null default 0 check (held_cents >= 0),
  returned_cents bigint not null default 0,
  pix_key varchar(77) not null,
  document varchar(14),
  external_ref varchar(255),
  beneficiary_name varchar(140),
  beneficiary_document varchar(14),
  sender jsonb,
  receiver jsonb,
  movement_uuid uuid references movement,
  end_to_end varchar(32),
  settled_at timestamptz,
  scheduled_for timestamptz,
  failure jsonb,
  history jsonb not null default '[]',
  sequence int not null default 0,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint transfer_beneficiary check ((beneficiary_name is null) = (beneficiary_document is null)),
  constraint transfer_returns check (returned_cents between 0 and value_cents),
  constraint transfer_hold check (held_cents = 0 or state in ('sending', 'settling'))
);
create index on transfer (account_uuid, created_at desc, uuid desc);
create index on transfer (account_uuid, state, created_at desc, uuid desc);
create index on transfer (account_uuid, connection_uuid, created_at desc, uuid desc);
create index on transfer (account_uuid, external_ref) where external_ref is not null;
create index on transfer (account_uuid, end_to_end) where end_to_end is not null;
create index on transfer (account_uuid, pix_key);
create index on transfer (account_uuid, settled_at) where settled_at is not null;
alter table movement add column transfer_uuid uuid references transfer;
create index on movement (transfer_uuid) where transfer_uuid is not null;`

const REFUNDS = `
create table refund (
  uuid uuid primary key,
  charge_uuid uuid not null references charge,
  account_uuid uuid not null references account,
  connection_uuid uuid not null references connection,
  provider_account_uuid uuid not null references provider_account,
  state text not null check (state in ('sending', 'settling', 'settled', 'failed')),
  value_cents bigint not null check (value_cents between 1 and 999999999999),
  fee_cents bigint not null default 0 check (fee_cents >= 0),
  -- Who pays how much of it: the owner's part and what each split gave; they add up to the value.
  parts jsonb not null default '[]',
  movement_uuid uuid references movement,
  end_to_end varchar(32),
  failure jsonb,
  sequence int not null default 0,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on refund (charge_uuid, created_at desc, uuid desc);
-- SPEC §3: while one refund of a charge runs there is no other.
create unique index refund_one_running on refund (charge_uuid) where state in ('sending', 'settling');
alter table movement add column refund_uuid uuid references refund;
create index on movement (refund_uuid) where refund_uuid is not null;`

const RECONCILIATION = `
-- What a provider's statement and ours disagree on, until it is settled.
create table difference (
  uuid uuid primary key,
  provider_account_uuid uuid not null references provider_account,
  kind text not null check (kind in ('missing_here', 'missing_there', 'value_differs', 'status_differs')),
  movement_type text not null check (movement_type in ('IN', 'OUT')),
  end_to_end varchar(32) not null,
  detail jsonb not null,
  found_at timestamptz not null,
  seen_at timestamptz not null,
  settled_at timestamptz,
  unique (provider_account_uuid, movement_type, end_to_end, kind)
);
create index difference_open on difference (found_at) where settled_at is null;`
