import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Recurrence } from '../../db/entities/recurrence.ts'
import { isCycleCharged, lockRecurrence } from '../../db/repositories/recurrences.ts'
import { uuidFromHash } from '../../domain/pix/identifiers.ts'
import type { CycleCreation } from '../../domain/recurrences/cycles.ts'
import { findStoredCreation } from '../../domain/recurrences/stored-terms.ts'
import { sha256 } from '../../security/sealing.ts'
import type { ChargeInput, ChargeInputDetails } from '../../workflows/contracts/charges.ts'
import type {
  PrepareCycleResult,
  RecordCycleInput,
  RecurrenceSnapshot,
} from '../../workflows/contracts/recurrences.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { readSnapshot } from './state.ts'

/**
 * Prepares the charge of the next cycle that is due to be created, under the row lock: records the cycles before it that can have none any
 * more, and passes over those that the merchant has charged. The charge's uuid follows from the recurrence and the cycle, so that a
 * repeat never makes a second one.
 */
export function prepareCycle(dependencies: ActivityDependencies) {
  return (uuid: string): Promise<PrepareCycleResult> =>
    runInTransaction(dependencies.orm, async em => {
      const row = await lockRecurrence(em, uuid)
      const next = await advanceToNext(em, row)
      const snapshot = await readSnapshot(em, row)
      if (!next || next.createAt > new Date()) return snapshot
      const { cycle } = next
      const order = buildCycleOrder(dependencies, row, { cycle: cycle.number, dueOn: cycle.dueDay })
      return { ...snapshot, charge: { cycle: cycle.number, order } }
    })
}

/** Records that the charge of a cycle has its workflow. May be repeated. */
export function recordCycle({ orm }: ActivityDependencies) {
  return ({ uuid, cycle }: RecordCycleInput): Promise<RecurrenceSnapshot> =>
    runInTransaction(orm, async em => {
      const row = await lockRecurrence(em, uuid)
      passCycle(row, cycle)
      return readSnapshot(em, row)
    })
}

/** Derives the uuid of the charge that the worker creates for a cycle. */
function deriveCycleUuid(recurrenceUuid: string, cycle: number): string {
  return uuidFromHash(sha256(JSON.stringify(['cycle', recurrenceUuid, cycle])))
}

/** Marks a cycle, and those before it, as charged or skipped. The caller holds the row lock. */
export function passCycle(row: Recurrence, cycle: number): void {
  row.nextCycle = Math.max(row.nextCycle, cycle + 1)
}

/** Finds the next creation, and moves `nextCycle` there. */
async function advanceToNext(em: EntityManager, row: Recurrence): Promise<CycleCreation | null> {
  const now = new Date()
  for (;;) {
    const { next, skipped } = findStoredCreation(row, now)
    for (const { number: cycle, dueDay: dueOn } of skipped) {
      if (!(await isCycleCharged(em, { recurrenceUuid: row.uuid, cycle })))
        row.skippedCycles = [...row.skippedCycles, { cycle, dueOn, at: now.toISOString() }]
      passCycle(row, cycle)
    }
    const isCharged =
      next !== null &&
      (await isCycleCharged(em, {
        recurrenceUuid: row.uuid,
        cycle: next.cycle.number,
        exceptUuid: deriveCycleUuid(row.uuid, next.cycle.number),
      }))
    if (!isCharged) return next
    passCycle(row, next.cycle.number)
  }
}

function buildCycleOrder(
  { sealer, timeScale }: ActivityDependencies,
  row: Recurrence,
  { cycle, dueOn }: { cycle: number; dueOn: string },
): ChargeInput {
  const { uuid: recurrenceUuid, accountUuid, railId, feeCents, valueCents, externalRef, subject } = row
  if (valueCents == null || railId == null)
    throw new Error('the recurrence has no value or no id of the rail')
  const details: ChargeInputDetails = {
    ...(externalRef != null && { externalRef }),
    debtor: { name: row.debtorName, document: row.debtorDocument },
    ...(subject != null && { message: subject }),
    splits: row.splits,
    fingerprint: row.fingerprint,
  }
  return {
    uuid: deriveCycleUuid(recurrenceUuid, cycle),
    accountUuid,
    candidates: [row.connection.uuid],
    valueCents,
    // A debit has no payload that expires.
    expiresInSeconds: 0,
    debit: { recurrenceUuid, cycle, railId, dueOn, feeCents },
    details: sealer.seal(details),
    requestId: row.requestId,
    ...(row.tokenNumber != null && { tokenNumber: row.tokenNumber }),
    ...(row.userUuid != null && { userUuid: row.userUuid }),
    timeScale,
  }
}
