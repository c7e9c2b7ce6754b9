import type { EventEmitter } from 'node:events'

/** As much of a pool of `pg` as is needed here. */
export type Pool = EventEmitter
type Client = EventEmitter & {
  query: (...asked: unknown[]) => Promise<unknown>
  end: () => Promise<void>
  release: (error?: Error | boolean) => void
}

/**
 * Hangs up on a server that leaves a statement without an answer for so long. One that froze does not even say that it
 * is going: whoever waits on the connection hears that it ended, and a late answer finds nobody.
 */
export function hangUpOnTheSilent(pool: Pool, limitMs: number): void {
  pool.on('connect', (client: Client) => {
    const ask = client.query.bind(client)
    client.query = (...asked) => {
      const answer = ask(...asked)
      let isAnswered = false
      // What came while this process itself stood still is read first.
      const patience = setTimeout(() => setImmediate(() => isAnswered || void client.end()), limitMs)
      const answered = () => {
        isAnswered = true
        clearTimeout(patience)
      }
      answer.then(answered, answered)
      return answer
    }
  })
}

/**
 * Takes back connections that end while they are lent out. Kysely releases the one of a transaction only after its
 * begin, commit or rollback has succeeded, which on a dead connection none does; so a database that restarts would
 * leave every pool with that many places fewer for ever, and a busy process with none.
 */
export function takeBackTheDead(pool: Pool): void {
  const lent = new Set<Client>()
  pool.on('acquire', client => lent.add(client))
  pool.on('release', (_error: unknown, client: Client) => lent.delete(client))
  pool.on('connect', (client: Client) =>
    client.once('end', () => {
      if (!lent.has(client)) return
      const { release } = client
      client.release = () => {} // Whoever has it and does give it back is late, and not wrong.
      release(true)
    }),
  )
}

/**
 * Lets a transaction begin in the message of its first statement, not in one of its own: a round trip fewer each. One that
 * asks nothing is none. PostgreSQL takes `begin; select …` as it takes the two one after the other: what fails, fails
 * inside the transaction.
 */
export function beginWithTheFirstStatement(pool: Pool): void {
  const beginnings = new WeakMap<Client, string>()
  // Whoever gave it back without an end has begun nothing for the next one.
  pool.on('release', (_error: unknown, client: Client) => beginnings.delete(client))
  pool.on('connect', (client: Client) => {
    const ask = client.query.bind(client)
    client.query = async (...asked) => {
      const [text, values] = asked
      if (typeof text === 'string' && BEGINNING.test(text)) {
        beginnings.set(client, text)
        return nothing()
      }
      const beginning = beginnings.get(client)
      if (beginning === undefined) return ask(...asked)
      beginnings.delete(client)
      if (text === 'commit' || text === 'rollback') return nothing()
      if (typeof text === 'string' && (!Array.isArray(values) || values.length === 0))
        return answersOf(await ask(`${beginning}; ${text}`))
      await ask(beginning) // A statement with parameters is a message of another kind.
      return ask(...asked)
    }
  })
}

const BEGINNING = /^(begin|start transaction)\b[^;]*$/
const nothing = () => ({ command: '', rowCount: null, rows: [] })

/** What is left once the answer to the beginning is taken off. */
function answersOf(answer: unknown): unknown {
  const [, ...answers] = answer as unknown[]
  return answers.length === 1 ? answers[0] : answers
}
