import type { Token } from '../../api/auth.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { Visit } from '../door.ts'

/** Of simulators or of real providers only where that is asked for; what must be of one is as the account has. */
export async function inMode(visit: Asking): Promise<Token> {
  const { token } = visit
  const asked = modeAsked(visit)
  if (asked) return { ...token, mode: asked, reaches: asked }
  const [mode = 'live'] = await modesOf(visit)
  return { ...token, mode }
}

/** Simulators or real providers, and never both, so that what a simulator moved is not taken for money. */
export async function ofOneMode(visit: Asking): Promise<{ token: Token; modes: Token['mode'][] }> {
  const modes = await modesOf(visit)
  const mode = modeAsked(visit) ?? modes[0] ?? 'live'
  return { token: { ...visit.token, mode, reaches: mode }, modes }
}

/** Of what kind a connection is. */
export async function modeOf(em: EntityManager, connectionUuid: string): Promise<Token['mode']> {
  return (await em.count(Connection, { uuid: connectionUuid, isSimulated: true })) > 0 ? 'test' : 'live'
}

/** What a form or the address asks for; null where neither does. */
function modeAsked({ query, form }: Pick<Asking, 'query' | 'form'>): Token['mode'] | null {
  const asked = form.get('mode') ?? query.mode
  return asked === 'test' || asked === 'live' ? asked : null
}

/** Of what kinds the account's providers are, real ones first. */
export async function modesOf({ em, token }: Pick<Asking, 'em' | 'token'>): Promise<Token['mode'][]> {
  const { accountUuid } = token
  const rows = await em
    .fork()
    .execute<{ is_simulated: boolean }[]>(
      'select distinct is_simulated from connection where account_uuid = ? order by is_simulated',
      [accountUuid],
    )
  return rows.map(row => (row.is_simulated ? 'test' : 'live'))
}

type Asking = Pick<Visit<'merchant'>, 'em' | 'token' | 'query' | 'form'>
