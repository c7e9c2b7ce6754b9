import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** The connections that a token sees, of its account: of its mode, and its own where it is bound to one. */
export function connectionScopeOf({ connectionUuid, modeScope: reaches }: CallerToken) {
  return {
    ...(connectionUuid !== null && { uuid: connectionUuid }),
    ...(reaches && { isSimulated: reaches === 'test' }),
  }
}

/** What a token sees of things that a connection carries: its account's, by the connections that it sees. */
export function visibilityFilter(token: CallerToken) {
  const connection = connectionScopeOf(token)
  const { accountUuid } = token
  return { accountUuid, ...(Object.keys(connection).length > 0 && { connection }) }
}

/** The same of a statement that is written by hand: by columns that a list's index has, so that no row is touched. */
export function scopeOf({
  accountUuid,
  connectionUuid,
  modeScope: reaches,
}: CallerToken): OptionalSqlCondition[] {
  return [
    ['account_uuid = ?', accountUuid],
    connectionUuid !== null && ['connection_uuid = ?', connectionUuid],
    reaches && [
      'connection_uuid = any(array(select k.uuid from connection k where k.account_uuid = ? and k.is_simulated = ?))',
      accountUuid,
      reaches === 'test',
    ],
  ]
}
