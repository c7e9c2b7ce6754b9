import {
  type AnswerRow,
  absentMeaning,
  documentAnswers,
  duplicateMeaning,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'

const OPENAPI = 'Inter Empresas, OpenAPI 1.0.0'
const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'

type Answer = readonly [status: number, name: string, meaning: AnswerRow[2]]
const denied: Answer = [403, 'AcessoNegado', refusalByProvider('provider_denied')]
const absent: Answer = [404, 'NaoEncontrado', absentMeaning]
/** The Central Bank's own names of what is not found, whose `type` Inter's examples shorten to `NaoEncontrado`. */
const absentByStandard = (name: string): AnswerRow => [404, name, absentMeaning, PIX_API_STANDARD]
const invalidCob: Answer = [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused')]
const bankingInvalid: Answer = [400, 'Dados inválidos.', refusalByProvider('provider_validation')]
const bankingUnauthorized: Answer = [401, 'Acesso negado', refusalByProvider('provider_denied')]
const bankingDenied: Answer = [403, 'Acesso Negado', refusalByProvider('provider_denied')]
const bankingAbsent: Answer = [404, 'Não Encontrado.', absentMeaning]
const refundRefused = refusalByEveryProvider('refund_refused')

/** Lists the answers that the document has for one operation. */
function listAnswers(operation: string, ...answers: Answer[]): AnswerRow[] {
  return answers.map(([status, name, meaning]) => [
    status,
    name,
    meaning,
    `${OPENAPI}: ${operation} (${status})`,
  ])
}

const sendRefusals = listAnswers('POST /banking/v2/pix', bankingInvalid, bankingUnauthorized, bankingDenied, [
  404,
  'Não Encontrado.',
  refusalByProvider('provider_rejected'),
])
const statementRefusals = listAnswers('GET /banking/v2/extrato/completo', bankingInvalid, bankingDenied)

/**
 * Lists the answers outside 2xx that Inter's OpenAPI document explains, by call. Names are the last part of the Central Bank's
 * `type` (RFC 7807), or the `title` of a problem of Banking; `PixDevolucaoInvalida` is followed by the field that it is about.
 * docs/providers/inter.md shows this table.
 *
 * A refusal of a transfer counts for its first sending only: `repeatTransfer` is the same request, sent again to learn the
 * outcome of the first, and what refuses it says nothing of that one.
 *
 * Left out on purpose: HTTP 422 of a transfer, whose only published title is about a QR code; HTTP 429, which the document
 * does not describe; every 5xx; and HTTP 404 of a transfer's look-up, which may also mean that it is older than 90 days.
 */
export const interAnswers = documentAnswers({
  issueCharge: listAnswers('PUT /pix/v2/cob/{txid}', denied, invalidCob),
  findCharge: [
    ...listAnswers('GET /pix/v2/cob/{txid}', denied, absent),
    absentByStandard('CobNaoEncontrado'),
  ],
  findPayload: [],
  cancelCharge: [
    ...listAnswers('PATCH /pix/v2/cob/{txid}', denied, absent, invalidCob),
    absentByStandard('CobNaoEncontrado'),
  ],
  findPayment: [
    ...listAnswers('GET /pix/v2/pix/{e2eId}', denied, absent),
    absentByStandard('PixNaoEncontrado'),
  ],
  findListedPayment: statementRefusals,
  refund: [
    ...listAnswers('PUT /pix/v2/pix/{e2eId}/devolucao/{id}', denied, [
      404,
      'NaoEncontrado',
      refusalByEveryProvider('payment_not_found'),
    ]),
    [400, 'PixDevolucaoInvalida', refundRefused, `${OPENAPI}: example RequisicaoInvalidaDevolucaoExample1`],
    [400, 'PixDevolucaoInvalida valor', refundRefused, PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida e2eid', refundRefused, PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida id', duplicateMeaning, PIX_API_STANDARD],
  ],
  findRefund: [
    ...listAnswers('GET /pix/v2/pix/{e2eId}/devolucao/{id}', denied, absent),
    absentByStandard('PixDevolucaoNaoEncontrada'),
  ],
  sendTransfer: sendRefusals,
  repeatTransfer: sendRefusals,
  findTransfer: listAnswers(
    'GET /banking/v2/pix/{codigoSolicitacao}',
    bankingInvalid,
    bankingUnauthorized,
    bankingDenied,
  ),
  balances: listAnswers('GET /banking/v2/saldo', bankingInvalid, bankingDenied),
  statement: [...listAnswers('GET /pix/v2/pix', denied), ...statementRefusals],
  findReplacedUrl: [
    ...listAnswers('GET /pix/v2/webhook/{chave}', denied, absent),
    absentByStandard('WebhookNaoEncontrado'),
    ...listAnswers('GET /banking/v2/webhooks/{tipoWebhook}', bankingAbsent),
  ],
  registerNotificationUrl: [
    ...listAnswers('PUT /pix/v2/webhook/{chave}', denied, [
      404,
      'NaoEncontrado',
      refusalByProvider('collection_key_invalid'),
    ]),
    ...listAnswers('PUT /banking/v2/webhooks/{tipoWebhook}', bankingInvalid),
  ],
})

export type InterCall = keyof typeof interAnswers
