import type { Writable } from 'node:stream'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import type { Statement } from './statements.ts'

/** What a statement came to, as `pg` tells it. */
export type Answer = { command: string | null; rowCount: number | null; rows: Record<string, unknown>[] }
type Told = (error: Error | null, answers: Answer[]) => void
type Types = ConstructorParameters<typeof pg.Result>[1]

/** As much of a connection of `pg` as a message needs; it knows by their names the statements that its server keeps. */
type Wire = { stream: Writable; parsedStatements: Record<string, string | undefined> }

/**
 * Several statements in one message, which `pg` sends as it sends its own. PostgreSQL does one after the other: what fails
 * is the error of the message, and nothing after it is done. What has a name and is known to the connection by it is
 * neither parsed nor planned again.
 */
export class Message {
  readonly callback: Told
  readonly #statements: readonly Statement[]
  readonly #values: unknown[][]
  readonly #answers: InstanceType<typeof pg.Result>[]
  #place = 0
  #unreadable: Error | undefined

  /** Throws what cannot be said: once it is being sent that would leave the connection waiting for ever. */
  constructor(statements: readonly Statement[], types: Types, callback: Told) {
    this.#statements = statements
    this.#values = statements.map(({ values }) => values.map(value => pg.utils.prepareValue(value)))
    this.#answers = statements.map(() => new pg.Result(undefined, types))
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
    const named = new Set<string>()
    const said: Buffer[] = []
    for (const [place, { text, name = '', isUnheard }] of this.#statements.entries()) {
      const isKept = name !== '' && (named.has(name) || wire.parsedStatements[name] !== undefined)
      if (!isKept) said.push(serialize.parse({ name, text }))
      named.add(name)
      said.push(serialize.bind({ statement: name, values: this.#values[place]! }))
      if (!isUnheard) said.push(serialize.describe({ type: 'P' }))
      said.push(serialize.execute())
    }
    wire.stream.write(Buffer.concat([...said, serialize.sync()]))
    return null
  }

  handleRowDescription({ fields }: { fields: unknown[] }): void {
    this.#answers[this.#place]!.addFields(fields)
  }

  handleDataRow({ fields }: { fields: unknown[] }): void {
    const answer = this.#answers[this.#place]!
    try {
      answer.addRow(answer.parseRow(fields))
    } catch (error) {
      this.#unreadable ??= error as Error
    }
  }

  handleCommandComplete(told: object): void {
    this.#answers[this.#place]!.addCommandComplete(told)
    this.#place += 1
  }

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(this.#unreadable ?? null, this.#answers)
  }
}
