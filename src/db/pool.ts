import type { EventEmitter } from 'node:events'

/** As much of a pool of `pg` as is needed here. */
export type Pool = EventEmitter & { readonly ending: boolean }
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
 * Hangs up on a connection that came only after its pool was told to end. Kysely, for which it was made, has forgotten the
 * pool by then and never gives it back, which the end would wait for.
 */
export function hangUpOnTheLate(pool: Pool): void {
  pool.on('acquire', (client: Client) => void (pool.ending && client.end()))
}

/**
 * Lets what needs no answer of its own travel in the message of the statement after it: the beginning of a transaction,
 * and in it the rows that are written whole or by their key. A transaction that only writes such rows is one message, one
 * that asks nothing is none. PostgreSQL takes `begin; insert …; commit` as it takes the three one after the other: what
 * fails is the error of the message, and nothing after it is done, the end of the transaction neither.
 */
export function sayTogether(pool: Pool): void {
  const transactions = new WeakMap<Client, { hasBegun: boolean; unsaid: string[] }>()
  // Whoever gave it back without an end leaves nothing to the next one.
  pool.on('release', (_error: unknown, client: Client) => transactions.delete(client))
  pool.on('connect', (client: Client) => {
    const ask = client.query.bind(client)
    client.query = async (...asked) => {
      const text = textOf(asked)
      if (BEGINNING.test(text)) {
        transactions.set(client, { hasBegun: false, unsaid: [text] })
        return nothing()
      }
      const transaction = transactions.get(client)
      // Every read of a request passes here: what can only be one statement is handed on as it is.
      if (!transaction) return text.includes('; ') ? together(await ask(...asked)) : ask(...asked)
      if (text.startsWith(UNANSWERED) || (ROW.test(text) && !ANSWERED.test(text))) {
        transaction.unsaid.push(text)
        return nothing()
      }
      if (UNDOING.test(text)) transaction.unsaid = []
      if (END.test(text)) {
        transactions.delete(client)
        if (!transaction.hasBegun && transaction.unsaid.length < 2) return nothing()
      }
      const unsaid = transaction.unsaid.splice(0)
      transaction.hasBegun = true
      return together(await (unsaid.length === 0 ? ask(...asked) : after(unsaid, asked, ask)))
    }
  })
}

/** Marks a statement of ours whose answer nobody looks at. */
export const UNANSWERED = '/* unanswered */'

const BEGINNING = /^(begin|start transaction)\b[^;]*$/
const END = /^(commit|rollback)$/
/** Whatever is undone need not be said; before a savepoint there is nothing left to say. */
const UNDOING = /^rollback\b/
/**
 * As MikroORM writes what a flush has found new or changed. It looks at no answer of these, so how many rows they were
 * is not told.
 */
const ROW = /^(insert into "|update ".* where "uuid" = '[\da-f-]{36}'$)/s
const ANSWERED = / (returning|on conflict) /
const nothing = () => ({ command: '', rowCount: null, rows: [] })

/** Of a message of several statements (src/db/questions.ts) the rows are those of each. */
function together(answer: unknown): unknown {
  return Array.isArray(answer) ? { ...nothing(), rows: answer.map(({ rows }) => rows) } : answer
}

/** The text of a statement without parameters; of any other it is empty. */
function textOf([text, values]: unknown[]): string {
  return typeof text === 'string' && (!Array.isArray(values) || values.length === 0) ? text : ''
}

/** Says it with what is still unsaid before it, and gives the answer to it alone. */
async function after(unsaid: string[], asked: unknown[], ask: Client['query']): Promise<unknown> {
  const text = textOf(asked)
  if (text === '') {
    await ask(unsaid.join('; ')) // A statement with parameters is a message of another kind.
    return ask(...asked)
  }
  const answers = (await ask([...unsaid, text].join('; '))) as unknown[]
  const own = answers.slice(unsaid.length)
  return own.length === 1 ? own[0] : own
}
