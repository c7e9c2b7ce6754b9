import type { FindPayoutOutcome, SendPayoutOutcome } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Attempt } from '../entities/attempt.ts'

/** What providers answered about attempts with an unknown outcome (table `attempt_answer`), for the operator who settles one. */

type ProviderAnswer = SendPayoutOutcome | Exclude<FindPayoutOutcome, { kind: 'found' }>

/** Records an answer about an attempt whose row is stored, or counts a repeat. Runs in the transaction of the answer. */
export async function recordAttemptAnswer(
  em: EntityManager,
  { uuid, sendings }: Pick<Attempt, 'uuid' | 'sendings'>,
  answer: ProviderAnswer,
): Promise<void> {
  const { kind, code, message } = describeAnswer(answer)
  await em.execute(
    `insert into attempt_answer as a (attempt_uuid, sending, kind, code, message, first_at, last_at)
     select uuid, ?::integer, ?, ?, ?::text, now(), now() from attempt where uuid = ?
     on conflict (attempt_uuid, sending, kind, code) do update set
       occurrences = a.occurrences + 1, message = excluded.message, last_at = greatest(a.last_at, excluded.last_at)`,
    [sendings, kind, code, message, uuid],
  )
}

function describeAnswer(answer: ProviderAnswer): { kind: string; code: string; message: string | null } {
  if (answer.kind === 'accepted') {
    const { status, code = '', message = null } = answer.payout
    return { kind: status, code, message }
  }
  if (answer.kind === 'not_found') return { kind: answer.kind, code: '', message: null }
  return { kind: answer.kind, code: answer.code, message: answer.message }
}

/** A different answer about one sending of an attempt, with how often and when it came. */
export type RecordedAnswer = {
  attempt: string
  sending: number
  kind: string
  code: string
  message: string | null
  occurrences: number
  /** As PostgreSQL writes times. */
  first_at: string
  last_at: string
}

/** Lists the answers about attempts, the latest first. */
export function listAttemptAnswers(em: EntityManager, attempts: string[]): Promise<RecordedAnswer[]> {
  return em.execute(
    `select attempt_uuid as attempt, sending, kind, code, message, occurrences, first_at, last_at from attempt_answer
     where attempt_uuid = any(array[?]::uuid[]) order by last_at desc, kind, code`,
    [attempts],
  )
}
