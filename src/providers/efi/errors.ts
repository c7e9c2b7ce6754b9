import { z } from 'zod'
import { isRailCode, RAIL_CODES } from '../../domain/pix/rail-codes.ts'
import type { NamedError } from '../adapter/documented-answers.ts'
import type { ProviderResponse } from '../http/exchange.ts'

/**
 * The three shapes of error that Efí documents: the Central Bank's problem (RFC 7807), its own `nome` and `mensagem`, and
 * OAuth's at the gate. A body is of one of them or of none: an error page, a list and an error wrapped into something else
 * are no documented errors, and a problem says the status that it came with.
 */
const problemSchema = z.object({
  type: z.string().regex(/^https:\/\/pix\.bcb\.gov\.br\/api\/v2\/error\/\w+$/),
  title: z.string().nullish(),
  status: z.number().nullish(),
  detail: z.string().nullish(),
  violacoes: z.array(z.object({ propriedade: z.string().nullish() })).nullish(),
  nome: z.undefined().optional(),
  error: z.undefined().optional(),
})

/** The rail's own code, in the shape of Efí's notifications. */
const railErrorSchema = z.object({ codigo: z.string() }).nullish()
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

/** The error in an answer outside 2xx, or undefined where it has none of Efí's shapes. */
export function readEfiError({ status, json }: ProviderResponse): NamedError | undefined {
  const asProblem = problemSchema.safeParse(json).data
  if (asProblem) {
    if ((asProblem.status ?? status) !== status) return undefined
    const { detail, title } = asProblem
    return { name: getProblemName(asProblem), message: detail ?? title ?? '' }
  }
  const asNamed = namedErrorSchema.safeParse(json).data
  if (asNamed && !isOAuthErrorName(asNamed.nome)) {
    const railCode = (asNamed.erro ?? asNamed.gnExtras?.erro)?.codigo
    return { name: asNamed.nome, message: asNamed.mensagem ?? '', railCode }
  }
  const asOAuth = oauthErrorSchema.safeParse(json).data
  return asOAuth && { name: asOAuth.error, message: asOAuth.error_description ?? '' }
}

/** RFC 6750: no error of Efí's own has one of these names. */
function isOAuthErrorName(name: string): boolean {
  return OAUTH_ERRORS.some(one => one === name)
}

/** The last part of the type; of a refused return with the last part of each field that it is about. */
function getProblemName({ type, violacoes }: z.infer<typeof problemSchema>): string {
  const name = type.slice(type.lastIndexOf('/') + 1)
  if (name !== 'PixDevolucaoInvalida') return name
  const fields = (violacoes ?? []).map(({ propriedade }) => propriedade?.split('.').at(-1) ?? '')
  return [name, ...new Set(fields)].join(' ')
}

type EfiRailError = { codigo?: string | null; motivo?: string | null }

const MAX_MESSAGE_LENGTH = 300

/** Why the rail rejected a movement that Efí had accepted. */
export function toEfiRejection(error: EfiRailError | null | undefined, motivo?: string | null) {
  const code = error?.codigo && isRailCode(error.codigo) ? error.codigo : 'provider_rejected'
  const message = motivo ?? error?.motivo ?? RAIL_CODES[code]?.meaning ?? 'The provider did not carry it out'
  return { code, message: message.slice(0, MAX_MESSAGE_LENGTH) }
}
