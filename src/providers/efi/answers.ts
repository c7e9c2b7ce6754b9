import {
  absentMeaning,
  type DocumentedAnswer,
  documentAnswers,
  duplicateMeaning,
  refusalByEveryProvider,
  refusalByProvider,
  refusalByRail,
} from '../adapter/documented-answers.ts'

const SEND_PIX_PAGE = 'Efí, API Pix, Envio e Pagamento Pix: Requisitar envio de Pix'
const SENT_PIX_PAGE = 'Efí, API Pix, Envio e Pagamento Pix: Consultar Pix enviado'
const RECEIVED_PIX_PAGE = 'Efí, API Pix, Gestão de Pix: Consultar Pix'
const REQUEST_DEVOLUCAO_PAGE = 'Efí, API Pix, Gestão de Pix: Solicitar devolução'
const FIND_DEVOLUCAO_PAGE = 'Efí, API Pix, Gestão de Pix: Consultar devolução'
const COB_PAGE = 'Efí, API Pix, Cobranças imediatas'
const KEYS_PAGE = 'Efí, API Pix, Endpoints exclusivos Efí: Chaves evp'
const WEBHOOK_PAGE = 'Efí, API Pix, Webhooks: Configurar o webhook Pix'
const DISPUTES_PAGE = 'Efí, API Pix, Endpoints exclusivos Efí: Infrações MED'
const SCOPE_PAGE = 'Efí, API Pix, Endpoints exclusivos Efí: Listar infrações MED (403)'
const PIX_API_STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'
const PIX_API_DEVOLUCAO_STANDARD = 'Central Bank, pix-api 2.9.0: PUT /pix/{e2eid}/devolucao/{id} (403)'
const OAUTH_STANDARD = 'RFC 6750, section 3.1 (Efí, API Pix, Credenciais: OAuth 2.0)'

/** Name of the answer that refuses the access token; Efí documents that the call was not carried out. */
export const TOKEN_REFUSED = 'invalid_token'

/** Refusals of a caller without permission. Not for calls that move money: their pages do not list them. */
const accessDeniedAnswers = [
  ...documentAnswers(OAUTH_STANDARD, [401, TOKEN_REFUSED, refusalByProvider('provider_denied')]),
  ...documentAnswers(SCOPE_PAGE, [403, 'insufficient_scope', refusalByProvider('provider_denied')]),
  ...documentAnswers(`${RECEIVED_PIX_PAGE} (403)`, [
    403,
    'AcessoNegado',
    refusalByProvider('provider_denied'),
  ]),
]

const chargeAbsentAnswers = [
  ...documentAnswers(COB_PAGE, [400, 'cobranca_nao_encontrada', absentMeaning]),
  ...documentAnswers(PIX_API_STANDARD, [404, 'CobNaoEncontrado', absentMeaning]),
]

const pixAbsentAnswers = [
  ...documentAnswers(RECEIVED_PIX_PAGE, [400, 'pix_nao_encontrado', absentMeaning]),
  ...documentAnswers(PIX_API_STANDARD, [404, 'PixNaoEncontrado', absentMeaning]),
]

const sentPixAbsentAnswers = documentAnswers(SENT_PIX_PAGE, [404, 'PixEnviadoNaoEncontrado', absentMeaning])
const invalidQueryAnswers = documentAnswers(DISPUTES_PAGE, [
  400,
  'InfracoesConsultaInvalida',
  refusalByProvider('provider_validation'),
])

/**
 * Lists the answers outside 2xx that Efí's documentation explains, by call. Names are Efí's `nome`, the last part of
 * the Central Bank's `type` (RFC 7807), or OAuth's `error`; `PixDevolucaoInvalida` is followed by the field that it
 * is about. docs/providers/efi.md shows this table.
 *
 * A refusal of a transfer or refund is listed only from the page of that same call: a refusal that another call's
 * page shows could let a second provider pay what the first has paid.
 *
 * Left out on purpose: `erro_aplicacao` (Efí documents it as a fault of its own), `valor_invalido` of a transfer or
 * refund (its text may mean that the id was used), `pix_nao_encontrado` of a refund's look-up (it is not about the
 * refund), and the generic body of a route that does not exist.
 */
