import { PACED } from '../providers/provider.ts'

/** Why a connection may start no attempt, or none now: it then ends `unreachable` with this code, before any call. */
export const PREFLIGHT_CODES = ['paused', 'account_blocked', 'provider_inactive', PACED] as const
export type PreflightCode = (typeof PREFLIGHT_CODES)[number]

/** The first two are an operator's decisions: an attempt that they stop ends `unreachable` with that code. */
type UnsentCode = 'paused' | 'account_blocked' | 'no_provider_available'

/**
 * Why no provider got an operation, by the codes of its attempts that reached none: a blocked account ends it whatever the
 * others say, a pause only where every one of them met it.
 */
export function unsentCodeOf(codes: readonly (string | null | undefined)[]): UnsentCode {
  if (codes.includes('account_blocked')) return 'account_blocked'
  return codes.every(code => code === 'paused') ? 'paused' : 'no_provider_available'
}

/**
 * What the merchant reads about a payout that an operator has settled as rejected, unless the operator writes another
 * message for the merchant. The operator's reason is not shown.
 */
export const OPERATOR_REJECTION = {
  code: 'settled_by_operator',
  message: 'The provider has confirmed that the operation was not carried out; no money left.',
} as const
