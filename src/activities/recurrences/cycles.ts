import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Recurrence } from '../../db/entities/recurrence.ts'
import { isCycleCharged, lockRecurrence } from '../../db/repositories/recurrences.ts'
import type { CycleCreation } from '../../domain/recurrences/cycles.ts'
import { findStoredCreation } from '../../domain/recurrences/stored-terms.ts'
import { buildCycleOrder, deriveCycleUuid } from '../../temporal/recurrences.ts'
import type { ChargeInput } from '../../workflows/contracts/charges.ts'
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
      const { number: cycle, dueDay: dueOn } = next.cycle
      return { ...snapshot, charge: { cycle, order: orderCycle(dependencies, row, { cycle, dueOn }) } }
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

function orderCycle(
  { sealer, timeScale }: ActivityDependencies,
  row: Recurrence,
  day: { cycle: number; dueOn: string },
): ChargeInput {
  const { accountUuid, valueCents, feeCents, splits, fingerprint, requestId, tokenNumber, userUuid } = row
  if (valueCents == null) throw new Error('the recurrence has no value')
  return buildCycleOrder(sealer, row, {
    ...day,
    uuid: deriveCycleUuid(row.uuid, day.cycle),
    accountUuid,
    valueCents,
    feeCents,
    splits,
    fingerprint,
    requestId,
    ...(tokenNumber != null && { tokenNumber }),
    ...(userUuid != null && { userUuid }),
    timeScale,
  })
}
