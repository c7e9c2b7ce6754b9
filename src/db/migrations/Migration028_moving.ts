import { Migration } from '@mikro-orm/migrations'

/**
 * What operators watch is found among the few that move, however many rest. By a moment that never changes, or every change
 * of a row would touch all its indexes. Each statement is a transaction of its own, and may be done again.
 */
export class Migration028_moving extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    this.addSql(`create index if not exists attempt_moving on attempt (created_at)
      where state in ('calling', 'accepted', 'unknown') and operation in ('transfer', 'refund', 'return')`)
    this.addSql(`create index if not exists charge_moving on charge (created_at)
      where state in ('issuing', 'paying', 'refunding')`)
    this.addSql(`create index if not exists transfer_moving on transfer (created_at)
      where state in ('created', 'sending', 'settling')`)
  }
}
