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
end $$;`,
}
