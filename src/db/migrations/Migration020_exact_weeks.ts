import { Migration } from '@mikro-orm/migrations'

/** Seven days of a server whose clocks change are an hour more or less; a dispute has 168 hours everywhere. */
export class Migration020_exact_weeks extends Migration {
  override up() {
    this.addSql(DEADLINES)
  }
}

const DEADLINES = `
alter table med drop constraint med_deadline,
  add constraint med_deadline check (due_at <= opened_at + interval '168 hours');`
