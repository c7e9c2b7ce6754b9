/** An operator's decisions that keep an operation from leaving; its attempt ends `unreachable` with the decision as its code. */
type HeldCode = 'paused' | 'account_blocked'
export type UnsentCode = HeldCode | 'no_provider_available'

/**
 * Why no provider got an operation, by the codes of its attempts that reached none: a blocked account ends it whatever the
 * others say, a pause only where every one of them met it.
 */
export function unsentCode(codes: readonly (string | null | undefined)[]): UnsentCode {
  if (codes.includes('account_blocked')) return 'account_blocked'
  return codes.every(code => code === 'paused') ? 'paused' : 'no_provider_available'
}
