import { Migration } from '@mikro-orm/migrations'

/** Where workers publish what they count, so that one scrape of any API process sees all of them. */
export class Migration010_metrics extends Migration {
  override up() {
    this.addSql(METRICS)
  }
}

const METRICS = `
-- Unlogged: after a crash the next publication is 5 s away.
create unlogged table worker_metrics (
  worker text primary key,
  at timestamptz not null,
  exposition text not null
);
create index delivery_pending on delivery (coalesce(next_try_at, created_at)) where status = 'PENDING';`
