import type { ConnectionPool, OpenConnectionPool } from '../../../src/providers/http/connection-pool.ts'
import type { ExchangeOutcome } from '../../../src/providers/http/exchange.ts'

/** One answer of a bank, as HTTP carries it. */
export type HttpAnswer = { status: number; body: string }

export type PoolScript = {
  answer: HttpAnswer
  /** Method and path of the requests that `answer` answers; without it, the first request and its repeats. */
  requestPath?: RegExp | undefined
  /** The answer to every other request. */
  others?: HttpAnswer | undefined
}

/**
 * A connection pool over which a bank answers without a network, by the script as it is at each request. A token is given to every
 * request for one.
 */
export function createScriptedPool(script: PoolScript): OpenConnectionPool {
  let first: string | undefined
  const reply = async (request: Parameters<ConnectionPool['sendPooled']>[0]): Promise<ExchangeOutcome> => {
    const { answer, requestPath: asked, others = answer } = script
    const path = String(request.path).split('?')[0]!
    if (path.endsWith('/token')) return toReply(TOKEN_ANSWER)
    const name = `${request.method} ${path}`
    first ??= name
    return toReply((asked ? asked.test(name) : name === first) ? answer : others)
  }
  const opened: ConnectionPool = {
    sendPooled: reply,
    sendOnOwnConnection: reply,
    preconnect: () => undefined,
    close: async () => undefined,
  }
  return () => opened
}

const TOKEN_ANSWER = { status: 200, body: '{"access_token":"t","token_type":"Bearer","expires_in":3600}' }

function toReply({ status, body }: HttpAnswer): ExchangeOutcome {
  return { kind: 'answer', status, headers: {}, json: parseJson(body), text: body, bytes: Buffer.from(body) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
