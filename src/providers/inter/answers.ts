import {
  absentMeaning,
  createAnswerLister,
  documentAnswers,
  type ListedAnswer,
  refusalByEveryProvider,
  refusalByProvider,
} from '../adapter/documented-answers.ts'
import {
  bacenAccessDenied,
  bacenRefundInvalid,
  buildBacenAnswers,
  buildBacenRecurrenceAnswers,
  STANDARD_REFUND_ANSWERS,
} from '../bacen/answers.ts'

const OPENAPI = 'Inter Empresas, OpenAPI 1.0.0'
const PIX = `${OPENAPI}, /pix/v2`
const listPix = createAnswerLister(PIX)
const listBanking = createAnswerLister(`${OPENAPI}, /banking/v2`)
const pixAnswers = buildBacenAnswers(PIX)

const invalid: ListedAnswer = [400, 'Dados inválidos.', refusalByProvider('provider_validation')]
const unauthorized: ListedAnswer = [401, 'Acesso negado', refusalByProvider('provider_denied')]
const denied: ListedAnswer = [403, 'Acesso Negado', refusalByProvider('provider_denied')]
const absentName = 'Não Encontrado.'

const sendRefusals = listBanking('POST /pix', invalid, unauthorized, denied, [
  404,
  absentName,
  refusalByProvider('provider_rejected'),
])
const statementRefusals = listBanking('GET /extrato/completo', invalid, denied)

/**
 * Lists the answers outside 2xx that Inter's OpenAPI document explains, by call. Names are the last part of the Central Bank's
 * `type` (RFC 7807), or the title of a problem of Banking; `PixDevolucaoInvalida` is followed by the field that it is about.
 * docs/providers/inter.md shows this table.
 *
 * A refusal of a transfer counts for its first sending only: `repeatTransfer` is the same request, sent again to learn the
 * outcome of the first, and what refuses it says nothing of that one.
 *
 * Inter describes Pix Automático as the Central Bank's own document does, whose operations are the source of its lines.
 *
 * Left out on purpose: HTTP 422 of a transfer, whose only published title is about a QR code; HTTP 429, which the document
 * does not describe; every 5xx; and HTTP 404 of a transfer's look-up, which may also mean that it is older than 90 days.
 */
export const interAnswers = documentAnswers({
  ...pixAnswers,
  ...buildBacenRecurrenceAnswers(),
  findListedPayment: statementRefusals,
  refund: [
    ...listPix('PUT /pix/{e2eId}/devolucao/{id}', bacenAccessDenied, [
      404,
      'NaoEncontrado',
      refusalByEveryProvider('payment_not_found'),
    ]),
    [...bacenRefundInvalid, `${OPENAPI}: example RequisicaoInvalidaDevolucaoExample1`],
    ...STANDARD_REFUND_ANSWERS,
  ],
  sendTransfer: sendRefusals,
  repeatTransfer: sendRefusals,
  findTransfer: listBanking('GET /pix/{codigoSolicitacao}', invalid, unauthorized, denied),
  balances: listBanking('GET /saldo', invalid, denied),
  statement: [...pixAnswers.statement, ...statementRefusals],
  findReplacedUrl: [
    ...pixAnswers.findReplacedUrl,
    ...listBanking('GET /webhooks/{tipoWebhook}', [404, absentName, absentMeaning]),
  ],
  registerNotificationUrl: [
    ...listPix('PUT /webhook/{chave}', bacenAccessDenied, [
      404,
      'NaoEncontrado',
      refusalByProvider('collection_key_invalid'),
    ]),
    ...listBanking('PUT /webhooks/{tipoWebhook}', invalid),
  ],
})

export type InterCall = keyof typeof interAnswers
