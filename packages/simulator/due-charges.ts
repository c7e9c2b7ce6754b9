/** What a payment of a charge with a due date consists of, in centavos. */
export type DueParts = {
  originalCents: number
  fineCents: number
  interestCents: number
  discountCents: number
  abatementCents: number
}

/** How a provider API computes its charges with a due date, from `due` of the charge, which it has written. */
export type DueArithmetic = {
  /** Computes what a charge costs at a time. */
  computeParts(charge: DueCharge, at: Date): DueParts
  /** Computes the last moment at which it can be paid. */
  findLastPayable(charge: DueCharge): Date
}

/**
 * A charge with a due date: `due`, or `details` of an API that has them among the rest, has its terms as its provider API writes them, JSON;
 * `cents` is its value without them.
 */
export type DueCharge = {
  cents: number
  due: string
  details: string
  createdAt: string
  expiresInSeconds: number
}

export function isDueCharge<Charge extends { due: string | null }>(
  charge: Charge,
): charge is Charge & { due: string } {
  return charge.due !== null
}

export function sumDueParts(parts: DueParts): number {
  const { originalCents, fineCents, interestCents, discountCents, abatementCents } = parts
  return originalCents + fineCents + interestCents - discountCents - abatementCents
}
