import { z } from 'zod'
import { finalityOf, isRailCode, railCodes } from '../../domain/rail-codes.ts'
import type { Answer } from '../exchange.ts'
import type { Refusal } from '../outcomes.ts'

/**
 * Efí speaks two error dialects: the Central Bank's (RFC 7807) and its own; at the gate also OAuth's. A framework's or
 * proxy's error page looks much like them (`error: "Not Found"`, `type: "about:blank"`) and must not pass for one.
 */
const problem = z.object({
  type: z.string().regex(/\/error\/\w+$/),
  title: z.string().nullish(),
  detail: z.string().nullish(),
  violacoes: z.array(z.object({ propriedade: z.string().nullish() })).nullish(),
})
/** Efí documents `erro`, the rail's own word, in its notices; an error may carry it as it is or in its extras. */
const erro = z.object({ codigo: z.string() }).nullish()
const efi = z.object({
  nome: z.string(),
  mensagem: z.string().nullish(),
  erro,
  gnExtras: z.object({ erro }).nullish(),
})
const oauth = z.object({
  error: z.enum(['invalid_token', 'insufficient_scope', 'unauthorized']),
  error_description: z.string().nullish(),
})

const efiError = z.union([
  problem.transform(
    ({ type, title, detail, violacoes }): EfiError => ({
      name: type.slice(type.lastIndexOf('/') + 1),
      message: detail ?? title,
      violated: violacoes?.map(({ propriedade }) => propriedade ?? ''),
    }),
  ),
  efi.transform(
    ({ nome, mensagem, erro, gnExtras }): EfiError => ({
      name: nome,
      message: mensagem,
      railCode: (erro ?? gnExtras?.erro)?.codigo,
    }),
  ),
  oauth.transform(({ error, error_description }): EfiError => ({ name: error, message: error_description })),
])
type EfiError = { name: string; message?: string | null; violated?: string[]; railCode?: string }

const LONGEST_MESSAGE = 300

/** The no in a 4xx of Efí's, or undefined where neither dialect speaks: a proxy's page proves nothing. */
export function refusalOf(answer: Answer): Refusal | undefined {
  const parsed = efiError.safeParse(answer.json)
  if (!parsed.success) return answer.status === 401 ? unauthorized : undefined
  const error = parsed.data
  const message = error.message || `The provider refused with HTTP status ${answer.status}`
  return {
    says: says(answer.status, error),
    ...classOf(error),
    providerCode: error.name,
    message: message.slice(0, LONGEST_MESSAGE),
  }
}

/** Our name for each refusal, and whether its cause is the provider's or travels with the payment. */
function classOf({ name, railCode }: EfiError): Pick<Refusal, 'code' | 'finality'> {
  if (railCode && isRailCode(railCode)) return { code: railCode, finality: finalityOf(railCode) }
  return Object.hasOwn(refusals, name) ? refusals[name]! : otherMayHelp('provider_rejected')
}

const otherMayHelp = (code: string) => ({ code, finality: 'other_may_help' as const })
const final = (code: string) => ({ code, finality: 'final' as const })

const refusals: Record<string, Pick<Refusal, 'code' | 'finality'>> = {
  AcessoNegado: otherMayHelp('provider_denied'),
  insufficient_scope: otherMayHelp('provider_denied'),
  unauthorized: otherMayHelp('provider_denied'),
  invalid_token: otherMayHelp('provider_denied'),
  documento_bloqueado: otherMayHelp('provider_account_blocked'),
  saldo_insuficiente: otherMayHelp('insufficient_balance'),
  chave_invalida: otherMayHelp('collection_key_invalid'),
  valor_invalido: otherMayHelp('provider_validation'),
  RequisicaoInvalida: otherMayHelp('provider_validation'),
  CobOperacaoInvalida: otherMayHelp('charge_refused'),
  status_cobranca_invalido: otherMayHelp('charge_refused'),
  PixDevolucaoInvalida: final('refund_refused'),
  PixNaoEncontrado: final('payment_not_found'),
  pix_nao_encontrado: final('payment_not_found'),
  chave_nao_encontrada: final('pix_key_not_found'),
  InfracoesConsultaInvalida: otherMayHelp('provider_validation'),
  InfracaoOperacaoInvalida: final('reply_refused'),
  InfracaoNaoEncontrada: final('med_not_found'),
  limite_criacao_chave_atingido: otherMayHelp('key_limit'),
  chave_nao_pertence_ao_documento: final('document_mismatch'),
  pagamento_negado: final('payment_denied'),
}

/** Efí answers 400 where the Central Bank answers 404, and the Central Bank 400 where Efí answers 409; so names decide. */
function says(status: number, { name, violated }: EfiError): Refusal['says'] {
  if (status === 409 || /duplicad/i.test(name)) return 'duplicate'
  if (name === 'PixDevolucaoInvalida' && violated?.some(field => /(^|\.)id$/.test(field))) return 'duplicate'
  return status === 404 || /nao_?encontrad/i.test(name) ? 'absent' : 'no'
}

/** Nothing was done without a token, whoever says so. */
const unauthorized: Refusal = {
  says: 'no',
  ...otherMayHelp('provider_denied'),
  message: 'Efí does not take our token',
}

type RailError = { codigo?: string | null; motivo?: string | null }

/** Why the rail rejected a movement that Efí had taken. */
export function rejectionOf(error: RailError | null | undefined, motivo?: string | null) {
  const code = error?.codigo && isRailCode(error.codigo) ? error.codigo : 'provider_rejected'
  const message = motivo ?? error?.motivo ?? railCodes[code]?.meaning ?? 'The provider did not carry it out'
  return { code, message: message.slice(0, LONGEST_MESSAGE) }
}
