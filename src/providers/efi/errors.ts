import { z } from 'zod'
import { isRailCode, RAIL_CODES } from '../../domain/pix/rail-codes.ts'
import type { NamedError } from '../adapter/documented-answers.ts'
import type { ProviderResponse } from '../http/exchange.ts'

/** The Central Bank's problem (RFC 7807). The undefined fields are of the other shapes: a body has one shape. */
const problemSchema = z.object({
  type: z.string().regex(/^https:\/\/pix\.bcb\.gov\.br\/api\/v2\/error\/\w+$/),
  title: z.string().nullish(),
  status: z.number().nullish(),
  detail: z.string().nullish(),
  violacoes: z.array(z.object({ propriedade: z.string().nullish() })).nullish(),
  nome: z.undefined().optional(),
  error: z.undefined().optional(),
})

/** The rail's code, in the shape of Efí's notifications. */
const railErrorSchema = z.object({ codigo: z.string() }).nullish()
/** Efí's own error. */
const namedErrorSchema = z.object({
  nome: z.string().regex(/^[a-z][a-z_]*$/),
  mensagem: z.string().nullish(),
  erro: railErrorSchema,
  gnExtras: z.object({ erro: railErrorSchema }).nullish(),
  type: z.undefined().optional(),
  error: z.undefined().optional(),
})

const OAUTH_ERRORS = ['invalid_token', 'insufficient_scope', 'invalid_request'] as const
const oauthErrorSchema = z.object({
  error: z.enum(OAUTH_ERRORS),
  error_description: z.string().nullish(),
  nome: z.undefined().optional(),
  type: z.undefined().optional(),
})

/**
 * Reads the error of an answer outside 2xx in one of the three shapes that Efí documents; undefined for any other body,
 * such as an error page, a list or a wrapped error. The status in a problem must be the answer's own.
 */
export function readEfiError({ status, json }: ProviderResponse): NamedError | undefined {
  const problem = problemSchema.safeParse(json).data
  if (problem) {
    if ((problem.status ?? status) !== status) return undefined
    const { detail, title } = problem
    return { name: getProblemName(problem), message: detail ?? title ?? '' }
  }
  const namedError = namedErrorSchema.safeParse(json).data
  // No error of Efí's own has a name of RFC 6750.
  if (namedError && !OAUTH_ERRORS.some(oauthName => oauthName === namedError.nome)) {
    const railCode = (namedError.erro ?? namedError.gnExtras?.erro)?.codigo
    return { name: namedError.nome, message: namedError.mensagem ?? '', railCode }
  }
  const oauthError = oauthErrorSchema.safeParse(json).data
  return oauthError && { name: oauthError.error, message: oauthError.error_description ?? '' }
}

/** Gets the last part of a problem's type; for a refused devolução followed by the last part of each invalid field. */
function getProblemName({ type, violacoes }: z.infer<typeof problemSchema>): string {
  const name = type.slice(type.lastIndexOf('/') + 1)
  if (name !== 'PixDevolucaoInvalida') return name
  const fields = (violacoes ?? []).map(({ propriedade }) => propriedade?.split('.').at(-1) ?? '')
  return [name, ...new Set(fields)].join(' ')
}

type EfiRailError = { codigo?: string | null; motivo?: string | null }

const MAX_MESSAGE_LENGTH = 300

/** Converts the rail's rejection of a payout that Efí had accepted into our code and a bounded message. */
export function toEfiRejection(error: EfiRailError | null | undefined, motivo?: string | null) {
  const code = error?.codigo && isRailCode(error.codigo) ? error.codigo : 'provider_rejected'
  const message = motivo ?? error?.motivo ?? RAIL_CODES[code]?.meaning ?? 'The provider did not carry it out'
  return { code, message: message.slice(0, MAX_MESSAGE_LENGTH) }
}
