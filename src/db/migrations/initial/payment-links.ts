import type { SchemaPart } from './schema-part.ts'

/** Payment links: public addresses at which the payer of one charge sees its PIX code (SPEC §9). */
export const paymentLinks: SchemaPart = {
  tables: `
create table payment_link (
  uuid uuid primary key,
  charge_uuid uuid not null references charge,
  -- SHA-256 of the token in the address, by which a visit finds it; sealed, so that the merchant can copy it again.
  token_hash bytea not null constraint payment_link_token unique check (length(token_hash) = 32),
  sealed_token text not null,
  -- What the payer reads about the charge, besides its value and the name of the account.
  note varchar(140),
  created_by uuid not null references app_user,
  created_at timestamptz not null,
  revoked_at timestamptz
);
-- A charge has one link that works.
create unique index payment_link_active on payment_link (charge_uuid) where revoked_at is null;`,
}
