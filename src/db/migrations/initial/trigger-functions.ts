import type { SchemaPart } from './schema-part.ts'

/** Trigger functions that several nouns share. Both raise the error of a violated check constraint. */
export const refusalFunctions: SchemaPart = {
  tables: `
-- For triggers whose WHEN clause is the rule: refuses the row under the name of the trigger.
create function refuse() returns trigger language plpgsql as $$
begin
  raise exception 'a row of % would break %', tg_table_name, tg_name
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;

-- For tables whose rows are records: inserted once, never updated or deleted.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'check_violation';
end $$;

-- What an erasure writes in place of a document (src/domain/privacy/erasure.ts). No document begins so.
create function is_erased(document text) returns boolean immutable language sql as $$
  select coalesce(document ~ '^#[0-9A-Za-z]{10,13}$', false)
$$;

-- For updates of a row that was read before: it must still be there.
create function require_changed_row(changed bigint, relation text) returns void language plpgsql as $$
begin
  if changed <> 1 then raise exception 'a row of % to update has vanished', relation; end if;
end $$;`,
}

/** For each state the states it may become, over any number of steps: one transaction may take several. */
export type ReachableStates = Record<string, string>

/** Builds the function that tells whether a row in one state may become another. */
export const createStateFunction = (name: string, reachableStates: ReachableStates) => `
create function ${name}_can_become(state text, next text) returns boolean immutable language sql as $$
  select next = any (string_to_array(case state
    ${Object.entries(reachableStates)
      .map(([state, next]) => `when '${state}' then '${next}'`)
      .join(' ')}
  end, ' ')) is true
$$;`

/**
 * Builds the trigger that refuses every change of state which no sequence of transitions of `src/domain` explains. The
 * table is written down here once more; test/chaos/regressions/ledger-holds.test.ts compares it with the domain's.
 */
export const createTransitionTrigger = (
  table: string,
  reachableStates: ReachableStates,
  column: 'state' | 'status' = 'state',
) => `
${createStateFunction(table, reachableStates)}
create function ${table}_transition() returns trigger language plpgsql as $$
begin
  -- Not in the trigger's WHEN clause: every statement would parse that again, a function is parsed once per connection.
  if ${table}_can_become(old.${column}, new.${column}) then return new; end if;
  raise exception 'a % that is % does not become %', tg_table_name, old.${column}, new.${column}
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;
-- A state changes by the events of its table: what is paid never becomes pending or failed again.
create trigger ${table}_transition before update of ${column} on ${table} for each row
  when (old.${column} <> new.${column}) execute function ${table}_transition();`

/** Builds the trigger that keeps the value that was ordered. */
export const createValueTrigger = (table: string) => `
-- The value that was ordered never changes.
create trigger ${table}_value_fixed before update of value_cents on ${table} for each row
  when (old.value_cents <> new.value_cents) execute function refuse();`
