import { z } from 'zod'
import type { NamedError } from '../documented.ts'
import type { Answer } from '../exchange.ts'

/**
 * The two shapes of error that Woovi documents: a sentence, sometimes with a code, and a list with the one error of a
 * request ("AppID Inválido"). A body of both shapes, or with anything else in place of a text, is of neither.
 */
const sentence = z.string().min(1)
const single = z
  .object({ error: sentence, errorCode: sentence.nullish(), errors: z.undefined().optional() })
  .transform(({ error, errorCode }): NamedError => ({ name: errorCode ?? error, message: error }))
const listed = z
  .object({ error: z.undefined().optional(), errors: z.tuple([z.object({ message: sentence })]) })
  .transform(({ errors: [{ message }] }): NamedError => ({ name: message, message }))
const shape = z.union([single, listed])

/** An error in a shape that Woovi documents, named by its code or else by its whole sentence. */
export function errorIn({ json }: Pick<Answer, 'json'>): NamedError | undefined {
  return shape.safeParse(json).data
}
