import { Migration } from '@mikro-orm/migrations'

/** What a test token registers or ranks is no live one’s: endpoints have the mode of their token, places their own order. */
export class Migration015_modes extends Migration {
  override up() {
    this.addSql(MODES)
  }
}

const MODES = `
alter table webhook add column mode text check (mode in ('live', 'test'));
comment on column webhook.mode is 'Null of one that is older than modes: it hears of both.';
alter table default_provider drop constraint default_provider_pkey,
  drop constraint default_provider_account_uuid_payment_type_connection_uuid_key,
  add primary key (account_uuid, payment_type, connection_uuid);
comment on column default_provider.position is 'Among simulators, or among real providers.';`
