import { Migration } from '@mikro-orm/migrations'

/**
 * Whose account at the provider a connection's credentials belong to, and since when. Credentials that are not proved to be
 * the same account's begin another epoch; an attempt keeps the one that it was called in, and "not found" in a later epoch
 * says nothing about it.
 */
export class Migration030_credentials_epoch extends Migration {
  override up() {
    this.addSql(`alter table connection
      add column provider_identity jsonb,
      add column credentials_epoch integer not null default 1,
      add column credentials_since timestamptz,
      add constraint connection_epoch check (credentials_epoch >= 1)`)
    this.addSql('alter table attempt add column credentials_epoch integer not null default 1')
    this.addSql(EPOCH_INCREMENT)
    this.addSql(EPOCH_IMMUTABLE)
  }
}

/** An epoch begins when it is written; none comes back. */
const EPOCH_INCREMENT = `
create or replace trigger connection_epoch_rises before update of credentials_epoch on connection for each row
  when (new.credentials_epoch < old.credentials_epoch) execute function refuse();
create or replace function epoch_begins() returns trigger language plpgsql as $$
begin new.credentials_since = now(); return new; end $$;
create or replace trigger connection_epoch_begins before update of credentials_epoch on connection for each row
  when (new.credentials_epoch > old.credentials_epoch) execute function epoch_begins()`

/** Only an attempt of which nothing moved is begun anew, in the epoch of then. */
const EPOCH_IMMUTABLE = `
create or replace trigger attempt_epoch_stays before update of credentials_epoch on attempt for each row
  when (new.credentials_epoch <> old.credentials_epoch and old.state not in ('rejected', 'unreachable'))
  execute function refuse()`
