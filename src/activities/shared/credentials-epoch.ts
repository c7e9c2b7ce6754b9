import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'

/**
 * What "not found" proves after a connection's credentials were replaced by some that may be another account's: nothing
 * about what was called with the credentials before (docs/security.md, Providers).
 */

const CREDENTIALS_CHANGED = {
  kind: 'no_answer',
  code: 'credentials_changed',
  message: 'the credentials were replaced since; those of now may belong to another account',
} as const satisfies NoAnswerResult

type EpochHolder = Pick<Connection | Attempt, 'credentialsEpoch'>

/** Whether an attempt was called with credentials of the account that the connection's of now belong to. */
export function hasSameCredentialsEpoch(attempt: EpochHolder, connection: EpochHolder): boolean {
  return attempt.credentialsEpoch === connection.credentialsEpoch
}

/** A provider's answer about an attempt, in which "not found" counts only in the attempt's own epoch. */
export function guardNotFoundByEpoch<Answer extends { kind: string }>(
  answer: Answer,
  { attempt, connection }: { attempt: EpochHolder; connection: EpochHolder },
): Answer | NoAnswerResult {
  return answer.kind === 'not_found' && !hasSameCredentialsEpoch(attempt, connection)
    ? CREDENTIALS_CHANGED
    : answer
}

/** The same about what no attempt is stored of, which may have been called from when it was ordered. */
export function guardNotFoundByOrderTime<Answer extends { kind: string }>(
  answer: Answer,
  { orderedAt, connection }: { orderedAt: Date; connection: Pick<Connection, 'credentialsSince'> },
): Answer | NoAnswerResult {
  const { credentialsSince: since } = connection
  return answer.kind === 'not_found' && since && orderedAt < since ? CREDENTIALS_CHANGED : answer
}
