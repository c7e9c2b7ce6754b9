import { Migration } from '@mikro-orm/migrations'

/** Attempts to sign in to the dashboard from a device that has signed in before are counted for that device alone. */
export class Migration035_device_sign_ins extends Migration {
  override up() {
    this.addSql('alter table sign_in_try add column if not exists device_hash bytea')
    this.addSql('create index if not exists sign_in_try_device on sign_in_try (device_hash, at)')
  }
}
