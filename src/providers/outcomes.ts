import type {
  CreateKeyOutcome,
  DeleteKeyOutcome,
  NoAnswer,
  NotFound,
  Rejected,
  SendOutcome,
  Unknown,
  Unreachable,
} from '../domain/provider.ts'
import { finalityOf } from '../domain/rail-codes.ts'
import type { Answer, Reply } from './exchange.ts'

/** A 4xx in the provider's own words. `says` is what it means beyond "no": the id is taken, or there is no such thing. */
export type Refusal = Omit<Rejected, 'kind'> & { says: 'no' | 'duplicate' | 'absent' }

/**
 * What one provider's dialect adds to the rules below: how it refuses (undefined: these are not its words, so they
 * prove nothing), and how a good answer is read (undefined: unreadable).
 */
export type Reading<T extends object> = {
  refusalOf: (answer: Answer) => Refusal | undefined
  read: (json: unknown) => T | undefined
}

/** SPEC §6's table for a call that changes something: only a documented refusal and a request that never left are a no. */
export function sendingOutcome<T extends object>(
  reply: Reply,
  { read, refusalOf }: Reading<T>,
): ({ kind: 'accepted' } & T) | Rejected | Unreachable | Unknown {
  if (reply.kind === 'unreachable') return reply
  if (reply.kind === 'no_answer') return { ...reply, kind: 'unknown' }
  if (isSuccess(reply)) {
    const accepted = read(reply.json)
    return accepted ? { kind: 'accepted', ...accepted } : { ...unreadable, kind: 'unknown' }
  }
  const refusal = definite(reply, refusalOf)
  if (!refusal) return { ...unclear(reply), kind: 'unknown' }
  const { says, ...rejected } = refusal
  if (says === 'duplicate') return { kind: 'unknown', code: 'duplicate_id', message: refusal.message }
  return { kind: 'rejected', ...rejected }
}

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

/** The rules for a question: found, provably not there, or no answer, which changes nothing and is asked again. */
export function lookUp<T extends object>(
  reply: Reply,
  { read, refusalOf }: Reading<T>,
): ({ kind: 'found' } & T) | NotFound | NoAnswer {
  if (reply.kind === 'unreachable') return { ...reply, kind: 'no_answer', inVain: true }
  if (reply.kind === 'no_answer') return reply
  if (isSuccess(reply)) {
    const found = read(reply.json)
    return found ? { kind: 'found', ...found } : { ...unreadable, kind: 'no_answer' }
  }
  const refusal = definite(reply, refusalOf)
  if (!refusal) return { ...unclear(reply), kind: 'no_answer' }
  if (refusal.says === 'absent') return { kind: 'not_found' }
  return { kind: 'no_answer', code: refusal.code, message: refusal.message, inVain: true }
}

/** A question whose object always exists: "not found" is then no answer. */
export function lookUpOwn<T extends object>(
  reply: Reply,
  reading: Reading<T>,
): ({ kind: 'found' } & T) | NoAnswer {
  const outcome = lookUp(reply, reading)
  return outcome.kind === 'not_found'
    ? { kind: 'no_answer', code: 'not_found', message: 'The provider does not know it' }
    : outcome
}

function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300
}

/** 408 says that the request came in part, 5xx nothing at all, and a redirect is not a PIX provider's answer. */
function definite(answer: Answer, refusalOf: Reading<object>['refusalOf']): Refusal | undefined {
  if (answer.status < 400 || answer.status >= 500 || answer.status === 408) return undefined
  return answer.status === 429 ? rateLimited : refusalOf(answer)
}

const rateLimited: Refusal = {
  says: 'no',
  finality: 'other_may_help',
  code: 'rate_limited',
  message: 'The provider takes no more requests for now',
}

const unreadable = { code: 'unreadable_answer', message: 'The provider answered with success but unreadably' }

function unclear(answer: Answer): { code: string; message: string } {
  return { code: `http_${answer.status}`, message: `The provider answered with HTTP status ${answer.status}` }
}
