import type { EntityManager } from '../../db/orm.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'

/**
 * SPEC §9: every POST of a key counts, refused ones too; the fourth within 60 s is 429. Counted by the database and its
 * clock, so it holds however many processes there are. A 429 itself is no try: whoever waits as told gets through.
 */
export async function countTry({ token, em }: { token: Token; em: EntityManager }): Promise<void> {
  const [row]: { wait_s: number }[] = await em.execute('select take_pix_key_try(?) as wait_s', [
    token.accountUuid,
  ])
  if (row && row.wait_s > 0) refuse('too_many_attempts', { retryAfterS: row.wait_s })
}
