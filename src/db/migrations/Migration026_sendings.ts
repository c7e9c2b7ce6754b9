import { Migration } from '@mikro-orm/migrations'

/** An attempt may be sent again, by the same id; what answers an earlier sending of it says nothing of the later one. */
export class Migration026_sendings extends Migration {
  override up() {
    this.addSql(
      `alter table attempt add column sendings integer not null default 0, add column called_at timestamptz`,
    )
    this.addSql(ATTEMPT_IMMUTABLE)
  }
}

/** A final word about a sending, after which no other may be sent (attempt_one_live), and that its provider took it. */
const ATTEMPT_IMMUTABLE = `
create or replace trigger attempt_stays before update of state on attempt for each row
  when ((old.state in ('settled', 'duplicate') and new.state <> old.state)
    or (old.state = 'accepted' and new.state in ('calling', 'unknown')
      and old.operation in ('transfer', 'refund', 'return')))
  execute function refuse()`
