import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createSicoobAdapter } from '../../../src/providers/sicoob/adapter.ts'
import { openContract } from '../../support/openapi-contract.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import {
  type ProviderFixtureOptions,
  type ReceivedRequest,
  type ScriptedReply,
  startScriptedProvider,
  timeoutMsFor,
} from './scripted-provider.ts'

export const NOTIFICATION_SECRET = 'a-secret-in-the-url'
export const credentials = {
  client_id: 'app-1',
  account_number: '48213705',
  notification_secret: NOTIFICATION_SECRET,
}
export const NOW = Date.parse('2026-01-10T12:00:00Z')
export const REFERENCE = '0f8fad5bd9cb469fa16570867728950e'
export const END_TO_END = 'E12345678202601101159abcdefghijk'
export const RETURN_ID = 'D09089356202601101201abcdefghijk'

export const COB = `/pix/api/v2/cob/${REFERENCE}`
export const PAYMENTS = '/pix-pagamentos/v2/pagamentos'
export const BALANCE = '/conta-corrente/v4/saldo'
export const TOKEN = '/auth/realms/cooperado/protocol/openid-connect/token'

/** The published descriptions of Sicoob's APIs, by the base path of their requests; the Central Bank's judges the same ones. */
const CONTRACTS = [
  { basePath: '/pix/api/v2', contract: openContract('sicoob-pix.yaml') },
  { basePath: '/pix/api/v2', contract: openContract('bcb-pix-api-2.9.0.yaml') },
  { basePath: '/pix-pagamentos/v2', contract: openContract('sicoob-pagamentos-pix.yaml') },
  { basePath: '/conta-corrente/v4', contract: openContract('sicoob-conta-corrente.yaml') },
]

/** Lists how requests violate the published descriptions; one that no description has is a violation too. */
function findRequestViolations(requests: ReceivedRequest[]): string[] {
  return requests.flatMap(({ method, path, body }) => {
    const judges = CONTRACTS.filter(({ basePath }) => path.startsWith(`${basePath}/`))
    if (judges.length === 0) return [`${method} ${path}: of no API`]
    return judges.flatMap(({ basePath, contract }) => {
      const [pathname = '', query = ''] = path.slice(basePath.length).split('?')
      const json: unknown = body === '' ? undefined : JSON.parse(body)
      const violations = contract.validateRequest({ method, path: pathname, query, body: json })
      return violations.map(violation => `${method} ${path}: ${violation}`)
    })
  })
}

/**
 * A scripted Sicoob, and an adapter that calls it, at noon of one day. When it is closed, each of its requests has satisfied the
 * published descriptions.
 */
export async function openSicoobFixture({ now = () => NOW, reply }: ProviderFixtureOptions = {}) {
  const scripted = await startScriptedProvider()
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const provider = createSicoobAdapter({
    baseUrl: scripted.url,
    credentials,
    ca: scripted.ca,
    timeoutMs: timeoutMsFor(reply),
    now,
    recordUnexplained: async answer => void unexplainedAnswers.push(answer),
  })
  return {
    scripted,
    recorded: unexplainedAnswers,
    provider,
    async [Symbol.asyncDispose]() {
      await provider.close()
      await scripted.close()
      const violations = findRequestViolations(scripted.calls())
      if (violations.length > 0) throw new Error(violations.join('\n'))
    },
  }
}

/** A problem as Sicoob answers it. */
export const problemReply = (status: number, type: string, propriedade?: string): ScriptedReply => ({
  status,
  json: buildProblem(type, status, propriedade),
})

export function buildProblem(type: string, status: number, propriedade?: string) {
  return {
    type: `https://pix.bcb.gov.br/api/v2/error/${type}`,
    title: type,
    status,
    detail: 'so it is',
    correlationId: '0a1b2c',
    ...(propriedade && { violacoes: [{ razao: 'so it is', propriedade }] }),
  }
}

export const okReply = (json: unknown, status = 200): ScriptedReply => ({ status, json })

