import { z } from 'zod'
import type { NamedError } from '../adapter/documented-answers.ts'
import type { ProviderResponse } from '../http/exchange.ts'

const sentenceSchema = z.string().min(1)
const singleErrorSchema = z
  .object({ error: sentenceSchema, errorCode: sentenceSchema.nullish(), errors: z.undefined().optional() })
  .transform(({ error, errorCode }): NamedError => ({ name: errorCode ?? error, message: error }))
const listedErrorSchema = z
  .object({ error: z.undefined().optional(), errors: z.tuple([z.object({ message: sentenceSchema })]) })
  .transform(({ errors: [{ message }] }): NamedError => ({ name: message, message }))
const errorSchema = z.union([singleErrorSchema, listedErrorSchema])

/**
 * Reads an error in one of the two shapes that Woovi documents: a sentence, sometimes with a code, or a list with
 * exactly one error ("AppID Inválido"). Its name is the code, or else the whole sentence. Undefined for any other
 * body, both shapes together included.
 */
export function readWooviError({ json }: Pick<ProviderResponse, 'json'>): NamedError | undefined {
  return errorSchema.safeParse(json).data
}
