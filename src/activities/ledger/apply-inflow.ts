import type { EntityManager } from '../../db/client/orm.ts'
import type { Dispute } from '../../db/entities/med.ts'
import { computeUncoveredCents } from '../../domain/disputes/dispute.ts'
import {
  disputeRetainedLegs,
  type Leg,
  shortfallRepaidLegs,
  unmatchedKeptLegs,
} from '../../domain/ledger/legs.ts'
import { lockDisputes } from '../disputes/locks.ts'

/** Money that has just become available to some accounts at one provider account. */
export type Inflow = { providerAccountUuid: string; credits: { accountUuid: string; cents: number }[] }

/** Centavos by account. */
type RemainingCents = Map<string, number>

/**
 * The legs that repay open shortfalls first (SPEC §7) and then keep what open disputes lack (SPEC §5), to be booked with
 * the inflow itself. Two inflows at once may both find the same shortfall: the constraint `balance_shortfall` refuses
 * the second, which is then tried again; what disputes lack is read under their row locks.
 */
export async function inflowPostings(em: EntityManager, inflow: Inflow): Promise<Leg[]> {
  const { providerAccountUuid, credits } = inflow
  const repaid = await shortfallPostings(em, inflow)
  const left = computeRemaining(credits, repaid)
  const accountUuids = [...left.keys()].filter(accountUuid => left.get(accountUuid)! > 0)
  const disputes = await lockDisputes(em, { providerAccountUuid, accountUuids })
  return [...repaid, ...disputePostings(disputes, left)]
}

/** What waited of an unmatched PIX is the account's from now on, an inflow like any other. */
export async function keptPaymentPostings(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: { accountUuid: string; providerAccountUuid: string },
  cents: number,
): Promise<Leg[]> {
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  return [...unmatchedKeptLegs(accountUuid, cents), ...(await inflowPostings(em, inflow))]
}

/** The legs that repay open shortfalls alone. */
export async function shortfallPostings(
  em: EntityManager,
  { providerAccountUuid, credits }: Inflow,
): Promise<Leg[]> {
  const rows: { account_uuid: string; cents: string }[] = await em.execute(
    `select account_uuid, cents from balance where provider_account_uuid = ? and bucket = 'shortfall' and cents < 0
       and account_uuid = any(array[?]::uuid[])`,
    [providerAccountUuid, credits.map(credit => credit.accountUuid)],
  )
  const all = sumByAccount(credits)
  return rows.flatMap(row => {
    const cents = all.get(row.account_uuid) ?? 0
    return shortfallRepaidLegs(row.account_uuid, { cents, shortfallCents: Number(row.cents) })
  })
}

/** What is left of an inflow for each of its accounts, after the legs that have taken of it. */
export function computeRemaining(credits: Inflow['credits'], taken: Leg[]): RemainingCents {
  const left = sumByAccount(credits)
  for (const { from, cents } of taken) left.set(from.accountUuid, (left.get(from.accountUuid) ?? 0) - cents)
  return left
}

/**
 * The legs that keep what is left for disputes that found too little: the oldest first, up to what they lack. They are
 * locked, and come in that order (`lockDisputes`).
 */
export function disputePostings(disputes: Dispute[], left: RemainingCents): Leg[] {
  return disputes.flatMap(med => {
    const cents = Math.min(computeUncoveredCents(med), left.get(med.accountUuid) ?? 0)
    if (cents <= 0) return []
    med.retainedCents += cents
    left.set(med.accountUuid, left.get(med.accountUuid)! - cents)
    return disputeRetainedLegs(med.accountUuid, cents)
  })
}

function sumByAccount(credits: Inflow['credits']): RemainingCents {
  const all: RemainingCents = new Map()
  for (const { accountUuid, cents } of credits) all.set(accountUuid, (all.get(accountUuid) ?? 0) + cents)
  return all
}
