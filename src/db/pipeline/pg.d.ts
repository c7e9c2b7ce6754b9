/** The parts of `pg` that this code uses; `pg` ships no types. */
declare module 'pg' {
  export class Pool {
    constructor(options: { connectionString: string; max: number })
    query(statement: string | { name: string; text: string }): Promise<{ rows: unknown[] }>
    connect(): Promise<{
      // biome-ignore lint/suspicious/noExplicitAny: the row type depends on the statement.
      query(statement: string, values: unknown[]): Promise<{ rows: any[] }>
      release(): void
    }>
    on(event: 'error', listener: (error: Error) => void): void
    end(): Promise<void>
  }

  const pg: { utils: { prepareValue(value: unknown): unknown } }
  export default pg
}
