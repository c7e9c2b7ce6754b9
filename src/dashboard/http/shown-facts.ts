import { z } from 'zod'
import type { Language } from '../i18n/translator.ts'

/** What a page showed when its form was made, so that a change since is found before the form is carried out. */

/** A fact of an object, as the page shows it. */
export type ShownFact = {
  /** Phrase that names the fact. */
  name: string
  value: string
}

export type FactChange = { name: string; before: string; value: string }

const factsSchema = z.object({
  language: z.string(),
  facts: z.array(z.tuple([z.string(), z.string()])).max(50),
})

/** Encodes facts for a hidden field. */
export function encodeFacts(language: Language, facts: ShownFact[]): string {
  const encodedFacts = { language, facts: facts.map(({ name, value }) => [name, value]) }
  return Buffer.from(JSON.stringify(encodedFacts)).toString('base64url')
}

/**
 * Lists the facts that differ from those of a hidden field; null where it has none, or those of another language, whose
 * texts cannot be compared.
 */
export function listFactChanges(
  encoded: string | null,
  language: Language,
  facts: ShownFact[],
): FactChange[] | null {
  const earlierFacts = readFacts(encoded, language)
  if (!earlierFacts) return null
  return facts.flatMap(({ name, value }) => {
    const earlierValue = earlierFacts.get(name)
    return earlierValue === value ? [] : [{ name, before: earlierValue ?? '–', value }]
  })
}

function readFacts(encoded: string | null, language: Language): Map<string, string> | null {
  try {
    const decodedFacts = factsSchema.parse(
      JSON.parse(Buffer.from(encoded ?? '', 'base64url').toString('utf8')),
    )
    return decodedFacts.language === language ? new Map(decodedFacts.facts) : null
  } catch {
    return null
  }
}
