import type { EntityManager } from '../../db/client/orm.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { lockAvailableBalance, queryLockedShortfalls } from '../../db/ledger/post.ts'
import { mapQuery, type Query } from '../../db/pipeline/query.ts'
import { computeUncoveredCents } from '../../domain/disputes/dispute.ts'
import {
  depositLegs,
  disputeRetainedLegs,
  type Leg,
  shortfallRepaidLegs,
  uncoveredOutflowLegs,
} from '../../domain/ledger/legs.ts'
import { lockDisputesWithQuery } from './dispute-locks.ts'

/** Money that becomes available to accounts at one provider account, in centavos; zero where an account only pays on. */
export type Inflow = { providerAccountUuid: string; credits: { accountUuid: string; cents: number }[] }

type RemainingCents = Map<string, number>

/**
 * Builds the legs that repay shortfalls first (SPEC §7) and then retain what open disputes lack (SPEC §5), to be posted
 * with the inflow itself. Both are read under row locks, which are acquired here: of the disputes, then of the balances of
 * all accounts, those whose credit is zero included, because the postings lock them too and would lock them out of order. The
 * transaction holds no other balance yet, or it has locked the disputes of these accounts before (`lockDisputes`).
 */
export async function inflowPostings(em: EntityManager, inflow: Inflow): Promise<Leg[]> {
  const { providerAccountUuid, credits } = inflow
  if (credits.every(({ cents }) => cents === 0)) return []
  const accountUuids = [...new Set(credits.map(credit => credit.accountUuid))]
  const [disputes, shortfallLegs] = await lockDisputesWithQuery(
    em,
    { providerAccountUuid, accountUuids },
    queryShortfallPostings({ providerAccountUuid, credits }),
  )
  return [...shortfallLegs, ...disputePostings(disputes, computeRemaining(credits, shortfallLegs))]
}

type BalanceOwner = { accountUuid: string; providerAccountUuid: string }

/** Builds the legs that move money to one account's `available` by `legsOf`, and those of `inflowPostings`. */
export async function creditPostings(
  em: EntityManager,
  legsOf: (accountUuid: string, cents: number) => Leg[],
  { accountUuid, providerAccountUuid }: BalanceOwner,
  cents: number,
): Promise<Leg[]> {
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  return [...legsOf(accountUuid, cents), ...(await inflowPostings(em, inflow))]
}

/**
 * Builds the legs of money that left without a hold: from `available`, which is locked here, and beyond it from the
 * shortfall, which the service advances.
 */
export async function uncoveredOutflowPostings(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: BalanceOwner,
  cents: number,
): Promise<Leg[]> {
  const availableCents = await lockAvailableBalance(em, { accountUuid, providerAccountUuid })
  return uncoveredOutflowLegs(accountUuid, { cents, availableCents })
}

/** Builds the legs of a movement that crossed the border of the ledger without a hold, in its direction. */
export function unheldMovementPostings(em: EntityManager, movement: Movement): Promise<Leg[]> {
  return movement.movementType === 'IN'
    ? creditPostings(em, depositLegs, movement, movement.valueCents)
    : uncoveredOutflowPostings(em, movement, movement.valueCents)
}

/** Queries only the legs that repay shortfalls. Locks all balances of the accounts, those without a credit included. */
export function queryShortfallPostings({ providerAccountUuid, credits }: Inflow): Query<Leg[]> {
  const accountUuids = credits.map(credit => credit.accountUuid)
  const centsByAccount = sumByAccount(credits)
  return mapQuery(queryLockedShortfalls(providerAccountUuid, accountUuids), shortfalls =>
    shortfalls.flatMap(({ accountUuid, cents: shortfallCents }) =>
      shortfallRepaidLegs(accountUuid, { cents: centsByAccount.get(accountUuid) ?? 0, shortfallCents }),
    ),
  )
}

/** Computes what is left of an inflow for each of its accounts after `legs`, which are paid from it. */
export function computeRemaining(credits: Inflow['credits'], legs: Leg[]): RemainingCents {
  const remaining = sumByAccount(credits)
  for (const { from, cents } of legs)
    remaining.set(from.accountUuid, (remaining.get(from.accountUuid) ?? 0) - cents)
  return remaining
}

/**
 * Builds the legs that retain remaining money for disputes that lack cover, oldest first, each up to what it lacks;
 * updates the disputes and `remaining`. The caller has locked the disputes, in that order (`lockDisputes`).
 */
export function disputePostings(disputes: Dispute[], remaining: RemainingCents): Leg[] {
  return disputes.flatMap(dispute => {
    const cents = Math.min(computeUncoveredCents(dispute), remaining.get(dispute.accountUuid) ?? 0)
    if (cents <= 0) return []
    dispute.retainedCents += cents
    remaining.set(dispute.accountUuid, remaining.get(dispute.accountUuid)! - cents)
    return disputeRetainedLegs(dispute.accountUuid, cents)
  })
}

function sumByAccount(credits: Inflow['credits']): RemainingCents {
  const sums: RemainingCents = new Map()
  for (const { accountUuid, cents } of credits) sums.set(accountUuid, (sums.get(accountUuid) ?? 0) + cents)
  return sums
}
