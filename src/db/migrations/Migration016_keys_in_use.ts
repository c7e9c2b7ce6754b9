import { Migration } from '@mikro-orm/migrations'

/** The keys of simulators are a world of their own: what collects there keeps no real key, and makes no room for one. */
export class Migration016_keys_in_use extends Migration {
  override up() {
    this.addSql(COUNTED)
    this.addSql(IN_USE)
  }
}

const COUNTED = `
create or replace function counted_pix_keys(account uuid, of_type text, simulated boolean) returns bigint stable language sql as $$
  select count(*) from pix_key
  where account_uuid = account and type = of_type and is_simulated = simulated
    and state in ('creating', 'active', 'removing')
    and not exists (select from connection c
      where c.account_uuid = account and c.collection_key = pix_key.key and c.is_simulated = simulated)
$$;`

const IN_USE = `
create function pix_key_is_in_use(of_key text, simulated boolean) returns boolean stable language sql as $$
  select exists (select from connection where collection_key = of_key and is_simulated = simulated)
      or exists (select from charge h join connection c on c.uuid = h.connection_uuid
           where h.pix_key = of_key and h.state in ('pending', 'paying') and c.is_simulated = simulated)
$$;
create or replace function pix_key_stays() returns trigger language plpgsql as $$
begin
  if pix_key_is_in_use(old.key, old.is_simulated) then
    raise exception 'the key is in use' using errcode = 'check_violation', constraint = 'pix_key_in_use';
  end if;
  return new;
end $$;
comment on function pix_key_is_in_use(text) is 'Asked by processes of the release before; drop it in the next one.';`
