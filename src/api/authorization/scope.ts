import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** Builds the filter of connections that a token may see: its mode's, or its own. The caller adds the account. */
export function connectionScopeOf({ connectionUuid, modeScope }: CallerToken) {
  return {
    ...(connectionUuid !== null && { uuid: connectionUuid }),
    ...(modeScope && { isSimulated: modeScope === 'test' }),
  }
}

/** Builds the filter of resources a token may see: of its account, through the connections it may see. */
export function visibilityFilter(token: CallerToken) {
  const connection = connectionScopeOf(token)
  const { accountUuid } = token
  return { accountUuid, ...(Object.keys(connection).length > 0 && { connection }) }
}

/** Builds the same filter as SQL, on columns of the list indexes, so that PostgreSQL reads the index only. */
export function scopeOf({ accountUuid, connectionUuid, modeScope }: CallerToken): OptionalSqlCondition[] {
  return [
    ['account_uuid = ?', accountUuid],
    connectionUuid !== null && ['connection_uuid = ?', connectionUuid],
    modeScope && [
      'connection_uuid = any(array(select k.uuid from connection k where k.account_uuid = ? and k.is_simulated = ?))',
      accountUuid,
      modeScope === 'test',
    ],
  ]
}
