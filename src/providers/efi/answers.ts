import {
  type AnswerRow,
  absentMeaning,
  documentAnswers,
  duplicateMeaning,
  refusalByEveryProvider,
  refusalByProvider,
  refusalByRail,
} from '../adapter/documented-answers.ts'
import { STANDARD_RECURRENCE_ANSWERS } from '../bacen/answers.ts'
import type { BacenRecurrenceCall } from '../bacen/client.ts'

const SEND_PIX_PAGE = 'Efí, API Pix, Envio e Pagamento Pix: Requisitar envio de Pix'
const SENT_PIX_PAGE = 'Efí, API Pix, Envio e Pagamento Pix: Consultar Pix enviado'
const PAY_CODE_PAGE = 'Efí, API Pix, Envio e Pagamento Pix: Pagar QR Code Pix'
const RECEIVED_PIX_PAGE = 'Efí, API Pix, Gestão de Pix: Consultar Pix'
const REQUEST_DEVOLUCAO_PAGE = 'Efí, API Pix, Gestão de Pix: Solicitar devolução'
const FIND_DEVOLUCAO_PAGE = 'Efí, API Pix, Gestão de Pix: Consultar devolução'
const COB_PAGE = 'Efí, API Pix, Cobranças imediatas'
const KEYS_PAGE = 'Efí, API Pix, Endpoints exclusivos Efí: Chaves evp'
const WEBHOOK_PAGE = 'Efí, API Pix, Webhooks: Configurar o webhook Pix'
const SHOW_WEBHOOK_PAGE = 'Efí, API Pix, Webhooks: Exibir informações do webhook Pix'
const DISPUTES_PAGE = 'Efí, API Pix, Endpoints exclusivos Efí: Infrações MED'
const SCOPE_PAGE = 'Efí, API Pix, Endpoints exclusivos Efí: Listar infrações MED (403)'
const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'
const PIX_API_DEVOLUCAO_STANDARD = 'Central Bank, pix-api 2.9.0: PUT /pix/{e2eid}/devolucao/{id} (403)'
const OAUTH_STANDARD = 'RFC 6750, section 3.1 (Efí, API Pix, Credenciais: OAuth 2.0)'

/** Name of the answer that refuses the access token: the request may be repeated with a new one (RFC 6750, section 3.1). */
export const TOKEN_REFUSED = 'invalid_token'

/** Name of the problem by which Efí refuses to look up a further key. */
export const EMPTY_BUCKET_PROBLEM = 'BaldeFichasVazio'

const accessDenied = refusalByProvider('provider_denied')

/** Refusals of a caller without permission. Not for calls that move money: their pages do not list them. */
const accessDeniedAnswers: AnswerRow[] = [
  [401, TOKEN_REFUSED, accessDenied, OAUTH_STANDARD],
  [403, 'insufficient_scope', accessDenied, SCOPE_PAGE],
  [403, 'AcessoNegado', accessDenied, `${RECEIVED_PIX_PAGE} (403)`],
]
/** Efí's own names of what is wrong with a charge, of both kinds. */
const chargeRefusedAnswers: AnswerRow[] = [
  ...accessDeniedAnswers,
  [400, 'documento_bloqueado', refusalByProvider('provider_account_blocked'), COB_PAGE],
  [400, 'chave_invalida', refusalByProvider('collection_key_invalid'), COB_PAGE],
  [400, 'valor_invalido', refusalByProvider('provider_validation'), COB_PAGE],
  [409, 'txid_duplicado', duplicateMeaning, COB_PAGE],
]
const chargeAbsentAnswer: AnswerRow = [400, 'cobranca_nao_encontrada', absentMeaning, COB_PAGE]
const chargeAbsentAnswers: AnswerRow[] = [
  chargeAbsentAnswer,
  [404, 'CobNaoEncontrado', absentMeaning, PIX_API_STANDARD],
]
const dueChargeAbsentAnswers: AnswerRow[] = [
  chargeAbsentAnswer,
  [404, 'CobVNaoEncontrada', absentMeaning, PIX_API_STANDARD],
]
const chargeRefused = refusalByProvider('charge_refused')
const chargeNotActiveAnswer: AnswerRow = [400, 'status_cobranca_invalido', chargeRefused, COB_PAGE]
const dueChargeInvalidAnswer: AnswerRow = [400, 'CobVOperacaoInvalida', chargeRefused, PIX_API_STANDARD]
const dueChangeAnswers: AnswerRow[] = [
  ...accessDeniedAnswers,
  ...dueChargeAbsentAnswers,
  chargeNotActiveAnswer,
  dueChargeInvalidAnswer,
]
const pixAbsentAnswers: AnswerRow[] = [
  [400, 'pix_nao_encontrado', absentMeaning, RECEIVED_PIX_PAGE],
  [404, 'PixNaoEncontrado', absentMeaning, PIX_API_STANDARD],
]
const sentPixAbsentAnswer: AnswerRow = [404, 'PixEnviadoNaoEncontrado', absentMeaning, SENT_PIX_PAGE]
const invalidQueryAnswer: AnswerRow = [
  400,
  'InfracoesConsultaInvalida',
  refusalByProvider('provider_validation'),
  DISPUTES_PAGE,
]

