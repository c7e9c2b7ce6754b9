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
 * Connection that accepts batches of statements (src/db/pipeline/query.ts). MikroORM wraps errors of statements in
 * DriverException but passes on those of begin and commit as bare errors, some without a code; this class wraps them
 * too. Statements without a result are sent with the commit (src/db/pipeline/pool.ts), so they fail there; logs never
 * quote the message of a DriverException (src/db/redact-error.ts).
 */
class PipelinedConnection extends PostgreSqlConnection {
  // biome-ignore lint/suspicious/noExplicitAny: MikroORM declares the result as the caller's type parameter.
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

  override begin(...args: Parameters<PostgreSqlConnection['begin']>) {
    return super.begin(...args).catch(rethrowAsDriverException)
  }

  override commit(...args: Parameters<PostgreSqlConnection['commit']>) {
    return super.commit(...args).catch(rethrowAsDriverException)
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

  /** Sends statements straight to the pool, without a query builder's overhead, several times per request. */
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
 * MikroORM driver with prepared statements for the rows of a flush. MikroORM itself builds the statement of every new
 * or changed row anew with inline values, so that PostgreSQL parses and plans it each time.
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
    const result = transform ? undefined : await this.#runPrepared(options, inserts)
    return result ?? super.nativeInsertMany(entity, rows, options, transform)
  }

  override async nativeUpdate<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>,
    row: EntityDictionary<T>,
    options: NativeInsertUpdateOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const result = await this.#runPrepared(options, () => [buildUpdate(meta, getPrimaryKey(where), row)])
    return result ?? super.nativeUpdate(entity, where, row, options)
  }

  override async nativeUpdateMany<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>[],
    rows: EntityDictionary<T>[],
    options: NativeInsertUpdateManyOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const updates = () =>
      rows.map((row: FlushedRow, index) => buildUpdate(meta, getPrimaryKey(where[index]), row))
    const result = await this.#runPrepared(options, updates)
    return result ?? super.nativeUpdateMany(entity, where, rows, options)
  }

  /**
   * Sends all statements or none: undefined if MikroORM must write one of them, or outside a flush, because only a
   * flush passes stored values.
   */
  async #runPrepared<T>(
    { convertCustomTypes, ctx }: NativeInsertUpdateOptions<T>,
    statements: () => (Statement | null)[],
  ): Promise<QueryResult<T> | undefined> {
    if (convertCustomTypes !== false) return undefined
    const prepared = statements()
    const all = prepared.filter(statement => statement !== null)
    if (all.length < prepared.length) return undefined
    await this.connection.runStatements(all, ctx)
    return { affectedRows: all.length, insertId: undefined as never }
  }
}

/** Returns the single value of a one-column key; undefined for any other. */
function getPrimaryKey(where: unknown): unknown {
  if (typeof where !== 'object' || where === null) return where
  const values = Object.values(where)
  return values.length === 1 ? values[0] : undefined
}
