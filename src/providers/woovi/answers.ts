import {
  type AnswerRow,
  absentMeaning,
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

const KEY_LOOKUPS_PAGE = 'Woovi Developers, Pagamentos: Token Bucket: limite de consultas de chave Pix'

const CHECK_KEY_PAGE = 'Woovi Developers, Pagamentos: Verificação de Chave Pix, Erros possíveis'

const accessDenied = refusalByProvider('provider_denied')
const insufficientBalance = refusalByProvider('insufficient_balance')

/**
 * Lists the answers to a look-up of an id that does not exist. The OpenAPI document gives these look-ups the status
 * 400 for every error; "Prompt — Autenticação & Segurança" gives 404 for an unknown id.
 */
const listAbsences = (source: string, ...names: string[]) =>
  names.flatMap((name): AnswerRow[] => [
    [400, name, absentMeaning, source],
    [404, name, absentMeaning, source],
  ])

const listChargeAbsences = (route: string) =>
  listAbsences(citeUnpublishedSentence(route), 'Cobrança não encontrada', 'Charge not found')

/** Refusal of an unknown AppID, documented for every call: the call was not carried out. */
const unknownAppIdAnswer: AnswerRow = [401, 'appID inválido', accessDenied, APP_ID_PAGE]

/** Refusals of the AppID including another call's page. Not for calls that move money. */
const accessDeniedAnswers: AnswerRow[] = [
  unknownAppIdAnswer,
  [401, 'Invalid appID', accessDenied, FUNDS_RECOVERY_PAGE],
]

/** Lists the refusals of a caller without permission that the pages on PIX keys add. */
const listKeyAccessDenials = (route: string): AnswerRow[] => [
  ...accessDeniedAnswers,
  [400, 'You need to link a Bank Account to this API', accessDenied, citeOpenApi(route)],
  [401, 'Your IP is not in the allowed list', accessDenied, citeOpenApi(route)],
  [403, 'Your Authorization APP_ID must be configured to be MASTER or API', accessDenied, citeOpenApi(route)],
]

const CHARGE_CREATION = citeUnpublishedSentence('POST /api/v1/charge')
const CHARGE_REMOVAL = citeUnpublishedSentence('DELETE /api/v1/charge/{id}')
const REFUND_CREATION = citeUnpublishedSentence('POST /api/v1/refund')
const KEY_CREATION = citeUnpublishedSentence('POST /api/v1/pix-keys')
const KEY_REMOVAL = citeUnpublishedSentence('DELETE /api/v1/pix-keys/{pixKey}')
const EVIDENCE_ROUTE = citeOpenApi('POST /api/v1/dispute/:id/evidence')
const RECOVERY_CREATION = citeOpenApi('POST /api/v1/funds-recovery')
const RECOVERY_CANCELLATION = citeOpenApi('POST /api/v1/funds-recovery/{id}/cancel')
const RECOVERY_TRANSLATION = citeTranslation(FUNDS_RECOVERY_PAGE)
const CHECK_KEY_ROUTE = citeOpenApi('POST /api/v1/pix-keys/check')
const RECEIPT_ABSENCE = citeUnpublishedSentence('GET /api/v1/receipt/{ReceiptType}/{EndToEndId}')
const DISPUTE_ROUTE = citeOpenApi('GET /api/v1/dispute/{id}')

/**
 * Lists the answers outside 2xx that Woovi's documentation explains, by call. Names are Woovi's `errorCode`, or the
 * whole sentence of the field error or of `errors[0].message` if there is no code. docs/providers/woovi.md shows this table.
 *
 * Woovi writes its sentences in the language of the company that calls: pt-BR, en or es ("Como fazer upload de um
 * arquivo?"). It publishes few of them, most in one language only. A line whose source says that the sentence is not
 * published is an assumption: if Woovi's sentence differs, the answer proves nothing and is shown to the operator.
 *
 * A refusal of a payment that lets another provider pay is listed only from the page of that same call, or from the page on
 * every call: one that another call's page shows could let a second provider pay what Woovi has paid.
 *
 * Left out on purpose: the codes of failed payments (payment-failures.ts) and rail codes, which Woovi documents for
 * payments and not for requests that it refuses; and every sentence about a missing permission that names the
 * permission.
 */
export const wooviAnswers = documentAnswers({
  issueCharge: [
    ...accessDeniedAnswers,
    [400, 'Já existe uma cobrança com este Correlação ID', duplicateMeaning, CHARGE_CREATION],
  ],
  findCharge: [...accessDeniedAnswers, ...listChargeAbsences('GET /api/v1/charge/{id}')],
  cancelCharge: [
    ...accessDeniedAnswers,
    ...listChargeAbsences('DELETE /api/v1/charge/{id}'),
    [400, 'Não é possível remover uma cobrança paga', refusalByProvider('charge_refused'), CHARGE_REMOVAL],
  ],
  // No sentence of a refusal is published: one that no look-up finds is refused (`createWooviRecurrences`).
  createRecurrence: accessDeniedAnswers,
  findRecurrence: [
    ...accessDeniedAnswers,
    ...listAbsences(
      citeUnpublishedSentence('GET /api/v1/subscriptions/{id}'),
      'Assinatura não encontrada',
      'Subscription not found',
    ),
  ],
  cancelRecurrence: accessDeniedAnswers,
  listInstallments: accessDeniedAnswers,
  findPayment: [
    ...accessDeniedAnswers,
    ...listAbsences(BAAS_ERRORS_PAGE, 'Transaction not found'),
    ...listAbsences(citeTranslation(BAAS_ERRORS_PAGE), 'Transação não encontrada'),
  ],
  refund: [
    unknownAppIdAnswer,
    [400, 'Já existe um reembolso com o correlationID fornecido', duplicateMeaning, REFUND_CREATION],
  ],
  findRefund: [
    ...accessDeniedAnswers,
    ...listAbsences(
      citeUnpublishedSentence('GET /api/v1/refund/{id}'),
      'Reembolso não encontrado',
      'Refund not found',
    ),
  ],
  sendTransfer: [
    unknownAppIdAnswer,
    [400, 'You do not have enough balance to make this payment', insufficientBalance, CREATE_PAYMENT_PAGE],
    [400, 'Já existe um pagamento com o correlationID fornecido', duplicateMeaning, IDEMPOTENCY_PAGE],
    // Published for the check of a key, which the creation of a payment makes too. It lets no other provider pay: it is final, and counts
    // once the absence of the order is proved (`confirmRefusal`).
    [
      400,
      'Pix key related to an account suspected of fraud',
      refusalByEveryProvider('key_blocked_for_fraud'),
      CHECK_KEY_PAGE,
    ],
    // "Esse limite vale para […] qualquer chamada que precise resolver uma chave no DICT, como a criação de um pagamento".
    [429, 'TOO_MANY_REQUESTS', refusalByProvider('rate_limited'), KEY_LOOKUPS_PAGE],
  ],
  approveTransfer: [
    unknownAppIdAnswer,
    [
      400,
      'Você não possui saldo o suficiente para realizar esse pagamento',
      insufficientBalance,
      APPROVE_PAYMENT_PAGE,
    ],
  ],
  findTransfer: [
    ...accessDeniedAnswers,
    ...listAbsences(
      citeUnpublishedSentence('GET /api/v1/payment/{id}'),
      'Pagamento não encontrado',
      'Payment not found',
    ),
  ],
  createKey: [
    ...listKeyAccessDenials('POST /api/v1/pix-keys'),
    [400, 'Esta chave Pix já está cadastrada', duplicateMeaning, KEY_CREATION],
    [400, 'Limite de chaves Pix atingido', refusalByProvider('key_limit'), KEY_CREATION],
  ],
  listKeys: listKeyAccessDenials('GET /api/v1/pix-keys'),
  deleteKey: [
    ...listKeyAccessDenials('DELETE /api/v1/pix-keys/{pixKey}'),
    [404, 'Pix key not found', absentMeaning, citeOpenApi('DELETE /api/v1/pix-keys/{pixKey}')],
    [
      400,
      'Não é possível remover a chave padrão da conta',
      refusalByEveryProvider('key_in_use'),
      KEY_REMOVAL,
    ],
  ],
  lookUpKey: [
    ...accessDeniedAnswers,
    [404, 'PIX_KEY_INFO_NOT_FOUND', absentMeaning, CHECK_KEY_PAGE],
    [404, 'Pix key does not exist', absentMeaning, CHECK_KEY_ROUTE],
    [
      400,
      'Pix key related to an account suspected of fraud',
      refusalByEveryProvider('key_blocked_for_fraud'),
      CHECK_KEY_PAGE,
    ],
    [400, 'You need to link a Bank Account to this API', accessDenied, CHECK_KEY_ROUTE],
    [401, 'Your IP is not in the allowed list', accessDenied, CHECK_KEY_ROUTE],
    [403, 'PIX_KEY_CHECK_NOT_ALLOWED', accessDenied, CHECK_KEY_PAGE],
    [403, 'Your account does not have the permission to use this endpoint', accessDenied, CHECK_KEY_ROUTE],
    [429, 'TOO_MANY_REQUESTS', refusalByProvider('rate_limited'), KEY_LOOKUPS_PAGE],
    // `POST` answers without a code: "Na rota POST apenas error é retornado".
    [
      429,
      'You tried to consult many Pix keys that do not exist.',
      refusalByProvider('rate_limited'),
      KEY_LOOKUPS_PAGE,
    ],
  ],
  findLookUpBudget: accessDeniedAnswers,
  findReceipt: [
    ...accessDeniedAnswers,
    ...['Transaction not found', 'Transação não encontrada'].map(
      (sentence): AnswerRow => [404, sentence, absentMeaning, RECEIPT_ABSENCE],
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
    ...listAbsences(DISPUTE_ROUTE, 'Dispute not found'),
    ...listAbsences(citeTranslation(DISPUTE_ROUTE), 'Disputa não encontrada'),
  ],
  findRecovery: [
    ...accessDeniedAnswers,
    [
      403,
      'Your account does not have the permission to use this endpoint',
      accessDenied,
      FUNDS_RECOVERY_PAGE,
    ],
    [403, 'Sua conta não possui permissão para usar este endpoint', accessDenied, RECOVERY_TRANSLATION],
    [404, 'Funds recovery not found', absentMeaning, FUNDS_RECOVERY_PAGE],
    [404, 'Recuperação de fundos não encontrada', absentMeaning, RECOVERY_TRANSLATION],
  ],
  requestDispute: [
    ...accessDeniedAnswers,
    [403, 'Your account does not have the permission to use this endpoint', accessDenied, RECOVERY_CREATION],
    [404, 'Transaction not found', refusalByEveryProvider('dispute_refused'), RECOVERY_CREATION],
    // The sentence ends in the end-to-end id of the PIX, without which it is compared (`readWooviError`).
    [422, 'FundsRecovery already exists for transaction', duplicateMeaning, RECOVERY_CREATION],
  ],
  cancelDispute: [
    ...accessDeniedAnswers,
    [
      403,
      'Your account does not have the permission to use this endpoint',
      accessDenied,
      RECOVERY_CANCELLATION,
    ],
    [404, 'Funds recovery not found', absentMeaning, RECOVERY_CANCELLATION],
    ...['COMPLETED', 'CANCELLED'].map(
      (status): AnswerRow => [
        422,
        `Cannot cancel: FundsRecovery is already in terminal status ${status}`,
        refusalByEveryProvider('dispute_ended'),
        RECOVERY_CANCELLATION,
      ],
    ),
  ],
  uploadEvidence: accessDeniedAnswers,
  replyToDispute: [
    ...accessDeniedAnswers,
    [
      400,
      'You cannot send a evidence for a accepted dispute',
      refusalByEveryProvider('reply_refused'),
      EVIDENCE_ROUTE,
    ],
    [403, 'DISPUTE_EVIDENCE_FILE_ID_NOT_ALLOWED', accessDenied, EVIDENCE_PAGE],
  ],
})

export type WooviCall = keyof typeof wooviAnswers
