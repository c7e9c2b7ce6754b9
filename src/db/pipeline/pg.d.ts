/** As much of it as is needed here; it comes without types. */
declare module 'pg' {
  export class Pool {
    constructor(options: { connectionString: string; max: number })
    query(statement: string | { name: string; text: string }): Promise<{ rows: unknown[] }>
    // biome-ignore lint/suspicious/noExplicitAny: the rows are whatever was asked.
    connect(): Promise<{ query(asked: string, values: unknown[]): Promise<{ rows: any[] }>; release(): void }>
    on(event: 'error', listener: (error: Error) => void): void
    end(): Promise<void>
  }

  const pg: { utils: { prepareValue(value: unknown): unknown } }
  export default pg
}
