import { Migration } from '@mikro-orm/migrations'

/**
 * Money that went after it was said that it had not says so, and is found with what settled twice. Each statement is a
 * transaction of its own, and may be done again: no writer waits while old rows are held against the new rule.
 */
export class Migration024_late_settlements extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    this.addSql(REASONS)
    this.addSql('alter table movement validate constraint movement_reason')
    this.addSql(UNEXPECTED)
  }
}

const REASONS = `
alter table movement drop constraint if exists movement_reason_check, drop constraint if exists movement_reason,
  add constraint movement_reason check (reason in ('deposit', 'second_payment', 'wrong_amount', 'charge_over', 'orphan',
    'duplicate_settlement', 'late_settlement')) not valid`

/** They are few; by a moment that never changes, or every change of a movement would touch all its indexes. */
const UNEXPECTED = `
create index if not exists movement_unexpected on movement (created_at)
  where reason in ('duplicate_settlement', 'late_settlement')`
