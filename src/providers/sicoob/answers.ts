import {
  type AnswerRow,
  absentMeaning,
  documentAnswers,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'

const PIX_API = 'Sicoob, API Pix 2.0.23.28'
const PAYMENTS_API = 'Sicoob, API Pagamentos PIX 2.0.24.6'
const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'

const accessDenied = refusalByProvider('provider_denied')

/** Refusal of a caller without permission, from the page of that same call. */
const listAccessDenied = (page: string): AnswerRow => [403, 'AcessoNegado', accessDenied, `${page} (403)`]
const listAbsent = (page: string): AnswerRow => [404, 'NaoEncontrado', absentMeaning, `${page} (404)`]

/**
 * Lists the answers outside 2xx that Sicoob's published OpenAPI documents explain, by call. Names are the last part of a
 * problem's `type` (RFC 7807); `PixDevolucaoInvalida` is followed by the field that it is about. docs/providers/sicoob.md
 * shows this table.
 *
 * Left out on purpose: every answer to `POST /pagamentos` and to `POST /pagamentos/confirmacao`, which are documented as a
 * request that is not valid (400) or as a service out of order (503). Nothing says that a payment was not carried out before
 * such an answer, and a preparation needs no refusal to be safe, because it moves nothing.
 */
export const sicoobAnswers = documentAnswers({
  issueCharge: [
    listAccessDenied(`${PIX_API}: PUT /cob/{txid}`),
    [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused'), `${PIX_API}: PUT /cob/{txid} (400)`],
  ],
  findCharge: [listAccessDenied(`${PIX_API}: GET /cob/{txid}`), listAbsent(`${PIX_API}: GET /cob/{txid}`)],
  findPayload: [],
  cancelCharge: [
    listAccessDenied(`${PIX_API}: PATCH /cob/{txid}`),
    listAbsent(`${PIX_API}: PATCH /cob/{txid}`),
    [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused'), `${PIX_API}: PATCH /cob/{txid} (400)`],
  ],
  findPayment: [listAccessDenied(`${PIX_API}: GET /pix/{e2eid}`), listAbsent(`${PIX_API}: GET /pix/{e2eid}`)],
  refund: [
    listAccessDenied(`${PIX_API}: PUT /pix/{e2eid}/devolucao/{id}`),
    [400, 'PixDevolucaoInvalida valor', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida e2eid', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
  ],
  findRefund: [
    listAccessDenied(`${PIX_API}: GET /pix/{e2eid}/devolucao/{id}`),
    listAbsent(`${PIX_API}: GET /pix/{e2eid}/devolucao/{id}`),
  ],
  prepareTransfer: [],
  sendTransfer: [],
  findTransfer: [
    listAccessDenied(`${PAYMENTS_API}: GET /pagamentos/{id}`),
    listAbsent(`${PAYMENTS_API}: GET /pagamentos/{id}`),
  ],
  balances: [],
  statement: [listAccessDenied(`${PIX_API}: GET /pix`)],
  findReplacedUrl: [
    listAccessDenied(`${PIX_API}: GET /webhook/{chave}`),
    listAbsent(`${PIX_API}: GET /webhook/{chave}`),
  ],
  registerNotificationUrl: [
    listAccessDenied(`${PIX_API}: PUT /webhook/{chave}`),
    [
      400,
      'WebhookOperacaoInvalida',
      refusalByProvider('provider_rejected'),
      `${PIX_API}: PUT /webhook/{chave} (400)`,
    ],
  ],
})

export type SicoobCall = keyof typeof sicoobAnswers
