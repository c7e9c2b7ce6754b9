import type { RelatedRows } from '../../db/repositories/related-rows.ts'
import { OPERATOR_REJECTION, PREFLIGHT_CODES } from '../../domain/payouts/unsent-code.ts'
import type { AttemptState } from '../../domain/providers/attempt.ts'
import { PACED } from '../../domain/providers/provider.ts'
import { PAYOUT_NOUNS } from '../../domain/shared/nouns.ts'
import type { PageContext } from '../http/page-context.ts'
import { describeCause } from '../i18n/causes.ts'

type AttemptToShow = { state: AttemptState; code: string | null; preparedAt: Date | string | null }

/**
 * Returns the state of an attempt as pages show it. Of a payout that is not sent yet it says why: `waiting` for its turn in the pace of
 * its provider, or `prepared` there as well.
 */
export function getShownAttemptState({
  state,
  code,
  preparedAt,
}: AttemptToShow): AttemptState | 'prepared' | 'waiting' {
  if (state === 'preparing' && preparedAt) return 'prepared'
  return code === PACED && (state === 'preparing' || state === 'calling') ? 'waiting' : state
}

const PAYOUT_OPERATIONS: readonly string[] = PAYOUT_NOUNS

type StoredAttempt = RelatedRows['attempts'][number]
type Words = Pick<PageContext, 't' | 'f' | 'language'>

/**
 * Describes an attempt: who refused it and why, in the words of the page; what its provider said, in its own; and how long its outcome
 * was unknown. `endedBy`: the operator who ended it, where the page may name one.
 */
export function describeAttempt(
  words: Words,
  attempt: StoredAttempt,
  { endedBy }: { endedBy: string | null },
) {
  const { providerMessage, createdAt, updatedAt, provider, code, state } = attempt
  return {
    provider,
    code,
    createdAt,
    updatedAt,
    isLeft: state === 'rejected' || state === 'unreachable',
    shownState: getShownAttemptState(attempt),
    sentence: describeOutcome(words, attempt, endedBy),
    providerMessage,
    unknownPeriod: describeUnknownPeriod(words, attempt),
  }
}

/** Describes what an attempt came to: that its provider was not called, by whom it was ended, or what the provider did. */
function describeOutcome(words: Words, attempt: StoredAttempt, endedBy: string | null): string {
  const { t, f, language } = words
  const { state, code, refusedBy, missingCents, operatorMessage, updatedAt } = attempt
  const why = describeCause(language, code).text
  if (state === 'rejected' && attempt.isRefusedBeforeCall) {
    const missing = missingCents === null ? why : t('attempt.missing', { amount: f.money(missingCents) })
    return t('attempt.notCalled', { why: missing })
  }
  if (state === 'rejected' && refusedBy === 'operator') {
    const text =
      operatorMessage === null || operatorMessage === OPERATOR_REJECTION.message ? why : operatorMessage
    const gaps = { time: f.plainTime(updatedAt), why: text }
    return endedBy === null
      ? t('attempt.endedByOperation', gaps)
      : t('attempt.endedByPerson', { ...gaps, actor: endedBy })
  }
  if (state === 'rejected' && refusedBy === 'service') return t('attempt.notSent', { why })
  if (state === 'rejected' && refusedBy === null && PAYOUT_OPERATIONS.includes(attempt.operation)) {
    const reason = code === null || code === 'interrupted' ? '' : why
    return `${t('attempt.endedByRestore')} ${reason}`.trim()
  }
  if (state === 'unreachable' && isPreflightCode(code)) return t('attempt.notCalled', { why })
  const name = nameOutcome(attempt)
  const sentence = t.has(name) ? t(name) : ''
  const hasCause = code !== null && ['rejected', 'unreachable', 'unknown', 'orphan'].includes(state)
  return hasCause ? `${sentence} ${why}`.trim() : sentence
}

function nameOutcome(attempt: StoredAttempt): string {
  const { operation, state, finality } = attempt
  if (operation === 'issue') return `whyIssue.${state}`
  return state === 'rejected' ? `why.rejected.${finality}` : `why.${getShownAttemptState(attempt)}`
}

function isPreflightCode(code: string | null): boolean {
  return (PREFLIGHT_CODES as readonly (string | null)[]).includes(code)
}

/** Describes how long the outcome of an attempt was unknown, once it is known; null where it never was. */
function describeUnknownPeriod({ t, f }: Words, attempt: StoredAttempt): string | null {
  const { wasUnknownFrom, wasUnknownUntil, unknownSince, pollCount } = attempt
  if (wasUnknownFrom === null || wasUnknownUntil === null || unknownSince !== null) return null
  const [from, until] = [new Date(wasUnknownFrom), new Date(wasUnknownUntil)]
  const span = f.span((until.getTime() - from.getTime()) / 1_000)
  const sentence = t('attempt.wasUnknown', { span, from: f.plainTime(from), until: f.plainTime(until) })
  return pollCount === 0 ? sentence : `${sentence} ${t('attempt.polls', { count: f.number(pollCount) })}`
}
