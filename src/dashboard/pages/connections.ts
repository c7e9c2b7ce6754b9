import type { CallerToken } from '../../api/authorization/authenticate.ts'
import { listProviders } from '../../api/operations/providers.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection } from '../../db/entities/connection.ts'
import { listIsSimulated } from '../../db/repositories/connections.ts'
import type { PageContext } from '../http/page-context.ts'

/** Restricts the token to the requested mode; without one it sees both, and operations use the account's first. */
export async function tokenWithMode(visit: ModeContext): Promise<CallerToken> {
  const { token } = visit
  const requestedMode = readRequestedMode(visit)
  if (requestedMode) return { ...token, mode: requestedMode, modeScope: requestedMode }
  const [mode = 'live'] = await listAccountModes(visit)
  return { ...token, mode }
}

/** Restricts the token to one mode, never both, so that simulated amounts are not mistaken for money. */
export async function restrictToOneMode(visit: ModeContext) {
  const modes = await listAccountModes(visit)
  const mode = readRequestedMode(visit) ?? modes[0] ?? 'live'
  return { token: { ...visit.token, mode, modeScope: mode }, modes }
}

export async function findConnectionMode(em: EntityManager, connectionUuid: string) {
  return (await em.count(Connection, { uuid: connectionUuid, isSimulated: true })) > 0 ? 'test' : 'live'
}

/** Reads the mode requested by the form or the query; null where neither has one. */
function readRequestedMode({ query, form }: Pick<ModeContext, 'query' | 'form'>): CallerToken['mode'] | null {
  const requestedMode = form.get('mode') ?? query.mode
  return requestedMode === 'test' || requestedMode === 'live' ? requestedMode : null
}

export async function listAccountModes({ em, token }: Pick<ModeContext, 'em' | 'token'>) {
  const values = await listIsSimulated(em.fork(), token.accountUuid)
  return values.map(isSimulated => (isSimulated ? 'test' : 'live'))
}

type ModeContext = Pick<PageContext<'merchant'>, 'em' | 'token' | 'query' | 'form'>

/** Upper limit of connections on one page, more than any account has. */
const MAX_CONNECTIONS = 100

/** Lists all connections that a token may see, for a page that offers or names them. */
export async function listConnections(em: EntityManager, token: CallerToken) {
  return (await listProviders(em.fork(), token, { page: 1, per_page: MAX_CONNECTIONS, time_zone: 'UTC' }))
    .data
}
