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
  const provider = wooviProvider({ baseUrl: far.url, credentials, ca: far.ca, timeoutMs, now })
  return {
    far,
    provider,
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

/** What may come instead of an answer in Woovi's words, and SPEC §6's name for it when sending. */
export const failures: [name: string, reply: Scripted, outcome: Record<string, unknown>][] = [
  ['429', { status: 429, text: '' }, { kind: 'rejected', finality: 'other_may_help', code: 'rate_limited' }],
  ['401', refused('appID inválido', { status: 401 }), { kind: 'rejected', code: 'provider_denied' }],
  ['401 without a word', { status: 401, text: '' }, { kind: 'rejected', code: 'provider_denied' }],
  [
    '403',
    refused('Sem permissão', { status: 403, errorCode: 'PIX_KEY_CHECK_NOT_ALLOWED' }),
    { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' },
  ],
  [
    'a sentence nobody knows',
    refused('Algo novo'),
    { kind: 'rejected', finality: 'other_may_help', code: 'provider_rejected', message: 'Algo novo' },
  ],
  [
    'sentences in a list',
    ok({ errors: [{ message: 'value is required' }, { message: 'Algo novo' }] }, 400),
    { kind: 'rejected', code: 'provider_rejected', message: 'value is required; Algo novo' },
  ],
  [
    'a name every object has',
    refused('x', { errorCode: 'constructor' }),
    { kind: 'rejected', code: 'provider_rejected' },
  ],
  [
    'a name that is final',
    refused('Chave não encontrada', { errorCode: 'PIX_KEY_INFO_NOT_FOUND' }),
    { kind: 'rejected', finality: 'final', code: 'pix_key_not_found' },
  ],
  [
    'a rail code',
    refused('AM04 - Saldo insuficiente na conta PI', { errorCode: 'PAY_PIX_KEY_ERROR' }),
    { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
  ],
  [
    'a rail code that is final, and no taken id',
    refused('DUPL - Pagamento duplicado'),
    { kind: 'rejected', finality: 'final', code: 'DUPL' },
  ],
  ['a 400 in no words of its own', { status: 400, text: '<html>' }, { kind: 'unknown', code: 'http_400' }],
  ["a gateway's 404", ok({ status: 404, error: 'Not Found' }, 404), { kind: 'unknown', code: 'http_404' }],
  ['408', refused('x', { status: 408 }), { kind: 'unknown', code: 'http_408' }],
  ['302', { status: 302, headers: { location: '/' } }, { kind: 'unknown', code: 'http_302' }],
  ['500 in its words', refused('Erro interno', { status: 500 }), { kind: 'unknown', code: 'http_500' }],
  ['broken JSON', { status: 200, text: '{"charge":{' }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['an empty 200', { status: 200 }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['JSON of another shape', ok({ hello: 'there' }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a timeout', 'hang', { kind: 'unknown', code: 'timeout' }],
  ['a reset after the request', 'reset', { kind: 'unknown', code: 'connection_reset' }],
  ['half an answer', 'half', { kind: 'unknown' }],
]
