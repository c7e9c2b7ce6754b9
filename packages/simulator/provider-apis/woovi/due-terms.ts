import { formatBrazilianDay, getBrazilianDayStart } from '../../brazilian-day.ts'
import { isBankDay, listDaysAfter, shiftDay } from '../../business-days.ts'
import { computeExpiry, type SimulatedCharge } from '../../charges.ts'
import type { DueArithmetic, DueParts } from '../../due-charges.ts'
import type { ChargeBody } from './schemas.ts'

/**
 * Terms of a charge of type OVERDUE (OpenAPI, ChargePayload; "Simulador de desconto, juros e multa"; "Como usar a API para criar uma
 * cobrança com vencimento, multa e juros"). Values are centavos or basis points.
 */
export type WooviDueTerms = {
  dueOn: string
  daysAfterDueDate: number
  fines: { type: 'FIXED' | 'PERCENTAGE'; value: number }
  interests: { value: number }
  discount: WooviDiscount | null
  /** As its payer sees it (pix-api, CobVPayload). */
  calendario: { dataDeVencimento: string; validadeAposVencimento: number }
}
type WooviDiscount =
  | { modality: StepModality; steps: { on: string; value: number }[] }
  | { modality: AdvanceModality; value: number }
type StepModality = 'FIXED_VALUE_UNTIL_SPECIFIED_DATE' | 'PERCENTAGE_UNTIL_SPECIFIED_DATE'
type AdvanceModality = `${'VALUE' | 'PERCENTAGE'}_PER_${'RUNNING' | 'BUSINESS'}_DAY_ADVANCE`

/** The answer of the published example has these, where its request has neither fines nor interests. */
const DEFAULT_FINES = { type: 'PERCENTAGE', value: 1_000 } as const
const DEFAULT_INTERESTS = { value: 200 }
/** As in that example. */
const DEFAULT_DAYS_FOR_DUE = 7
/** No text has a default. */
const DEFAULT_DAYS_AFTER_DUE = 30

const DAY_MS = 86_400_000
/** A whole in basis points. */
const WHOLE = 10_000

export function readDueTerms(body: ChargeBody, today: string): WooviDueTerms {
  const { dueDate, daysForDueDate = DEFAULT_DAYS_FOR_DUE, fines, interests } = body
  const { daysAfterDueDate = DEFAULT_DAYS_AFTER_DUE } = body
  const dueOn = dueDate === undefined ? shiftDay(today, daysForDueDate) : readDay(dueDate)
  return {
    dueOn,
    daysAfterDueDate,
    calendario: { dataDeVencimento: dueOn, validadeAposVencimento: daysAfterDueDate },
    fines: fines ? { type: fines.type ?? 'PERCENTAGE', value: fines.value } : DEFAULT_FINES,
    interests: interests ? { value: interests.value } : DEFAULT_INTERESTS,
    discount: readDiscount(body.discountSettings, today),
  }
}

function readDiscount(settings: ChargeBody['discountSettings'], today: string): WooviDiscount | null {
  if (!settings) return null
  if (!('discountFixedDate' in settings)) return settings
  const { modality, discountFixedDate } = settings
  return {
    modality,
    steps: discountFixedDate.map(({ daysActive, value }) => ({ on: shiftDay(today, daysActive), value })),
  }
}

function readDay(text: string): string {
  return text.includes('T') ? formatBrazilianDay(text) : text
}

/** Returns the last moment of the day on which a charge can be paid at last, in milliseconds. */
export function getLastPayableMs({ dueOn, daysAfterDueDate }: WooviDueTerms): number {
  return getBrazilianDayStart(shiftDay(dueOn, daysAfterDueDate + 1)) - 1
}

/** Computes charges of type OVERDUE. */
export const wooviDueArithmetic: DueArithmetic = {
  computeParts: ({ cents, due }, at) =>
    computeDueParts(cents, readWooviDue({ due })!, formatBrazilianDay(at.toISOString())),
  findLastPayable: computeExpiry,
}

/** Reads the terms of a charge; undefined where it has no due date. */
export function readWooviDue({ due }: Pick<SimulatedCharge, 'due'>): WooviDueTerms | undefined {
  return due === null ? undefined : (JSON.parse(due) as WooviDueTerms)
}

/** Computes what a charge costs on a day: "rounded to the nearest cent", and never less than nothing. */
function computeDueParts(cents: number, terms: WooviDueTerms, day: string): DueParts {
  const { dueOn, fines, interests } = terms
  const daysLate = Math.max(0, countDays(dueOn, day))
  const fineCents = fines.type === 'FIXED' ? fines.value : toShare(fines.value, cents)
  return {
    originalCents: cents,
    fineCents: daysLate > 0 ? fineCents : 0,
    interestCents: toShare(interests.value * daysLate, cents),
    discountCents: Math.min(cents, computeDiscountCents(cents, terms, day)),
    abatementCents: 0,
  }
}

/** "Discount only applies to payments before the due date"; of several steps "the entry with the largest discount wins". */
function computeDiscountCents(cents: number, { dueOn, discount }: WooviDueTerms, day: string): number {
  if (!discount || day >= dueOn) return 0
  if ('steps' in discount) {
    const values = discount.steps.filter(({ on }) => day <= on).map(({ value }) => value)
    const value = Math.max(0, ...values)
    return discount.modality === 'FIXED_VALUE_UNTIL_SPECIFIED_DATE' ? value : toShare(value, cents)
  }
  const { modality, value } = discount
  const days = modality.includes('BUSINESS')
    ? listDaysAfter(day, dueOn).filter(isBusinessDay).length
    : countDays(day, dueOn)
  return modality.startsWith('VALUE') ? value * days : toShare(value * days, cents)
}

function toShare(basisPoints: number, cents: number): number {
  return Math.round((basisPoints * cents) / WHOLE)
}

function countDays(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

/** Tells whether a day is a business day of Woovi's published simulator, whose holidays have Ash Wednesday beside those of banks. */
function isBusinessDay(day: string): boolean {
  const isWednesday = new Date(`${day}T12:00:00Z`).getUTCDay() === 3
  const isAfterCarnival = [-2, -1].every(days => !isBankDay(shiftDay(day, days)))
  return isBankDay(day) && !(isWednesday && isAfterCarnival)
}
