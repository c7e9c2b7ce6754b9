import type { EntityManager } from '../../../db/client/orm.ts'
import { countPixKeyCreation } from '../../../db/repositories/pix-keys.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'

/**
 * Counts a POST of a key, rejected ones included; the fourth within 60 s is 429 (SPEC §9). PostgreSQL counts, by its
 * own clock, so the limit holds for any number of processes. A 429 is not counted: a merchant who waits for
 * `Retry-After` succeeds.
 */
export async function countCreationAttempt({ token, em }: { token: CallerToken; em: EntityManager }) {
  const retryAfterS = await countPixKeyCreation(em, token.accountUuid)
  if (retryAfterS > 0) fail('too_many_attempts', { retryAfterS })
}
