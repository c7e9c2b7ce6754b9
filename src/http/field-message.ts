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
