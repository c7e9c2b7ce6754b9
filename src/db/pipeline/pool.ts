import { Socket } from 'node:net'
import { DriverException } from '@mikro-orm/core'
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { measureDatabaseWait } from './database-time.ts'

/**
 * Pool of `pg` clients in pipeline mode (https://node-postgres.com/features/pipelining) for Kysely's PostgreSQL
 * dialect. MikroORM wraps errors of statements in DriverException but passes on those of connect, commit and rollback as
 * bare errors, some without a code; here they are DriverExceptions, whose message no log quotes
 * (src/db/redact-error.ts).
 */
export class PipelinedPool implements PostgresPool {
  readonly #pool: Pool

  constructor(options: PoolConfig) {
    this.#pool = new Pool({ ...options, pipeline: true, stream: () => new PipelinedSocket() })
    // Pending queries fail with the error of a lost connection; without a listener, the event would end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', client => client.on('error', () => {}))
  }

  get options(): PoolConfig {
    return this.#pool.options
  }

  async connect(): Promise<PostgresPoolClient> {
    const client = await measureDatabaseWait(() => this.#pool.connect()).catch(rethrowAsDriverException)
    if (!this.#pool.ending) return new PipelinedClient(client)
    client.release(true) // Kysely has dropped the pool by now and would never release it.
    return rethrowAsDriverException(new Error('the pool was closed'))
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

/**
 * Sends all statements of one turn of the event loop by one system call: `pg` corks its socket for the messages of one
 * statement only.
 */
class PipelinedSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork())
  }
}

/**
 * A connection that a transaction or a query holds. A transaction takes few round trips: BEGIN is sent with the first
 * statement, and statements may be sent before earlier ones are answered. The first error is the error of every later
 * statement of the transaction, the commit included. A transaction without statements sends nothing.
 */
class PipelinedClient implements PostgresPoolClient {
  readonly #client: PoolClient
  #isReleased = false
  #isBroken = false
  #unsentBegin: string | undefined
  /** Settles with BEGIN; undefined outside a transaction. */
  #begin: Promise<unknown> | undefined
  #hasWritten = false
  /** Settles with all statements that the transaction has sent. */
  #answered: Promise<unknown> | undefined

  constructor(client: PoolClient) {
    this.#client = client
    client.once('end', this.#releaseClosed)
  }

  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(sql: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(
    sql: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): PostgresCursor<R> | Promise<PostgresQueryResult<R>> {
    if (typeof sql !== 'string') throw new Error('cursors are not supported')
    return this.#run<R>(sql, values)
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#client.off('end', this.#releaseClosed)
    this.#client.release(this.#isBroken)
  }

  /** Kysely releases the connection of a transaction only after its commit or rollback, which fails on a closed one. */
  readonly #releaseClosed = () => {
    this.#isBroken = true
    this.release()
  }

  async #run<R>(sql: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (BEGIN_PATTERN.test(sql)) {
      this.#unsentBegin = sql
      return EMPTY_RESULT
    }
    if (END_PATTERN.test(sql)) return this.#endTransaction(sql)
    this.#sendBegin()
    return this.#runInOrder(sql, values)
  }

  async #endTransaction<R>(sql: string): Promise<PostgresQueryResult<R>> {
    const isUnsent = this.#unsentBegin !== undefined
    this.#unsentBegin = undefined
    if (isUnsent) return EMPTY_RESULT
    try {
      const result = await this.#runInOrder<R>(sql, [])
      // PostgreSQL answers the commit of a failed transaction so, without an error.
      if (sql === 'commit' && String(result.command) !== 'COMMIT')
        throw new Error('the transaction was rolled back')
      return result
    } catch (error) {
      return rethrowAsDriverException(error)
    } finally {
      this.#begin = undefined
      this.#answered = undefined
      this.#hasWritten = false
    }
  }

  #sendBegin(): void {
    if (this.#unsentBegin === undefined) return
    this.#begin = this.#send(this.#unsentBegin, [])
    this.#begin.catch(() => {}) // The next statement fails with it.
    this.#answered = this.#begin
    this.#unsentBegin = undefined
  }

  async #runInOrder<R>(sql: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (!this.#begin) return this.#send(sql, values)
    // A failed BEGIN does not keep PostgreSQL from executing the statements behind it: a write waits for its answer.
    this.#hasWritten ||= !SELECT_PATTERN.test(sql)
    if (this.#hasWritten) await this.#begin
    const earlier = sql === 'rollback' ? undefined : this.#answered // What failed before it no longer matters.
    const result = this.#send<R>(sql, values)
    result.catch(() => {}) // An earlier error is the one that is thrown.
    const ordered = earlier ? earlier.then(() => result) : result
    this.#answered = ordered
    return ordered
  }

  async #send<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    try {
      return await measureDatabaseWait(() =>
        this.#client.query(values.length === 0 ? text : { name: getStatementName(text), text, values }),
      )
    } catch (error) {
      if (BROKEN_CONNECTION_CODES.has(Object(error).code)) this.#isBroken = true
      throw error
    }
  }
}

const BEGIN_PATTERN = /^(begin|start transaction)\b[^;]*$/
const END_PATTERN = /^(commit|rollback)$/
const SELECT_PATTERN = /^\s*select\b/

const EMPTY_RESULT: PostgresQueryResult<never> = { command: 'SELECT', rowCount: 0, rows: [] }

/**
 * Codes of errors after which the connection is closed at its release. SQLSTATEs of a prepared statement whose columns
 * have changed, or that a pooler between this process and PostgreSQL has dropped: the next connection prepares its
 * statements anew. No code: an error of `pg`, such as the timeout of a statement that a frozen server does not answer.
 */
const BROKEN_CONNECTION_CODES = new Set<unknown>(['0A000', '26000', undefined])

const statementNames = new Map<string, string>()

/**
 * Returns the name under which every connection keeps a statement with bound values, so that PostgreSQL parses it once
 * per connection. Such a text is a constant of the code, never built from a request, so the number of names is bounded.
 */
function getStatementName(text: string): string {
  const name = statementNames.get(text) ?? `s${statementNames.size + 1}`
  statementNames.set(text, name)
  return name
}

function rethrowAsDriverException(error: unknown): never {
  throw error instanceof DriverException ? error : new DriverException(error as Error)
}
