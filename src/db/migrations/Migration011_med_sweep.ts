import { Migration } from '@mikro-orm/migrations'

/** Whose list of disputes was read when, so that a sweep goes round at a pace that providers bear. */
export class Migration011_med_sweep extends Migration {
  override up() {
    this.addSql(MED_SWEEP)
  }
}

const MED_SWEEP = `
alter table provider_account add column meds_asked_at timestamptz;
create index on provider_account (meds_asked_at nulls first);`
