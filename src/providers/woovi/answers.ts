import {
  absentMeaning,
  type DocumentedAnswer,
  documentAnswers,
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
  names.flatMap(name => documentAnswers(source, [400, name, absentMeaning], [404, name, absentMeaning]))

const documentChargeAbsence = (route: string) =>
  documentAbsence(['Cobrança não encontrada', 'Charge not found'], citeUnpublishedSentence(route))

/** Refusal of an unknown AppID, documented for every call: the call was not carried out. */
const unknownAppIdAnswers = documentAnswers(APP_ID_PAGE, [401, 'appID inválido', accessDenied])

/** Refusals of the AppID including another call's page. Not for calls that move money. */
const accessDeniedAnswers = [
  ...unknownAppIdAnswers,
  ...documentAnswers(FUNDS_RECOVERY_PAGE, [401, 'Invalid appID', accessDenied]),
]

/** Lists the refusals of a caller without permission that the pages on PIX keys add. */
const documentKeyAccessDenials = (route: string) => [
  ...accessDeniedAnswers,
  ...documentAnswers(
    citeOpenApi(route),
    [400, 'You need to link a Bank Account to this API', accessDenied],
    [401, 'Your IP is not in the allowed list', accessDenied],
    [403, 'Your Authorization APP_ID must be configured to be MASTER or API', accessDenied],
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
    ...documentAnswers(citeUnpublishedSentence('POST /api/v1/charge'), [
      400,
      'Já existe uma cobrança com este Correlação ID',
      duplicateMeaning,
    ]),
  ],
  findCharge: [...accessDeniedAnswers, ...documentChargeAbsence('GET /api/v1/charge/{id}')],
  cancelCharge: [
    ...accessDeniedAnswers,
    ...documentChargeAbsence('DELETE /api/v1/charge/{id}'),
    ...documentAnswers(citeUnpublishedSentence('DELETE /api/v1/charge/{id}'), [
      400,
      'Não é possível remover uma cobrança paga',
      refusalByProvider('charge_refused'),
    ]),
  ],
  findPayment: [
    ...accessDeniedAnswers,
    ...documentAbsence(['Transaction not found'], BAAS_ERRORS_PAGE),
    ...documentAbsence(['Transação não encontrada'], citeTranslation(BAAS_ERRORS_PAGE)),
  ],
  refund: [
    ...unknownAppIdAnswers,
    ...documentAnswers(citeUnpublishedSentence('POST /api/v1/refund'), [
      400,
      'Já existe um reembolso com o correlationID fornecido',
      duplicateMeaning,
    ]),
  ],
  findRefund: [
    ...accessDeniedAnswers,
    ...documentAbsence(
      ['Reembolso não encontrado', 'Refund not found'],
      citeUnpublishedSentence('GET /api/v1/refund/{id}'),
    ),
  ],
  sendTransfer: [
    ...unknownAppIdAnswers,
    ...documentAnswers(CREATE_PAYMENT_PAGE, [
      400,
      'You do not have enough balance to make this payment',
      refusalByProvider('insufficient_balance'),
    ]),
    ...documentAnswers(IDEMPOTENCY_PAGE, [
      400,
      'Já existe um pagamento com o correlationID fornecido',
      duplicateMeaning,
    ]),
  ],
  approveTransfer: [
    ...unknownAppIdAnswers,
    ...documentAnswers(APPROVE_PAYMENT_PAGE, [
      400,
      'Você não possui saldo o suficiente para realizar esse pagamento',
      refusalByProvider('insufficient_balance'),
    ]),
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
    ...documentAnswers(
      citeUnpublishedSentence('POST /api/v1/pix-keys'),
      [400, 'Esta chave Pix já está cadastrada', duplicateMeaning],
      [400, 'Limite de chaves Pix atingido', refusalByProvider('key_limit')],
    ),
  ],
  listKeys: documentKeyAccessDenials('GET /api/v1/pix-keys'),
  deleteKey: [
    ...documentKeyAccessDenials('DELETE /api/v1/pix-keys/{pixKey}'),
    ...documentAnswers(citeOpenApi('DELETE /api/v1/pix-keys/{pixKey}'), [
      404,
      'Pix key not found',
      absentMeaning,
    ]),
    ...documentAnswers(citeUnpublishedSentence('DELETE /api/v1/pix-keys/{pixKey}'), [
      400,
      'Não é possível remover a chave padrão da conta',
      refusalByEveryProvider('key_in_use'),
    ]),
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
    ...documentAnswers(FUNDS_RECOVERY_PAGE, [
      403,
      'Your account does not have the permission to use this endpoint',
      accessDenied,
    ]),
    ...documentAnswers(citeTranslation(FUNDS_RECOVERY_PAGE), [
      403,
      'Sua conta não possui permissão para usar este endpoint',
      accessDenied,
    ]),
    ...documentAnswers(FUNDS_RECOVERY_PAGE, [404, 'Funds recovery not found', absentMeaning]),
    ...documentAnswers(citeTranslation(FUNDS_RECOVERY_PAGE), [
      404,
      'Recuperação de fundos não encontrada',
      absentMeaning,
    ]),
  ],
  uploadEvidence: accessDeniedAnswers,
  replyToDispute: [
    ...accessDeniedAnswers,
    ...documentAnswers(citeOpenApi('POST /api/v1/dispute/:id/evidence'), [
      400,
      'You cannot send a evidence for a accepted dispute',
      refusalByEveryProvider('reply_refused'),
    ]),
    ...documentAnswers(EVIDENCE_PAGE, [
      403,
      'DISPUTE_EVIDENCE_FILE_ID_NOT_ALLOWED',
      refusalByProvider('provider_denied'),
    ]),
  ],
} as const satisfies Record<string, readonly DocumentedAnswer[]>

export type WooviCall = keyof typeof wooviAnswers
