import type { Writable } from 'node:stream'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Statement } from './prepared-statements.ts'

/** What a statement came to. */
export type StatementResult = {
  command: string | null
  rowCount: number | null
  rows: Record<string, unknown>[]
}
type ResultsCallback = (error: Error | null, answers: StatementResult[]) => void

/** Whoever knows how the texts of PostgreSQL's types are read. */
type TypeParsers = { getTypeParser(oid: number, format?: string): (text: string) => unknown }
type ColumnDescription = { name: string; dataTypeID: number; format?: string }
/** The columns of an answer, each with how its texts are read. */
type ResultColumns = { name: string; read: (text: string) => unknown }[]

/** As much of a connection of `pg` as a message needs; it knows by their names the statements that its server keeps. */
type PostgresSocket = { stream: Writable; parsedStatements: Record<string, string | undefined> }

/** By its name, what a kept statement answers: PostgreSQL refuses one whose columns have become others. */
const columnsByConnection = new WeakMap<PostgresSocket, Map<string, ResultColumns>>()

/**
 * Several statements in one message, which `pg` sends as it sends its own. PostgreSQL does one after the other: what fails
 * is the error of the message, and nothing after it is done. What has a name and is known to the connection by it is
 * neither parsed, planned nor described again.
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

  /** Throws what cannot be said: once it is being sent that would leave the connection waiting for ever. */
  constructor(statements: readonly Statement[], types: TypeParsers, callback: ResultsCallback) {
    this.#statements = statements
    this.#values = statements.map(({ values }) => values.map(value => pg.utils.prepareValue(value)))
    this.#results = statements.map(() => ({ command: null, rowCount: null, rows: [] }))
    this.#types = types
    this.callback = callback
  }

  /** What the server has just parsed, which `pg` notes down by its name. */
  get name(): string {
    return this.#statements[this.#statementIndex]?.name ?? ''
  }

  get text(): string {
    return this.#statements[this.#statementIndex]!.text
  }

  /** Says all of it, when it is the connection's turn. */
  submit(wire: PostgresSocket): null {
    this.#columnsByStatement = columnsByConnection.get(wire) ?? this.#columnsByStatement
    columnsByConnection.set(wire, this.#columnsByStatement)
    this.#columns = this.#statements.map(({ name = '' }) => this.#columnsByStatement.get(name))
    const named = new Set<string>()
    const said: Buffer[] = []
    for (const [place, { text, name = '', discardResult }] of this.#statements.entries()) {
      const isKept = name !== '' && (named.has(name) || wire.parsedStatements[name] !== undefined)
      if (!isKept) said.push(serialize.parse({ name, text }))
      named.add(name)
      said.push(serialize.bind({ statement: name, values: this.#values[place]! }))
      if (!discardResult && !this.#columns[place]) said.push(serialize.describe({ type: 'P' }))
      said.push(serialize.execute())
    }
    wire.stream.write(Buffer.concat([...said, serialize.sync()]))
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
      for (const [place, { name, read }] of this.#columns[this.#statementIndex]!.entries()) {
        const text = fields[place]!
        row[name] = text === null ? null : read(text)
      }
      this.#results[this.#statementIndex]!.rows.push(row)
    } catch (error) {
      this.#parseError ??= error as Error
    }
  }

  /** PostgreSQL names the command and, where it was about rows, how many they were: `INSERT 0 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ')
    const count = Number(words.at(-1))
    const answer = this.#results[this.#statementIndex]!
    answer.command = words[0]!
    answer.rowCount = Number.isNaN(count) ? null : count
    this.#statementIndex += 1
  }

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(this.#parseError ?? null, this.#results)
  }
}
