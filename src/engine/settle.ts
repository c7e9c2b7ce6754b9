import { recordAct } from '../db/acts.ts'
import { attemptsAt } from '../db/attempts.ts'
import type { AttemptState } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { currentAttempt, settleableAttempt } from '../db/settleable-attempts.ts'
import type { MoneyOut } from '../domain/money-out.ts'
import { refundId, returnId, transferId } from '../workflows/ids.ts'
import { type OperatorsWord, operatorSettles } from '../workflows/messages.ts'
import { isRunning } from './past-lives.ts'
import { reopenSending } from './reopen.ts'
import type { Engine } from './start.ts'

/** Nouns that an operator may settle manually, and their workflows. */
const LIVES: Record<MoneyOut, (uuid: string) => string> = {
  transfer: transferId,
  refund: refundId,
  return: returnId,
}

export type Settlement = { noun: MoneyOut; uuid: string; word: OperatorsWord; who: string }

/** There is nothing to settle; the message says why, for the operator. */
export class NothingUnknown extends Error {}

/** The attempt that counts now, in place of the one that an operator saw. `number` counts the attempts from 1. */
export type CurrentAttempt = {
  attempt: string
  number: number
  sending: number
  provider: string
  state: AttemptState
}

/** The attempt has changed since the operator saw it; nothing was done. */
export class StaleSettlement extends Error {
  override name = 'StaleSettlement'
  readonly now: CurrentAttempt

  constructor(workflowId: string, now: CurrentAttempt) {
    const { attempt, number, sending, provider, state } = now
    super(
      `${workflowId} has changed since it was shown: it is now at ${provider}, attempt ${number} (${attempt}), ` +
        `sending ${sending}, ${state}; nothing was done`,
    )
    this.now = now
  }
}

/**
 * Settles an unknown outcome manually, for the attempt that the operator names. The act is recorded before the workflow is
 * signalled, so that nothing is settled without a trace. The workflow's activity checks the same attempt again under the row
 * lock (src/activities/operators-word.ts). Returns the workflow's id.
 */
export async function settleUnknown(
  engine: Engine,
  em: EntityManager,
  { noun, uuid, word, who }: Settlement,
): Promise<string> {
  const workflowId = LIVES[noun](uuid)
  const attempts = await attemptsAt(em, { operation: noun, subjectUuid: uuid })
  const current = currentAttempt(attempts)
  if (!current) throw new NothingUnknown(`nothing of ${workflowId} waits for a provider's word`)
  if (!settleableAttempt(attempts, word, engine.timeScale)) {
    const { provider } = await em.findOneOrFail(Connection, current.connectionUuid)
    const { uuid: attempt, position, sendings, state } = current
    const now = { attempt, number: position + 1, sending: sendings, provider, state }
    throw new StaleSettlement(workflowId, now)
  }
  const client = await engine.client()
  await recordAct(em, { who, act: `settle_${word.as}`, subject: workflowId, reason: word.reason })
  // A lost workflow is reopened from its row; it processes the signal before it polls.
  if (!(await isRunning(client, workflowId)))
    await reopenSending(engine, noun, {
      ...{ uuid, account_uuid: '', state: current.state, created_at: current.createdAt.toISOString() },
      ...{ connection_uuid: current.connectionUuid, tried: attempts.map(one => one.connectionUuid) },
    })
  await client.workflow.getHandle(workflowId).signal(operatorSettles, word)
  return workflowId
}
