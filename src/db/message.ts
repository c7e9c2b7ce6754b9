import type { Writable } from 'node:stream'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Statement } from './statements.ts'

/** What a statement came to. */
export type Answer = { command: string | null; rowCount: number | null; rows: Record<string, unknown>[] }
type Told = (error: Error | null, answers: Answer[]) => void

/** Whoever knows how the texts of PostgreSQL's types are read. */
type Types = { getTypeParser(oid: number, format?: string): (text: string) => unknown }
type Described = { name: string; dataTypeID: number; format?: string }
/** The columns of an answer, each with how its texts are read. */
type Columns = { name: string; read: (text: string) => unknown }[]

/** As much of a connection of `pg` as a message needs; it knows by their names the statements that its server keeps. */
type Wire = { stream: Writable; parsedStatements: Record<string, string | undefined> }

/** By its name, what a kept statement answers: PostgreSQL refuses one whose columns have become others. */
const columnsKnown = new WeakMap<Wire, Map<string, Columns>>()

/**
 * Several statements in one message, which `pg` sends as it sends its own. PostgreSQL does one after the other: what fails
 * is the error of the message, and nothing after it is done. What has a name and is known to the connection by it is
 * neither parsed, planned nor described again.
 */
export class Message {
  readonly callback: Told
  readonly #statements: readonly Statement[]
  readonly #values: unknown[][]
  readonly #answers: Answer[]
  readonly #types: Types
  #columns: (Columns | undefined)[] = []
  #known = new Map<string, Columns>()
  #place = 0
  #unreadable: Error | undefined

  /** Throws what cannot be said: once it is being sent that would leave the connection waiting for ever. */
  constructor(statements: readonly Statement[], types: Types, callback: Told) {
    this.#statements = statements
    this.#values = statements.map(({ values }) => values.map(value => pg.utils.prepareValue(value)))
    this.#answers = statements.map(() => ({ command: null, rowCount: null, rows: [] }))
    this.#types = types
    this.callback = callback
  }

  /** What the server has just parsed, which `pg` notes down by its name. */
  get name(): string {
    return this.#statements[this.#place]?.name ?? ''
  }

  get text(): string {
    return this.#statements[this.#place]!.text
  }

  /** Says all of it, when it is the connection's turn. */
  submit(wire: Wire): null {
    this.#known = columnsKnown.get(wire) ?? this.#known
    columnsKnown.set(wire, this.#known)
    this.#columns = this.#statements.map(({ name = '' }) => this.#known.get(name))
    const named = new Set<string>()
    const said: Buffer[] = []
    for (const [place, { text, name = '', isUnheard }] of this.#statements.entries()) {
      const isKept = name !== '' && (named.has(name) || wire.parsedStatements[name] !== undefined)
      if (!isKept) said.push(serialize.parse({ name, text }))
      named.add(name)
      said.push(serialize.bind({ statement: name, values: this.#values[place]! }))
      if (!isUnheard && !this.#columns[place]) said.push(serialize.describe({ type: 'P' }))
      said.push(serialize.execute())
    }
    wire.stream.write(Buffer.concat([...said, serialize.sync()]))
    return null
  }

  handleRowDescription({ fields }: { fields: Described[] }): void {
    const columns = fields.map(({ name, dataTypeID, format }) => ({
      name,
      read: this.#types.getTypeParser(dataTypeID, format ?? 'text'),
    }))
    this.#columns[this.#place] = columns
    if (this.name !== '') this.#known.set(this.name, columns)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#statements[this.#place]!.isUnheard) return
    try {
      const row: Record<string, unknown> = {}
      for (const [place, { name, read }] of this.#columns[this.#place]!.entries()) {
        const text = fields[place]!
        row[name] = text === null ? null : read(text)
      }
      this.#answers[this.#place]!.rows.push(row)
    } catch (error) {
      this.#unreadable ??= error as Error
    }
  }

  /** PostgreSQL names the command and, where it was about rows, how many they were: `INSERT 0 1`. */
  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ')
    const count = Number(words.at(-1))
    const answer = this.#answers[this.#place]!
    answer.command = words[0]!
    answer.rowCount = Number.isNaN(count) ? null : count
    this.#place += 1
  }

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable ?? null, this.#answers)
  }
}
