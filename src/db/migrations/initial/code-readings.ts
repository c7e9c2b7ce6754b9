import type { SchemaPart } from './schema-part.ts'

/** What was read of PIX codes before they are paid (docs/specification.md, section 4): deleted after thirty days. */
export const codeReadings: SchemaPart = {
  tables: `
create table code_reading (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  is_simulated boolean not null,
  kind text not null check (kind in ('STATIC', 'DYNAMIC', 'DUE', 'RECURRENCE', 'COMPOSITE')),
  -- The receiver as it is shown: the document is masked.
  receiver jsonb not null,
  -- The code, its key and the document of its receiver, sealed.
  sealed_code text not null,
  txid varchar(35),
  original_cents bigint not null check (original_cents >= 0),
  due_now_cents bigint not null check (due_now_cents >= 0),
  fine_cents bigint not null check (fine_cents >= 0),
  interest_cents bigint not null check (interest_cents >= 0),
  discount_cents bigint not null check (discount_cents >= 0),
  abatement_cents bigint not null check (abatement_cents >= 0),
  is_open boolean not null,
  status text not null check (status in ('PAYABLE', 'PAID', 'REMOVED', 'EXPIRED', 'TOO_EARLY')),
  expires_at timestamptz,
  signature text not null check (signature in ('VERIFIED', 'UNVERIFIED')),
  own_charge_uuid uuid references charge,
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  created_at timestamptz not null,
  -- A code without a value leaves it to its payer.
  constraint code_reading_value check (is_open or due_now_cents > 0)
);
create index code_reading_created on code_reading (created_at);`,
}
