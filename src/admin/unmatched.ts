import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Movement } from '../db/entities/movement.ts'
import { findAttempts } from '../db/repositories/attempts.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { readUnreturnedCents } from '../db/repositories/unmatched-payments.ts'
import type { UnmatchedDisposition } from '../domain/ledger/movement.ts'
import { signalReturn } from '../temporal/signals.ts'
import { startOrReopenWorkflow, type TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'

/** The unmatched PIX is not held, or is being returned already. */
export class NotReturnableError extends Error {}

/**
 * An unmatched PIX as the operator saw it; `sending`: how often its return had been sent; `cents`: what its provider had not
 * returned of it without an order of ours.
 */
export type ReturnVersion = { disposition: UnmatchedDisposition; sending: number; cents: number }

/** The unmatched PIX has changed since it was shown to the operator; nothing was done. */
export class StaleReturn extends Error {
  override name = 'StaleReturn'
  readonly current: ReturnVersion

  constructor(uuid: string, current: ReturnVersion) {
    super(
      `${WORKFLOWS.return.idOf(uuid)} has changed since it was shown: now ${current.disposition}, sending ${current.sending}, ${current.cents} centavos`,
    )
    this.current = current
  }
}

type UnmatchedPixCommand = { uuid: string; expected: ReturnVersion; actor: string; reason: string }

/** Dispositions in which an operator may return or keep an unmatched PIX. */
const DISPOSITIONS: Record<'return' | 'keep', UnmatchedDisposition[]> = {
  return: ['held', 'not_returned'],
  keep: ['not_returned'],
}

/** Finds the unmatched PIX that the operator saw, in one of the dispositions that the command allows. */
export async function requireUnmatchedPix(
  em: EntityManager,
  { uuid, expected }: UnmatchedPixCommand,
  command: keyof typeof DISPOSITIONS,
): Promise<Movement> {
  const movement = await em.findOne(Movement, { uuid })
  if (!movement?.disposition)
    throw new NotReturnableError(`${WORKFLOWS.return.idOf(uuid)} is not an unmatched PIX`)
  const [attempt] = await findAttempts(em, { operation: 'return', subjectUuid: uuid })
  const cents = await readUnreturnedCents(em, uuid)
  const current = { disposition: movement.disposition, sending: attempt?.sendings ?? 0, cents }
  const isSame =
    current.disposition === expected.disposition &&
    current.sending === expected.sending &&
    current.cents === expected.cents
  if (!isSame || !DISPOSITIONS[command].includes(current.disposition)) throw new StaleReturn(uuid, current)
  return movement
}

/**
 * Signals the workflow of an unmatched PIX to act now: a return that never left is tried again; one that the provider
 * has refused is looked up there, and not sent again. Records the operator action first. Returns the workflow's id.
 */
export async function requestUnmatchedReturn(
  temporal: TemporalContext,
  em: EntityManager,
  command: UnmatchedPixCommand,
): Promise<string> {
  const { uuid } = command
  const { connectionUuid } = await requireUnmatchedPix(em, command, 'return')
  const workflowId = WORKFLOWS.return.idOf(uuid)
  if (!connectionUuid) throw new NotReturnableError(`${workflowId} has nothing left to return`)
  await temporal.client() // Throws here while Temporal is unreachable, before anything is recorded.
  await runAuditedAction(em, { by: command, action: 'return_unmatched', subject: workflowId })
  await signalReturn(temporal, { uuid, connectionUuid }, { notificationUuid: randomUUID(), connectionUuid })
  return workflowId
}

/**
 * Starts the workflow that keeps an unmatched PIX for its account, after its provider has refused to return it, as
 * the policy `keep` would have done. Records the operator action first. Returns the workflow's id.
 */
export async function requestUnmatchedKeep(
  temporal: TemporalContext,
  em: EntityManager,
  command: UnmatchedPixCommand,
): Promise<string> {
  const { uuid, expected } = command
  await requireUnmatchedPix(em, command, 'keep')
  await temporal.client() // Throws here while Temporal is unreachable, before anything is recorded.
  await runAuditedAction(em, {
    by: command,
    action: 'keep_unmatched',
    subject: WORKFLOWS.return.idOf(uuid),
  })
  const staticSummary = 'Keep an unmatched PIX for its account'
  const input = { uuid, sending: expected.sending, cents: expected.cents }
  await startOrReopenWorkflow(temporal, 'keep_unmatched', uuid, input, { staticSummary })
  return WORKFLOWS.keep_unmatched.idOf(uuid)
}
