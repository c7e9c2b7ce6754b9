/** A body for events whose body does not matter. */
export const ANY_EVENT_BODY = '{"sequence":1}'

type RunSql = (sql: string, values: unknown[]) => Promise<unknown>

/** Reads the bodies of the events that match a condition, in the order in which they happened. */
export async function readEventBodies<Body = Record<string, unknown>>(
  sql: RunSql,
  condition: string,
  values: unknown[],
): Promise<Body[]> {
  const rows = await sql(
    `select body from event where ${condition} order by created_at, sequence, uuid`,
    values,
  )
  return (rows as { body: Body }[]).map(({ body }) => body)
}
