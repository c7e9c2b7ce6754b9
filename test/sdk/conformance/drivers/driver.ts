import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import {
  type ResponseInfo,
  Trilho,
  TrilhoError,
  verifyWebhook,
  WebhookVerificationError,
} from '../../../../sdk/typescript/src/index.ts'
import type { Order, Outcome } from '../orders.ts'

/** Carries out orders with the SDK for TypeScript: a line of JSON for each, answered by one with its outcome. */

const responses: Outcome['responses'] = []
const texts: string[] = []

for await (const line of createInterface({ input: process.stdin })) {
  responses.length = 0
  texts.length = 0
  const outcome = await execute(JSON.parse(line)).catch(describe)
  process.stdout.write(`${JSON.stringify({ ...outcome, responses, texts })}\n`)
}

type Answer = Omit<Outcome, 'responses' | 'texts'>

async function execute({ client, call, verify }: Order): Promise<Answer> {
  if (verify) {
    const [secret = ''] = verify.secrets
    const { toleranceS } = verify
    const options = toleranceS === undefined ? {} : { toleranceS }
    return { result: await verifyWebhook(verify.body, verify.headers, secret, options) }
  }
  const trilho = new Trilho({ ...client, onResponse: info => void responses.push(describeResponse(info)) })
  texts.push(inspect(trilho, { depth: 9, showHidden: true }))
  const { resource, method, path, body, query, files, idempotencyKey, isIterated } = call!
  const name = isIterated ? method.replace('list', 'listAll') : method
  const attachments = files?.map(({ name, text, type }) => ({ file: new Blob([text], { type }), name }))
  const values = [
    ...path,
    ...(body === undefined ? [] : [attachments ? { ...body, attachments } : body]),
    ...(query === undefined ? [] : [query]),
    idempotencyKey === undefined ? {} : { idempotencyKey },
  ]
  const methods = Reflect.get(trilho, resource)
  const result = methods[name](...values)
  if (!isIterated) return { result: toText(await result) }
  const items = []
  for await (const item of result) items.push(item)
  return { result: items }
}

function describe(error: unknown): Answer {
  if (error instanceof WebhookVerificationError) return { forged: error.message }
  if (!(error instanceof TrilhoError)) return { refused: String(error) }
  texts.push(inspect(error, { depth: 9, showHidden: true }), String(error.stack))
  const {
    code,
    status,
    requestId,
    errors,
    data,
    retryAfterMs,
    isReplayed,
    idempotencyKey,
    isOutcomeUnknown,
  } = error
  return {
    error: {
      code,
      status: status ?? null,
      requestId: requestId ?? null,
      errors: errors ?? null,
      data: data ?? null,
      retryAfterS: retryAfterMs === undefined ? null : retryAfterMs / 1_000,
      isReplayed,
      idempotencyKey: idempotencyKey ?? null,
      isOutcomeUnknown,
    },
  }
}

function describeResponse(info: ResponseInfo): Outcome['responses'][number] {
  const { operation, attempt, status, requestId, idempotencyKey, isReplayed, retryAfterMs, rateLimit } = info
  return {
    operation,
    attempt,
    status,
    requestId: requestId ?? null,
    idempotencyKey: idempotencyKey ?? null,
    isReplayed,
    retryAfterS: retryAfterMs === undefined ? null : retryAfterMs / 1_000,
    rateLimit: rateLimit ?? null,
  }
}

function toText(result: unknown): unknown {
  return result instanceof Uint8Array ? Buffer.from(result).toString('latin1') : result
}
