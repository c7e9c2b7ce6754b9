import type { showDue } from '../../../contract/charges/due.ts'
import { textFromCents } from '../../../domain/ledger/money.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import { readAmount, readText } from '../../http/form.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { Language } from '../../i18n/translator.ts'

/** Fields of a due date, in the form of a new charge and in that of a change. Their names are the paths of the API's members. */

type DueForm = Pick<PageContext, 'form' | 'language'>
type ShownDue = ReturnType<typeof showDue>

/** Rows of discounts until a day that the form has. */
export const DISCOUNT_ROWS = [0, 1, 2]

/** Days after the due day on which a new charge can be paid, unless the form says otherwise. */
export const DEFAULT_PAYABLE_DAYS = '30'

/** Fields whose text says that the charge has a due date; the others have a choice from the beginning. */
const DECIDING_FIELDS = [
  'due.on',
  'due.fine.value',
  'due.interest.value',
  'due.abatement.value',
  'due.discount.per_day.value',
  ...DISCOUNT_ROWS.flatMap(row => [`due.discount.until.${row}.on`, `due.discount.until.${row}.value`]),
]

const ADDRESS_FIELDS = [
  'street',
  'number',
  'complement',
  'neighborhood',
  'city',
  'state',
  'zip_code',
] as const

/** Tests whether a form has a due date, or part of one. */
export function hasDueFields(form: URLSearchParams): boolean {
  return DECIDING_FIELDS.some(name => readText(form, name) !== undefined)
}

/** Reads the fields as the member `due` of a body; undefined where none is filled in. */
export function readDueFields(visit: DueForm, errors: FieldErrors) {
  const { form } = visit
  if (!hasDueFields(form)) return undefined
  const payableDays = readText(form, 'due.payable_days_after')
  return {
    on: readText(form, 'due.on'),
    payable_days_after: payableDays === undefined ? undefined : Number(payableDays),
    fine: readMember(visit, 'due.fine', errors),
    interest: readMember(visit, 'due.interest', errors, ['per', 'days']),
    abatement: readMember(visit, 'due.abatement', errors),
    discount: readDiscount(visit, errors),
  }
}

function readMember(visit: DueForm, path: string, errors: FieldErrors, choices: string[] = []) {
  const value = readAmount(visit, `${path}.value`, errors)
  if (value === undefined) return undefined
  const chosen = choices.map(choice => [choice, visit.form.get(`${path}.${choice}`)])
  return { type: visit.form.get(`${path}.type`), value, ...Object.fromEntries(chosen) }
}

function readDiscount(visit: DueForm, errors: FieldErrors) {
  const { form } = visit
  const steps = DISCOUNT_ROWS.map(row => ({
    on: readText(form, `due.discount.until.${row}.on`),
    value: readAmount(visit, `due.discount.until.${row}.value`, errors),
  }))
  const isFilled = ({ on, value }: (typeof steps)[number]) => on !== undefined || value !== undefined
  const until = steps.slice(0, steps.findLastIndex(isFilled) + 1)
  const perDay = readAmount(visit, 'due.discount.per_day.value', errors)
  if (until.length === 0 && perDay === undefined) return undefined
  return {
    type: form.get('due.discount.type'),
    until: until.length > 0 ? until : undefined,
    per_day:
      perDay === undefined ? undefined : { days: form.get('due.discount.per_day.days'), value: perDay },
  }
}

/** Reads the address of the debtor as `debtor.address`; undefined where no field is filled in. */
export function readAddressFields(form: URLSearchParams) {
  const address = Object.fromEntries(
    ADDRESS_FIELDS.map(name => [name, readText(form, `debtor.address.${name}`)]),
  )
  if (Object.values(address).every(text => text === undefined)) return undefined
  const { state, zip_code } = address
  return { ...address, state: state?.toUpperCase(), zip_code: zip_code?.replaceAll(/[.\s-]/g, '') }
}

/** Formats an amount, or a percentage in hundredths, as a field of the language has it. */
export function formatAmountText(hundredths: number, language: Language): string {
  const text = textFromCents(hundredths)
  return language === 'en' ? text : text.replace('.', ',')
}

/** Lists the texts of the fields for terms that a charge has. */
export function listDueFieldTexts({ on, payable_days_after, ...due }: ShownDue, language: Language) {
  const format = (hundredths: number) => formatAmountText(hundredths, language)
  const texts: Record<string, string> = {
    'due.on': on,
    'due.payable_days_after': String(payable_days_after),
  }
  for (const name of ['fine', 'interest', 'abatement'] as const) {
    const member = due[name]
    if (!member) continue
    texts[`due.${name}.type`] = member.type
    texts[`due.${name}.value`] = format(member.value)
  }
  if (due.interest) {
    texts['due.interest.per'] = due.interest.per
    texts['due.interest.days'] = due.interest.days
  }
  if (!due.discount) return texts
  texts['due.discount.type'] = due.discount.type
  due.discount.until?.forEach((step, row) => {
    texts[`due.discount.until.${row}.on`] = step.on
    texts[`due.discount.until.${row}.value`] = format(step.value)
  })
  if (due.discount.per_day) {
    texts['due.discount.per_day.days'] = due.discount.per_day.days
    texts['due.discount.per_day.value'] = format(due.discount.per_day.value)
  }
  return texts
}
