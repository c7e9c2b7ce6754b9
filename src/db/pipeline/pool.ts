import type { EventEmitter } from 'node:events'
import { PipelinedMessage, type StatementResult } from './pipelined-message.ts'
import { prepareStatement, type Statement } from './prepared-statements.ts'

/** As much of a pool of `pg` as is needed here. */
export type PgPool = EventEmitter & { readonly ending: boolean }
type PgClient = EventEmitter & {
  query: (...asked: unknown[]) => Promise<unknown>
  getTypeParser(oid: number, format?: string): (value: string) => unknown
  end: () => Promise<void>
  release: (error?: Error | boolean) => void
}

/**
 * Hangs up on a server that leaves a statement without an answer for so long. One that froze does not even say that it
 * is going: whoever waits on the connection hears that it ended, and a late answer finds nobody.
 */
export function applyStatementTimeout(pool: PgPool, limitMs: number): void {
  pool.on('connect', (client: PgClient) => {
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
export function reclaimClosedConnections(pool: PgPool): void {
  const lent = new Set<PgClient>()
  pool.on('acquire', client => lent.add(client))
  pool.on('release', (_error: unknown, client: PgClient) => lent.delete(client))
  pool.on('connect', (client: PgClient) =>
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
export function closeLateConnections(pool: PgPool): void {
  pool.on('acquire', (client: PgClient) => void (pool.ending && client.end()))
}

/** Lets a connection be asked several statements in one message, as an array. */
export function enablePipelinedMessages(pool: PgPool): void {
  pool.on('connect', (client: PgClient) => {
    const ask = client.query.bind(client)
    client.query = (...asked) => {
      const [statements] = asked
      if (!Array.isArray(statements)) return ask(...asked)
      return new Promise<StatementResult[]>((hear, fail) => {
        const told = (error: PostgresError | null, answers: StatementResult[]) => {
          if (error === null) return hear(answers)
          // What the connection has kept is not true any more: the next one begins without it.
          if (STALE_STATEMENT_CODES.has(error.code)) void client.end()
          fail(error)
        }
        ask(new PipelinedMessage(statements as Statement[], client, told))
      })
    }
  })
}

type PostgresError = Error & { code?: string }

/** A kept statement whose columns are others now, or that somebody between us and PostgreSQL has forgotten. */
const STALE_STATEMENT_CODES = new Set<unknown>(['0A000', '26000'])

/**
 * Lets what needs no answer of its own travel in the message of the statement after it: the beginning of a transaction,
 * and in it what is only told. A transaction that only tells is one message, one that asks nothing is none; what it asks at
 * its end travels with that. What fails is the error of the message, and nothing after it is done, the end of the
 * transaction neither.
 */
export function pipelineTransactions(pool: PgPool): void {
  const transactions = new WeakMap<PgClient, TransactionBuffer>()
  // Whoever gave it back without an end leaves nothing to the next one.
  pool.on('release', (_error: unknown, client: PgClient) => transactions.delete(client))
  pool.on('connect', (client: PgClient) => {
    const ask = client.query.bind(client)
    const askTogether = (statements: Statement[]) => ask(statements) as Promise<StatementResult[]>

    const told = async (statements: Statement[]): Promise<StatementResult[]> => {
      const transaction = transactions.get(client)
      if (!transaction) return askTogether(statements)
      if (statements.every(({ discardResult }) => discardResult)) {
        transaction.queued.push(...statements)
        return statements.map(emptyResult)
      }
      if (statements.every(({ onCommit }) => onCommit)) {
        transaction.atCommit.push(...statements)
        return statements.map(emptyResult)
      }
      const unsaid = drainQueuedStatements(transaction)
      return (await askTogether([...unsaid, ...statements])).slice(unsaid.length)
    }

    client.query = async (...asked) => {
      const [text, values = []] = asked as [string, unknown[]?]
      if (text === PIPELINE) return { ...emptyResult(), rows: await told(values as Statement[]) }
      if (BEGIN_PATTERN.test(text)) {
        transactions.set(client, { isBeginSent: false, queued: [prepareStatement(text, [])], atCommit: [] })
        return emptyResult()
      }
      const transaction = transactions.get(client)
      if (!transaction) return ask(...asked)
      if (ROLLBACK_PATTERN.test(text)) transaction.queued = []
      if (END_PATTERN.test(text)) return ended(text, transaction)
      const unsaid = drainQueuedStatements(transaction)
      if (unsaid.length === 0) return ask(...asked)
      if (text.includes(';')) {
        await askTogether(unsaid) // It may be several, which only a message of their own takes.
        return ask(...asked)
      }
      return (await askTogether([...unsaid, { text, values }])).at(-1)
    }

    async function ended(text: string, transaction: TransactionBuffer): Promise<StatementResult> {
      transactions.delete(client)
      const last = text === 'commit' ? transaction.atCommit : []
      if (!transaction.isBeginSent && transaction.queued.length < 2 && last.length === 0) return emptyResult()
      const before = [...drainQueuedStatements(transaction), ...last]
      if (before.length === 0) return ask(text) as Promise<StatementResult>
      const answers = await askTogether([...before, prepareStatement(text, [])])
      for (const [place, { onCommit }] of before.entries()) onCommit?.(answers[place]!.rows)
      return answers.at(-1)!
    }
  })
}

/** What a connection is asked where its statements (src/db/pipeline/prepared-statements.ts) stand in the place of values. */
export const PIPELINE = 'together'

/** Buffer of a transaction. `isSaid`: BEGIN was sent; `unsaid`: queued statements; `last`: statements to send with COMMIT. */
type TransactionBuffer = { isBeginSent: boolean; queued: Statement[]; atCommit: Statement[] }

const BEGIN_PATTERN = /^(begin|start transaction)\b[^;]*$/
const END_PATTERN = /^(commit|rollback)$/
/** Whatever is undone need not be said; before a savepoint there is nothing left to say. */
const ROLLBACK_PATTERN = /^rollback\b/
const emptyResult = (): StatementResult => ({ command: '', rowCount: null, rows: [] })

/** What is to be said before anything else is. */
function drainQueuedStatements(transaction: TransactionBuffer): Statement[] {
  transaction.isBeginSent = true
  return transaction.queued.splice(0)
}
