import type { Configuration, LoggingOptions, Transaction } from '@mikro-orm/core'
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import type { Answer } from './message.ts'
import { TOGETHER } from './pool.ts'
import { keptStatement, numbered, type Statement } from './statements.ts'

type Query = Parameters<PostgreSqlConnection['execute']>[0]
type Values = Parameters<PostgreSqlConnection['execute']>[1]
type Method = 'all' | 'get' | 'run'

/**
 * How MikroORM speaks with PostgreSQL, which by itself writes every value into its statement: each is then parsed and
 * planned anew. Statements of ours (src/db/questions.ts) and the rows of a flush travel with their values beside them.
 */
class KeepingConnection extends PostgreSqlConnection {
  // biome-ignore lint/suspicious/noExplicitAny: what it answers is whatever was asked, as MikroORM has it.
  override async execute<T = any>(
    query: Query,
    params: Values = [],
    method: Method = 'all',
    ctx?: Transaction,
    loggerContext?: LoggingOptions,
  ): Promise<T> {
    if (query === TOGETHER) return (await this.#tell(params as Statement[], ctx)) as T
    const row = rowOf(query, params)
    if (!row) return super.execute(query, params, method, ctx, loggerContext) as Promise<T>
    const [answer] = await this.#tell([row], ctx)
    const { rowCount, rows } = answer!
    return (method === 'run' ? { affectedRows: rowCount ?? 0, row: rows[0], rows } : rows) as T
  }

  async #tell(statements: Statement[], ctx: Transaction | undefined): Promise<Answer[]> {
    await this.ensureConnection()
    const asked = ctx as ControlledTransaction<unknown> | undefined
    const { rows } = await (asked ?? this.getClient()).executeQuery(CompiledQuery.raw(TOGETHER, statements))
    return rows as Answer[]
  }
}

/**
 * As MikroORM writes what a flush has found new or changed. It looks at no answer of these, so how many rows they were is
 * not told in a transaction. How many rows are inserted at once is a request's: such a statement is not kept.
 */
const ROW =
  /^(insert into "\w+" \([^()]*\) values \([?, ]*\)|update "\w+" set ("\w+" = \?(, )?)+ where "uuid" = \?)$/
const ROWS = /^insert into "\w+" \([^()]*\) values \([?, ]*\)(, \([?, ]*\))+$/

function rowOf(sql: Query, values: Values): Statement | null {
  if (typeof sql !== 'string' || !Array.isArray(values) || !values.every(isPlain)) return null
  if (ROW.test(sql)) return { ...keptStatement(sql, values), isUnheard: true }
  return ROWS.test(sql) ? { text: numbered(sql), values, isUnheard: true } : null
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object' || value instanceof Date || Buffer.isBuffer(value)
}

export class Driver extends PostgreSqlDriver {
  protected override readonly connection: KeepingConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new KeepingConnection(config)
  }
}