const webhookAbsentAnswers: AnswerRow[] = [
  [404, 'WebhookNaoEncontrado', absentMeaning, PIX_API_STANDARD],
  [404, 'webhook_nao_encontrado', absentMeaning, SHOW_WEBHOOK_PAGE],
]

/** Refusals of a call that makes a further recurrence each time: a refused token is none, because the call is not repeated. */
const [, ...scopeDeniedAnswers] = accessDeniedAnswers

/** Adds to the standard's lines about Pix Automático those of a caller without permission; its pages show no names of their own that are known here. */
function listAutomatic(call: BacenRecurrenceCall, ...answers: AnswerRow[]): AnswerRow[] {
  const denied = call === 'createRecurrence' ? scopeDeniedAnswers : accessDeniedAnswers
  return [...denied, ...STANDARD_RECURRENCE_ANSWERS[call], ...answers]
}

/**
 * Lists the answers outside 2xx that Efí's documentation explains, by call. Names are Efí's `nome`, the last part of
 * the Central Bank's `type` (RFC 7807), or OAuth's field error; `PixDevolucaoInvalida` is followed by the field that it
 * is about. docs/providers/efi.md shows this table.
 *
 * A refusal of a transfer or refund is listed only from the page of that same call: a refusal that another call's
 * page shows could let a second provider pay what the first has paid. `BaldeFichasVazio` is on the page of a similar call,
 * so it counts only once the absence of the transfer is proved. The page of charges with a due date shows no names of its own that are
 * known here, so that those of the other charges are listed for them, too: a refusal of a charge moves no money, whatever it means.
 *
 * Left out on purpose: `erro_aplicacao` (Efí documents it as a fault of its own), `valor_invalido` of a transfer or
 * refund (its text may mean that the id was used), `pix_nao_encontrado` of a refund's look-up (it is not about the
 * refund), and the generic body of a route that does not exist.
 */
