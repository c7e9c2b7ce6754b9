import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'

/**
 * Replaces a "not found" after a connection's credentials were replaced by ones that may belong to another account: it
 * proves nothing about calls made with the earlier credentials (docs/security.md, Providers).
 */

const CREDENTIALS_CHANGED = {
  kind: 'no_answer',
  code: 'credentials_changed',
  message: 'the credentials were replaced; the current ones may belong to another account',
} as const satisfies NoAnswerResult

type EpochHolder = Pick<Connection | Attempt, 'credentialsEpoch'>

/** Tells whether an attempt was made with credentials of the same provider account as the connection's current ones. */
export function hasSameCredentialsEpoch(attempt: EpochHolder, connection: EpochHolder): boolean {
  return attempt.credentialsEpoch === connection.credentialsEpoch
}

/** Guards a provider's answer about an attempt: "not found" counts only in the attempt's own credentials epoch. */
export function guardNotFoundByEpoch<Answer extends { kind: string }>(
  answer: Answer,
  { attempt, connection }: { attempt: EpochHolder; connection: EpochHolder },
): Answer | NoAnswerResult {
  return answer.kind === 'not_found' && !hasSameCredentialsEpoch(attempt, connection)
    ? CREDENTIALS_CHANGED
    : answer
}

/** Guards an answer about an operation without a stored attempt, which may have been sent since it was ordered. */
export function guardNotFoundByOrderTime<Answer extends { kind: string }>(
  answer: Answer,
  { orderedAt, connection }: { orderedAt: Date; connection: Pick<Connection, 'credentialsSince'> },
): Answer | NoAnswerResult {
  const { credentialsSince: since } = connection
  return answer.kind === 'not_found' && since && orderedAt < since ? CREDENTIALS_CHANGED : answer
}
