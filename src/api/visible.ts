import type { Token } from './auth.ts'

/** What a token sees of things that a connection carries: its account's, in its mode, of its provider where it is bound. */
export function visibleTo({ accountUuid, connectionUuid, reaches }: Token) {
  const connection = {
    ...(connectionUuid !== null && { uuid: connectionUuid }),
    ...(reaches && { isSimulated: reaches === 'test' }),
  }
  return { accountUuid, ...(Object.keys(connection).length > 0 && { connection }) }
}
