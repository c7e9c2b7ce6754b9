import { Migration } from '@mikro-orm/migrations'

/**
 * What has been due for longest is found by its endpoint, so that the backlog of one that fails is not read to the end of
 * it. Each statement is a transaction of its own, and may be done again.
 */
export class Migration025_late_webhooks extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    this.addSql(DUE)
    this.addSql('drop index if exists delivery_of_webhook_pending, delivery_pending')
  }
}

const DUE = `
create index if not exists delivery_of_webhook_due on delivery (webhook_uuid, coalesce(next_try_at, created_at))
  where status = 'PENDING'`
