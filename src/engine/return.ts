import { randomUUID } from 'node:crypto'
import { recordAct } from '../db/acts.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { returnId } from '../workflows/ids.ts'
import type { Engine } from './start.ts'
import { tellReturn } from './tell.ts'

/** Money that is here, is no charge's, and is not on its way back. */
export class NothingToReturn extends Error {}

/**
 * Has the life of an unmatched PIX look at it now, and try again what never left or was refused for a cause that may
 * have passed; what its provider has refused for good it finds refused, and sends nothing. The act is written down first.
 * Answers the id of the life.
 */
export async function returnUnmatched(
  engine: Engine,
  em: EntityManager,
  { uuid, who, reason }: { uuid: string; who: string; reason: string },
): Promise<string> {
  const movement = await em.findOne(Movement, { uuid, disposition: { $in: ['held', 'not_returned'] } })
  const connectionUuid = movement?.connectionUuid
  const workflowId = returnId(uuid)
  if (!connectionUuid) throw new NothingToReturn(`${workflowId} is nothing that waits to be returned`)
  await engine.client() // Refuses here where Temporal is away: nothing has been written down yet.
  await recordAct(em, { who, act: 'return_unmatched', subject: workflowId, reason })
  await tellReturn(engine, { uuid, connectionUuid }, { noticeUuid: randomUUID(), connectionUuid })
  return workflowId
}
