import { Migration } from '@mikro-orm/migrations'

/**
 * Answers and list items of providers that no published document explains, sealed (docs/production.md, "Unexplained
 * answers"), and the identity of returns: the end-to-end id of the PIX that is returned and the provider's own id of the
 * return. The rail's id of a return is an attribute that may come later.
 */
export class Migration032_unexplained_answers extends Migration {
  override up() {
    this.addSql(UNEXPLAINED_ANSWER)
    this.addSql(RETURN_IDENTITY)
  }
}

const UNEXPLAINED_ANSWER = `
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
  -- A keyed digest of the body: a repeated answer is counted.
  digest text not null,
  occurrences int not null default 1 check (occurrences > 0),
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- The period of the list that an item was left out of, in which it is listed again.
  period_from timestamptz,
  period_to timestamptz,
  resolved_at timestamptz,
  check ((period_from is null) = (period_to is null)),
  check (period_from <= period_to),
  unique nulls not distinct (connection_uuid, operation, reference, kind, digest)
);
create index unexplained_reference on unexplained_answer (reference) where reference is not null;
create index unexplained_seen on unexplained_answer (last_seen_at);
create index unexplained_quarantined on unexplained_answer (connection_uuid)
  where period_from is not null and resolved_at is null;`

const RETURN_IDENTITY = `
alter table movement add column return_of text, add column return_id text;
update movement m set return_of = o.end_to_end, return_id = m.end_to_end
  from movement o
  where o.uuid = m.original_uuid and m.type = 'EXTERNAL_REFUND' and m.end_to_end is not null
    and o.end_to_end is not null and (m.movement_type = 'IN' or m.med_uuid is not null);
create unique index movement_return_once on movement (provider_account_uuid, movement_type, return_of, return_id)
  where return_id is not null;
alter table movement add constraint movement_return_named check (return_id is null or return_of is not null);`
