import {
  absent,
  type DocumentedAnswer,
  duplicate,
  type Meaning,
  refusedEverywhere,
  refusedHere,
} from '../documented.ts'
import { failureCodes } from './failures.ts'

/**
 * The answers outside 2xx that Woovi's documentation explains, for each call. Names are Woovi's `errorCode`, or the whole
 * sentence of `error` or of `errors[0].message` where there is no code. docs/providers/woovi.md shows this table.
 *
 * Woovi writes its sentences in the language of the company that asks: pt-BR, en or es ("Como fazer upload de um arquivo?").
 * It publishes few of them, and most in one language only. A line whose source says that the sentence is not published is
 * an assumption; where Woovi words it differently, the answer proves nothing and is shown to the operator.
 *
 * Left out on purpose: `PAY_PIX_KEY_ERROR` of a request ("Erro ao processar o pagamento"), every sentence on a lack of
 * permission that names what is lacking, and a rail code before a sentence, which Woovi documents for payments that failed
 * and not for requests that it refuses.
 */

const APP_ID = 'Woovi Developers, APIs, Primeiros passos: AppID Inválido'
const CREATING = 'Woovi Developers, Pagamentos: Como criar e aprovar um pagamento em uma única chamada?'
const APPROVING = 'Woovi Developers, Pagamentos: Como usar a API de Aprovar Pagamentos?'
const IDEMPOTENCY = 'Woovi Developers, Pagamentos: Idempotência em Pagamentos'
const TOKEN_BUCKET = 'Woovi Developers, Pagamentos: Token Bucket (limite de consultas de chave Pix)'
const ANY_ACCOUNT = 'Woovi Developers, BaaS: Controlando as contas no modo BAAS, Erros'
const EVIDENCE = 'Woovi Developers, Disputas: Como adicionar uma nova evidência em uma disputa?'
const RECOVERY = 'Woovi Developers, OpenAPI: GET /api/v1/funds-recovery/{id}'

const openApi = (route: string): string => `Woovi Developers, OpenAPI: ${route}`
const unpublished = (route: string): string =>
  `${openApi(route)} names the status; its sentence is not published`
const translated = (source: string): string => `${source}; its translation is not published`

const answer = (status: number, name: string, meaning: Meaning, source: string): DocumentedAnswer => ({
  status,
  name,
  meaning,
  source,
})

const denied = refusedHere('provider_denied')

/**
 * Such a thing does not exist. The OpenAPI document gives these look-ups the status 400 for every error, and "Prompt —
 * Autenticação & Segurança" gives 404 for an id that does not exist.
 */
const absentAs = (names: readonly string[], source: string) =>
  names.flatMap(name => [answer(400, name, absent, source), answer(404, name, absent, source)])

const chargeAbsent = (route: string) =>
  absentAs(['Cobrança não encontrada', 'Charge not found'], unpublished(route))

/** What every call may answer before it is carried out: Woovi does not know the AppID. */
const notAllowed = [
  answer(401, 'appID inválido', denied, APP_ID),
  answer(401, 'Invalid appID', denied, RECOVERY),
]

/** The calls about PIX keys and funds recoveries say more about who may make them. */
const keysNotAllowed = (route: string) => [
  ...notAllowed,
  answer(400, 'You need to link a Bank Account to this API', denied, openApi(route)),
  answer(401, 'Your IP is not in the allowed list', denied, openApi(route)),
  answer(403, 'Your Authorization APP_ID must be configured to be MASTER or API', denied, openApi(route)),
]

/** A payment that is refused by a code of Woovi's, or for lack of balance, which Woovi publishes as a sentence. */
const paymentRefused = [
  answer(
    400,
    'Você não possui saldo o suficiente para realizar esse pagamento',
    refusedHere('insufficient_balance'),
    APPROVING,
  ),
  answer(
    400,
    'You do not have enough balance to make this payment',
    refusedHere('insufficient_balance'),
    CREATING,
  ),
  ...failureCodes
    .filter(({ ofRequests }) => ofRequests)
    .map(({ name, meaning, source }) => answer(400, name, meaning, source)),
  answer(429, 'TOO_MANY_REQUESTS', refusedHere('rate_limited'), TOKEN_BUCKET),
]

