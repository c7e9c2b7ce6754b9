import type { SchemaPart } from './schema-part.ts'

/** Answers and list items of providers that no published document explains (docs/production.md, "Unexplained answers"). */
export const unexplainedAnswers: SchemaPart = {
  tables: `
create table unexplained_answer (
  uuid uuid primary key,
  connection_uuid uuid not null references connection,
  operation text not null,
  -- Our id that the call was about; null for lists and notifications.
  reference text,
  kind text not null check (kind in ('unlisted_refusal', 'unreadable_answer', 'unreadable_item', 'unlisted_value')),
  -- The HTTP status; null for a notification.
  status int,
  name varchar(80) not null,
  sealed_body text not null,
  is_cut boolean not null,
  -- A keyed digest of the body.
  digest text not null,
  occurrences int not null default 1 check (occurrences > 0),
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- The period of the list that the item was left out of, in which it is listed again.
  period_from timestamptz,
  period_to timestamptz,
  resolved_at timestamptz,
  -- A repeated answer is counted.
  constraint unexplained_answer_once unique nulls not distinct (connection_uuid, operation, reference, kind, digest),
  constraint unexplained_answer_period check ((period_from is null) = (period_to is null)),
  constraint unexplained_answer_period_order check (period_from <= period_to)
);
create index unexplained_reference on unexplained_answer (reference) where reference is not null;
create index unexplained_seen on unexplained_answer (last_seen_at);
create index unexplained_quarantined on unexplained_answer (connection_uuid)
  where period_from is not null and resolved_at is null;`,
}
