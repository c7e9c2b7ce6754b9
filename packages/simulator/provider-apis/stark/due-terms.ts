import { formatBrazilianDay } from '../../brazilian-day.ts'
import { computeExpiry } from '../../charges.ts'
import type { DueArithmetic, DueParts } from '../../due-charges.ts'
import type { StarkInvoiceDetails } from './received-pix.ts'

type InvoiceTerms = Pick<StarkInvoiceDetails, 'due' | 'fine' | 'interest' | 'discounts'>

const DAY_MS = 86_400_000
/** No text says how a month of interest is divided. */
const DAYS_OF_MONTH = 30

/** Computes invoices that have a fine, an interest or discounts, or days in place of times. */
export const starkDueArithmetic: DueArithmetic = {
  computeParts: ({ cents, details }, at) =>
    computeDueParts(cents, JSON.parse(details) as StarkInvoiceDetails, at),
  findLastPayable: computeExpiry,
}

/**
 * Builds the terms of an invoice that its payer sees: its days, or else "the final value to be paid" until it expires; undefined where it costs
 * the same at any time, or any value.
 */
export function buildInvoiceDue(
  { isScheduled, due, expiration, fine, interest, discounts }: StarkInvoiceDetails,
  { cents, expiresInSeconds }: { cents: number; expiresInSeconds: number },
): { calendario: object } | undefined {
  if (cents === 0) return undefined
  if (isScheduled) {
    const validadeAposVencimento = Math.floor((expiration * 1_000) / DAY_MS)
    return { calendario: { dataDeVencimento: formatBrazilianDay(due), validadeAposVencimento } }
  }
  const isConstant = fine === 0 && interest === 0 && discounts.length === 0
  return isConstant ? undefined : { calendario: { expiracao: expiresInSeconds } }
}

/**
 * Computes what an invoice costs at a moment (SDK, Invoice): its fine once and its interest a month, in percent, after its due time, and
 * the largest discount whose time has not passed, each "calculated over nominalAmount".
 */
function computeDueParts(cents: number, terms: InvoiceTerms, at: Date): DueParts {
  const { due, fine, interest, discounts } = terms
  const isLate = at.getTime() > Date.parse(due)
  const daysLate = isLate ? Math.max(1, countDays(due, at)) : 0
  const current = discounts.filter(discount => at.getTime() <= Date.parse(discount.due))
  return {
    originalCents: cents,
    fineCents: isLate ? toShare(fine, cents) : 0,
    interestCents: toShare((interest * daysLate) / DAYS_OF_MONTH, cents),
    discountCents: toShare(Math.max(0, ...current.map(({ percentage }) => percentage)), cents),
    abatementCents: 0,
  }
}

function countDays(from: string, to: Date): number {
  const [fromDay, toDay] = [formatBrazilianDay(from), formatBrazilianDay(to.toISOString())]
  return Math.round((Date.parse(toDay) - Date.parse(fromDay)) / DAY_MS)
}

function toShare(percentage: number, cents: number): number {
  return Math.round((percentage * cents) / 100)
}
