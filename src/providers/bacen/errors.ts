import { z } from 'zod'
import { findRailCode } from '../../domain/pix/rail-codes.ts'
import type { NamedError } from '../adapter/documented-answers.ts'
import { toPayoutRejection } from '../adapter/outcomes.ts'
import type { ProviderResponse } from '../http/exchange.ts'
import type { ToBacenRejection } from './mapping.ts'

/** Excludes the fields of other shapes: a body has one shape. */
const absent = z.undefined().optional()
const textSchema = z.string().nullish()

/** The Central Bank's problem (RFC 7807): the last part of its type names it (pix-api 2.9.0, "Tratamento de erros"). */
export const bacenProblemSchema = z
  .object({
    type: z.string().regex(/^https:\/\/pix\.bcb\.gov\.br\/api\/v2\/error\/\w+$/),
    title: textSchema,
    status: z.number().nullish(),
    detail: textSchema,
    violacoes: z.array(z.object({ propriedade: textSchema })).nullish(),
    nome: absent,
    error: absent,
  })
  .transform(({ type, violacoes, detail, title, status }) => {
    const fields = (violacoes ?? []).map(({ propriedade }) => propriedade?.split('.').at(-1) ?? '')
    return { status, error: { name: getProblemName(type, fields), message: detail ?? title ?? '' } }
  })

/** Reads the Central Bank's problem of an answer; undefined for any other body, or where its status is not the answer's own. */
export function readBacenProblem({ status, json }: ProviderResponse): NamedError | undefined {
  const { data } = bacenProblemSchema.safeParse(json)
  return data && (data.status ?? status) === status ? data.error : undefined
}

/** Gets the last part of a problem's type; for a refused devolução followed by the last part of each invalid field. */
function getProblemName(type: string, fields: string[]): string {
  const name = type.slice(type.lastIndexOf('/') + 1)
  return name === 'PixDevolucaoInvalida' ? [name, ...new Set(fields)].join(' ') : name
}

/** Converts a failed devolução whose only cause is the Central Bank's `motivo`: a code of the rail, or a text. */
export const toMotivoRejection: ToBacenRejection = ({ motivo }) =>
  toPayoutRejection(findRailCode(motivo), motivo)
