/** The parts of `pg` that this code uses; `pg` ships no types. */
declare module 'pg' {
  import type { EventEmitter } from 'node:events'
  import type { PostgresQueryResult } from 'kysely'

  export type PoolConfig = Record<string, unknown>
  type Statement = string | { name: string; text: string; values?: readonly unknown[] }

  export interface PoolClient extends EventEmitter {
    query<R>(statement: Statement): Promise<PostgresQueryResult<R>>
    release(isBroken?: boolean): void
  }

  export const types: { setTypeParser(oid: number, parse: (text: string) => unknown): void }

  export class Pool extends EventEmitter {
    constructor(options: PoolConfig)
    readonly options: PoolConfig
    readonly ending: boolean
    // biome-ignore lint/suspicious/noExplicitAny: the row type depends on the statement.
    query(statement: Statement): Promise<PostgresQueryResult<any>>
    connect(): Promise<PoolClient>
    end(): Promise<void>
  }
}
