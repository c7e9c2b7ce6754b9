import type { SchemaPart } from './schema-part.ts'

/** Months of the ledger that are in the file storage (docs/retention.md). */
export const ledgerArchives: SchemaPart = {
  tables: `
create table ledger_archive (
  -- The first day of the month, which is one of UTC.
  month date primary key constraint ledger_archive_month check (extract(day from month) = 1),
  storage_key text not null constraint ledger_archive_key unique,
  -- Of the lines, before they are compressed.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  line_count int not null check (line_count >= 0),
  archived_at timestamptz not null default now(),
  -- Only a month that is over is archived.
  constraint ledger_archive_over check (archived_at >= (month + interval '1 month') at time zone 'UTC')
);
-- The lines of a month, whatever their account: as large as a thousandth of another index, since lines are stored in their order.
create index posting_by_time on posting using brin (created_at) with (autosummarize = on);`,

  rules: `
create trigger ledger_archive_kept before update or delete on ledger_archive
  for each statement execute function refuse_change();`,
}
