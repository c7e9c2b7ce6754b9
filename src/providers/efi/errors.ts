import { z } from 'zod'
import { isRailCode } from '../../domain/pix/rail-codes.ts'
import type { NamedError } from '../adapter/documented-answers.ts'
import { toPayoutRejection } from '../adapter/outcomes.ts'
import { bacenProblemSchema } from '../bacen/errors.ts'
import type { ProviderResponse } from '../http/exchange.ts'
import { efiAnswers } from './answers.ts'

/** Excludes the fields of the other shapes: a body has one shape. */
const absent = z.undefined().optional()
const textSchema = z.string().nullish()

const OAUTH_ERRORS = ['invalid_token', 'insufficient_scope', 'invalid_request'] as const
const oauthErrorSchema = z
  .object({ error: z.enum(OAUTH_ERRORS), error_description: textSchema, nome: absent, type: absent })
  .transform(({ error: name, error_description: message }) => ({ error: { name, message: message ?? '' } }))

/** The rail's code, in the shape of Efí's notifications. */
const railErrorSchema = z.object({ codigo: z.string() }).nullish()
/** Efí's own error; none has a name of RFC 6750. */
const ownErrorSchema = z
  .object({
    nome: z
      .string()
      .regex(/^[a-z][a-z_]*$/)
      .refine(nome => !OAUTH_ERRORS.some(name => name === nome)),
    mensagem: textSchema,
    erro: railErrorSchema,
    gnExtras: z.object({ erro: railErrorSchema }).nullish(),
    type: absent,
    error: absent,
  })
  .transform(({ nome: name, mensagem, erro, gnExtras }) => ({
    error: { name, message: mensagem ?? '', railCode: (erro ?? gnExtras?.erro)?.codigo },
  }))

const errorSchema: z.ZodType<{ error: NamedError; status?: number | null | undefined }> = z.union([
  bacenProblemSchema,
  ownErrorSchema,
  oauthErrorSchema,
])

/**
 * Reads the error of an answer outside 2xx in one of the three shapes that Efí documents; undefined for any other body,
 * such as an error page, a list or a wrapped error. The status in a problem must be the answer's own.
 */
export function readEfiError({ status, json }: ProviderResponse): NamedError | undefined {
  const { data } = errorSchema.safeParse(json)
  return data && (data.status ?? status) === status ? data.error : undefined
}

type EfiRailError = { codigo?: string | null; motivo?: string | null }

/**
 * Converts the rejection of a payout that Efí had accepted into our code and a bounded message. Its `codigo` is the rail's,
 * or a name with which Efí also refuses an order at once; a devolução has the rail's code as its `motivo`.
 */
export function toEfiRejection(error: EfiRailError | null | undefined, motivo?: string | null) {
  const code = [error?.codigo, motivo].map(name => name && findRejectionCode(name)).find(Boolean)
  return toPayoutRejection(code || undefined, motivo ?? error?.motivo)
}

function findRejectionCode(name: string): string | undefined {
  if (isRailCode(name)) return name
  const { meaning } = efiAnswers.sendTransfer.find(answer => answer.name === name) ?? {}
  return meaning?.kind === 'refused' ? meaning.code : undefined
}
