import { createPage, type DashboardResponse } from './page.ts'
import type { PageContext } from './page-context.ts'
import { encodeFacts, listFactChanges, type ShownFact } from './shown-facts.ts'

/** One line of what a confirmation names. */
type ConfirmationFact = ShownFact & {
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
  /** Path that the fields are sent to instead, where it shows the form with what was typed. */
  edit?: string
  /** Values that replace those of the form: what the confirmation names is what is done. */
  fields?: Record<string, string>
}

/** `version` was compared before the page asks; the facts of the page are compared from here on. */
const CARRIED_BY_THE_STEP = ['_csrf', 'confirmed', 'version']

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
  const changes = listFactChanges(form.get('confirmed'), language, bindingFacts)
  if (changes?.length === 0) return null
  const { fields = {}, ...shown } = confirmation
  const carriedFields = [...form]
    .filter(([name]) => !CARRIED_BY_THE_STEP.includes(name) && !Object.hasOwn(fields, name))
    .concat(Object.entries(fields))
  const model = {
    confirmation: shown,
    carriedFields,
    changes: changes ?? [],
    confirmed: encodeFacts(language, bindingFacts),
    action: visit.url,
  }
  return createPage('confirm', model, confirmation.back)
}
