import { z } from 'zod'
import { TRANSLATORS } from '../i18n/translator.ts'
import { FORMATS } from '../views/formats.ts'
import { createPage, type DashboardResponse } from './page.ts'
import type { PageContext } from './page-context.ts'

/** One line of what a confirmation names. */
type ConfirmationFact = {
  /** Phrase that names the fact. */
  name: string
  value: string
  /** It may differ when the action runs, so that a change of it asks no second time: a balance. */
  isInformative?: boolean
}

/** What a page asks before an action that moves money or cannot be undone. */
export type Confirmation = {
  title: string
  /** Text of the button: what it does, with the amount. */
  button: string
  facts: ConfirmationFact[]
  /** What follows from the action. */
  means?: string
  /** Reasons to look twice. */
  warnings?: string[]
  isDangerous?: boolean
  /** Page that the user returns to without acting. */
  back: string
  /** Values that replace those of the form: what the confirmation names is what is done. */
  fields?: Record<string, string>
}

const CARRIED_BY_THE_STEP = ['_csrf', 'confirmed']

const confirmedSchema = z.object({
  language: z.string(),
  facts: z.array(z.tuple([z.string(), z.string()])).max(50),
})

/**
 * Creates the page that asks for confirmation; null where the form carries the confirmation of exactly these facts.
 * Where they have changed since they were confirmed, the page names each change and asks again.
 */
export function createConfirmationPage(
  visit: PageContext,
  confirmation: Confirmation,
): DashboardResponse | null {
  const { form, language } = visit
  const bindingFacts = confirmation.facts.filter(fact => !fact.isInformative)
  const confirmed = readConfirmedFacts(form.get('confirmed'), language)
  const changes = bindingFacts.flatMap(({ name, value }) => {
    const before = confirmed?.get(name)
    return before === value ? [] : [{ name, before: before ?? '–', value }]
  })
  if (confirmed && changes.length === 0) return null
  const { fields = {}, ...shown } = confirmation
  const carried = [...form]
    .filter(([name]) => !CARRIED_BY_THE_STEP.includes(name) && !Object.hasOwn(fields, name))
    .concat(Object.entries(fields))
  const stamp = { language, facts: bindingFacts.map(({ name, value }) => [name, value]) }
  const model = {
    confirmation: shown,
    carried,
    changes: confirmed ? changes : [],
    confirmed: Buffer.from(JSON.stringify(stamp)).toString('base64url'),
    action: visit.url,
  }
  return createPage('confirm', model, confirmation.back)
}

/** Reads the facts that the user has confirmed, by name; null on the first step, or after a change of the language. */
function readConfirmedFacts(text: string | null, language: string): Map<string, string> | null {
  try {
    const stamp = confirmedSchema.parse(JSON.parse(Buffer.from(text ?? '', 'base64url').toString('utf8')))
    return stamp.language === language ? new Map(stamp.facts) : null
  } catch {
    return null
  }
}

/** Translator and formats of the page's language, for the texts of a confirmation. */
export function phrasesOf({ language }: Pick<PageContext, 'language'>) {
  return { t: TRANSLATORS[language], f: FORMATS[language] }
}
