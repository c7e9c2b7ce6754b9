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
import type { Answer } from './message.ts'
import { TOGETHER } from './pool.ts'
import { type FlushedRow, insertOf, updateOf } from './rows.ts'
import type { Statement } from './statements.ts'

type Query = Parameters<PostgreSqlConnection['execute']>[0]
type Values = Parameters<PostgreSqlConnection['execute']>[1]
type Method = 'all' | 'get' | 'run'

/**
 * Takes statements of ours (src/db/questions.ts), which travel together and with their values beside them.
 *
 * MikroORM names the failures of statements (DriverException) but lets those of opening and ending a transaction through as
 * bare errors, some without a code; here they get the same name. What a transaction only writes is said with its end
 * (src/db/pool.ts), so that is where it fails; and whatever goes by the name, nobody quotes.
 */
class TellingConnection extends PostgreSqlConnection {
  // biome-ignore lint/suspicious/noExplicitAny: what it answers is whatever was asked, as MikroORM has it.
  override async execute<T = any>(
    query: Query,
    params: Values = [],
    method: Method = 'all',
    ctx?: Transaction,
    loggerContext?: LoggingOptions,
  ): Promise<T> {
    if (query === TOGETHER) return (await this.tell(params as Statement[], ctx)) as T
    return super.execute(query, params, method, ctx, loggerContext) as Promise<T>
  }

  override begin(...asked: Parameters<PostgreSqlConnection['begin']>) {
    return super.begin(...asked).catch(rethrowNamed)
  }

  override commit(...asked: Parameters<PostgreSqlConnection['commit']>) {
    return super.commit(...asked).catch(rethrowNamed)
  }

  async tell(statements: Statement[], ctx: Transaction | undefined): Promise<Answer[]> {
    const transaction = ctx as ControlledTransaction<unknown> | undefined
    return transaction ? this.#tellIn(transaction, statements) : this.#tellAlone(statements)
  }

  async #tellIn(transaction: ControlledTransaction<unknown>, statements: Statement[]): Promise<Answer[]> {
    const { rows } = await transaction.executeQuery(CompiledQuery.raw(TOGETHER, statements))
    return rows as Answer[]
  }

  /** Straight to the pool: of what a query builder does nothing is needed, several times for each request. */
  async #tellAlone(statements: Statement[]): Promise<Answer[]> {
    const client = await (await this.getNativeClient()).connect()
    try {
      const { rows } = await client.query(TOGETHER, statements)
      return rows
    } finally {
      client.release()
    }
  }
}

function rethrowNamed(error: Error): never {
  throw error instanceof DriverException ? error : new DriverException(error)
}

/**
 * How MikroORM speaks with PostgreSQL. By itself it builds the statement of every row that a flush has found new or changed
 * anew, and writes every value into it, so that PostgreSQL parses and plans it anew as well; here that is done once.
 */
export class Driver extends PostgreSqlDriver {
  protected override readonly connection: TellingConnection

  constructor(config: Configuration) {
    super(config)
    this.connection = new TellingConnection(config)
  }

  override async nativeInsertMany<T extends object>(
    entity: EntityName<T>,
    rows: EntityDictionary<T>[],
    options: NativeInsertUpdateManyOptions<T> = {},
    transform?: (sql: string) => string,
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const inserts = () => rows.map(row => insertOf(meta, row))
    const told = transform ? undefined : await this.#told(options, inserts)
    return told ?? super.nativeInsertMany(entity, rows, options, transform)
  }

  override async nativeUpdate<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>,
    row: EntityDictionary<T>,
    options: NativeInsertUpdateOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const told = await this.#told(options, () => [updateOf(meta, keyOf(where), row)])
    return told ?? super.nativeUpdate(entity, where, row, options)
  }

  override async nativeUpdateMany<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>[],
    rows: EntityDictionary<T>[],
    options: NativeInsertUpdateManyOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const meta = this.getMetadata().get(entity)
    const updates = () => rows.map((row: FlushedRow, place) => updateOf(meta, keyOf(where[place]), row))
    const told = await this.#told(options, updates)
    return told ?? super.nativeUpdateMany(entity, where, rows, options)
  }

  /**
   * Tells all of them, or none: undefined where one is for MikroORM to write, and where this is no flush, which alone hands
   * over what PostgreSQL stores.
   */
  async #told<T>(
    { convertCustomTypes, ctx }: NativeInsertUpdateOptions<T>,
    statements: () => (Statement | null)[],
  ): Promise<QueryResult<T> | undefined> {
    if (convertCustomTypes !== false) return undefined
    const made = statements()
    const all = made.filter(statement => statement !== null)
    if (all.length < made.length) return undefined
    await this.connection.tell(all, ctx)
    return { affectedRows: all.length, insertId: undefined as never }
  }
}

/** The one value of a key of one column. */
function keyOf(where: unknown): unknown {
  if (typeof where !== 'object' || where === null) return where
  const values = Object.values(where)
  return values.length === 1 ? values[0] : undefined
}
