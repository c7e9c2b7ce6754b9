import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { Pause, type PauseReach } from '../db/entities/pause.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { resetCircuit } from '../db/repositories/circuit-breaker.ts'
import { getPauseTargetColumns, type PauseTarget } from '../db/repositories/pauses.ts'

/** Pauses (SPEC §9, `trilho pause`), during which no operation starts within their reach and running ones are polled; circuit breakers. */

export type PauseRequest = ActionAuthor & { target: PauseTarget; reach: PauseReach }

/**
 * Starts a pause, or changes the reach of the active one; every process sees it with its next request. An active
 * pause keeps its `createdAt`, the time since when no payout starts: either reach stops payouts.
 */
export function startPause(em: EntityManager, order: PauseRequest): Promise<void> {
  const { target, reach, actor, reason } = order
  return runAuditedAction(em, {
    by: order,
    action: `pause_${reach}`,
    subject: formatPauseSubject(target),
    async work(tx) {
      const details = { reach, actor, reason, createdAt: new Date() }
      await tx.upsert(
        Pause,
        { uuid: randomUUID(), ...getPauseTargetColumns(target), ...details },
        {
          onConflictFields: ['accountUuid', 'connectionUuid', 'provider'],
          onConflictExcludeFields: ['uuid', 'createdAt'],
        },
      )
    },
  })
}

/** The pause that an operator saw on the page. */
export type ExpectedPause = { uuid: string; reach: PauseReach }

/** Ends the pause of a target, with `expected` only if unchanged; false if none matched: then nothing is recorded. */
export function endPause(
  em: EntityManager,
  order: ActionAuthor & { target: PauseTarget; expected?: ExpectedPause },
): Promise<boolean> {
  const { target, expected } = order
  return runAuditedAction(em, {
    by: order,
    action: 'resume',
    subject: formatPauseSubject(target),
    work: async tx => (await tx.nativeDelete(Pause, { ...getPauseTargetColumns(target), ...expected })) > 0,
  })
}

/** Closes the open circuit breaker of a connection; false where it is closed already. The next failures open it again. */
export function closeCircuit(
  em: EntityManager,
  order: ActionAuthor & { connectionUuid: string },
): Promise<boolean> {
  const { connectionUuid } = order
  return runAuditedAction(em, {
    by: order,
    action: 'breaker_reset',
    subject: `connection/${connectionUuid}`,
    work: tx => resetCircuit(tx, connectionUuid),
  })
}

function formatPauseSubject(target: PauseTarget): string {
  if (target === 'all') return 'all'
  if ('provider' in target) return `provider/${target.provider}`
  return 'accountUuid' in target ? `account/${target.accountUuid}` : `connection/${target.connectionUuid}`
}
