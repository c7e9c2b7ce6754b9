import type { Condition } from '../db/where.ts'
import type { Token } from './auth.ts'

/** What a token sees of things that a connection carries: its account's, in its mode, of its provider where it is bound. */
export function visibleTo({ accountUuid, connectionUuid, reaches }: Token) {
  const connection = {
    ...(connectionUuid !== null && { uuid: connectionUuid }),
    ...(reaches && { isSimulated: reaches === 'test' }),
  }
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
