import { randomUUID } from 'node:crypto'
import { recordAct } from '../db/acts.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { keepId, returnId } from '../workflows/ids.ts'
import type { keepWorkflow } from '../workflows/keep.ts'
import { again, type Engine } from './start.ts'
import { tellReturn } from './tell.ts'

/** Money that is here, is no charge's, and is not on its way back. */
export class NothingToReturn extends Error {}

type Word = { uuid: string; who: string; reason: string }

/**
 * Has the life of an unmatched PIX look at it now, and try again what never left or was refused for a cause that may
 * have passed; what its provider has refused for good it finds refused, and sends nothing. The act is written down first.
 * Answers the id of the life.
 */
export async function returnUnmatched(
  engine: Engine,
  em: EntityManager,
  { uuid, who, reason }: Word,
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

/**
 * Has an unmatched PIX that its provider refuses to send back kept for its account, as the policy `keep` would have done.
 * The act is written down first. Answers the id of the life that does it.
 */
export async function keepUnmatched(
  engine: Engine,
  em: EntityManager,
  { uuid, who, reason }: Word,
): Promise<string> {
  const movement = await em.findOne(Movement, { uuid, disposition: 'not_returned' })
  if (!movement) throw new NothingToReturn(`${returnId(uuid)} is nothing that could not be returned`)
  const client = await engine.client() // Refuses here where Temporal is away: nothing has been written down yet.
  await recordAct(em, { who, act: 'keep_unmatched', subject: returnId(uuid), reason })
  const workflowId = keepId(uuid)
  await client.workflow.start<typeof keepWorkflow>('keepWorkflow', {
    ...again(engine, workflowId),
    args: [{ uuid }],
    staticSummary: 'An unmatched PIX is kept for its account',
  })
  return workflowId
}
