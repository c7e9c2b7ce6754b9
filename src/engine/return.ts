import { randomUUID } from 'node:crypto'
import { recordAct } from '../db/acts.ts'
import { attemptsAt } from '../db/attempts.ts'
import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import type { Disposition } from '../domain/movement.ts'
import { keepId, returnId } from '../workflows/ids.ts'
import type { keepWorkflow } from '../workflows/keep.ts'
import { again, type Engine } from './start.ts'
import { tellReturn } from './tell.ts'

/** Money that is here, is no charge's, and is not on its way back. */
export class NothingToReturn extends Error {}

/** An unmatched PIX as an operator saw it; `sending`: how often its return had been sent. */
export type SeenReturn = { disposition: Disposition; sending: number }

/** An operator acts on an unmatched PIX that has changed since it was shown; nothing was done. */
export class StaleReturn extends Error {
  override name = 'StaleReturn'
  readonly now: SeenReturn

  constructor(uuid: string, now: SeenReturn) {
    super(`${returnId(uuid)} has changed since it was shown: now ${now.disposition}, sending ${now.sending}`)
    this.now = now
  }
}

type Word = { uuid: string; seen: SeenReturn; who: string; reason: string }

/** The unmatched PIX that an operator saw, in one of the dispositions that the act is about. */
async function unmatchedAsSeen(
  em: EntityManager,
  { uuid, seen }: Word,
  dispositions: Disposition[],
): Promise<Movement> {
  const movement = await em.findOne(Movement, { uuid })
  if (!movement?.disposition) throw new NothingToReturn(`${returnId(uuid)} is no unmatched PIX`)
  const [attempt] = await attemptsAt(em, { operation: 'return', subjectUuid: uuid })
  const now = { disposition: movement.disposition, sending: attempt?.sendings ?? 0 }
  const isSame = now.disposition === seen.disposition && now.sending === seen.sending
  if (!isSame || !dispositions.includes(now.disposition)) throw new StaleReturn(uuid, now)
  return movement
}

/**
 * Has the workflow of an unmatched PIX look at it now: what never left is tried again; what its provider has refused is
 * looked up there, and not sent again. Records the act first. Returns the id of the workflow.
 */
export async function returnUnmatched(engine: Engine, em: EntityManager, word: Word): Promise<string> {
  const { uuid, who, reason } = word
  const { connectionUuid } = await unmatchedAsSeen(em, word, ['held', 'not_returned'])
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
export async function keepUnmatched(engine: Engine, em: EntityManager, word: Word): Promise<string> {
  const { uuid, who, reason, seen } = word
  await unmatchedAsSeen(em, word, ['not_returned'])
  const client = await engine.client() // Refuses here where Temporal is away: nothing has been written down yet.
  await recordAct(em, { who, act: 'keep_unmatched', subject: returnId(uuid), reason })
  const workflowId = keepId(uuid)
  await client.workflow.start<typeof keepWorkflow>('keepWorkflow', {
    ...again(engine, workflowId),
    args: [{ uuid, sending: seen.sending }],
    staticSummary: 'An unmatched PIX is kept for its account',
  })
  return workflowId
}
