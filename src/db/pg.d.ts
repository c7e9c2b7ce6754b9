/** As much of it as is needed here; it comes without types. */
declare module 'pg' {
  type TypeParsers = { getTypeParser(oid: number, format?: string): (value: string) => unknown }

  export class Pool {
    constructor(options: { connectionString: string; max: number })
    query(statement: string): Promise<{ rows: unknown[] }>
  }

  class Result {
    constructor(rowMode: undefined, types: TypeParsers)
    command: string | null
    rowCount: number | null
    rows: Record<string, unknown>[]
    addFields(described: unknown[]): void
    parseRow(fields: unknown[]): Record<string, unknown>
    addRow(row: Record<string, unknown>): void
    addCommandComplete(told: object): void
  }

  const pg: { Result: typeof Result; utils: { prepareValue(value: unknown): unknown } }
  export default pg
}
