/** As much of it as is needed here; it comes without types. */
declare module 'pg' {
  export class Pool {
    constructor(options: { connectionString: string; max: number })
    query(statement: string): Promise<{ rows: unknown[] }>
  }

  const pg: { utils: { prepareValue(value: unknown): unknown } }
  export default pg
}