export const wooviAnswers = {
  issueCharge: [
    ...notAllowed,
    answer(
      400,
      'Já existe uma cobrança com este Correlação ID',
      duplicate,
      unpublished('POST /api/v1/charge'),
    ),
  ],
  findCharge: [...notAllowed, ...chargeAbsent('GET /api/v1/charge/{id}')],
  cancelCharge: [
    ...notAllowed,
    ...chargeAbsent('DELETE /api/v1/charge/{id}'),
    answer(
      400,
      'Não é possível remover uma cobrança paga',
      refusedHere('charge_refused'),
      unpublished('DELETE /api/v1/charge/{id}'),
    ),
  ],
  findPayment: [
    ...notAllowed,
    ...absentAs(['Transaction not found'], ANY_ACCOUNT),
    ...absentAs(['Transação não encontrada'], translated(ANY_ACCOUNT)),
  ],
  refund: [
    ...notAllowed,
    answer(
      400,
      'Já existe um reembolso com o correlationID fornecido',
      duplicate,
      unpublished('POST /api/v1/refund'),
    ),
  ],
  findRefund: [
    ...notAllowed,
    ...absentAs(['Reembolso não encontrado', 'Refund not found'], unpublished('GET /api/v1/refund/{id}')),
  ],
  sendTransfer: [
    ...notAllowed,
    ...paymentRefused,
    answer(400, 'Já existe um pagamento com o correlationID fornecido', duplicate, IDEMPOTENCY),
  ],
  approveTransfer: [...notAllowed, ...paymentRefused],
  findTransfer: [
    ...notAllowed,
    ...absentAs(['Pagamento não encontrado', 'Payment not found'], unpublished('GET /api/v1/payment/{id}')),
  ],
  createKey: [
    ...keysNotAllowed('POST /api/v1/pix-keys'),
    answer(400, 'Esta chave Pix já está cadastrada', duplicate, unpublished('POST /api/v1/pix-keys')),
    answer(
      400,
      'Limite de chaves Pix atingido',
      refusedHere('key_limit'),
      unpublished('POST /api/v1/pix-keys'),
    ),
  ],
  listKeys: keysNotAllowed('GET /api/v1/pix-keys'),
  deleteKey: [
    ...keysNotAllowed('DELETE /api/v1/pix-keys/{pixKey}'),
    answer(404, 'Pix key not found', absent, openApi('DELETE /api/v1/pix-keys/{pixKey}')),
    answer(
      400,
      'Não é possível remover a chave padrão da conta',
      refusedEverywhere('key_in_use'),
      unpublished('DELETE /api/v1/pix-keys/{pixKey}'),
    ),
  ],
  identity: notAllowed,
  balances: notAllowed,
  statement: notAllowed,
  registerNotices: notAllowed,
  findNoticeKeys: notAllowed,
  listMeds: notAllowed,
  findMed: [
    ...notAllowed,
    ...absentAs(['Dispute not found'], openApi('GET /api/v1/dispute/{id}')),
    ...absentAs(['Disputa não encontrada'], translated(openApi('GET /api/v1/dispute/{id}'))),
  ],
  findRecovery: [
    ...notAllowed,
    answer(403, 'Your account does not have the permission to use this endpoint', denied, RECOVERY),
    answer(403, 'Sua conta não possui permissão para usar este endpoint', denied, translated(RECOVERY)),
    answer(404, 'Funds recovery not found', absent, RECOVERY),
    answer(404, 'Recuperação de fundos não encontrada', absent, translated(RECOVERY)),
  ],
  uploadEvidence: notAllowed,
  replyMed: [
    ...notAllowed,
    answer(
      400,
      'You cannot send a evidence for a accepted dispute',
      refusedEverywhere('reply_refused'),
      openApi('POST /api/v1/dispute/:id/evidence'),
    ),
    answer(403, 'DISPUTE_EVIDENCE_FILE_ID_NOT_ALLOWED', refusedHere('provider_denied'), EVIDENCE),
  ],
} as const satisfies Record<string, readonly DocumentedAnswer[]>

export type WooviCall = keyof typeof wooviAnswers
