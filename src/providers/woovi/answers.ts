import {
  absent,
  type DocumentedAnswer,
  duplicate,
  type Meaning,
  refusedEverywhere,
  refusedHere,
} from '../documented.ts'

/**
 * The answers outside 2xx that Woovi's documentation explains, for each call. Names are Woovi's `errorCode`, or the whole
 * sentence of `error` or of `errors[0].message` where there is no code. docs/providers/woovi.md shows this table.
 *
 * Woovi writes its sentences in the language of the company that asks: pt-BR, en or es ("Como fazer upload de um arquivo?").
 * It publishes few of them, and most in one language only. A line whose source says that the sentence is not published is
 * an assumption; where Woovi words it differently, the answer proves nothing and is shown to the operator.
 *
 * What refuses a payment is listed by the page of that very call, or by the one on every call: a refusal that only another
 * call's page shows could let a second provider pay what Woovi paid.
 *
 * Left out on purpose: the codes of payments that failed (failures.ts) and rail codes, which Woovi documents for payments and
 * not for requests that it refuses; `TOO_MANY_REQUESTS` of a payment, which it documents for look-ups of keys; and every
 * sentence on a lack of permission that names what is lacking.
 */

const APP_ID = 'Woovi Developers, APIs, Primeiros passos: AppID Inválido'
const CREATING = 'Woovi Developers, Pagamentos: Como criar e aprovar um pagamento em uma única chamada?'
const APPROVING = 'Woovi Developers, Pagamentos: Como usar a API de Aprovar Pagamentos?'
const IDEMPOTENCY = 'Woovi Developers, Pagamentos: Idempotência em Pagamentos'
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
const appIdUnknown = answer(401, 'appID inválido', denied, APP_ID)

/** The same in the words of another call's page. Not for what moves money. */
const notAllowed = [appIdUnknown, answer(401, 'Invalid appID', denied, RECOVERY)]

/** The calls about PIX keys and funds recoveries say more about who may make them. */
const keysNotAllowed = (route: string) => [
  ...notAllowed,
  answer(400, 'You need to link a Bank Account to this API', denied, openApi(route)),
  answer(401, 'Your IP is not in the allowed list', denied, openApi(route)),
  answer(403, 'Your Authorization APP_ID must be configured to be MASTER or API', denied, openApi(route)),
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
    appIdUnknown,
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
    appIdUnknown,
    answer(
      400,
      'You do not have enough balance to make this payment',
      refusedHere('insufficient_balance'),
      CREATING,
    ),
    answer(400, 'Já existe um pagamento com o correlationID fornecido', duplicate, IDEMPOTENCY),
  ],
  approveTransfer: [
    appIdUnknown,
    answer(
      400,
      'Você não possui saldo o suficiente para realizar esse pagamento',
      refusedHere('insufficient_balance'),
      APPROVING,
    ),
  ],
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
