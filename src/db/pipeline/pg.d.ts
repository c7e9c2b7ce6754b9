/** The parts of `pg` that this code uses; `pg` ships no types. */
declare module 'pg' {
  type QueryResult = {
    command: 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE' | 'SELECT'
    rowCount: number
    // biome-ignore lint/suspicious/noExplicitAny: the row type depends on the statement.
    rows: any[]
  }
  type Statement = string | { name: string; text: string; values?: readonly unknown[] }

  export type PoolConfig = Record<string, unknown>

  export type PoolClient = {
    query(statement: Statement): Promise<QueryResult>
    release(isBroken?: boolean): void
    on(event: 'error', listener: (error: Error) => void): void
    once(event: 'end', listener: () => void): void
    off(event: 'end', listener: () => void): void
  }

  export const types: { setTypeParser(oid: number, parse: (text: string) => unknown): void }

  export class Pool {
    constructor(options: PoolConfig)
    readonly options: PoolConfig
    readonly ending: boolean
    query(statement: Statement): Promise<QueryResult>
    connect(): Promise<PoolClient>
    on(event: 'connect', listener: (client: PoolClient) => void): void
    on(event: 'error', listener: (error: Error) => void): void
    end(): Promise<void>
  }
}
