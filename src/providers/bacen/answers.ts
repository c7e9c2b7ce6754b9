import {
  type AnswerRow,
  absentMeaning,
  createAnswerLister,
  duplicateMeaning,
  type ListedAnswer,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'
import type { BacenCall, BacenRecurrenceCall } from './client.ts'

const PIX_API = 'Central Bank, pix-api 2.9.0'
const PIX_API_STANDARD = `${PIX_API}, Tratamento de erros`

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
 * The names of the standard's own text about recurrences and their debits. One name stands for all refusals of a debit, and of a request for
 * consent: it may be about the one of an earlier call.
 */
export const STANDARD_RECURRENCE_ANSWERS: Record<BacenRecurrenceCall, AnswerRow[]> = {
  issueDebit: [[400, 'CobROperacaoInvalida', refusalByProvider('charge_refused'), PIX_API_STANDARD]],
  findDebit: [[404, 'CobRNaoEncontrado', absentMeaning, PIX_API_STANDARD]],
  cancelDebit: [
    [404, 'CobRNaoEncontrado', absentMeaning, PIX_API_STANDARD],
    [400, 'CobROperacaoInvalida', refusalByProvider('charge_refused'), PIX_API_STANDARD],
  ],
  retryDebit: [
    [404, 'CobRNaoEncontrado', absentMeaning, PIX_API_STANDARD],
    [400, 'CobROperacaoInvalida', refusalByProvider('charge_refused'), PIX_API_STANDARD],
  ],
  createRecurrenceLocation: [],
  createRecurrence: [[400, 'RecOperacaoInvalida', refusalByProvider('recurrence_refused'), PIX_API_STANDARD]],
  findRecurrence: [
    [404, 'RecNaoEncontrada', absentMeaning, PIX_API_STANDARD],
    [400, 'RecConsultaInvalida', refusalByProvider('recurrence_code_refused'), PIX_API_STANDARD],
  ],
  listRecurrences: [[400, 'RecConsultaInvalida', refusalByProvider('provider_validation'), PIX_API_STANDARD]],
  requestConsent: [
    [400, 'SolicRecOperacaoInvalida', refusalByProvider('consent_request_refused'), PIX_API_STANDARD],
  ],
  cancelRecurrence: [
    [404, 'RecNaoEncontrada', absentMeaning, PIX_API_STANDARD],
    [400, 'RecOperacaoInvalida', refusalByProvider('recurrence_refused'), PIX_API_STANDARD],
  ],
  findRecurrenceUrl: [[404, 'NaoEncontrado', absentMeaning, `${PIX_API}: GET /webhookrec (404)`]],
  registerRecurrenceUrl: [
    [400, 'WebhookRecOperacaoInvalida', refusalByProvider('provider_rejected'), PIX_API_STANDARD],
    [400, 'WebhookCobROperacaoInvalida', refusalByProvider('provider_rejected'), PIX_API_STANDARD],
  ],
}

/**
 * Builds the lines of Pix Automático for a bank that describes it as the Central Bank's own document does, whose operations are their
 * source. Left out on purpose: 404 of calls that create something, as of the other calls, and 401.
 */
export function buildBacenRecurrenceAnswers(): Record<BacenRecurrenceCall, AnswerRow[]> {
  const list = createAnswerLister(PIX_API)
  const listStandard = (call: BacenRecurrenceCall, operation: string, ...answers: ListedAnswer[]) => [
    ...list(operation, bacenAccessDenied, ...answers),
    ...STANDARD_RECURRENCE_ANSWERS[call],
  ]
  return {
    issueDebit: listStandard('issueDebit', 'PUT /cobr/{txid}'),
    findDebit: listStandard('findDebit', 'GET /cobr/{txid}', notFound),
    cancelDebit: listStandard('cancelDebit', 'PATCH /cobr/{txid}', notFound),
    retryDebit: listStandard('retryDebit', 'POST /cobr/{txid}/retentativa/{data}', notFound),
    createRecurrenceLocation: listStandard('createRecurrenceLocation', 'POST /locrec'),
    createRecurrence: listStandard('createRecurrence', 'POST /rec'),
    findRecurrence: listStandard('findRecurrence', 'GET /rec/{idRec}', notFound),
    listRecurrences: listStandard('listRecurrences', 'GET /rec'),
    requestConsent: listStandard('requestConsent', 'POST /solicrec'),
    cancelRecurrence: listStandard('cancelRecurrence', 'PATCH /rec/{idRec}', notFound),
    findRecurrenceUrl: listStandard('findRecurrenceUrl', 'GET /webhookrec'),
    registerRecurrenceUrl: listStandard('registerRecurrenceUrl', 'PUT /webhookrec'),
  }
}

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
