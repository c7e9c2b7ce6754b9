import type { FindChargeOutcome } from '../providers/provider.ts'

/** Returns why a charge has not ended at its provider; null where it has, unpaid: only then it may become EXPIRED. */
export function getStillOpenCode(found: FindChargeOutcome): string | null {
  if (found.kind === 'no_answer') return found.code
  if (found.kind === 'not_found') return 'not_found' // It proves nothing about payments.
  switch (found.status) {
    case 'open': // After its expiry: the provider's clock is behind ours.
      return 'still_open'
    case 'completed':
      return 'payment_not_listed'
    case 'removed':
    case 'expired':
    case 'failed':
      return null
  }
}

/** Tells whether an operator may end a charge of which its provider answers so: it can no longer be paid there. */
export function isEndedByOperator(code: string | null): boolean {
  return code === 'payment_not_listed' || code === 'not_found'
}
