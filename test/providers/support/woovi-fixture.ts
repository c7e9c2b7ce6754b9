import { expect } from '@jest/globals'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createWooviAdapter } from '../../../src/providers/woovi/adapter.ts'
import { wooviCredentialsSchema } from '../../../src/providers/woovi/client.ts'
import { findWooviRequestViolations } from '../../support/woovi-contract.ts'
import {
  type ProviderFixtureOptions,
  type ReceivedRequest,
  type ScriptedProvider,
  type ScriptedReply,
  startScriptedProvider,
  timeoutMsFor,
} from './scripted-provider.ts'

export const WEBHOOK_SECRET = 'the-secret-key-of-a-webhook'
export const credentials = wooviCredentialsSchema.parse({
  app_id: 'our-app-id',
  webhook_secret: WEBHOOK_SECRET,
})
export const NOW = Date.parse('2026-01-10T12:00:00Z')

export const REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
export const TXID = 'd983a07836cf48ed9a65764d3c184273'
export const END_TO_END = 'E12345678202601101159abcdefghijk'
export const RETURN_ID = 'D54811417202601101201abcdefghijk'

/** Lists how requests violate the published description; a file is sent as a form, which it does not describe. */
function findRequestViolations(requests: ReceivedRequest[]): string[] {
  return requests.flatMap(({ method, path: target, headers, body }) => {
    const [path = '', query = ''] = target.split('?')
    const isJson = body !== '' && String(headers['content-type']).includes('json')
    return findWooviRequestViolations({ method, path, query, body: isJson ? JSON.parse(body) : undefined })
  })
}

/**
 * A scripted Woovi, and an adapter that calls it, at noon of one day. When it is closed, each of its requests has satisfied the
 * published description.
 */
export async function openWooviFixture({ now = () => NOW, reply }: ProviderFixtureOptions = {}) {
  const timeoutMs = timeoutMsFor(reply)
  const scripted: ScriptedProvider = await startScriptedProvider()
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const recordUnexplained = async (answer: UnexplainedAnswer) => void unexplainedAnswers.push(answer)
  const options = { baseUrl: scripted.url, credentials, ca: scripted.ca, timeoutMs, now, recordUnexplained }
  const provider = createWooviAdapter(options)
  return {
    scripted,
    provider,
    /** What was recorded as unexplained, in that order. */
    recorded: unexplainedAnswers,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await scripted.close()
      expect(findRequestViolations(scripted.calls())).toEqual([])
    },
  }
}

/** Id of the account that the AppID of `openPayingWooviFixture` is linked to. */
export const ACCOUNT_ID = '6290ccfd42831958a405debc'

/** The same, with an adapter that has identified its account before: a payment names it. */
export async function openPayingWooviFixture(options: ProviderFixtureOptions = {}) {
  const story = await openWooviFixture(options)
  story.scripted.scriptReplies('GET /api/v1/account/', okReply({ accounts: [{ accountId: ACCOUNT_ID }] }))
  await story.provider.identity()
  story.scripted.seen.length = 0
  return story
}

export const okReply = (json: unknown, status = 200): ScriptedReply => ({ status, json })
/** Woovi's refusal: a sentence, sometimes with a name. */
export const wooviErrorReply = (
  error: string,
  { status = 400, errorCode }: { status?: number; errorCode?: string } = {},
) => ({
  status,
  json: { error, ...(errorCode ? { errorCode } : {}) },
})

