import type { SchemaPart } from './schema-part.ts'

/** The hourly comparison of rows that move with running workflows. */
export const disasterRecovery: SchemaPart = {
  tables: `
-- Rows that move without a workflow, until it runs again.
create table lost_workflow (
  workflow_id text primary key,
  noun text not null,
  subject_uuid uuid not null,
  account_uuid uuid not null references account,
  state text not null,
  is_reopened boolean not null,
  found_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- The last comparison of each noun.
create table workflow_sweep (
  noun text primary key,
  swept_at timestamptz not null,
  checked_count integer not null,
  lost_count integer not null
);`,
}
