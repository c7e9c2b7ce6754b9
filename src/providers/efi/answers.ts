import {
  absent,
  type DocumentedAnswer,
  duplicate,
  type Meaning,
  refusedByRail,
  refusedEverywhere,
  refusedHere,
} from '../documented.ts'

/**
 * The answers outside 2xx that Efí's documentation explains, for each call. Names are Efí's `nome`, the last part of the
 * Central Bank's `type` (RFC 7807), or OAuth's `error`; a `PixDevolucaoInvalida` carries the field that it is about.
 * docs/providers/efi.md shows this table.
 *
 * What refuses a sending or a refund is listed by the page of that very call: a refusal that only another call's page shows
 * could let a second provider pay what the first one paid.
 *
 * Left out on purpose: `erro_aplicacao` (Efí documents it as its own fault), `valor_invalido` of a sending or a refund (its
 * text may say that the id was used), `pix_nao_encontrado` of a refund's look-up (it is not about the refund), and the
 * generic body of a route that does not exist.
 */

const SENDING = 'Efí, API Pix, Envio e Pagamento Pix: Requisitar envio de Pix'
const SENT = 'Efí, API Pix, Envio e Pagamento Pix: Consultar Pix enviado'
const PIX = 'Efí, API Pix, Gestão de Pix: Consultar Pix'
const REFUNDING = 'Efí, API Pix, Gestão de Pix: Solicitar devolução'
const REFUND = 'Efí, API Pix, Gestão de Pix: Consultar devolução'
const CHARGE = 'Efí, API Pix, Cobranças imediatas'
const KEYS = 'Efí, API Pix, Endpoints exclusivos Efí: Chaves evp'
const WEBHOOK = 'Efí, API Pix, Webhooks: Configurar o webhook Pix'
const DISPUTES = 'Efí, API Pix, Endpoints exclusivos Efí: Infrações MED'
const SCOPE = 'Efí, API Pix, Endpoints exclusivos Efí: Listar infrações MED (403)'
const STANDARD = 'Central Bank, pix-api 2.9.0, Tratamento de erros'
const REFUND_STANDARD = 'Central Bank, pix-api 2.9.0: PUT /pix/{e2eid}/devolucao/{id} (403)'
const OAUTH = 'RFC 6750, section 3.1 (Efí, API Pix, Credenciais: OAuth 2.0)'

const answer = (status: number, name: string, meaning: Meaning, source: string): DocumentedAnswer => ({
  status,
  name,
  meaning,
  source,
})

/** The refusal of a token, of which Efí says that the call was not carried out. */
export const TOKEN_REFUSED = 'invalid_token'

/** The caller is not allowed to make the call. Not for what moves money: no page of those calls lists these. */
const notAllowed = [
  answer(401, TOKEN_REFUSED, refusedHere('provider_denied'), OAUTH),
  answer(403, 'insufficient_scope', refusedHere('provider_denied'), SCOPE),
  answer(403, 'AcessoNegado', refusedHere('provider_denied'), `${PIX} (403)`),
]

const chargeAbsent = [
  answer(400, 'cobranca_nao_encontrada', absent, CHARGE),
  answer(404, 'CobNaoEncontrado', absent, STANDARD),
]

const pixAbsent = [
  answer(400, 'pix_nao_encontrado', absent, PIX),
  answer(404, 'PixNaoEncontrado', absent, STANDARD),
]

export const efiAnswers = {
  issueCharge: [
    ...notAllowed,
    answer(400, 'documento_bloqueado', refusedHere('provider_account_blocked'), CHARGE),
    answer(400, 'chave_invalida', refusedHere('collection_key_invalid'), CHARGE),
    answer(400, 'valor_invalido', refusedHere('provider_validation'), CHARGE),
    answer(400, 'CobOperacaoInvalida', refusedHere('charge_refused'), STANDARD),
    answer(409, 'txid_duplicado', duplicate, CHARGE),
  ],
  findCharge: [...notAllowed, ...chargeAbsent],
  cancelCharge: [
    ...notAllowed,
    ...chargeAbsent,
    answer(400, 'status_cobranca_invalido', refusedHere('charge_refused'), CHARGE),
    answer(400, 'CobOperacaoInvalida', refusedHere('charge_refused'), STANDARD),
  ],
  findPayment: [...notAllowed, ...pixAbsent],
  refund: [
    answer(400, 'pix_nao_encontrado', refusedEverywhere('payment_not_found'), REFUNDING),
    answer(409, 'devolucao_id_duplicado', duplicate, REFUNDING),
    answer(400, 'PixDevolucaoInvalida valor', refusedEverywhere('refund_refused'), STANDARD),
    answer(400, 'PixDevolucaoInvalida e2eid', refusedEverywhere('refund_refused'), STANDARD),
    answer(400, 'PixDevolucaoInvalida id', duplicate, STANDARD),
    answer(403, 'AcessoNegado', refusedHere('provider_denied'), REFUND_STANDARD),
  ],
  findRefund: [
    ...notAllowed,
    answer(400, 'devolucao_nao_encontrada', absent, REFUND),
    answer(404, 'PixDevolucaoNaoEncontrada', absent, STANDARD),
  ],
  sendTransfer: [
    answer(400, 'documento_bloqueado', refusedHere('provider_account_blocked'), SENDING),
    answer(400, 'chave_invalida', refusedHere('collection_key_invalid'), SENDING),
    answer(400, 'chave_nao_pertence_ao_documento', refusedEverywhere('document_mismatch'), SENDING),
    answer(404, 'chave_favorecido_nao_encontrada', refusedEverywhere('pix_key_not_found'), SENDING),
    answer(409, 'id_envio_duplicado', duplicate, SENDING),
    answer(422, 'pagamento_negado', refusedByRail('payment_denied'), SENDING),
    answer(429, 'balde_fichas_vazio', refusedHere('rate_limited'), SENDING),
  ],
  findTransfer: [...notAllowed, answer(404, 'PixEnviadoNaoEncontrado', absent, SENT)],
  createKey: [...notAllowed, answer(400, 'limite_criacao_chave_atingido', refusedHere('key_limit'), KEYS)],
  deleteKey: [...notAllowed, answer(400, 'chave_nao_encontrada', absent, KEYS)],
  listKeys: notAllowed,
  balances: notAllowed,
  statement: notAllowed,
  registerNotices: [
    ...notAllowed,
    answer(400, 'valor_invalido', refusedHere('provider_validation'), WEBHOOK),
    answer(400, 'webhook_invalido', refusedHere('provider_rejected'), WEBHOOK),
  ],
  listMeds: [
    ...notAllowed,
    answer(400, 'InfracoesConsultaInvalida', refusedHere('provider_validation'), DISPUTES),
  ],
  findMed: [
    ...notAllowed,
    answer(400, 'InfracoesConsultaInvalida', refusedHere('provider_validation'), DISPUTES),
  ],
  findDisputedPix: [...notAllowed, ...pixAbsent, answer(404, 'PixEnviadoNaoEncontrado', absent, SENT)],
  replyMed: [
    ...notAllowed,
    answer(400, 'InfracoesConsultaInvalida', refusedEverywhere('reply_refused'), DISPUTES),
    answer(404, 'InfracaoNaoEncontrada', refusedEverywhere('med_not_found'), DISPUTES),
    answer(409, 'InfracaoOperacaoInvalida', duplicate, DISPUTES),
    answer(422, 'InfracaoOperacaoInvalida', refusedEverywhere('reply_refused'), DISPUTES),
  ],
} satisfies Record<string, readonly DocumentedAnswer[]>

export type EfiCall = keyof typeof efiAnswers
