import type { UnexplainedAnswer } from '../../../src/providers/unexplained.ts'
import { wooviCredentials } from '../../../src/providers/woovi/client.ts'
import { wooviProvider } from '../../../src/providers/woovi/woovi.ts'
import { type FarSide, farSide, patienceFor, type Scripted, type Story } from './far-side.ts'

export const WEBHOOK_SECRET = 'the-secret-key-of-a-webhook'
export const credentials = wooviCredentials.parse({ app_id: 'our-app-id', webhook_secret: WEBHOOK_SECRET })
export const NOW = Date.parse('2026-01-10T12:00:00Z')

export const REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
export const TXID = 'd983a07836cf48ed9a65764d3c184273'
export const END_TO_END = 'E12345678202601101159abcdefghijk'
export const RETURN_ID = 'D54811417202601101201abcdefghijk'

/** A Woovi that does as scripted, and an adapter that speaks to it, at noon of one day. */
export async function woovi({ now = () => NOW, reply }: Story = {}) {
  const timeoutMs = patienceFor(reply)
  const far: FarSide = await farSide()
  const recorded: UnexplainedAnswer[] = []
  const recordUnexplained = async (answer: UnexplainedAnswer) => void recorded.push(answer)
  const options = { baseUrl: far.url, credentials, ca: far.ca, timeoutMs, now, recordUnexplained }
  const provider = wooviProvider(options)
  return {
    far,
    provider,
    /** What was recorded as unexplained, in that order. */
    recorded,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await far.close()
    },
  }
}

export const ok = (json: unknown, status = 200): Scripted => ({ status, json })
/** Woovi's no: a sentence, sometimes with a name. */
export const refused = (
  error: string,
  { status = 400, errorCode }: { status?: number; errorCode?: string } = {},
) => ({
  status,
  json: { error, ...(errorCode ? { errorCode } : {}) },
})

export const charge = (changes: Record<string, unknown> = {}) => ({
  charge: {
    value: 1234,
    identifier: TXID,
    correlationID: REFERENCE,
    transactionID: TXID,
    status: 'ACTIVE',
    expiresDate: '2026-01-10T12:59:00.000Z',
    type: 'DYNAMIC',
    createdAt: '2026-01-10T11:59:00.000Z',
    expiresIn: 3600,
    pixKey: 'd65032a3-c0c0-4b22-9f0e-0a9c4f6d1a11',
    brCode: '00020101021226...',
    customer: null,
    ...changes,
  },
})

export const transaction = (changes: Record<string, unknown> = {}) => ({
  value: 1234,
  time: '2026-01-10T08:59:30.500-03:00',
  endToEndId: END_TO_END,
  transactionID: TXID,
  status: 'CONFIRMED',
  type: 'PAYMENT',
  payer: { name: 'Maria', taxID: { taxID: '12345678909', type: 'BR:CPF' } },
  charge: { correlationID: REFERENCE, pixKey: 'd65032a3-c0c0-4b22-9f0e-0a9c4f6d1a11' },
  ...changes,
})

export const page = (field: string, items: unknown[], hasNextPage = false) => ({
  status: 'OK',
  pageInfo: { skip: 0, limit: 100, hasPreviousPage: false, hasNextPage },
  [field]: items,
})

export const refund = (changes: Record<string, unknown> = {}) => ({
  value: 500,
  status: 'IN_PROCESSING',
  correlationID: 'refund1',
  refundId: '11bf5b37e0b842e08dcfdc8c4aefc000',
  returnIdentification: RETURN_ID,
  time: '2026-01-10T12:01:00.000Z',
  ...changes,
})

const denied = { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' }
const unlisted = (status: number) => ({ kind: 'unknown', code: `http_${status}` })

/** What may come instead of an answer to any call, and SPEC §6's name for it when sending. */
export const failures: [name: string, reply: Scripted, outcome: Record<string, unknown>][] = [
  ['401', ok({ data: null, errors: [{ message: 'appID inválido' }] }, 401), denied],
  ['401 without a word', { status: 401, text: '' }, unlisted(401)],
  ['401 of another status', refused('appID inválido', { status: 400 }), unlisted(400)],
  ['429', { status: 429, text: '' }, unlisted(429)],
  ['403', refused('Sem permissão', { status: 403, errorCode: 'PIX_KEY_CHECK_NOT_ALLOWED' }), unlisted(403)],
  ['an unexpected error', refused('Ocorreu um erro inesperado. Tente novamente'), unlisted(400)],
  ['409 in other words', refused('Esta operação já existe', { status: 409 }), unlisted(409)],
  [
    'sentences in a list',
    ok({ errors: [{ message: 'a' }, { message: 'appID inválido' }] }, 401),
    unlisted(401),
  ],
  ['a name every object has', refused('x', { errorCode: 'constructor' }), unlisted(400)],
  ['a rail code before a sentence', refused('AC03 - Conta inexistente'), unlisted(400)],
  ['a rail code for a name', refused('x', { errorCode: 'AC03' }), unlisted(400)],
  ['a failed payment', refused('x', { errorCode: 'PAY_PIX_KEY_ERROR' }), unlisted(400)],
  ['a 400 in no words of its own', { status: 400, text: '<html>' }, unlisted(400)],
  ["a gateway's 404", ok({ status: 404, error: 'Not Found' }, 404), unlisted(404)],
  ['408', refused('x', { status: 408 }), unlisted(408)],
  ['302', { status: 302, headers: { location: '/' } }, unlisted(302)],
  ['500 in its words', refused('Erro interno', { status: 500 }), unlisted(500)],
  ['broken JSON', { status: 200, text: '{"charge":{' }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['an empty 200', { status: 200 }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['JSON of another shape', ok({ hello: 'there' }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a timeout', 'hang', { kind: 'unknown', code: 'timeout' }],
  ['a reset after the request', 'reset', { kind: 'unknown', code: 'connection_reset' }],
  ['half an answer', 'half', { kind: 'unknown' }],
]
