import { Migration } from '@mikro-orm/migrations'

/**
 * What a caller was told decides from the row what may still be sent (docs/crash-semantics.md). Each statement is a
 * transaction of its own, and may be done again: no table is locked against its writers while its rows are checked.
 */
export class Migration029_durable_promises extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    this.addSql('alter table transfer add column if not exists take_before timestamptz')
    this.addSql('alter table refund add column if not exists take_before timestamptz')
    this.addSql(`alter table attempt add column if not exists refusal jsonb,
      add column if not exists contradiction_code text, add column if not exists contradiction_at timestamptz`)
    for (const [table, name, rule] of CHECKS) {
      this.addSql(
        `alter table ${table} drop constraint if exists ${name}, add constraint ${name} check (${rule}) not valid`,
      )
      this.addSql(`alter table ${table} validate constraint ${name}`)
    }
    this.addSql(CONTRADICTION_INDEX)
    this.addSql(REFUSE_LATE_SENDING)
    this.addSql(REFUSE_LATE_SENDING_TRIGGER)
  }
}

const CHECKS = [
  // A provider has taken it only if it was sent in time.
  [
    'transfer',
    'transfer_taken',
    `take_before is null or state in ('created', 'sending', 'failed', 'cancelled', 'expired')`,
  ],
  ['refund', 'refund_taken', `take_before is null or state in ('sending', 'failed')`],
  ['attempt', 'attempt_refusal', `refusal is null or refusal ->> 'finality' in ('other_may_help', 'final')`],
  ['attempt', 'attempt_contradiction', '(contradiction_code is null) = (contradiction_at is null)'],
] as const

const CONTRADICTION_INDEX = `
create index if not exists attempt_contradicted on attempt (contradiction_at) where contradiction_at is not null`

/** No sending of an order begins after the moment until which it may be taken. */
const REFUSE_LATE_SENDING = `
create or replace function refuse_late_sending() returns trigger language plpgsql as $$
begin
  if exists (select from transfer where uuid = new.subject_uuid and take_before < clock_timestamp())
    or exists (select from refund where uuid = new.subject_uuid and take_before < clock_timestamp()) then
    raise exception 'a row of attempt would break attempt_in_time'
      using errcode = 'check_violation', constraint = 'attempt_in_time', table = 'attempt';
  end if;
  return new;
end $$`
const REFUSE_LATE_SENDING_TRIGGER = `
create or replace trigger attempt_in_time before insert or update of state on attempt for each row
  when (new.state = 'calling' and new.operation in ('transfer', 'refund'))
  execute function refuse_late_sending()`
