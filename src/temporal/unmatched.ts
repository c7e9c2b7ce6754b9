import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Movement } from '../db/entities/movement.ts'
import { findAttempts } from '../db/repositories/attempts.ts'
import { recordOperatorAction } from '../db/repositories/operator-actions.ts'
import type { UnmatchedDisposition } from '../domain/ledger/movement.ts'
import { keepUnmatchedWorkflowId, returnWorkflowId } from '../workflows/contracts/workflow-ids.ts'
import type { keepUnmatchedWorkflow } from '../workflows/unmatched/keep.workflow.ts'
import { signalReturn } from './signals.ts'
import { buildReopenOptions, type WorkflowClientContext } from './workflow-options.ts'

/** Money that is here, is no charge's, and is not on its way back. */
export class NotReturnableError extends Error {}

/** An unmatched PIX as an operator saw it; `sending`: how often its return had been sent. */
export type ReturnVersion = { disposition: UnmatchedDisposition; sending: number }

/** An operator acts on an unmatched PIX that has changed since it was shown; nothing was done. */
export class StaleReturn extends Error {
  override name = 'StaleReturn'
  readonly current: ReturnVersion

  constructor(uuid: string, now: ReturnVersion) {
    super(
      `${returnWorkflowId(uuid)} has changed since it was shown: now ${now.disposition}, sending ${now.sending}`,
    )
    this.current = now
  }
}

type UnmatchedPixCommand = { uuid: string; expected: ReturnVersion; who: string; reason: string }

/** The unmatched PIX that an operator saw, in one of the dispositions that the act is about. */
async function findUnmatchedPix(
  em: EntityManager,
  { uuid, expected: seen }: UnmatchedPixCommand,
  dispositions: UnmatchedDisposition[],
): Promise<Movement> {
  const movement = await em.findOne(Movement, { uuid })
  if (!movement?.disposition) throw new NotReturnableError(`${returnWorkflowId(uuid)} is no unmatched PIX`)
  const [attempt] = await findAttempts(em, { operation: 'return', subjectUuid: uuid })
  const now = { disposition: movement.disposition, sending: attempt?.sendings ?? 0 }
  const isSame = now.disposition === seen.disposition && now.sending === seen.sending
  if (!isSame || !dispositions.includes(now.disposition)) throw new StaleReturn(uuid, now)
  return movement
}

/**
 * Has the workflow of an unmatched PIX look at it now: what never left is tried again; what its provider has refused is
 * looked up there, and not sent again. Records the act first. Returns the id of the workflow.
 */
export async function requestUnmatchedReturn(
  engine: WorkflowClientContext,
  em: EntityManager,
  word: UnmatchedPixCommand,
): Promise<string> {
  const { uuid, who, reason } = word
  const { connectionUuid } = await findUnmatchedPix(em, word, ['held', 'not_returned'])
  const workflowId = returnWorkflowId(uuid)
  if (!connectionUuid) throw new NotReturnableError(`${workflowId} is nothing that waits to be returned`)
  await engine.client() // Refuses here where Temporal is away: nothing has been written down yet.
  await recordOperatorAction(em, { who, act: 'return_unmatched', subject: workflowId, reason })
  await signalReturn(engine, { uuid, connectionUuid }, { notificationUuid: randomUUID(), connectionUuid })
  return workflowId
}

/**
 * Has an unmatched PIX that its provider refuses to send back kept for its account, as the policy `keep` would have done.
 * The act is written down first. Answers the id of the life that does it.
 */
export async function requestUnmatchedKeep(
  engine: WorkflowClientContext,
  em: EntityManager,
  word: UnmatchedPixCommand,
): Promise<string> {
  const { uuid, who, reason, expected: seen } = word
  await findUnmatchedPix(em, word, ['not_returned'])
  const client = await engine.client() // Refuses here where Temporal is away: nothing has been written down yet.
  await recordOperatorAction(em, { who, act: 'keep_unmatched', subject: returnWorkflowId(uuid), reason })
  const workflowId = keepUnmatchedWorkflowId(uuid)
  await client.workflow.start<typeof keepUnmatchedWorkflow>('keepUnmatchedWorkflow', {
    ...buildReopenOptions(engine, workflowId),
    args: [{ uuid, sending: seen.sending }],
    staticSummary: 'An unmatched PIX is kept for its account',
  })
  return workflowId
}
