import type {
  CreateKeyOutcome,
  DeleteKeyOutcome,
  NoAnswer,
  Rejected,
  SendOutcome,
  Unknown,
  Unreachable,
} from '../domain/provider.ts'
import { finalityOf } from '../domain/rail-codes.ts'

/** An acceptance that is over at once, and badly, is a refusal: a final rejection means that nothing moved. */
export function refusedAtOnce(
  outcome: SendOutcome,
  finality: (code: string) => Rejected['finality'] = finalityOf,
): SendOutcome {
  if (outcome.kind !== 'accepted' || outcome.sending.status !== 'rejected') return outcome
  const { code = 'provider_rejected', message = 'The provider did not carry it out' } = outcome.sending
  return { kind: 'rejected', finality: finality(code), code, message }
}

/** A key's making or removal, under its own name. */
export function keyOutcome(
  outcome: ({ kind: 'accepted' } & { key: string }) | NotAccepted,
): CreateKeyOutcome {
  return outcome.kind === 'accepted' ? { kind: 'created', key: outcome.key } : outcome
}
export function deletionOutcome(outcome: { kind: 'accepted' } | NotAccepted): DeleteKeyOutcome {
  if (outcome.kind === 'accepted') return { kind: 'deleted' }
  if (outcome.kind === 'unknown' && outcome.code === 'not_found') return { kind: 'not_found' }
  return outcome.kind === 'rejected' && outcome.code === 'pix_key_not_found' ? { kind: 'not_found' } : outcome
}
type NotAccepted = Rejected | Unreachable | Unknown

/** What an adapter knows without asking that its provider cannot do; another may. */
export function cannotHere(code: string, message: string): Rejected {
  return { kind: 'rejected', finality: 'other_may_help', code, message }
}

/** Never "paid, by nothing": what a provider lists may lag behind what it says of the charge. */
export function notListedYet(provider: string): NoAnswer {
  const message = `${provider} calls the charge paid and does not list its payment yet`
  return { kind: 'no_answer', code: 'payment_not_listed', message, inVain: true }
}
