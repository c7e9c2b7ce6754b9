import type { EventEmitter } from 'node:events'
import { type Answer, Message } from './message.ts'
import { keptStatement, type Statement } from './statements.ts'

/** As much of a pool of `pg` as is needed here. */
export type Pool = EventEmitter & { readonly ending: boolean }
type Client = EventEmitter & {
  query: (...asked: unknown[]) => Promise<unknown>
  getTypeParser(oid: number, format?: string): (value: string) => unknown
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
      let state: 'waiting' | 'answered' | 'given up' = 'waiting'
      const giveUp = () => {
        if (state !== 'waiting') return
        state = 'given up'
        void client.end()
      }
      // What came while this process itself stood still is read first.
      const patience = setTimeout(() => setImmediate(giveUp), limitMs)
      const answered = (error?: unknown) => {
        clearTimeout(patience)
        // Else it is the error of a connection that was lost.
        if (state === 'given up' && error instanceof Error) Object.assign(error, { code: 'ETIMEDOUT' })
        else state = 'answered'
      }
      answer.then(() => answered(), answered)
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
 * Hangs up on a connection that came only after its pool was told to end. Kysely, for which it was made, has forgotten the
 * pool by then and never gives it back, which the end would wait for.
 */
export function hangUpOnTheLate(pool: Pool): void {
  pool.on('acquire', (client: Client) => void (pool.ending && client.end()))
}

/** Lets a connection be asked several statements in one message, as an array. */
export function takeMessages(pool: Pool): void {
  pool.on('connect', (client: Client) => {
    const ask = client.query.bind(client)
    client.query = (...asked) => {
      const [statements] = asked
      if (!Array.isArray(statements)) return ask(...asked)
      return new Promise<Answer[]>((hear, fail) => {
        const told = (error: Refusal | null, answers: Answer[]) => {
          if (error === null) return hear(answers)
          // What the connection has kept is not true any more: the next one begins without it.
          if (STALE.has(error.code)) void client.end()
          fail(error)
        }
        ask(new Message(statements as Statement[], client, told))
      })
    }
  })
}

type Refusal = Error & { code?: string }

/** A kept statement whose columns are others now, or that somebody between us and PostgreSQL has forgotten. */
const STALE = new Set<unknown>(['0A000', '26000'])

/**
 * Lets what needs no answer of its own travel in the message of the statement after it: the beginning of a transaction,
 * and in it what is only told. A transaction that only tells is one message, one that asks nothing is none; what it asks at
 * its end travels with that. What fails is the error of the message, and nothing after it is done, the end of the
 * transaction neither.
 */
export function sayTogether(pool: Pool): void {
  const transactions = new WeakMap<Client, Begun>()
  // Whoever gave it back without an end leaves nothing to the next one.
  pool.on('release', (_error: unknown, client: Client) => transactions.delete(client))
  pool.on('connect', (client: Client) => {
    const ask = client.query.bind(client)
    const askTogether = (statements: Statement[]) => ask(statements) as Promise<Answer[]>

    const told = async (statements: Statement[]): Promise<Answer[]> => {
      const transaction = transactions.get(client)
      if (!transaction) return askTogether(statements)
      if (statements.every(({ isUnheard }) => isUnheard)) {
        transaction.unsaid.push(...statements)
        return statements.map(nothing)
      }
      if (statements.every(({ hearAtTheEnd }) => hearAtTheEnd)) {
        transaction.last.push(...statements)
        return statements.map(nothing)
      }
      const unsaid = saying(transaction)
      return (await askTogether([...unsaid, ...statements])).slice(unsaid.length)
    }

    client.query = async (...asked) => {
      const [text, values = []] = asked as [string, unknown[]?]
      if (text === TOGETHER) return { ...nothing(), rows: await told(values as Statement[]) }
      if (BEGINNING.test(text)) {
        transactions.set(client, { isSaid: false, unsaid: [keptStatement(text, [])], last: [] })
        return nothing()
      }
      const transaction = transactions.get(client)
      if (!transaction) return ask(...asked)
      if (UNDOING.test(text)) transaction.unsaid = []
      if (END.test(text)) return ended(text, transaction)
      const unsaid = saying(transaction)
      if (unsaid.length === 0) return ask(...asked)
      if (text.includes(';')) {
        await askTogether(unsaid) // It may be several, which only a message of their own takes.
        return ask(...asked)
      }
      return (await askTogether([...unsaid, { text, values }])).at(-1)
    }

    async function ended(text: string, transaction: Begun): Promise<Answer> {
      transactions.delete(client)
      const last = text === 'commit' ? transaction.last : []
      if (!transaction.isSaid && transaction.unsaid.length < 2 && last.length === 0) return nothing()
      const before = [...saying(transaction), ...last]
      if (before.length === 0) return ask(text) as Promise<Answer>
      const answers = await askTogether([...before, keptStatement(text, [])])
      for (const [place, { hearAtTheEnd }] of before.entries()) hearAtTheEnd?.(answers[place]!.rows)
      return answers.at(-1)!
    }
  })
}

/** What a connection is asked where its statements (src/db/statements.ts) stand in the place of values. */
export const TOGETHER = 'together'

/** Buffer of a transaction. `isSaid`: BEGIN was sent; `unsaid`: queued statements; `last`: statements to send with COMMIT. */
type Begun = { isSaid: boolean; unsaid: Statement[]; last: Statement[] }

const BEGINNING = /^(begin|start transaction)\b[^;]*$/
const END = /^(commit|rollback)$/
/** Whatever is undone need not be said; before a savepoint there is nothing left to say. */
const UNDOING = /^rollback\b/
const nothing = (): Answer => ({ command: '', rowCount: null, rows: [] })

/** What is to be said before anything else is. */
function saying(transaction: Begun): Statement[] {
  transaction.isSaid = true
  return transaction.unsaid.splice(0)
}
