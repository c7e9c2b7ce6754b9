import type { openActivityFixture } from './activity-fixture.ts'

/** Until it is ended, every row inserted into a table takes so long to commit. `statement` runs just before the commit. */
export async function slowDownCommits(
  { sql }: Pick<Awaited<ReturnType<typeof openActivityFixture>>, 'sql'>,
  table: 'transfer' | 'refund' | 'attempt',
  seconds: number,
  statement = 'null',
): Promise<{ end(): Promise<void> }> {
  await sql(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(${seconds}); ${statement}; return null; end'`,
  )
  await sql(
    `create constraint trigger slow after insert on ${table} deferrable initially deferred for each row execute function slow()`,
  )
  return { end: async () => void (await sql('drop function slow() cascade')) }
}
