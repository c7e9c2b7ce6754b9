import type { CallerToken } from '../../api/middleware/authenticate.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { PageContext } from '../http/router.ts'

/** Of simulators or of real providers only where that is asked for; what must be of one is as the account has. */
export async function tokenWithMode(visit: ModeContext): Promise<CallerToken> {
  const { token } = visit
  const asked = readRequestedMode(visit)
  if (asked) return { ...token, mode: asked, modeScope: asked }
  const [mode = 'live'] = await listAccountModes(visit)
  return { ...token, mode }
}

/** Simulators or real providers, and never both, so that what a simulator moved is not taken for money. */
export async function restrictToOneMode(
  visit: ModeContext,
): Promise<{ token: CallerToken; modes: CallerToken['mode'][] }> {
  const modes = await listAccountModes(visit)
  const mode = readRequestedMode(visit) ?? modes[0] ?? 'live'
  return { token: { ...visit.token, mode, modeScope: mode }, modes }
}

/** Of what kind a connection is. */
export async function findConnectionMode(
  em: EntityManager,
  connectionUuid: string,
): Promise<CallerToken['mode']> {
  return (await em.count(Connection, { uuid: connectionUuid, isSimulated: true })) > 0 ? 'test' : 'live'
}

/** What a form or the address asks for; null where neither does. */
function readRequestedMode({ query, form }: Pick<ModeContext, 'query' | 'form'>): CallerToken['mode'] | null {
  const asked = form.get('mode') ?? query.mode
  return asked === 'test' || asked === 'live' ? asked : null
}

/** Of what kinds the account's providers are, real ones first. */
export async function listAccountModes({
  em,
  token,
}: Pick<ModeContext, 'em' | 'token'>): Promise<CallerToken['mode'][]> {
  const { accountUuid } = token
  const rows = await em
    .fork()
    .execute<{ is_simulated: boolean }[]>(
      'select distinct is_simulated from connection where account_uuid = ? order by is_simulated',
      [accountUuid],
    )
  return rows.map(row => (row.is_simulated ? 'test' : 'live'))
}

type ModeContext = Pick<PageContext<'merchant'>, 'em' | 'token' | 'query' | 'form'>
