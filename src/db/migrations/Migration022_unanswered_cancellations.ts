import { Migration } from '@mikro-orm/migrations'

/** The wish to cancel is one thing, a request that may have removed the payload without saying so is another. */
export class Migration022_unanswered_cancellations extends Migration {
  override up() {
    this.addSql('alter table charge add column cancel_unanswered boolean not null default false')
  }
}
