type Sql = (statement: string) => Promise<unknown>
type FailingWrites = { end(): Promise<void> }

/**
 * Until it is ended, each write of a row of these tables takes 2.1 s: two of them leave a request too little time to
 * commit anything, and one does not.
 */
export async function slowDownWrites(sql: Sql, tables: string[]): Promise<FailingWrites> {
  await sql(
    `create function slow_down() returns trigger language plpgsql as 'begin perform pg_sleep(2.1); return new; end'`,
  )
  for (const table of tables)
    await sql(
      `create trigger slow before insert or update on ${table} for each row execute function slow_down()`,
    )
  return { end: async () => void (await sql('drop function slow_down cascade')) }
}

/** Until it is ended, the commit of a row of this table loses its connection to PostgreSQL. */
export async function breakCommits(sql: Sql, table: string): Promise<FailingWrites> {
  await sql(
    `create function break_off() returns trigger language plpgsql as
      'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`,
  )
  await sql(
    `create constraint trigger break_off after insert or update on ${table} deferrable initially deferred
     for each row execute function break_off()`,
  )
  return { end: async () => void (await sql('drop function break_off cascade')) }
}
