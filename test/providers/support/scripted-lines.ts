import type { Reply } from '../../../src/providers/exchange.ts'
import type { Lines, OpenLines } from '../../../src/providers/lines.ts'

/** One answer of a bank, as HTTP carries it. */
export type BankAnswer = { status: number; body: string }

export type Script = {
  answer: BankAnswer
  /** The path of the requests that `answer` answers; the first request and its repeats, where it is absent. */
  asked?: RegExp | undefined
  /** What every other request is answered with. */
  others?: BankAnswer | undefined
}

/** Lines on which a bank answers without a network. A token is given to whoever asks for one. */
export function scriptedLines({ answer, asked, others = answer }: Script): OpenLines {
  let first: string | undefined
  const reply = async (request: Parameters<Lines['kept']>[0]): Promise<Reply> => {
    const path = String(request.path).split('?')[0]!
    if (path.endsWith('/oauth/token')) return replyOf(TOKEN)
    const name = `${request.method} ${path}`
    first ??= name
    return replyOf((asked ? asked.test(path) : name === first) ? answer : others)
  }
  const opened: Lines = { kept: reply, own: reply, openAhead: () => undefined, close: async () => undefined }
  return () => opened
}

const TOKEN = { status: 200, body: '{"access_token":"t","token_type":"Bearer","expires_in":3600}' }

function replyOf({ status, body }: BankAnswer): Reply {
  return { kind: 'answer', status, headers: {}, json: jsonIn(body), text: body }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
