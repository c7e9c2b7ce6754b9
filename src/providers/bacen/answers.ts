import {
  type AnswerRow,
  absentMeaning,
  duplicateMeaning,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'
import type { BacenCall } from './client.ts'

const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'

type NamedAnswer = readonly [status: number, name: string, meaning: AnswerRow[2]]
const accessDenied: NamedAnswer = [403, 'AcessoNegado', refusalByProvider('provider_denied')]
const notFound: NamedAnswer = [404, 'NaoEncontrado', absentMeaning]
const chargeRefused: NamedAnswer = [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused')]
const refundRefusal = refusalByEveryProvider('refund_refused')
const webhookRefused: NamedAnswer = [400, 'WebhookOperacaoInvalida', refusalByProvider('provider_rejected')]

/**
 * Builds the lines of the Central Bank's calls for a bank whose published description has the standard's problems, each with
 * the operation of the bank's own `document` as its source; the names of what is absent are those of the standard as well. Left out on
 * purpose: 404 of calls that create something, and 503, which a proxy may answer after the request has arrived.
 */
export function buildBacenAnswers(document: string): Record<BacenCall, AnswerRow[]> {
  const list = (operation: string, ...answers: NamedAnswer[]) =>
    answers.map(
      ([status, name, meaning]): AnswerRow => [
        status,
        name,
        meaning,
        `${document}: ${operation} (${status})`,
      ],
    )
  const listLookUp = (operation: string, standardName: string): AnswerRow[] => [
    ...list(operation, accessDenied, notFound),
    [404, standardName, absentMeaning, PIX_API_STANDARD],
  ]
  return {
    issueCharge: list('PUT /cob/{txid}', accessDenied, chargeRefused),
    findCharge: listLookUp('GET /cob/{txid}', 'CobNaoEncontrado'),
    findPayload: [],
    cancelCharge: [
      ...listLookUp('PATCH /cob/{txid}', 'CobNaoEncontrado'),
      ...list('PATCH /cob/{txid}', chargeRefused),
    ],
    findPayment: listLookUp('GET /pix/{e2eid}', 'PixNaoEncontrado'),
    refund: [
      ...list('PUT /pix/{e2eid}/devolucao/{id}', accessDenied, [400, 'PixDevolucaoInvalida', refundRefusal]),
      [400, 'PixDevolucaoInvalida valor', refundRefusal, PIX_API_STANDARD],
      [400, 'PixDevolucaoInvalida e2eid', refundRefusal, PIX_API_STANDARD],
      [400, 'PixDevolucaoInvalida id', duplicateMeaning, PIX_API_STANDARD],
    ],
    findRefund: listLookUp('GET /pix/{e2eid}/devolucao/{id}', 'PixDevolucaoNaoEncontrada'),
    statement: list('GET /pix', accessDenied),
    findReplacedUrl: listLookUp('GET /webhook/{chave}', 'WebhookNaoEncontrado'),
    registerNotificationUrl: list('PUT /webhook/{chave}', accessDenied, webhookRefused),
  }
}
