import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { EntityManager } from '../db/client/orm.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { Connection } from '../db/entities/connection.ts'
import { listAttemptAnswers } from '../db/repositories/attempt-answers.ts'
import { findAttempts } from '../db/repositories/attempts.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { findCurrentAttempt, findSettleableAttempt } from '../db/repositories/settleable-attempts.ts'
import { reopenPayout } from '../disaster-recovery/reopen.ts'
import type { AttemptState, AttemptVersion } from '../domain/providers/attempt.ts'
import type { PayoutNoun } from '../domain/shared/nouns.ts'
import { signalOperation, signalReturn } from '../temporal/signals.ts'
import { isWorkflowRunning } from '../temporal/workflow-history.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { type ManualSettlement, manualSettlementSignal } from '../workflows/contracts/payouts.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'

export type ManualSettlementRequest = {
  noun: PayoutNoun
  uuid: string
  settlement: ManualSettlement
  actor: string
}

/** The operation has no attempt to settle; the message has the reason for the operator. */
export class NotSettleableError extends Error {}

/** The current attempt, if it is not the one that the operator saw. `number` counts from 1. */
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
  readonly current: CurrentAttempt

  constructor(workflowId: string, current: CurrentAttempt) {
    const { attempt, number, sending, provider, state } = current
    super(
      `${workflowId} has changed since it was shown: it is now at ${provider}, attempt ${number} (${attempt}), ` +
        `sending ${sending}, ${state}; nothing was done`,
    )
    this.current = current
  }
}

/** Id of the workflow of a payout: the subject of what operators do about it. */
export function payoutWorkflowIdOf(noun: PayoutNoun, uuid: string): string {
  return WORKFLOWS[noun].idOf(uuid)
}

/** Attempts at a payout as they are now, of which one is the operator's to settle. */
export type SettleableAttempts = { attempts: Attempt[]; current: Attempt; workflowId: string }

/**
 * Finds the attempts at a payout, of which the expected one may be settled. Throws `NotSettleableError` where there is no
 * attempt, and `StaleSettlement` where the expected one has changed.
 */
export async function requireSettleable(
  { timeScale }: Pick<TemporalContext, 'timeScale'>,
  em: EntityManager,
  { noun, uuid, expected }: { noun: PayoutNoun; uuid: string; expected: AttemptVersion },
): Promise<SettleableAttempts> {
  const workflowId = payoutWorkflowIdOf(noun, uuid)
  const attempts = await findAttempts(em, { operation: noun, subjectUuid: uuid })
  const current = findCurrentAttempt(attempts)
  if (!current) throw new NotSettleableError(`${workflowId} has no attempt to settle`)
  if (findSettleableAttempt(attempts, expected, timeScale)) return { attempts, current, workflowId }
  const { provider } = await em.findOneOrFail(Connection, current.connectionUuid)
  const { uuid: attempt, position, sendings, state } = current
  throw new StaleSettlement(workflowId, { attempt, number: position + 1, sending: sendings, provider, state })
}

/**
 * Settles an unknown outcome manually, for the attempt that the operator names. The operator action is recorded
 * before the workflow is signalled, so that no settlement lacks a record. The workflow's activity checks the same
 * attempt again under the row lock (src/activities/payouts/manual-settlement.ts). Returns the workflow's id.
 */
export async function requestManualSettlement(
  temporal: TemporalContext,
  em: EntityManager,
  { noun, uuid, settlement, actor }: ManualSettlementRequest,
): Promise<string> {
  const { attempts, current, workflowId } = await requireSettleable(temporal, em, {
    noun,
    uuid,
    expected: settlement,
  })
  const client = await temporal.client()
  const { as, reason } = settlement
  await runAuditedAction(em, { by: { actor, reason }, action: `settle_${as}`, subject: workflowId })
  // A lost workflow is reopened from its row; it processes the signal before it polls.
  if (!(await isWorkflowRunning(client, workflowId)))
    await reopenPayout(temporal, noun, {
      uuid,
      account_uuid: '',
      state: current.state,
      created_at: current.createdAt.toISOString(),
      connection_uuid: current.connectionUuid,
      tried: attempts.map(one => one.connectionUuid),
    })
  await client.workflow.getHandle(workflowId).signal(manualSettlementSignal, settlement)
  return workflowId
}

/** Time between two looks for the answer. */
const LOOK_INTERVAL_MS = 200

type PayoutInquiry = { noun: PayoutNoun; uuid: string; actor: string; waitMs: number }

/**
 * Signals the workflow of a payout that moves to poll its provider now, as a notification of the provider does: nothing
 * is sent. A workflow that was lost is reopened from its row. Returns whether the provider has answered within `waitMs`.
 * Throws `NotSettleableError` where the payout has no live attempt.
 */
export async function requestPayoutPoll(
  temporal: TemporalContext,
  em: EntityManager,
  { noun, uuid, actor, waitMs }: PayoutInquiry,
): Promise<boolean> {
  const subject = { operation: noun, subjectUuid: uuid }
  const current = findCurrentAttempt(await findAttempts(em, subject))
  if (!current || !['calling', 'accepted', 'unknown'].includes(current.state))
    throw new NotSettleableError(`${WORKFLOWS[noun].idOf(uuid)} has no attempt to ask about`)
  const readState = async () => {
    const fork = em.fork()
    const attempts = await findAttempts(fork, subject)
    const answers = await listAttemptAnswers(fork, [current.uuid])
    return JSON.stringify([attempts.map(({ state, sendings }) => [state, sendings]), answers])
  }
  const stateBefore = await readState()
  await temporal.client() // Throws here while Temporal is unreachable, before anything is recorded.
  await runAuditedAction(em, {
    by: { actor, reason: `asked about attempt ${current.uuid}, sending ${current.sendings}` },
    action: 'ask_provider',
    subject: WORKFLOWS[noun].idOf(uuid),
  })
  const { connectionUuid } = current
  const notification = { notificationUuid: randomUUID(), connectionUuid, isNew: true as const }
  if (noun === 'return') await signalReturn(temporal, { uuid, connectionUuid }, notification)
  else await signalOperation(temporal, noun, uuid, notification)
  for (const until = performance.now() + waitMs; performance.now() < until; ) {
    await wait(LOOK_INTERVAL_MS)
    if ((await readState()) !== stateBefore) return true
  }
  return false
}
