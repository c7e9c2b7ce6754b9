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

/** Fewest sendings whose identical refusals count. */
const MIN_REFUSED_SENDINGS = 3

/**
 * Finds the HTTP status, as http_422, with which a provider has refused every sending of an attempt, where that counts as a
 * refusal (SPEC §6): a status 4xx that means neither "too late" nor "exists", at least three sendings, the first of them
 * `waitMs` ago, and no sign that the provider ever had one of them. The caller has proved the absence of the last one.
 */
export async function findRepeatedRefusal(
  em: EntityManager,
  { uuid, sendings }: Pick<Attempt, 'uuid' | 'sendings'>,
  waitMs: number,
): Promise<string | null> {
  if (sendings < MIN_REFUSED_SENDINGS) return null
  const rows = await em.execute<{ code: string }[]>(
    `select min(code) filter (where kind = 'unknown') as code from attempt_answer where attempt_uuid = ? having
       count(*) filter (where kind not in ('unknown', 'no_answer', 'not_found')) = 0
       and count(distinct code) filter (where kind = 'unknown') = 1
       and count(*) filter (where kind = 'unknown') = ?
       and min(code) filter (where kind = 'unknown') ~ '^http_4[0-9]{2}$'
       and min(code) filter (where kind = 'unknown') not in ('http_408', 'http_409')
       and min(first_at) filter (where kind = 'unknown') <= now() - make_interval(secs => ?)`,
    [uuid, sendings, waitMs / 1_000],
  )
  return rows[0]?.code ?? null
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