export const chargeOf = (changes: Record<string, unknown> = {}) => ({
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

export const transactionOf = (changes: Record<string, unknown> = {}) => ({
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

export const pageOf = (field: string, items: unknown[], hasNextPage = false) => ({
  status: 'OK',
  pageInfo: { skip: 0, limit: 100, hasPreviousPage: false, hasNextPage },
  [field]: items,
})

export const refundOf = (changes: Record<string, unknown> = {}) => ({
  value: 500,
  status: 'IN_PROCESSING',
  correlationID: 'refund1',
  refundId: '11bf5b37e0b842e08dcfdc8c4aefc000',
  returnIdentification: RETURN_ID,
  time: '2026-01-10T12:01:00.000Z',
  ...changes,
})

const DENIED = { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' }
const unlistedOutcomeOf = (status: number) => ({ kind: 'unknown', code: `http_${status}` })

/** Replies in place of an answer to any call, and SPEC §6's name for them when sending. */
export const UNEXPLAINED_REPLIES: [name: string, reply: ScriptedReply, outcome: Record<string, unknown>][] = [
  ['401', okReply({ data: null, errors: [{ message: 'appID inválido' }] }, 401), DENIED],
  ['401 without a body', { status: 401, text: '' }, unlistedOutcomeOf(401)],
  ['401 of another status', wooviErrorReply('appID inválido', { status: 400 }), unlistedOutcomeOf(400)],
  ['429', { status: 429, text: '' }, unlistedOutcomeOf(429)],
  [
    '403',
    wooviErrorReply('Sem permissão', { status: 403, errorCode: 'PIX_KEY_CHECK_NOT_ALLOWED' }),
    unlistedOutcomeOf(403),
  ],
  [
    'an unexpected error',
    wooviErrorReply('Ocorreu um erro inesperado. Tente novamente'),
    unlistedOutcomeOf(400),
  ],
  ['409 in other words', wooviErrorReply('Esta operação já existe', { status: 409 }), unlistedOutcomeOf(409)],
  [
    'sentences in a list',
    okReply({ errors: [{ message: 'a' }, { message: 'appID inválido' }] }, 401),
    unlistedOutcomeOf(401),
  ],
  ['a name every object has', wooviErrorReply('x', { errorCode: 'constructor' }), unlistedOutcomeOf(400)],
  ['a rail code before a sentence', wooviErrorReply('AC03 - Conta inexistente'), unlistedOutcomeOf(400)],
  ['a rail code for a name', wooviErrorReply('x', { errorCode: 'AC03' }), unlistedOutcomeOf(400)],
  ['a failed payment', wooviErrorReply('x', { errorCode: 'PAY_PIX_KEY_ERROR' }), unlistedOutcomeOf(400)],
  ['a 400 in no words of its own', { status: 400, text: '<html>' }, unlistedOutcomeOf(400)],
  ["a gateway's 404", okReply({ status: 404, error: 'Not Found' }, 404), unlistedOutcomeOf(404)],
  ['408', wooviErrorReply('x', { status: 408 }), unlistedOutcomeOf(408)],
  ['302', { status: 302, headers: { location: '/' } }, unlistedOutcomeOf(302)],
  ['500 of a documented shape', wooviErrorReply('Erro interno', { status: 500 }), unlistedOutcomeOf(500)],
  ['broken JSON', { status: 200, text: '{"charge":{' }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['an empty 200', { status: 200 }, { kind: 'unknown', code: 'unreadable_answer' }],
  ['JSON of another shape', okReply({ hello: 'there' }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['a timeout', 'hang', { kind: 'unknown', code: 'timeout' }],
  ['a reset after the request', 'reset', { kind: 'unknown', code: 'connection_reset' }],
  ['half an answer', 'half', { kind: 'unknown' }],
]

export const TRANSFER_END_TO_END = 'E54811417202601101200abcdefghijk'
export const SETTLED_AT = '2026-01-10T12:00:07.000Z'
const settledTransaction = { value: 1050, endToEndId: TRANSFER_END_TO_END, time: SETTLED_AT }

/** Woovi's payment `transfer1` of R$ 10.50 in a status. */
export const paymentOf = (status: string, more: Record<string, unknown> = {}) => ({
  payment: { value: 1050, status, destinationAlias: 'maria@example.com', correlationID: 'transfer1' },
  ...more,
})
export const SETTLED_TRANSACTION = { transaction: settledTransaction }
/** The same payment as FAILED, with the rail's reason and Woovi's code. */
export const failedPaymentOf = (reason: string | undefined, code = 'PAY_PIX_KEY_ERROR') =>
  paymentOf('FAILED', {
    transaction: { ...settledTransaction, providerRejectedReason: reason },
    error: { code, description: 'Falha ao Pagar Chave Pix' },
  })
