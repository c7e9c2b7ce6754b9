import type { Condition } from '../db/where.ts'
import type { Token } from './auth.ts'

/** The connections that a token sees, of its account: of its mode, and its own where it is bound to one. */
export function connectionsSeenBy({ connectionUuid, reaches }: Token) {
  return {
    ...(connectionUuid !== null && { uuid: connectionUuid }),
    ...(reaches && { isSimulated: reaches === 'test' }),
  }
}

/** What a token sees of things that a connection carries: its account's, by the connections that it sees. */
export function visibleTo(token: Token) {
  const connection = connectionsSeenBy(token)
  const { accountUuid } = token
  return { accountUuid, ...(Object.keys(connection).length > 0 && { connection }) }
}

/** The same of a statement that is written by hand: by columns that a list's index has, so that no row is touched. */
export function seenBy({ accountUuid, connectionUuid, reaches }: Token): Condition[] {
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
