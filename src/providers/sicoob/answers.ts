import {
  type AnswerRow,
  absentMeaning,
  documentAnswers,
  duplicateMeaning,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'

const PIX_API = 'Sicoob, API PIX 2.0.23.28'
const PAYMENTS_API = 'Sicoob, Pagamentos PIX 2.0.24.6'
const DEVOLUCAO_PAGE = `${PIX_API}: PUT /pix/{e2eid}/devolucao/{id} (400)`
const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'
const FIND_WEBHOOK_PAGES = `${PIX_API}: GET /webhook/{chave}; ${PAYMENTS_API}: GET /pagamentos/webhook`
const REGISTER_WEBHOOK_PAGES = `${PIX_API}: PUT /webhook/{chave}; ${PAYMENTS_API}: PUT /pagamentos/webhook`

/** Builds the line of a refusal of a caller without permission, from the page of that same call. */
const buildAccessDenied = (page: string): AnswerRow => [
  403,
  'AcessoNegado',
  refusalByProvider('provider_denied'),
  `${page} (403)`,
]
/** Builds the lines of an absence: Sicoob's name, from the page of that same call, and the Central Bank's for its subject. */
const buildAbsence = (page: string, standardName?: string): AnswerRow[] => [
  [404, 'NaoEncontrado', absentMeaning, `${page} (404)`],
  ...(standardName ? [[404, standardName, absentMeaning, PIX_API_STANDARD] as const] : []),
]
/** Builds the line of a refused charge or removal, from the page of that same call. */
const buildChargeRefusal = (page: string): AnswerRow => [
  400,
  'CobOperacaoInvalida',
  refusalByProvider('charge_refused'),
  `${page} (400)`,
]

/**
 * Lists the answers outside 2xx that Sicoob's published OpenAPI documents explain, by call. Names are the last part of a
 * problem's `type` (RFC 7807); `PixDevolucaoInvalida` is followed by the field that it is about, where it names one.
 * docs/providers/sicoob.md shows this table.
 *
 * Left out on purpose: every answer to `POST /pagamentos`, which moves nothing, so that no refusal is needed; 404 of calls
 * that create something; and 503, which a proxy may answer after the request has arrived. `RequisicaoInvalida` of a confirmation counts
 * only once the absence of the payment is proved.
 */
export const sicoobAnswers = documentAnswers({
  issueCharge: [
    buildAccessDenied(`${PIX_API}: PUT /cob/{txid}`),
    buildChargeRefusal(`${PIX_API}: PUT /cob/{txid}`),
  ],
  findCharge: [
    buildAccessDenied(`${PIX_API}: GET /cob/{txid}`),
    ...buildAbsence(`${PIX_API}: GET /cob/{txid}`, 'CobNaoEncontrado'),
  ],
  findPayload: [],
  cancelCharge: [
    buildAccessDenied(`${PIX_API}: PATCH /cob/{txid}`),
    ...buildAbsence(`${PIX_API}: PATCH /cob/{txid}`, 'CobNaoEncontrado'),
    buildChargeRefusal(`${PIX_API}: PATCH /cob/{txid}`),
  ],
  findPayment: [
    buildAccessDenied(`${PIX_API}: GET /pix/{e2eid}`),
    ...buildAbsence(`${PIX_API}: GET /pix/{e2eid}`, 'PixNaoEncontrado'),
  ],
  refund: [
    buildAccessDenied(`${PIX_API}: PUT /pix/{e2eid}/devolucao/{id}`),
    [400, 'PixDevolucaoInvalida', refusalByEveryProvider('refund_refused'), DEVOLUCAO_PAGE],
    [400, 'PixDevolucaoInvalida valor', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida e2eid', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida id', duplicateMeaning, PIX_API_STANDARD],
  ],
  findRefund: [
    buildAccessDenied(`${PIX_API}: GET /pix/{e2eid}/devolucao/{id}`),
    ...buildAbsence(`${PIX_API}: GET /pix/{e2eid}/devolucao/{id}`, 'PixDevolucaoNaoEncontrada'),
  ],
  prepareTransfer: [],
  sendTransfer: [
    [
      400,
      'RequisicaoInvalida',
      refusalByProvider('provider_validation'),
      `${PAYMENTS_API}: POST /pagamentos/confirmacao (400)`,
    ],
  ],
  findTransfer: [
    buildAccessDenied(`${PAYMENTS_API}: GET /pagamentos/{id}`),
    ...buildAbsence(`${PAYMENTS_API}: GET /pagamentos/{id}`),
  ],
  balances: [],
  statement: [buildAccessDenied(`${PIX_API}: GET /pix`)],
  findReplacedUrl: [
    buildAccessDenied(FIND_WEBHOOK_PAGES),
    ...buildAbsence(FIND_WEBHOOK_PAGES, 'WebhookNaoEncontrado'),
  ],
  registerNotificationUrl: [
    buildAccessDenied(REGISTER_WEBHOOK_PAGES),
    [
      400,
      'WebhookOperacaoInvalida',
      refusalByProvider('provider_rejected'),
      `${REGISTER_WEBHOOK_PAGES} (400)`,
    ],
  ],
})

export type SicoobCall = keyof typeof sicoobAnswers
