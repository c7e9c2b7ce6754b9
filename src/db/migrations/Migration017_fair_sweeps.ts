import { Migration } from '@mikro-orm/migrations'

/** What is due to be woken is found by its endpoint, so that the backlog of one holds up no other. */
export class Migration017_fair_sweeps extends Migration {
  override up() {
    this.addSql(DELIVERIES)
  }
}

const DELIVERIES = `
create index delivery_of_webhook_to_wake on delivery (webhook_uuid, wake_at) where wake_at is not null;
drop index delivery_to_wake;`
