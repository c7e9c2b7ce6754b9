import type { MoneyNoun } from '../../domain/shared/nouns.ts'
import type { EntityManager } from '../client/orm.ts'

export type OperationState = { state: string; connectionUuid: string }

/** Reads the state of an operation and its connection; of a return, those of the PIX that goes back. */
export async function readOperationState(
  em: EntityManager,
  noun: MoneyNoun,
  uuid: string,
): Promise<OperationState | undefined> {
  const from =
    noun === 'return' ? '(select uuid, disposition as state, connection_uuid from movement) m' : noun
  const [row] = await em.execute<OperationState[]>(
    `select state, connection_uuid as "connectionUuid" from ${from} where uuid = ? and state is not null`,
    [uuid],
  )
  return row
}
