import { Migration } from '@mikro-orm/migrations'

/** Which worker had the last answer of a connection that is in doubt, so that a worker that reaches no provider opens no breaker. */
export class Migration034_breaker_answers extends Migration {
  override up() {
    this.addSql(`alter table breaker add column if not exists answered_at timestamptz,
      add column if not exists answered_by text`)
  }
}
