import { Migration } from '@mikro-orm/migrations'

/** Tests of an endpoint are seen in its mode only, however many endpoints there were: those with tests are found by account. */
export class Migration018_tested_endpoints extends Migration {
  override up() {
    this.addSql(WEBHOOKS)
  }
}

const WEBHOOKS = `
create index webhook_tested on webhook (account_uuid, mode) where sequence > 0;`
