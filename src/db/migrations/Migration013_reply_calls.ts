import { Migration } from '@mikro-orm/migrations'

/** A reply is told by one call at a time: a provider that knows no id of ours would take two for two. */
export class Migration013_reply_calls extends Migration {
  override up() {
    this.addSql(REPLY_CALLS)
  }
}

const REPLY_CALLS = `
alter table med add column replying_until timestamptz,
  add constraint med_replying check (replying_until is null or reply_state is not null);`
