import { Migration } from '@mikro-orm/migrations'

/** A transfer names its movement and that one names it: which of them is written first is looked at when both are. */
export class Migration027_written_once extends Migration {
  override up() {
    this.addSql(
      'alter table movement alter constraint movement_transfer_uuid_fkey deferrable initially deferred',
    )
  }
}
