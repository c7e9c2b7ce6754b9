import type { Token } from '../../api/auth.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { Visit } from '../door.ts'

/** Of simulators or of real providers only where that is asked for; what must be of one is as the account has. */
export async function inMode({ em, token, query, form }: Visit<'merchant'>): Promise<Token> {
  const asked = form.get('mode') ?? query.mode
  if (asked === 'test' || asked === 'live') return { ...token, mode: asked, reaches: asked }
  const { accountUuid } = token
  const real = await em.fork().count(Connection, { accountUuid, isSimulated: false })
  return { ...token, mode: real > 0 ? 'live' : 'test' }
}
