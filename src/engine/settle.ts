import { WorkflowNotFoundError } from '@temporalio/common'
import { recordAct } from '../db/acts.ts'
import { silentSince, UNDER_WAY } from '../db/attempts.ts'
import { Attempt } from '../db/entities/attempt.ts'
import type { EntityManager } from '../db/orm.ts'
import type { MoneyOut } from '../domain/money-out.ts'
import { refundId, returnId, transferId } from '../workflows/ids.ts'
import { type OperatorsWord, operatorSettles } from '../workflows/messages.ts'
import type { Engine } from './start.ts'

/** What an operator may settle, and the life that hears it. */
const LIVES: Record<MoneyOut, (uuid: string) => string> = {
  transfer: transferId,
  refund: refundId,
  return: returnId,
}

/**
 * What may be settled by a word: an outcome that is unknown, and one that its provider has taken or is being told of and
 * said no more about for so long that it ought to have. What was accepted a moment ago was not known to whom the operator
 * asked.
 */
function open(timeScale: number) {
  return {
    $or: [
      { state: 'unknown' as const },
      { state: { $in: UNDER_WAY }, updatedAt: { $lt: silentSince(timeScale) } },
    ],
  }
}

export type Settlement = { noun: MoneyOut; uuid: string; word: OperatorsWord; who: string }

/** Nothing to settle, told in a sentence for the operator. */
export class NothingUnknown extends Error {}

/**
 * Ends what no provider can tell, by an operator's word; the act is written down before the life is told, so that
 * nothing is settled without a trace. Answers the id of the life.
 */
export async function settleUnknown(
  engine: Engine,
  em: EntityManager,
  { noun, uuid, word, who }: Settlement,
): Promise<string> {
  const waiting = { operation: noun, subjectUuid: uuid, ...open(engine.timeScale) }
  const workflowId = LIVES[noun](uuid)
  if ((await em.count(Attempt, waiting)) === 0)
    throw new NothingUnknown(`nothing of ${workflowId} waits for a provider's word`)
  const life = (await engine.client()).workflow.getHandle(workflowId)
  const { status } = await life.describe().catch(error => {
    if (error instanceof WorkflowNotFoundError) return { status: { name: 'UNKNOWN' } }
    throw error
  })
  if (status.name !== 'RUNNING') throw new NothingUnknown(`${workflowId} does not run`)
  await recordAct(em, { who, act: `settle_${word.as}`, subject: workflowId, reason: word.reason })
  await life.signal(operatorSettles, word)
  return workflowId
}
