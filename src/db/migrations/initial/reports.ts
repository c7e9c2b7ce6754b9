import type { SchemaPart } from './schema-part.ts'
import { createTransitionTrigger } from './trigger-functions.ts'

const TRANSITIONS = createTransitionTrigger('report', {
  pending: 'building failed',
  building: 'ready failed',
  ready: 'expired',
})

/** Reports, whose files are in the file storage, sealed, and the schedules that order them. */
export const reports: SchemaPart = {
  tables: `
create table report (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  is_simulated boolean not null,
  -- The only connection whose lines it has; null: all of its mode.
  connection_uuid uuid references connection,
  kind text not null check (kind in
    ('LEDGER', 'PAYMENTS', 'TRANSFERS', 'REFUNDS', 'MEDS', 'FEES', 'RECURRENCES', 'RECONCILIATION')),
  format text not null check (format in ('CSV', 'JSONL', 'OFX')),
  decimal_mark text not null check (decimal_mark in ('POINT', 'COMMA')),
  -- Days in Brasília, both included.
  date_from text not null check (date_from ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  date_to text not null check (date_to ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  state text not null check (state in ('pending', 'building', 'ready', 'failed', 'expired')),
  failure text check (failure in ('cancelled', 'too_many_lines', 'not_built')),
  -- Key of the file in the storage, of the last attempt to write it.
  file_key text,
  -- What opens the file, sealed; null where there is none.
  sealed_file text,
  line_count int check (line_count >= 0),
  size_bytes bigint check (size_bytes >= 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  is_partial boolean,
  built_at timestamptz,
  expires_at timestamptz,
  -- Counts its events.
  sequence int not null default 0,
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  fingerprint text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz not null,
  -- At most 92 days, in their order.
  constraint report_days check (
    to_date(date_to, 'YYYY-MM-DD') - to_date(date_from, 'YYYY-MM-DD') between 0 and 91),
  -- A statement as OFX has all lines.
  constraint report_ofx check (format <> 'OFX' or kind = 'LEDGER'),
  -- A READY report has a file, and no other can be opened.
  constraint report_file check ((state = 'ready') = (sealed_file is not null) and (state <> 'ready' or file_key is not null)),
  -- What was built keeps its figures when its file is gone.
  constraint report_built check (num_nulls(line_count, size_bytes, sha256, is_partial, built_at, expires_at)
    = case when state in ('ready', 'expired') then 0 else 6 end),
  constraint report_failed check ((state = 'failed') = (failure is not null)),
  -- A file is kept for 30 days.
  constraint report_lifetime check (expires_at <= built_at + interval '30 days')
);
create index report_listed on report (account_uuid, created_at, uuid);
-- An account has one report built at a time.
create unique index report_building on report (account_uuid) where state = 'building';
-- Those with a workflow.
create index report_open on report (created_at, uuid) where state in ('pending', 'building', 'ready');

-- Orders a report of the days before, every day, every week or every month, by the clocks of Brasília.
create table report_schedule (
  uuid uuid primary key,
  account_uuid uuid not null references account,
  is_simulated boolean not null,
  connection_uuid uuid references connection,
  kind text not null check (kind in
    ('LEDGER', 'PAYMENTS', 'TRANSFERS', 'REFUNDS', 'MEDS', 'FEES', 'RECURRENCES', 'RECONCILIATION')),
  format text not null check (format in ('CSV', 'JSONL', 'OFX')),
  decimal_mark text not null check (decimal_mark in ('POINT', 'COMMA')),
  frequency text not null check (frequency in ('DAILY', 'WEEKLY', 'MONTHLY')),
  weekday int check (weekday between 1 and 7),
  hour int not null check (hour between 0 and 23),
  -- The day on which it was due last, whose report is ordered.
  ordered_on text not null check (ordered_on ~ '^\\d{4}-\\d{2}-\\d{2}$'),
  token_number int,
  user_uuid uuid,
  request_id varchar(128) not null,
  created_at timestamptz not null,
  constraint report_schedule_ofx check (format <> 'OFX' or kind = 'LEDGER'),
  -- Only a weekly schedule has a day of the week.
  constraint report_schedule_weekday check ((frequency = 'WEEKLY') = (weekday is not null))
);
create index report_schedule_of_account on report_schedule (account_uuid);`,

  rules: `${TRANSITIONS}
-- What a report was ordered to have never changes, and neither does the digest of its file.
create trigger report_fixed before update on report for each row
  when ((old.kind, old.format, old.decimal_mark, old.date_from, old.date_to, old.connection_uuid, old.is_simulated)
      is distinct from (new.kind, new.format, new.decimal_mark, new.date_from, new.date_to, new.connection_uuid, new.is_simulated)
    or old.sha256 <> new.sha256)
  execute function refuse();`,
}
