import type { Writable } from 'node:stream'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Statement } from './prepared-statements.ts'

/** Result of one statement. */
export type StatementResult = {
  command: string | null
  rowCount: number | null
  rows: Record<string, unknown>[]
}
type ResultsCallback = (error: Error | null, answers: StatementResult[]) => void

/** Parsers of PostgreSQL's text formats, by type OID. */
type TypeParsers = { getTypeParser(oid: number, format?: string): (text: string) => unknown }
type ColumnDescription = { name: string; dataTypeID: number; format?: string }
/** Columns of a result, each with the parser of its text. */
type ResultColumns = { name: string; read: (text: string) => unknown }[]

/** Parts of a `pg` connection that a message uses; `parsedStatements`: its server's prepared statements by name. */
type PostgresSocket = { stream: Writable; parsedStatements: Record<string, string | undefined> }

/** Result columns of prepared statements by name. PostgreSQL refuses one whose columns have changed. */
const columnsByConnection = new WeakMap<PostgresSocket, Map<string, ResultColumns>>()

/**
 * Sends several statements in one protocol message, through the interface of a `pg` query. PostgreSQL executes them
 * in order; the first error is the error of the message, and no later statement is executed. A named statement that
 * the connection has prepared is not parsed, planned or described again.
 */
export class PipelinedMessage {
  readonly callback: ResultsCallback
  readonly #statements: readonly Statement[]
  readonly #values: unknown[][]
  readonly #results: StatementResult[]
  readonly #types: TypeParsers
  #columns: (ResultColumns | undefined)[] = []
  #columnsByStatement = new Map<string, ResultColumns>()
  #statementIndex = 0
  #parseError: Error | undefined

  /** Throws for values that cannot be serialized: during the send, that would leave the connection waiting. */
  constructor(statements: readonly Statement[], types: TypeParsers, callback: ResultsCallback) {
    this.#statements = statements
    this.#values = statements.map(({ values }) => values.map(value => pg.utils.prepareValue(value)))
    this.#results = statements.map(() => ({ command: null, rowCount: null, rows: [] }))
    this.#types = types
    this.callback = callback
  }

  /** Name of the statement that PostgreSQL is processing; `pg` records it as parsed. */
  get name(): string {
    return this.#statements[this.#statementIndex]?.name ?? ''
  }

  get text(): string {
    return this.#statements[this.#statementIndex]!.text
  }

  /** Writes all statements to the socket; `pg` calls it when the connection is free. */
  submit(socket: PostgresSocket): null {
    this.#columnsByStatement = columnsByConnection.get(socket) ?? this.#columnsByStatement
    columnsByConnection.set(socket, this.#columnsByStatement)
    this.#columns = this.#statements.map(({ name = '' }) => this.#columnsByStatement.get(name))
    const names = new Set<string>()
    const messages: Buffer[] = []
    for (const [index, { text, name = '', discardResult }] of this.#statements.entries()) {
      const isPrepared = name !== '' && (names.has(name) || socket.parsedStatements[name] !== undefined)
      if (!isPrepared) messages.push(serialize.parse({ name, text }))
      names.add(name)
      messages.push(serialize.bind({ statement: name, values: this.#values[index]! }))
      if (!discardResult && !this.#columns[index]) messages.push(serialize.describe({ type: 'P' }))
      messages.push(serialize.execute())
    }
    socket.stream.write(Buffer.concat([...messages, serialize.sync()]))
    return null
  }

  handleRowDescription({ fields }: { fields: ColumnDescription[] }): void {
    const columns = fields.map(({ name, dataTypeID, format }) => ({
      name,
      read: this.#types.getTypeParser(dataTypeID, format ?? 'text'),
    }))
    this.#columns[this.#statementIndex] = columns
    if (this.name !== '') this.#columnsByStatement.set(this.name, columns)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#statements[this.#statementIndex]!.discardResult) return
    try {
      const row: Record<string, unknown> = {}
      for (const [index, { name, read }] of this.#columns[this.#statementIndex]!.entries()) {
        const text = fields[index]!
        row[name] = text === null ? null : read(text)
      }
      this.#results[this.#statementIndex]!.rows.push(row)
    } catch (error) {
      this.#parseError ??= error as Error
    }
  }

  /** Reads the command and, where it touched rows, their count from the command tag, such as `INSERT 0 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ')
    const count = Number(words.at(-1))
    const result = this.#results[this.#statementIndex]!
    result.command = words[0]!
    result.rowCount = Number.isNaN(count) ? null : count
    this.#statementIndex += 1
  }

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(this.#parseError ?? null, this.#results)
  }
}
