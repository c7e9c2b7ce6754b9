import { z } from 'zod'
import type { NamedError } from '../adapter/documented-answers.ts'
import { readBacenProblem } from '../bacen/errors.ts'
import type { ProviderResponse } from '../http/exchange.ts'

/** Excludes the fields of other shapes: a body has one shape. */
const absent = z.undefined().optional()

/** A problem of Banking (`Banking_Problema`): its title names it, and its status is a number or, in the examples, a text. */
const bankingProblemSchema = z.object({
  title: z.string().min(1),
  detail: z.string(),
  status: z.coerce.number().nullish(),
  type: absent,
  error: absent,
  erro: absent,
})

/**
 * Reads the error of an answer outside 2xx in one of the two shapes that Inter documents: the Central Bank's problem, and
 * Banking's. Undefined for any other body, or where a problem's status is not the answer's own.
 */
export function readInterError(answer: ProviderResponse): NamedError | undefined {
  const { data } = bankingProblemSchema.safeParse(answer.json)
  if (!data) return readBacenProblem(answer)
  const { title: name, detail: message, status } = data
  return (status ?? answer.status) === answer.status ? { name, message } : undefined
}
