import {
  type AnswerRow,
  absentMeaning,
  createAnswerLister,
  duplicateMeaning,
  type ListedAnswer,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'
import type { BacenCall } from './client.ts'

const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'

export const bacenAccessDenied: ListedAnswer = [403, 'AcessoNegado', refusalByProvider('provider_denied')]
const notFound: ListedAnswer = [404, 'NaoEncontrado', absentMeaning]
const chargeRefused: ListedAnswer = [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused')]
const dueChargeRefused: ListedAnswer = [400, 'CobVOperacaoInvalida', refusalByProvider('charge_refused')]
export const bacenRefundInvalid: ListedAnswer = [
  400,
  'PixDevolucaoInvalida',
  refusalByEveryProvider('refund_refused'),
]
const webhookRefused: ListedAnswer = [400, 'WebhookOperacaoInvalida', refusalByProvider('provider_rejected')]

/** The lines of a devolução whose problem names the invalid field, by the standard's own text. */
export const STANDARD_REFUND_ANSWERS: AnswerRow[] = [
  [400, 'PixDevolucaoInvalida valor', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
  [400, 'PixDevolucaoInvalida e2eid', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
  [400, 'PixDevolucaoInvalida id', duplicateMeaning, PIX_API_STANDARD],
]

/**
 * Builds the lines of the Central Bank's calls for a bank whose published description has the standard's problems, each with
 * the operation of the bank's own `document` as its source; the names of what is absent are those of the standard as well. Left out on
 * purpose: 404 of calls that create something, and 503, which a proxy may answer after the request has arrived.
 */
export function buildBacenAnswers(document: string): Record<BacenCall, AnswerRow[]> {
  const list = createAnswerLister(document)
  const listLookUp = (operation: string, standardName: string): AnswerRow[] => [
    ...list(operation, bacenAccessDenied, notFound),
    [404, standardName, absentMeaning, PIX_API_STANDARD],
  ]
  const dueChange = [
    ...listLookUp('PATCH /cobv/{txid}', 'CobVNaoEncontrada'),
    ...list('PATCH /cobv/{txid}', dueChargeRefused),
  ]
  return {
    issueCharge: list('PUT /cob/{txid}', bacenAccessDenied, chargeRefused),
    findCharge: listLookUp('GET /cob/{txid}', 'CobNaoEncontrado'),
    findPayload: [],
    cancelCharge: [
      ...listLookUp('PATCH /cob/{txid}', 'CobNaoEncontrado'),
      ...list('PATCH /cob/{txid}', chargeRefused),
    ],
    issueDueCharge: list('PUT /cobv/{txid}', bacenAccessDenied, dueChargeRefused),
    findDueCharge: listLookUp('GET /cobv/{txid}', 'CobVNaoEncontrada'),
    cancelDueCharge: dueChange,
    reviseCharge: dueChange,
    findPayment: listLookUp('GET /pix/{e2eid}', 'PixNaoEncontrado'),
    refund: [
      ...list('PUT /pix/{e2eid}/devolucao/{id}', bacenAccessDenied, bacenRefundInvalid),
      ...STANDARD_REFUND_ANSWERS,
    ],
    findRefund: listLookUp('GET /pix/{e2eid}/devolucao/{id}', 'PixDevolucaoNaoEncontrada'),
    statement: list('GET /pix', bacenAccessDenied),
    balances: [],
    findReplacedUrl: listLookUp('GET /webhook/{chave}', 'WebhookNaoEncontrado'),
    registerNotificationUrl: list('PUT /webhook/{chave}', bacenAccessDenied, webhookRefused),
  }
}
