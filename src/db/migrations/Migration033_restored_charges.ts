import { Migration } from '@mikro-orm/migrations'

/**
 * A charge that was restored as CANCELLED or EXPIRED after its provider had forgotten it has no payload. Each statement is
 * a transaction of its own, and may be done again.
 */
export class Migration033_restored_charges extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    this.addSql(`alter table charge drop constraint if exists charge_issued, add constraint charge_issued
      check (state in ('issuing', 'failed', 'cancelled', 'expired') or payload is not null) not valid`)
    this.addSql('alter table charge validate constraint charge_issued')
  }
}
