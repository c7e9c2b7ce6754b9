import type { NoAnswerResult } from '../providers/provider.ts'
import { MINUTE } from '../shared/intervals.ts'
import type { KeyLookupOutcome } from './key-look-up.ts'

/**
 * The budget of look-ups that the Central Bank gives each payer, and a provider each account: a bucket of tokens. The provider's
 * number counts; between two readings of it ours is computed, because other systems of the account may spend as well.
 */

/** A bucket as its provider reports it, or as it was computed since. `left`: at the time `atMs`; a computed one may have a fraction. */
export type LookUpBudget = { capacity: number; left: number; refillPerMinute: number }
export type BudgetAt = LookUpBudget & { atMs: number }
export type FindLookUpBudgetOutcome = { kind: 'found'; budget: LookUpBudget } | NoAnswerResult

/**
 * Tokens that a look-up takes, by its outcome (Woovi Developers, Token Bucket; the same as DICT's own). A key that is refused was found.
 * A look-up without an answer may have taken as many as one that finds nothing.
 */
export const LOOKUP_COSTS: Record<KeyLookupOutcome, number> = {
  found: 1,
  refused: 1,
  not_found: 20,
  no_answer: 20,
}

/** A look-up is made only while the bucket has as many tokens as it takes at most, which is where Woovi refuses one as well. */
const MIN_TOKENS = 20

/** How long a reading of a provider's bucket is used before it is read again, in ms. */
export const BUDGET_VALIDITY_MS = MINUTE

/** Computes a bucket at a later time: refilled in proportion, up to its capacity. A clock that was set back refills nothing. */
export function refillBudget(budget: BudgetAt, nowMs: number): BudgetAt {
  const refilled = (Math.max(0, nowMs - budget.atMs) / MINUTE) * budget.refillPerMinute
  const left = Math.min(budget.capacity, budget.left + refilled)
  return { ...budget, left, atMs: Math.max(nowMs, budget.atMs) }
}

/** Computes a bucket after a look-up at `nowMs`; never below zero. */
export function spendBudget(budget: BudgetAt, cost: number, nowMs: number): BudgetAt {
  const refilled = refillBudget(budget, nowMs)
  return { ...refilled, left: Math.max(0, refilled.left - cost) }
}

/** Computes the whole seconds until a look-up may be made; 0 where it may be made now. */
export function computeBudgetWaitS(budget: BudgetAt, nowMs: number): number {
  const missing = Math.min(MIN_TOKENS, budget.capacity) - refillBudget(budget, nowMs).left
  if (missing <= 0) return 0
  if (budget.refillPerMinute <= 0) return MAX_WAIT_S
  return Math.min(MAX_WAIT_S, Math.max(1, Math.ceil((missing / budget.refillPerMinute) * SECONDS_PER_MINUTE)))
}

const SECONDS_PER_MINUTE = 60
/** Longest wait that is named: a bucket that is not refilled is read again. */
const MAX_WAIT_S = 3_600

/** Computes when a bucket is full again, if nothing is spent; its own time where it is full or not refilled. */
export function computeBudgetFullAt({ capacity, left, refillPerMinute, atMs }: BudgetAt): Date {
  if (left >= capacity || refillPerMinute <= 0) return new Date(atMs)
  return new Date(atMs + Math.ceil(((capacity - left) / refillPerMinute) * MINUTE))
}
