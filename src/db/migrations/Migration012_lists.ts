import { Migration } from '@mikro-orm/migrations'

/** A page of a list and its count are read from an index alone, whatever is filtered by, with a million charges too. */
export class Migration012_lists extends Migration {
  override up() {
    this.addSql(CHARGES)
    this.addSql(TRANSFERS)
    this.addSql(LEDGER)
    this.addSql(EVENTS)
    this.addSql(TALLIES)
    this.addSql(VACUUM)
  }
}

const CHARGES = `
-- Every filter that is no look-up by itself: what no narrower index finds is found here without a row being touched.
create index charge_listed on charge (account_uuid, created_at desc, uuid desc)
  include (connection_uuid, state, value_cents, paid_at);
drop index charge_account_uuid_created_at_uuid_idx;
create index charge_of_provider on charge (account_uuid, connection_uuid, created_at desc, uuid desc)
  include (state, value_cents);
drop index charge_account_uuid_connection_uuid_created_at_uuid_idx;
create index charge_by_value on charge (account_uuid, value_cents) include (connection_uuid, created_at, uuid);
create index charge_by_payment on charge (account_uuid, paid_at) include (connection_uuid, created_at, uuid)
  where paid_at is not null;
drop index charge_account_uuid_paid_at_idx;`

const TRANSFERS = `
create index transfer_listed on transfer (account_uuid, created_at desc, uuid desc)
  include (connection_uuid, state, settled_at);
drop index transfer_account_uuid_created_at_uuid_idx;
create index transfer_of_provider on transfer (account_uuid, connection_uuid, created_at desc, uuid desc) include (state);
drop index transfer_account_uuid_connection_uuid_created_at_uuid_idx;
create index transfer_by_settlement on transfer (account_uuid, settled_at) include (connection_uuid, created_at, uuid)
  where settled_at is not null;
drop index transfer_account_uuid_settled_at_idx;
create index transfer_by_key on transfer (account_uuid, pix_key, created_at desc, uuid desc) include (connection_uuid);
drop index transfer_account_uuid_pix_key_idx;`

const LEDGER = `
-- A statement's lines stand in the order of their postings, which is what their balances follow.
create index posting_available on posting (account_uuid, id desc) include (provider_account_uuid, created_at)
  where bucket = 'available';
create index posting_available_day on posting (account_uuid, created_at) include (provider_account_uuid, id)
  where bucket = 'available';`

const EVENTS = `
create index event_listed on event (account_uuid, created_at desc, uuid desc) include (connection_uuid, type);
drop index event_account_uuid_created_at_uuid_idx;
create index event_of_kind on event (account_uuid, type, created_at desc, uuid desc) include (connection_uuid);
drop index event_of_type;
create index delivery_of_status on delivery (webhook_uuid, status, created_at desc, uuid desc);
create index med_listed on med (account_uuid, created_at desc, uuid desc)
  include (connection_uuid, state, kind, dispute_type);
drop index med_account_uuid_created_at_uuid_idx;`

const TALLIES = `
-- Under the last of all days stands the sum of them.
insert into tally (noun, account_uuid, connection_uuid, day, state, count)
select noun, account_uuid, connection_uuid, 'infinity', state, sum(count)
from tally group by noun, account_uuid, connection_uuid, state;`

/** An index alone answers only for pages that a vacuum has seen, so it comes by every few thousand rows. */
const VACUUM = ['charge', 'transfer', 'posting', 'event', 'delivery']
  .map(
    table => `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);`,
  )
  .join('\n')
