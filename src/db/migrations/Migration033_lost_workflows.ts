import { Migration } from '@mikro-orm/migrations'

/**
 * What is left of an older database, or of a Temporal that has lost workflows. A charge that was restored as CANCELLED or
 * EXPIRED after its provider had forgotten it has no payload; rows that move without a workflow are kept for the operator.
 * Each statement is a transaction of its own, and may be done again.
 */
export class Migration033_lost_workflows extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    this.addSql(`alter table charge drop constraint if exists charge_issued, add constraint charge_issued
      check (state in ('issuing', 'failed', 'cancelled', 'expired') or payload is not null) not valid`)
    this.addSql('alter table charge validate constraint charge_issued')
    this.addSql(`create index if not exists charge_unfinished on charge (created_at, uuid)
      where state in ('issuing', 'pending', 'paying')`)
    this.addSql(
      `create index if not exists attempt_orphan on attempt (created_at, uuid) where state = 'orphan'`,
    )
    this.addSql(`create table if not exists lost_workflow (
      workflow_id text primary key,
      noun text not null,
      subject_uuid uuid not null,
      account_uuid uuid not null references account,
      state text not null,
      is_reopened boolean not null,
      found_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    )`)
    this.addSql(`create table if not exists workflow_sweep (
      noun text primary key,
      swept_at timestamptz not null,
      looked_at integer not null,
      lost integer not null
    )`)
  }
}
