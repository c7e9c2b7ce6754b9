import type { openActivityFixture } from './activity-fixture.ts'

/** Until it is ended, every row written to a table takes so long to commit. */
export async function slowDownCommits(
  { sql }: Pick<Awaited<ReturnType<typeof openActivityFixture>>, 'sql'>,
  table: 'transfer' | 'refund',
  seconds: number,
): Promise<{ end(): Promise<void> }> {
  await sql(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(${seconds}); return null; end'`,
  )
  await sql(
    `create constraint trigger slow after insert on ${table} deferrable initially deferred for each row execute function slow()`,
  )
  return { end: async () => void (await sql('drop function slow() cascade')) }
}
