import { finalityOf, isRailCode, RAIL_CODES } from '../../domain/pix/rail-codes.ts'
import type { LookUpKeyOutcome } from '../../domain/pix-keys/key-look-up.ts'
import type {
  CreateKeyOutcome,
  DeleteKeyOutcome,
  IssueChargeOutcome,
  IssuedCharge,
  NoAnswerResult,
  NotAcceptedResult,
  NotFoundResult,
  RejectedResult,
  SendPayoutOutcome,
  UnknownResult,
} from '../../domain/providers/provider.ts'

/** Turns an acceptance whose payout has already failed into a refusal: a final rejection means that no money moved. */
export function rejectFailedAcceptance(
  outcome: SendPayoutOutcome,
  finality: (code: string) => RejectedResult['finality'] = finalityOf,
): SendPayoutOutcome {
  if (outcome.kind !== 'accepted' || outcome.payout.status !== 'rejected') return outcome
  const { payout } = outcome
  const { code, message } = toPayoutRejection(payout.code, payout.message)
  const quoted = payout.providerMessage !== undefined && { providerMessage: payout.providerMessage }
  return { kind: 'rejected', finality: finality(code), code, message, ...quoted }
}

export const MAX_MESSAGE_LENGTH = 300

/** Builds our code and a bounded message of a payout that its provider accepted and did not carry out; `words`: the provider's own. */
export function toPayoutRejection(code = 'provider_rejected', words?: string | null) {
  const message = words?.slice(0, MAX_MESSAGE_LENGTH)
  if (!message) return { code, message: RAIL_CODES[code]?.meaning ?? 'The provider did not carry it out' }
  return isRailCode(message) ? { code, message } : { code, message, providerMessage: message }
}

/** Converts the outcome of creating or deleting a key. */
export function toCreateKeyOutcome(
  outcome: ({ kind: 'accepted' } & { key: string }) | NotAcceptedResult,
): CreateKeyOutcome {
  return outcome.kind === 'accepted' ? { kind: 'created', key: outcome.key } : outcome
}
export function toDeleteKeyOutcome(outcome: { kind: 'accepted' } | NotAcceptedResult): DeleteKeyOutcome {
  if (outcome.kind === 'accepted') return { kind: 'deleted' }
  if (outcome.kind === 'unknown' && outcome.code === 'not_found') return { kind: 'not_found' }
  return outcome.kind === 'rejected' && outcome.code === 'pix_key_not_found' ? { kind: 'not_found' } : outcome
}

/** Builds the refusal, without a call, of an order that this provider does not support; another one may. */
export function rejectForThisProvider(code: string, message: string): RejectedResult {
  return { kind: 'rejected', finality: 'other_may_help', code, message, refusedBy: 'service' }
}

export const payerBranchMissing = rejectForThisProvider(
  'provider_validation',
  "The provider needs the branch of the payer's account",
)

/** Tells whether the provider has something under our id, possibly this very order. */
export function isDuplicate<Outcome extends { kind: string }>(
  outcome: Outcome,
): outcome is Outcome & UnknownResult {
  return outcome.kind === 'unknown' && 'code' in outcome && outcome.code === 'duplicate_id'
}

/** Converts a refusal after which the provider may still have the order: it counts once the absence is proved. */
export function toUnprovenRefusal({ kind: _, ...refusal }: RejectedResult): UnknownResult {
  return { kind: 'unknown', code: refusal.code, message: refusal.message, refusal }
}

export const openAmountUnsupported = rejectForThisProvider(
  'open_amount_unsupported',
  'The provider issues no charge without an amount',
)

/** Converts the look-up of a charge that has our reference already: `charge` is the ordered one, if it is that. */
export function toIssueOutcome(
  outcome: { kind: 'found'; charge?: IssuedCharge | undefined } | NotFoundResult | NoAnswerResult,
  refusal: IssueChargeOutcome,
): IssueChargeOutcome {
  if (outcome.kind === 'not_found') return refusal
  if (outcome.kind === 'no_answer') return { ...outcome, kind: 'unknown' }
  if (outcome.charge) return { kind: 'accepted', charge: outcome.charge }
  const message = 'The provider has another charge under this reference'
  return { kind: 'rejected', finality: 'other_may_help', code: 'reference_in_use', message }
}

/** Reports a paid charge without a listed payment as `no_answer`: a provider's list may lag behind its charge. */
export function reportPaymentNotListed(provider: string): NoAnswerResult {
  const message = `${provider} reports the charge as paid and does not list its payment yet`
  return { kind: 'no_answer', code: 'payment_not_listed', message, isUnprocessed: true }
}

/**
 * Converts the look-up of a key. A refusal for fraud is an answer of DICT's; one for a cause at this provider, such as a permission, says
 * nothing about the key.
 */
export function toLookUpKeyOutcome(
  outcome: Exclude<LookUpKeyOutcome, { kind: 'refused' }>,
): LookUpKeyOutcome {
  const isBlocked = outcome.kind === 'no_answer' && outcome.code === 'key_blocked_for_fraud'
  return isBlocked ? { kind: 'refused', code: 'key_blocked_for_fraud' } : outcome
}

/** Reports a charge as `no_answer` of which a payment is listed that cannot be identified yet. */
export function reportPaymentUnidentified(provider: string): NoAnswerResult {
  const message = `${provider} lists a payment of the charge without its end-to-end id yet`
  return { kind: 'no_answer', code: 'payment_unidentified', message, isUnprocessed: true }
}
