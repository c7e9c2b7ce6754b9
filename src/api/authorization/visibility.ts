import { isOfMode, type OptionalSqlCondition } from '../../db/sql-conditions.ts'
import type { CallerToken } from './authenticate.ts'

/** What of a token decides which resources it may see. */
export type Viewer = Pick<CallerToken, 'accountUuid' | 'connectionUuid' | 'modeScope'>

/** Builds the filter of connections that a token may see: its mode's, or its own. The caller adds the account. */
export function visibleConnections({ connectionUuid, modeScope }: Viewer) {
  return {
    ...(connectionUuid !== null && { uuid: connectionUuid }),
    ...(modeScope && { isSimulated: modeScope === 'test' }),
  }
}

/** Builds the filter of resources a token may see: of its account, through the connections it may see. */
export function visibilityFilter(token: Viewer) {
  const connection = visibleConnections(token)
  const { accountUuid } = token
  return { accountUuid, ...(Object.keys(connection).length > 0 && { connection }) }
}

/** Builds the same filter as SQL, on columns of the list indexes, so that PostgreSQL reads the index only. */
export function visibilityConditions(token: Viewer): OptionalSqlCondition[] {
  return [['account_uuid = ?', token.accountUuid], ...visibleConnectionConditions(token)]
}

/** Builds the conditions of the connections that a token may see, of rows of its account. */
export function visibleConnectionConditions({
  accountUuid,
  connectionUuid,
  modeScope,
}: Viewer): OptionalSqlCondition[] {
  return [
    connectionUuid !== null && ['connection_uuid = ?', connectionUuid],
    modeScope && isOfMode('connection_uuid', 'uuid', { accountUuid, isSimulated: modeScope === 'test' }),
  ]
}
