import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { EntityManager } from '../db/client/orm.ts'
import { listAttemptAnswers } from '../db/repositories/attempt-answers.ts'
import { findAttempts } from '../db/repositories/attempts.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { findCurrentAttempt } from '../db/repositories/settleable-attempts.ts'
import type { PayoutNoun } from '../domain/shared/nouns.ts'
import { signalOperation, signalReturn } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { NotSettleableError } from './manual-settlement.ts'

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
  const before = await readState()
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
    if ((await readState()) !== before) return true
  }
  return false
}
