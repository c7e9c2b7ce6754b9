import {
  type Configuration,
  DriverException,
  type EntityDictionary,
  type EntityName,
  type FilterQuery,
  type LoggingOptions,
  type NativeInsertUpdateManyOptions,
  type NativeInsertUpdateOptions,
  type QueryResult,
  type Transaction,
} from '@mikro-orm/core'
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import type { StatementResult } from './pipelined-message.ts'
import { PIPELINE } from './pool.ts'
import type { Statement } from './prepared-statements.ts'
import { buildInsert, buildUpdate, type FlushedRow } from './row-statements.ts'

type ExecuteQuery = Parameters<PostgreSqlConnection['execute']>[0]
type ExecuteValues = Parameters<PostgreSqlConnection['execute']>[1]
type ExecuteMethod = 'all' | 'get' | 'run'

/**
 * Takes statements of ours (src/db/pipeline/query.ts), which travel together and with their values beside them.
 *
 * MikroORM names the failures of statements (DriverException) but lets those of opening and ending a transaction through as
 * bare errors, some without a code; here they get the same name. What a transaction only writes is said with its end
 * (src/db/pipeline/pool.ts), so that is where it fails; and whatever goes by the name, nobody quotes.
 */
class PipelinedConnection extends PostgreSqlConnection {
  // biome-ignore lint/suspicious/noExplicitAny: what it answers is whatever was asked, as MikroORM has it.
  override async execute<T = any>(
    query: ExecuteQuery,
    params: ExecuteValues = [],
    method: ExecuteMethod = 'all',
    ctx?: Transaction,
    loggerContext?: LoggingOptions,
  ): Promise<T> {
    if (query === PIPELINE) return (await this.runStatements(params as Statement[], ctx)) as T
    return super.execute(query, params, method, ctx, loggerContext) as Promise<T>
  }

  override begin(...asked: Parameters<PostgreSqlConnection['begin']>) {
    return super.begin(...asked).catch(rethrowAsDriverException)
  }

  override commit(...asked: Parameters<PostgreSqlConnection['commit']>) {
    return super.commit(...asked).catch(rethrowAsDriverException)
  }

  async runStatements(statements: Statement[], ctx: Transaction | undefined): Promise<StatementResult[]> {
    const transaction = ctx as ControlledTransaction<unknown> | undefined
    return transaction
      ? this.#runInTransaction(transaction, statements)
      : this.#runOutsideTransaction(statements)
  }

  async #runInTransaction(
    transaction: ControlledTransaction<unknown>,
    statements: Statement[],
  ): Promise<StatementResult[]> {
    const { rows } = await transaction.executeQuery(CompiledQuery.raw(PIPELINE, statements))
    return rows as StatementResult[]
  }

  /** Straight to the pool: of what a query builder does nothing is needed, several times for each request. */
  async #runOutsideTransaction(statements: Statement[]): Promise<StatementResult[]> {
    const client = await (await this.getNativeClient()).connect()
    try {
      const { rows } = await client.query(PIPELINE, statements)
      return rows
    } finally {
      client.release()
    }
  }
}

function rethrowAsDriverException(error: Error): never {
  throw error instanceof DriverException ? error : new DriverException(error)
}

/**
 * How MikroORM speaks with PostgreSQL. By itself it builds the statement of every row that a flush has found new or changed
 * anew, and writes every value into it, so that PostgreSQL parses and plans it anew as well; here that is done once.
 */
export class PipelinedDriver extends PostgreSqlDriver {
  protected override readonly connection: PipelinedConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new PipelinedConnection(config)
  }

  override async nativeInsertMany<T extends object>(
    entity: EntityName<T>,
    rows: EntityDictionary<T>[],
    options: NativeInsertUpdateManyOptions<T> = {},
    transform?: (sql: string) => string,
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const inserts = () => rows.map(row => buildInsert(meta, row))
    const told = transform ? undefined : await this.#runPrepared(options, inserts)
    return told ?? super.nativeInsertMany(entity, rows, options, transform)
  }

  override async nativeUpdate<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>,
    row: EntityDictionary<T>,
    options: NativeInsertUpdateOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const told = await this.#runPrepared(options, () => [buildUpdate(meta, getPrimaryKey(where), row)])
    return told ?? super.nativeUpdate(entity, where, row, options)
  }

  override async nativeUpdateMany<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>[],
    rows: EntityDictionary<T>[],
    options: NativeInsertUpdateManyOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const updates = () =>
      rows.map((row: FlushedRow, place) => buildUpdate(meta, getPrimaryKey(where[place]), row))
    const told = await this.#runPrepared(options, updates)
    return told ?? super.nativeUpdateMany(entity, where, rows, options)
  }

  /**
   * Tells all of them, or none: undefined where one is for MikroORM to write, and where this is no flush, which alone hands
   * over what PostgreSQL stores.
   */
  async #runPrepared<T>(
    { convertCustomTypes, ctx }: NativeInsertUpdateOptions<T>,
    statements: () => (Statement | null)[],
  ): Promise<QueryResult<T> | undefined> {
    if (convertCustomTypes !== false) return undefined
    const made = statements()
    const all = made.filter(statement => statement !== null)
    if (all.length < made.length) return undefined
    await this.connection.runStatements(all, ctx)
    return { affectedRows: all.length, insertId: undefined as never }
  }
}

/** The one value of a key of one column. */
function getPrimaryKey(where: unknown): unknown {
  if (typeof where !== 'object' || where === null) return where
  const values = Object.values(where)
  return values.length === 1 ? values[0] : undefined
}