export const cobOf = (changes: Record<string, unknown> = {}) => ({
  calendario: { criacao: '2026-01-10T11:59:00.000Z', expiracao: 3600 },
  txid: REFERENCE,
  revisao: 0,
  status: 'ATIVA',
  valor: { original: '12.34' },
  chave: 'loja@trilho.test',
  brcode: '00020101021226...',
  ...changes,
})

export const pixOf = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  txid: REFERENCE,
  valor: '12.34',
  chave: 'loja@trilho.test',
  horario: '2026-01-10T11:59:30.500Z',
  pagador: { nome: 'Maria', cpf: '12345678909' },
  ...changes,
})

export const devolucaoOf = (changes: Record<string, unknown> = {}) => ({
  id: 'refund1',
  rtrId: RETURN_ID,
  valor: '5.00',
  horario: { solicitacao: '2026-01-10T12:01:00.000Z' },
  status: 'EM_PROCESSAMENTO',
  ...changes,
})

/** A payment that was initiated. */
export const initiationOf = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  chave: 'maria@example.com',
  tipo: 'EMAIL',
  proprietario: { identificador: '12345678909', nome: 'Maria', tipo: 'FISICO' },
  ...changes,
})

/** A confirmed payment. */
export const paymentOf = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  estado: 'EM_PROCESSAMENTO',
  valor: 10.5,
  horario: '2026-01-10T12:00:01.000Z',
  origem: { ispb: '02038232', conta: '48213705' },
  destino: {
    ispb: '00416968',
    cpfCnpj: '12345678909',
    nome: 'Maria',
    conta: '1234',
    agencia: '1',
    tipo: 'CORRENTE',
  },
  ...changes,
})

export const transferOrder = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: 'loja@trilho.test',
}
/** What the preparation of `initiationOf()` at noon returns. */
export const HANDLE = {
  ref: END_TO_END,
  endToEnd: END_TO_END,
  expiresAt: '2026-01-10T12:14:00.000Z',
  receiver: {
    name: 'Maria',
    document: '12345678909',
    account_number: '',
    account_agency: '',
    bank: { code: '', name: '', ispb: '' },
    account_type: 'CHECKING' as const,
  },
}

/** Answers that no document lists for a call, with what the network may do, and the outcome of a call that sends. */
export const UNEXPLAINED_REPLIES: [name: string, reply: ScriptedReply, code: string | undefined][] = [
  ['400 of an unknown name', problemReply(400, 'SaldoInsuficiente'), 'http_400'],
  [
    '400 with the status of another answer',
    okReply(buildProblem('RequisicaoInvalida', 503), 400),
    'http_400',
  ],
  ['400 without a body', { status: 400, text: '' }, 'http_400'],
  ['401 of the gateway', okReply({ httpCode: '401', httpMessage: 'Unauthorized' }, 401), 'http_401'],
  ['403 without a body', { status: 403, text: '' }, 'http_403'],
  ['404 of the gateway', okReply({ httpCode: '404', httpMessage: 'Not Found' }, 404), 'http_404'],
  ['409 without a body', { status: 409, text: '' }, 'http_409'],
  ['422 of an unknown name', problemReply(422, 'Recusado'), 'http_422'],
  ['429 without a body', { status: 429, text: '' }, 'http_429'],
  ['500', problemReply(500, 'ErroInternoServidor'), 'http_500'],
  ['503 as documented', problemReply(503, 'ServicoIndisponivel'), 'http_503'],
  ['302', { status: 302, headers: { location: '/' } }, 'http_302'],
  ['an empty 200', { status: 200 }, 'unreadable_answer'],
  ['200 of another shape', okReply({ mensagem: 'ok' }), 'unreadable_answer'],
  ['200 with a broken body', { status: 200, text: '{"estado":"FINAL' }, 'unreadable_answer'],
  ['a timeout', 'hang', 'timeout'],
  ['a reset after the request', 'reset', 'connection_reset'],
  ['half an answer', 'half', undefined],
]
