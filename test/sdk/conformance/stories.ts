import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SDK_CALLS } from '../../../src/api/openapi/code-samples.ts'
import { buildSignatureHeaders, generateSigningSecret } from '../../../src/webhook-client/signature.ts'
import type { Reply } from '../support/scripted-api.ts'
import type { CallOrder, Order } from './orders.ts'

/** Calls and answers of every operation, from the examples of `openapi.json`, and webhook deliveries. */

type Media = { example?: unknown; examples?: Record<string, { value?: unknown; $ref?: string }> }
type Described = {
  operationId: string
  parameters?: { in: string; name: string; example?: unknown }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const document: {
  paths: Record<string, Record<string, Described>>
  components: { examples: Record<string, { value: unknown }> }
} = JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'))

const OPERATIONS = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [one.operationId, { ...one, path, method }] as const),
  ),
)

/** Fields of the operations that send a form with files. */
const FORMS: Record<string, object> = {
  contestMed: { analysis: 'Entregue; não há dúvida.' },
  replyToMed: { accept: false, analysis: 'Entregue; não há dúvida.' },
}
const PROOF = { name: 'proof.pdf', text: '%PDF-1', type: 'application/pdf' }
const EVENT = {
  id: 'evt_1',
  type: 'NEWER_THAN_THIS_VERSION',
  timestamp: '2026-11-21T12:00:00.000000Z',
  data: { status: 'PAID', sequence: 1, name: 'João ✓' },
}

function find(id: string) {
  const found = OPERATIONS.get(id)
  if (!found) throw new Error(`openapi.json has no ${id}`)
  return found
}

function readExample({ example, examples = {} }: Media): unknown {
  const [first] = Object.values(examples)
  const named = document.components.examples[first?.$ref?.split('/').at(-1) ?? '']
  return example ?? first?.value ?? named?.value
}

function readBody(id: string): object | undefined {
  const [media] = Object.values(find(id).requestBody?.content ?? {})
  return media && (FORMS[id] ?? ((readExample(media) ?? {}) as object))
}

/** Builds the call of an operation with the example of its body. */
export function buildCall(id: string): CallOrder {
  const operation = find(id)
  const [resource = '', method = ''] = SDK_CALLS[id]?.split('.') ?? []
  const body = readBody(id)
  const parameters = operation.parameters ?? []
  return {
    resource,
    method,
    path: parameters
      .filter(one => one.in === 'path')
      .map(({ name, example }) => String(example ?? `${name}-1`)),
    ...(body && { body }),
    ...(parameters.some(one => one.in === 'query') && { query: {} }),
    ...(FORMS[id] && { files: [PROOF] }),
  }
}

/** Answers an operation with the example of its success. */
export function replyWithExample(id: string, headers: Record<string, string> = {}): Reply {
  const [status, mediaType, media] = findSuccess(find(id))
  const type = { 'content-type': mediaType, ...headers }
  return mediaType === 'application/json'
    ? { status, headers: type, json: readExample(media) }
    : { status, headers: type, text: 'a file' }
}

function findSuccess({ responses }: Described): [status: number, mediaType: string, media: Media] {
  const [status = '', response] = Object.entries(responses).find(([one]) => one.startsWith('2')) ?? []
  const [[mediaType, media] = ['', {}]] = Object.entries(response?.content ?? {})
  return [Number(status), mediaType, media]
}

/** Lists every operation of the document with what its request must be. */
export function listOperations() {
  return [...OPERATIONS].map(([id, operation]) => {
    const { path: values } = buildCall(id)
    const left = values.values()
    const [bodyType] = Object.keys(operation.requestBody?.content ?? {})
    return {
      id,
      method: operation.method.toUpperCase(),
      path: operation.path.replaceAll(/\{\w+\}/g, () => left.next().value ?? ''),
      isKeyed: (operation.parameters ?? []).some(({ name }) => name === 'Idempotency-Key'),
      mediaType: findSuccess(operation)[1],
      bodyType,
      body: readBody(id),
    }
  })
}

