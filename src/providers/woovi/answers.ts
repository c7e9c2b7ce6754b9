import {
  absentMeaning,
  type DocumentedAnswer,
  documentAnswer,
  duplicateMeaning,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'

const APP_ID_PAGE = 'Woovi Developers, APIs, Primeiros passos: AppID Inválido'
const CREATE_PAYMENT_PAGE =
  'Woovi Developers, Pagamentos: Como criar e aprovar um pagamento em uma única chamada?'
const APPROVE_PAYMENT_PAGE = 'Woovi Developers, Pagamentos: Como usar a API de Aprovar Pagamentos?'
const IDEMPOTENCY_PAGE = 'Woovi Developers, Pagamentos: Idempotência em Pagamentos'
const BAAS_ERRORS_PAGE = 'Woovi Developers, BaaS: Controlando as contas no modo BAAS, Erros'
const EVIDENCE_PAGE = 'Woovi Developers, Disputas: Como adicionar uma nova evidência em uma disputa?'
const FUNDS_RECOVERY_PAGE = 'Woovi Developers, OpenAPI: GET /api/v1/funds-recovery/{id}'

const citeOpenApi = (route: string): string => `Woovi Developers, OpenAPI: ${route}`
const citeUnpublishedSentence = (route: string): string =>
  `${citeOpenApi(route)} names the status; its sentence is not published`
const citeTranslation = (source: string): string => `${source}; its translation is not published`

const accessDenied = refusalByProvider('provider_denied')

/**
 * Lists the answers to a look-up of an id that does not exist. The OpenAPI document gives these look-ups the status
 * 400 for every error; "Prompt — Autenticação & Segurança" gives 404 for an unknown id.
 */
const documentAbsence = (names: readonly string[], source: string) =>
  names.flatMap(name => [
    documentAnswer(400, name, absentMeaning, source),
    documentAnswer(404, name, absentMeaning, source),
  ])

const documentChargeAbsence = (route: string) =>
  documentAbsence(['Cobrança não encontrada', 'Charge not found'], citeUnpublishedSentence(route))

/** Refusal of an unknown AppID, documented for every call: the call was not carried out. */
const unknownAppIdAnswer = documentAnswer(401, 'appID inválido', accessDenied, APP_ID_PAGE)

/** Refusals of the AppID including another call's page. Not for calls that move money. */
const accessDeniedAnswers = [
  unknownAppIdAnswer,
  documentAnswer(401, 'Invalid appID', accessDenied, FUNDS_RECOVERY_PAGE),
]

/** Lists the refusals of a caller without permission that the pages on PIX keys add. */
const documentKeyAccessDenials = (route: string) => [
  ...accessDeniedAnswers,
  documentAnswer(400, 'You need to link a Bank Account to this API', accessDenied, citeOpenApi(route)),
  documentAnswer(401, 'Your IP is not in the allowed list', accessDenied, citeOpenApi(route)),
  documentAnswer(
    403,
    'Your Authorization APP_ID must be configured to be MASTER or API',
    accessDenied,
    citeOpenApi(route),
  ),
]

/**
 * Lists the answers outside 2xx that Woovi's documentation explains, by call. Names are Woovi's `errorCode`, or the
 * whole sentence of `error` or `errors[0].message` if there is no code. docs/providers/woovi.md shows this table.
 *
 * Woovi writes its sentences in the language of the company that calls: pt-BR, en or es ("Como fazer upload de um
 * arquivo?"). It publishes few of them, most in one language only. A line whose source says that the sentence is not
 * published is an assumption: if Woovi's sentence differs, the answer proves nothing and is shown to the operator.
 *
 * A refusal of a payment is listed only from the page of that same call, or from the page on every call: a refusal
 * that another call's page shows could let a second provider pay what Woovi has paid.
 *
 * Left out on purpose: the codes of failed payments (payment-failures.ts) and rail codes, which Woovi documents for
 * payments and not for requests that it refuses; `TOO_MANY_REQUESTS` of a payment, which it documents for look-ups of
 * keys; and every sentence about a missing permission that names the permission.
 */
export const wooviAnswers = {
  issueCharge: [
    ...accessDeniedAnswers,
    documentAnswer(
      400,
      'Já existe uma cobrança com este Correlação ID',
      duplicateMeaning,
      citeUnpublishedSentence('POST /api/v1/charge'),
    ),
  ],
  findCharge: [...accessDeniedAnswers, ...documentChargeAbsence('GET /api/v1/charge/{id}')],
  cancelCharge: [
    ...accessDeniedAnswers,
    ...documentChargeAbsence('DELETE /api/v1/charge/{id}'),
    documentAnswer(
      400,
      'Não é possível remover uma cobrança paga',
      refusalByProvider('charge_refused'),
      citeUnpublishedSentence('DELETE /api/v1/charge/{id}'),
    ),
  ],
  findPayment: [
    ...accessDeniedAnswers,
    ...documentAbsence(['Transaction not found'], BAAS_ERRORS_PAGE),
    ...documentAbsence(['Transação não encontrada'], citeTranslation(BAAS_ERRORS_PAGE)),
  ],
  refund: [
    unknownAppIdAnswer,
    documentAnswer(
      400,
      'Já existe um reembolso com o correlationID fornecido',
      duplicateMeaning,
      citeUnpublishedSentence('POST /api/v1/refund'),
    ),
  ],
  findRefund: [
    ...accessDeniedAnswers,
    ...documentAbsence(
      ['Reembolso não encontrado', 'Refund not found'],
      citeUnpublishedSentence('GET /api/v1/refund/{id}'),
    ),
  ],
  sendTransfer: [
    unknownAppIdAnswer,
    documentAnswer(
      400,
      'You do not have enough balance to make this payment',
      refusalByProvider('insufficient_balance'),
      CREATE_PAYMENT_PAGE,
    ),
    documentAnswer(
      400,
      'Já existe um pagamento com o correlationID fornecido',
      duplicateMeaning,
      IDEMPOTENCY_PAGE,
    ),
  ],
  approveTransfer: [
    unknownAppIdAnswer,
    documentAnswer(
      400,
      'Você não possui saldo o suficiente para realizar esse pagamento',
      refusalByProvider('insufficient_balance'),
      APPROVE_PAYMENT_PAGE,
    ),
  ],
  findTransfer: [
    ...accessDeniedAnswers,
    ...documentAbsence(
      ['Pagamento não encontrado', 'Payment not found'],
      citeUnpublishedSentence('GET /api/v1/payment/{id}'),
    ),
  ],
  createKey: [
    ...documentKeyAccessDenials('POST /api/v1/pix-keys'),
    documentAnswer(
      400,
      'Esta chave Pix já está cadastrada',
      duplicateMeaning,
      citeUnpublishedSentence('POST /api/v1/pix-keys'),
    ),
    documentAnswer(
      400,
      'Limite de chaves Pix atingido',
      refusalByProvider('key_limit'),
      citeUnpublishedSentence('POST /api/v1/pix-keys'),
    ),
  ],
  listKeys: documentKeyAccessDenials('GET /api/v1/pix-keys'),
  deleteKey: [
    ...documentKeyAccessDenials('DELETE /api/v1/pix-keys/{pixKey}'),
    documentAnswer(404, 'Pix key not found', absentMeaning, citeOpenApi('DELETE /api/v1/pix-keys/{pixKey}')),
    documentAnswer(
      400,
      'Não é possível remover a chave padrão da conta',
      refusalByEveryProvider('key_in_use'),
      citeUnpublishedSentence('DELETE /api/v1/pix-keys/{pixKey}'),
    ),
  ],
  identity: accessDeniedAnswers,
  balances: accessDeniedAnswers,
  statement: accessDeniedAnswers,
  registerNotificationUrl: accessDeniedAnswers,
  findNotificationKeys: accessDeniedAnswers,
  listDisputes: accessDeniedAnswers,
  findDispute: [
    ...accessDeniedAnswers,
    ...documentAbsence(['Dispute not found'], citeOpenApi('GET /api/v1/dispute/{id}')),
    ...documentAbsence(['Disputa não encontrada'], citeTranslation(citeOpenApi('GET /api/v1/dispute/{id}'))),
  ],
  findRecovery: [
    ...accessDeniedAnswers,
    documentAnswer(
      403,
      'Your account does not have the permission to use this endpoint',
      accessDenied,
      FUNDS_RECOVERY_PAGE,
    ),
    documentAnswer(
      403,
      'Sua conta não possui permissão para usar este endpoint',
      accessDenied,
      citeTranslation(FUNDS_RECOVERY_PAGE),
    ),
    documentAnswer(404, 'Funds recovery not found', absentMeaning, FUNDS_RECOVERY_PAGE),
    documentAnswer(
      404,
      'Recuperação de fundos não encontrada',
      absentMeaning,
      citeTranslation(FUNDS_RECOVERY_PAGE),
    ),
  ],
  uploadEvidence: accessDeniedAnswers,
  replyToDispute: [
    ...accessDeniedAnswers,
    documentAnswer(
      400,
      'You cannot send a evidence for a accepted dispute',
      refusalByEveryProvider('reply_refused'),
      citeOpenApi('POST /api/v1/dispute/:id/evidence'),
    ),
    documentAnswer(
      403,
      'DISPUTE_EVIDENCE_FILE_ID_NOT_ALLOWED',
      refusalByProvider('provider_denied'),
      EVIDENCE_PAGE,
    ),
  ],
} as const satisfies Record<string, readonly DocumentedAnswer[]>

export type WooviCall = keyof typeof wooviAnswers