export const efiAnswers = {
  issueCharge: [
    ...accessDeniedAnswers,
    ...documentAnswers(
      COB_PAGE,
      [400, 'documento_bloqueado', refusalByProvider('provider_account_blocked')],
      [400, 'chave_invalida', refusalByProvider('collection_key_invalid')],
      [400, 'valor_invalido', refusalByProvider('provider_validation')],
    ),
    ...documentAnswers(PIX_API_STANDARD, [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused')]),
    ...documentAnswers(COB_PAGE, [409, 'txid_duplicado', duplicateMeaning]),
  ],
  findCharge: [...accessDeniedAnswers, ...chargeAbsentAnswers],
  cancelCharge: [
    ...accessDeniedAnswers,
    ...chargeAbsentAnswers,
    ...documentAnswers(COB_PAGE, [400, 'status_cobranca_invalido', refusalByProvider('charge_refused')]),
    ...documentAnswers(PIX_API_STANDARD, [400, 'CobOperacaoInvalida', refusalByProvider('charge_refused')]),
  ],
  findPayment: [...accessDeniedAnswers, ...pixAbsentAnswers],
  refund: [
    ...documentAnswers(
      REQUEST_DEVOLUCAO_PAGE,
      [400, 'pix_nao_encontrado', refusalByEveryProvider('payment_not_found')],
      [409, 'devolucao_id_duplicado', duplicateMeaning],
    ),
    ...documentAnswers(
      PIX_API_STANDARD,
      [400, 'PixDevolucaoInvalida valor', refusalByEveryProvider('refund_refused')],
      [400, 'PixDevolucaoInvalida e2eid', refusalByEveryProvider('refund_refused')],
      [400, 'PixDevolucaoInvalida id', duplicateMeaning],
    ),
    ...documentAnswers(PIX_API_DEVOLUCAO_STANDARD, [
      403,
      'AcessoNegado',
      refusalByProvider('provider_denied'),
    ]),
  ],
  findRefund: [
    ...accessDeniedAnswers,
    ...documentAnswers(FIND_DEVOLUCAO_PAGE, [400, 'devolucao_nao_encontrada', absentMeaning]),
    ...documentAnswers(PIX_API_STANDARD, [404, 'PixDevolucaoNaoEncontrada', absentMeaning]),
  ],
  sendTransfer: documentAnswers(
    SEND_PIX_PAGE,
    [400, 'documento_bloqueado', refusalByProvider('provider_account_blocked')],
    [400, 'chave_invalida', refusalByProvider('collection_key_invalid')],
    [400, 'chave_nao_pertence_ao_documento', refusalByEveryProvider('document_mismatch')],
    [404, 'chave_favorecido_nao_encontrada', refusalByEveryProvider('pix_key_not_found')],
    [409, 'id_envio_duplicado', duplicateMeaning],
    [422, 'pagamento_negado', refusalByRail('payment_denied')],
    [429, 'balde_fichas_vazio', refusalByProvider('rate_limited')],
  ),
  findTransfer: [...accessDeniedAnswers, ...sentPixAbsentAnswers],
  createKey: [
    ...accessDeniedAnswers,
    ...documentAnswers(KEYS_PAGE, [400, 'limite_criacao_chave_atingido', refusalByProvider('key_limit')]),
  ],
  deleteKey: [
    ...accessDeniedAnswers,
    ...documentAnswers(KEYS_PAGE, [400, 'chave_nao_encontrada', absentMeaning]),
  ],
  listKeys: accessDeniedAnswers,
  balances: accessDeniedAnswers,
  statement: accessDeniedAnswers,
  registerNotificationUrl: [
    ...accessDeniedAnswers,
    ...documentAnswers(
      WEBHOOK_PAGE,
      [400, 'valor_invalido', refusalByProvider('provider_validation')],
      [400, 'webhook_invalido', refusalByProvider('provider_rejected')],
    ),
  ],
  listDisputes: [...accessDeniedAnswers, ...invalidQueryAnswers],
  findDispute: [...accessDeniedAnswers, ...invalidQueryAnswers],
  findDisputedPix: [...accessDeniedAnswers, ...pixAbsentAnswers, ...sentPixAbsentAnswers],
  replyToDispute: [
    ...accessDeniedAnswers,
    ...documentAnswers(
      DISPUTES_PAGE,
      [400, 'InfracoesConsultaInvalida', refusalByEveryProvider('reply_refused')],
      [404, 'InfracaoNaoEncontrada', refusalByEveryProvider('med_not_found')],
      [409, 'InfracaoOperacaoInvalida', duplicateMeaning],
      [422, 'InfracaoOperacaoInvalida', refusalByEveryProvider('reply_refused')],
    ),
  ],
} satisfies Record<string, readonly DocumentedAnswer[]>

export type EfiCall = keyof typeof efiAnswers
