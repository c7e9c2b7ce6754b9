import type { EntityManager } from '../../db/client/orm.ts'
import { fail } from '../http/api-error.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/**
 * SPEC §9: every POST of a key counts, refused ones too; the fourth within 60 s is 429. Counted by the database and its
 * clock, so it holds however many processes there are. A 429 itself is no try: whoever waits as told gets through.
 */
export async function countCreationAttempt({
  token,
  em,
}: {
  token: CallerToken
  em: EntityManager
}): Promise<void> {
  const [row]: { wait_s: number }[] = await em.execute('select take_pix_key_try(?) as wait_s', [
    token.accountUuid,
  ])
  if (row && row.wait_s > 0) fail('too_many_attempts', { retryAfterS: row.wait_s })
}