export const efiAnswers = documentAnswers({
  issueCharge: [...chargeRefusedAnswers, [400, 'CobOperacaoInvalida', chargeRefused, PIX_API_STANDARD]],
  findCharge: [...accessDeniedAnswers, ...chargeAbsentAnswers],
  findPayload: accessDeniedAnswers,
  findLookUpBudget: accessDeniedAnswers,
  // The page names no refusal: an answer outside 2xx shows only that there is no receipt now.
  findReceipt: accessDeniedAnswers,
  cancelCharge: [
    ...accessDeniedAnswers,
    ...chargeAbsentAnswers,
    chargeNotActiveAnswer,
    [400, 'CobOperacaoInvalida', chargeRefused, PIX_API_STANDARD],
  ],
  issueDueCharge: [...chargeRefusedAnswers, dueChargeInvalidAnswer],
  findDueCharge: [...accessDeniedAnswers, ...dueChargeAbsentAnswers],
  cancelDueCharge: dueChangeAnswers,
  reviseCharge: dueChangeAnswers,
  issueDebit: listAutomatic('issueDebit', [409, 'txid_duplicado', duplicateMeaning, COB_PAGE]),
  findDebit: listAutomatic('findDebit'),
  cancelDebit: listAutomatic('cancelDebit'),
  retryDebit: listAutomatic('retryDebit'),
  createRecurrenceLocation: listAutomatic('createRecurrenceLocation'),
  createRecurrence: listAutomatic('createRecurrence'),
  findRecurrence: listAutomatic('findRecurrence'),
  listRecurrences: listAutomatic('listRecurrences'),
  requestConsent: listAutomatic('requestConsent'),
  cancelRecurrence: listAutomatic('cancelRecurrence'),
  findRecurrenceUrl: listAutomatic('findRecurrenceUrl', ...webhookAbsentAnswers),
  registerRecurrenceUrl: listAutomatic('registerRecurrenceUrl'),
  findPayment: [...accessDeniedAnswers, ...pixAbsentAnswers],
  refund: [
    [400, 'pix_nao_encontrado', refusalByEveryProvider('payment_not_found'), REQUEST_DEVOLUCAO_PAGE],
    [409, 'devolucao_id_duplicado', duplicateMeaning, REQUEST_DEVOLUCAO_PAGE],
    [400, 'PixDevolucaoInvalida valor', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida e2eid', refusalByEveryProvider('refund_refused'), PIX_API_STANDARD],
    [400, 'PixDevolucaoInvalida id', duplicateMeaning, PIX_API_STANDARD],
    [403, 'AcessoNegado', accessDenied, PIX_API_DEVOLUCAO_STANDARD],
  ],
  findRefund: [
    ...accessDeniedAnswers,
    [400, 'devolucao_nao_encontrada', absentMeaning, FIND_DEVOLUCAO_PAGE],
    [404, 'PixDevolucaoNaoEncontrada', absentMeaning, PIX_API_STANDARD],
  ],
  sendTransfer: [
    [400, 'documento_bloqueado', refusalByProvider('provider_account_blocked'), SEND_PIX_PAGE],
    [400, 'chave_invalida', refusalByProvider('collection_key_invalid'), SEND_PIX_PAGE],
    [400, 'chave_nao_pertence_ao_documento', refusalByEveryProvider('document_mismatch'), SEND_PIX_PAGE],
    [404, 'chave_favorecido_nao_encontrada', refusalByEveryProvider('pix_key_not_found'), SEND_PIX_PAGE],
    [409, 'id_envio_duplicado', duplicateMeaning, SEND_PIX_PAGE],
    [422, 'pagamento_negado', refusalByRail('payment_denied'), SEND_PIX_PAGE],
    [429, 'balde_fichas_vazio', refusalByProvider('rate_limited'), SEND_PIX_PAGE],
    [429, EMPTY_BUCKET_PROBLEM, refusalByProvider('rate_limited'), `${PAY_CODE_PAGE} (429)`],
  ],
  payCode: [
    [400, 'QrcodeOperacaoInvalida', refusalByProvider('provider_rejected'), PAY_CODE_PAGE],
    [403, 'insufficient_scope', accessDenied, PAY_CODE_PAGE],
    [429, EMPTY_BUCKET_PROBLEM, refusalByProvider('rate_limited'), `${PAY_CODE_PAGE} (429)`],
  ],
  findTransfer: [...accessDeniedAnswers, sentPixAbsentAnswer],
  createKey: [
    ...accessDeniedAnswers,
    [400, 'limite_criacao_chave_atingido', refusalByProvider('key_limit'), KEYS_PAGE],
  ],
  deleteKey: [...accessDeniedAnswers, [400, 'chave_nao_encontrada', absentMeaning, KEYS_PAGE]],
  listKeys: accessDeniedAnswers,
  balances: accessDeniedAnswers,
  statement: [...accessDeniedAnswers, sentPixAbsentAnswer],
  findReplacedUrl: [...accessDeniedAnswers, ...webhookAbsentAnswers],
  registerNotificationUrl: [
    ...accessDeniedAnswers,
    [400, 'valor_invalido', refusalByProvider('provider_validation'), WEBHOOK_PAGE],
    [400, 'webhook_invalido', refusalByProvider('provider_rejected'), WEBHOOK_PAGE],
  ],
  listDisputes: [...accessDeniedAnswers, invalidQueryAnswer],
  findDispute: [...accessDeniedAnswers, invalidQueryAnswer],
  findDisputedPix: [...accessDeniedAnswers, ...pixAbsentAnswers, sentPixAbsentAnswer],
  replyToDispute: [
    ...accessDeniedAnswers,
    [400, 'InfracoesConsultaInvalida', refusalByEveryProvider('reply_refused'), DISPUTES_PAGE],
    [404, 'InfracaoNaoEncontrada', refusalByEveryProvider('med_not_found'), DISPUTES_PAGE],
    [409, 'InfracaoOperacaoInvalida', duplicateMeaning, DISPUTES_PAGE],
    [422, 'InfracaoOperacaoInvalida', refusalByEveryProvider('reply_refused'), DISPUTES_PAGE],
  ],
})

export type EfiCall = keyof typeof efiAnswers
