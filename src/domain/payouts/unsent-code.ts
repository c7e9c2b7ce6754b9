/** An operator's decisions that keep an operation from leaving; its attempt ends `unreachable` with the decision as its code. */
type OperatorHoldCode = 'paused' | 'account_blocked'
export type UnsentCode = OperatorHoldCode | 'no_provider_available'

/**
 * Why no provider got an operation, by the codes of its attempts that reached none: a blocked account ends it whatever the
 * others say, a pause only where every one of them met it.
 */
export function unsentCodeOf(codes: readonly (string | null | undefined)[]): UnsentCode {
  if (codes.includes('account_blocked')) return 'account_blocked'
  return codes.every(code => code === 'paused') ? 'paused' : 'no_provider_available'
}