const MINUTE_MS = 60_000
const [token, ownToken, stranger] = [
  generateSigningSecret(),
  'um token próprio, com acento',
  generateSigningSecret(),
]
const body = JSON.stringify(EVENT)

type Delivery = NonNullable<Order['verify']>
type Changes = { secrets?: string[]; agoMs?: number; headers?: Record<string, string> } & Partial<
  Omit<Delivery, 'secrets' | 'headers'>
> & { by?: string[] }

/** A delivery that is signed when its test runs. */
const deliver =
  ({ by = [token], agoMs = 0, headers, ...more }: Changes = {}) =>
  (): Delivery => ({
    body,
    secrets: [token],
    ...more,
    headers: {
      ...buildSignatureHeaders({ id: EVENT.id, at: new Date(Date.now() - agoMs), body, secrets: by }),
      ...headers,
    },
  })

type DeliveryCase = [what: string, delivery: () => Delivery]

export const DELIVERIES: DeliveryCase[] = [
  ['signed now', deliver()],
  ['of four minutes ago', deliver({ agoMs: 4 * MINUTE_MS })],
  ['of a clock four minutes ahead', deliver({ agoMs: -4 * MINUTE_MS })],
  ['that the secret before this one signs too', deliver({ by: [stranger, token] })],
  ['that the next secret signs too', deliver({ by: [token, stranger] })],
  ['signed by a secret of the merchant', deliver({ by: [ownToken], secrets: [ownToken] })],
  ['of eight minutes ago, where ten are tolerated', deliver({ agoMs: 8 * MINUTE_MS, toleranceS: 600 })],
  [
    'with a signature of a later version too',
    () => {
      const delivery = deliver()()
      const signature = `v2,abc ${delivery.headers['webhook-signature']}`
      return { ...delivery, headers: { ...delivery.headers, 'webhook-signature': signature } }
    },
  ],
  [
    'with headers in another case',
    () => {
      const { headers, ...delivery } = deliver()()
      const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])
      return { ...delivery, headers: Object.fromEntries(upper) }
    },
  ],
]

export const FORGERIES: DeliveryCase[] = [
  ['with a changed body', deliver({ body: body.replace('João', 'Joao') })],
  ['with a blank more', deliver({ body: `${body} ` })],
  ['of six minutes ago', deliver({ agoMs: 6 * MINUTE_MS })],
  ['of a clock six minutes ahead', deliver({ agoMs: -6 * MINUTE_MS })],
  ['of four minutes ago, where one is tolerated', deliver({ agoMs: 4 * MINUTE_MS, toleranceS: 60 })],
  [
    'that is old, with a new timestamp',
    deliver({
      agoMs: 600 * MINUTE_MS,
      headers: { 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` },
    }),
  ],
  ['with the id of another event', deliver({ headers: { 'webhook-id': 'evt_2' } })],
  ['that strangers have signed', deliver({ by: [stranger, ownToken] })],
  ['without an id', deliver({ headers: { 'webhook-id': '' } })],
  ['without a signature', deliver({ headers: { 'webhook-signature': '' } })],
  ['without a timestamp', deliver({ headers: { 'webhook-timestamp': '' } })],
  ['with a timestamp that is no number', deliver({ headers: { 'webhook-timestamp': '1e9' } })],
  ['with a timestamp in other digits', deliver({ headers: { 'webhook-timestamp': '١٧٠٠٠٠٠٠٠٠' } })],
  ['with an empty signature', deliver({ headers: { 'webhook-signature': 'v1,' } })],
  ['with a signature that is not base64', deliver({ headers: { 'webhook-signature': 'v1,%%' } })],
  ['with a signature that is not ASCII', deliver({ headers: { 'webhook-signature': 'v1,é' } })],
  [
    'with a signature of another version',
    () => {
      const delivery = deliver()()
      const signature = delivery.headers['webhook-signature']!.replace('v1', 'v2')
      return { ...delivery, headers: { ...delivery.headers, 'webhook-signature': signature } }
    },
  ],
  ['without headers', () => ({ ...deliver()(), headers: {} })],
]
