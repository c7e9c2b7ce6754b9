/** The parts of `pg` that this code uses; `pg` ships no types. */
declare module 'pg' {
  import type { EventEmitter } from 'node:events'
  import type { PostgresQueryResult } from 'kysely'

  export type PoolConfig = Record<string, unknown>
  type Statement = string | { name: string; text: string; values?: readonly unknown[] }
  // biome-ignore lint/suspicious/noExplicitAny: the row type depends on the statement.
  type Result = PostgresQueryResult<any>

  export interface PoolClient extends EventEmitter {
    query(statement: Statement): Promise<Result>
    release(isBroken?: boolean): void
  }

  export const types: { setTypeParser(oid: number, parse: (text: string) => unknown): void }

  export class Pool extends EventEmitter {
    constructor(options: PoolConfig)
    readonly options: PoolConfig
    readonly ending: boolean
    query(statement: Statement): Promise<Result>
    connect(): Promise<PoolClient>
    end(): Promise<void>
  }
}
