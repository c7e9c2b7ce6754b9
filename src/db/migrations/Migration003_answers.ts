import { Migration } from '@mikro-orm/migrations'

/** What a POST answered, so that its key answers the same for ever, whatever has become of the money since. */
export class Migration003_answers extends Migration {
  override up() {
    this.addSql(ANSWERS)
  }
}

const ANSWERS = `
-- The transfer as a provider had just accepted it, or as it was scheduled; null where neither happened.
alter table transfer add column accepted jsonb;
alter table refund add column accepted_at timestamptz;`
