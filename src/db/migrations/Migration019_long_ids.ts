import { Migration } from '@mikro-orm/migrations'

/** What a statement calls an entry is the provider's to say: one that is no id of the rail must not end the comparison. */
export class Migration019_long_ids extends Migration {
  override up() {
    this.addSql('alter table difference alter column end_to_end type text')
  }
}
