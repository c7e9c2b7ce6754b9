import type { EventEmitter } from 'node:events'
import { PipelinedMessage, type StatementResult } from './pipelined-message.ts'
import { prepareStatement, type Statement } from './prepared-statements.ts'

/** The parts of a `pg` pool that this code uses. */
export type PgPool = EventEmitter & { readonly ending: boolean }
type PgClient = EventEmitter & {
  query: (...args: unknown[]) => Promise<unknown>
  getTypeParser(oid: number, format?: string): (value: string) => unknown
  end: () => Promise<void>
  release: (error?: Error | boolean) => void
}

/**
 * Closes a connection whose server leaves a statement unanswered for `limitMs`. A frozen server sends no error:
 * closing the connection rejects the pending queries, and a late answer is discarded.
 */
export function applyStatementTimeout(pool: PgPool, limitMs: number): void {
  pool.on('connect', (client: PgClient) => {
    const send = client.query.bind(client)
    client.query = (...args) => {
      const result = send(...args)
      let state: 'waiting' | 'answered' | 'given up' = 'waiting'
      const giveUp = () => {
        if (state !== 'waiting') return
        state = 'given up'
        void client.end()
      }
      // Answers that arrived while this process was blocked are read first.
      const timer = setTimeout(() => setImmediate(giveUp), limitMs)
      const settle = (error?: unknown) => {
        clearTimeout(timer)
        // Otherwise it is the error of a lost connection.
        if (state === 'given up' && error instanceof Error) Object.assign(error, { code: 'ETIMEDOUT' })
        else state = 'answered'
      }
      result.then(() => settle(), settle)
      return result
    }
  })
}

/**
 * Removes connections from the pool that end while in use. Kysely releases the connection of a transaction only after
 * its begin, commit or rollback has succeeded, which on a dead connection never happens; without this, a restart of
 * PostgreSQL would cost every pool that many connections for ever, and leave a busy process with none.
 */
export function reclaimClosedConnections(pool: PgPool): void {
  const inUse = new Set<PgClient>()
  pool.on('acquire', client => inUse.add(client))
  pool.on('release', (_error: unknown, client: PgClient) => inUse.delete(client))
  pool.on('connect', (client: PgClient) =>
    client.once('end', () => {
      if (!inUse.has(client)) return
      const { release } = client
      client.release = () => {} // A later release by Kysely is harmless.
      release(true)
    }),
  )
}

/**
 * Closes a connection that opens after its pool began to end. Kysely, which requested it, has dropped the pool by
 * then and never releases the connection, so the end of the pool would wait for ever.
 */
export function closeLateConnections(pool: PgPool): void {
  pool.on('acquire', (client: PgClient) => void (pool.ending && client.end()))
}

/** Lets a connection execute an array of statements in one message. */
export function enablePipelinedMessages(pool: PgPool): void {
  pool.on('connect', (client: PgClient) => {
    const send = client.query.bind(client)
    client.query = (...args) => {
      const [statements] = args
      if (!Array.isArray(statements)) return send(...args)
      return new Promise<StatementResult[]>((resolve, reject) => {
        const callback = (error: PostgresError | null, results: StatementResult[]) => {
          if (error === null) return resolve(results)
          // The connection's prepared statements are stale: close it, so that the next one prepares them anew.
          if (STALE_STATEMENT_CODES.has(error.code)) void client.end()
          reject(error)
        }
        send(new PipelinedMessage(statements as Statement[], client, callback))
      })
    }
  })
}

type PostgresError = Error & { code?: string }

/**
 * SQLSTATEs of a prepared statement whose columns have changed, or that a pooler between this process and PostgreSQL
 * has dropped.
 */
const STALE_STATEMENT_CODES = new Set<unknown>(['0A000', '26000'])

/**
 * Buffers statements without a result, BEGIN included, until the next statement with one, and sends them in its
 * message. A transaction that only writes is one message; one without statements is none; statements with `onCommit`
 * travel with the commit. An error is the error of its message: no later statement of it is executed, the commit
 * included.
 */
export function pipelineTransactions(pool: PgPool): void {
  const transactions = new WeakMap<PgClient, TransactionBuffer>()
  // A connection released without commit or rollback leaves no buffer to its next user.
  pool.on('release', (_error: unknown, client: PgClient) => transactions.delete(client))
  pool.on('connect', (client: PgClient) => {
    const send = client.query.bind(client)
    const sendBatch = (statements: Statement[]) => send(statements) as Promise<StatementResult[]>

    const runBatch = async (statements: Statement[]): Promise<StatementResult[]> => {
      const transaction = transactions.get(client)
      if (!transaction) return sendBatch(statements)
      if (statements.every(({ discardResult }) => discardResult)) {
        transaction.queued.push(...statements)
        return statements.map(emptyResult)
      }
      if (statements.every(({ onCommit }) => onCommit)) {
        transaction.atCommit.push(...statements)
        return statements.map(emptyResult)
      }
      const queued = drainQueuedStatements(transaction)
      return (await sendBatch([...queued, ...statements])).slice(queued.length)
    }

    client.query = async (...args) => {
      const [text, values = []] = args as [string, unknown[]?]
      if (text === PIPELINE) return { ...emptyResult(), rows: await runBatch(values as Statement[]) }
      if (BEGIN_PATTERN.test(text)) {
        transactions.set(client, { isBeginSent: false, queued: [prepareStatement(text, [])], atCommit: [] })
        return emptyResult()
      }
      const transaction = transactions.get(client)
      if (!transaction) return send(...args)
      if (ROLLBACK_PATTERN.test(text)) transaction.queued = []
      if (END_PATTERN.test(text)) return endTransaction(text, transaction)
      const queued = drainQueuedStatements(transaction)
      if (queued.length === 0) return send(...args)
      if (text.includes(';')) {
        await sendBatch(queued) // The text may hold several statements, which must be a message of their own.
        return send(...args)
      }
      return (await sendBatch([...queued, { text, values }])).at(-1)
    }

    async function endTransaction(text: string, transaction: TransactionBuffer): Promise<StatementResult> {
      transactions.delete(client)
      const atCommit = text === 'commit' ? transaction.atCommit : []
      if (!transaction.isBeginSent && transaction.queued.length < 2 && atCommit.length === 0)
        return emptyResult()
      const statements = [...drainQueuedStatements(transaction), ...atCommit]
      if (statements.length === 0) return send(text) as Promise<StatementResult>
      const results = await sendBatch([...statements, prepareStatement(text, [])])
      for (const [index, { onCommit }] of statements.entries()) onCommit?.(results[index]!.rows)
      return results.at(-1)!
    }
  })
}

/** Marker text of a query whose values are statements (src/db/pipeline/prepared-statements.ts). */
export const PIPELINE = 'together'

/** Buffer of a transaction. `isBeginSent`: BEGIN was sent; `queued`: unsent; `atCommit`: to send with COMMIT. */
type TransactionBuffer = { isBeginSent: boolean; queued: Statement[]; atCommit: Statement[] }

const BEGIN_PATTERN = /^(begin|start transaction)\b[^;]*$/
const END_PATTERN = /^(commit|rollback)$/
/**
 * A full rollback or one to a savepoint: queued statements are dropped, because they would be undone. None is queued
 * from before a savepoint.
 */
const ROLLBACK_PATTERN = /^rollback\b/
const emptyResult = (): StatementResult => ({ command: '', rowCount: null, rows: [] })

/** Takes the queued statements, to be sent before any other. */
function drainQueuedStatements(transaction: TransactionBuffer): Statement[] {
  transaction.isBeginSent = true
  return transaction.queued.splice(0)
}
