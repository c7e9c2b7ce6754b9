import { Migration } from '@mikro-orm/migrations'

/** The wish to cancel is one thing, a request that may have removed the payload without saying so is another. */
export class Migration022_unanswered_cancellations extends Migration {
  override up() {
    this.addSql('alter table charge add column cancel_unanswered boolean not null default false')
    // Of those that were asked for before nobody knows what was answered, and a second "not found" ended them.
    this.addSql(`update charge set cancel_unanswered = true
      where cancel_requested_at is not null and state in ('pending', 'paying', 'expired')`)
  }
}
