import type { z } from 'zod'

/**
 * A message about a field, in English. The dashboard translates it by its text, whose `{gaps}` are filled afterwards;
 * a text of zod's own by `describe`.
 */
export type FieldMessage = string | { text: string; gaps?: Gaps; describe?: DescribeIssue }

/** Validates the input again, to describe its error in a locale of zod. */
export type DescribeIssue = (locale: z.core.$ZodErrorMap) => string | undefined

type Gaps = Record<string, unknown>

export function formatFieldMessage(message: FieldMessage): string {
  return typeof message === 'string' ? message : fillGaps(message.text, message.gaps)
}

/** Replaces the `{gaps}` of a text; without values the text stays as it is. */
export function fillGaps(text: string, gaps: Gaps | undefined): string {
  return gaps ? text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => String(gaps[gap] ?? '')) : text
}

/** Describes an error of a field in the terms of its sender, after the field's name: "must be a UUID". */
export const describeInFieldTerms: z.core.$ZodErrorMap = issue => {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_MESSAGES[issue.expected]
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return FORMAT_MESSAGES[issue.format]
    case 'too_small':
      return describeLimit(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')
    case 'too_big':
      return describeLimit(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')
    default:
      return undefined
  }
}

/** Describes an error of a query parameter: one that takes a single value and was repeated arrives as a list. */
export const describeInQueryTerms: z.core.$ZodErrorMap = issue =>
  Array.isArray(issue.input) && ['invalid_type', 'invalid_value'].includes(issue.code)
    ? 'must be sent once'
    : describeInFieldTerms(issue)

const TYPE_MESSAGES: Record<string, string> = {
  number: 'must be a number',
  int: 'must be a whole number',
  string: 'must be text',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
}

const FORMAT_MESSAGES: Record<string, string> = {
  guid: 'must be a UUID',
  uuid: 'must be a UUID',
  date: 'must be a date, such as 2026-11-21',
  datetime: 'must be a time with its offset, such as 2026-11-21T12:00:00Z',
  email: 'must be an e-mail address',
  url: 'must be a URL',
}

function describeLimit(origin: string, limit: number | bigint, bound: string): string {
  if (origin !== 'string' && origin !== 'array') return `must be ${bound} ${limit}`
  if (bound === 'at least' && limit === 1) return 'must not be empty'
  const parts = origin === 'string' ? ['character', 'characters'] : ['item', 'items']
  return `must have ${bound} ${limit} ${parts[Number(limit) === 1 ? 0 : 1]}`
}
