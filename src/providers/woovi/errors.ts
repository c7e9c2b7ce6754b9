import { z } from 'zod'
import type { NamedError } from '../adapter/documented-answers.ts'
import type { ProviderResponse } from '../http/exchange.ts'

/**
 * The two shapes of error that Woovi documents: a sentence, sometimes with a code, and a list with the one error of a
 * request ("AppID Inválido"). A body of both shapes, or with anything else in place of a text, is of neither.
 */
const sentenceSchema = z.string().min(1)
const singleErrorSchema = z
  .object({ error: sentenceSchema, errorCode: sentenceSchema.nullish(), errors: z.undefined().optional() })
  .transform(({ error, errorCode }): NamedError => ({ name: errorCode ?? error, message: error }))
const listedErrorSchema = z
  .object({ error: z.undefined().optional(), errors: z.tuple([z.object({ message: sentenceSchema })]) })
  .transform(({ errors: [{ message }] }): NamedError => ({ name: message, message }))
const errorSchema = z.union([singleErrorSchema, listedErrorSchema])

/** An error in a shape that Woovi documents, named by its code or else by its whole sentence. */
export function readWooviError({ json }: Pick<ProviderResponse, 'json'>): NamedError | undefined {
  return errorSchema.safeParse(json).data
}
