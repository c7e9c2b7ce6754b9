import type { EntityManager } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { chargeMachine, isPaidChargeState } from '../../domain/charges/charge.ts'
import { SECOND } from '../../domain/shared/intervals.ts'
import { executeCancelChargeUpdate, startMoneyWorkflow } from '../../temporal/start.ts'
import type { IssueFirstChargeInput, IssueFirstChargeResult } from '../../workflows/contracts/recurrences.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** The first charge of a recurrence: a charge as any other, with a workflow of its own. */

/** Longest wait of one attempt for the workflow of the charge, which goes on; Temporal repeats the activity. */
const RESULT_WAIT_MS = 10 * SECOND

/**
 * Starts the workflow of the first charge, or joins it, and returns where it is issued. May be repeated: the charge has one uuid, so that
 * there is never a second one.
 */
export function issueFirstCharge({ orm, temporal }: ActivityDependencies) {
  return async ({ uuid, order }: IssueFirstChargeInput): Promise<IssueFirstChargeResult> => {
    const find = async () => {
      const em = orm.em.fork()
      return findFirstCharge(em, await em.findOneOrFail(Recurrence, uuid))
    }
    let charge = await find()
    // Without its order, a charge without a row was never begun.
    if (!charge && !order) return { connectionUuid: null }
    if (order && (charge?.state ?? 'issuing') === 'issuing') {
      await startMoneyWorkflow(temporal, 'charge', order, { waitMs: RESULT_WAIT_MS })
      charge = await find()
    }
    if (!charge || charge.state === 'issuing') throw new Error('the first charge is still being issued')
    return { connectionUuid: isEndedUnpaid(charge) ? null : charge.connection.uuid }
  }
}

/** Cancels the first charge of a recurrence that no provider has created. May be repeated; its workflow goes on where its provider does not answer. */
export function cancelFirstCharge({ orm, temporal }: ActivityDependencies) {
  return async (uuid: string): Promise<void> => {
    const em = orm.em.fork()
    const charge = await findFirstCharge(em, await em.findOneOrFail(Recurrence, uuid))
    if (charge && chargeMachine.accepts(charge.state, 'cancelled'))
      await executeCancelChargeUpdate(temporal, charge.uuid, { updateId: uuid, waitMs: RESULT_WAIT_MS })
  }
}

/** Reads the first charge of a recurrence; null where it has none, or none is stored. */
export async function findFirstCharge(
  em: EntityManager,
  { firstChargeUuid }: Recurrence,
): Promise<Charge | null> {
  return firstChargeUuid == null ? null : em.findOne(Charge, firstChargeUuid)
}

/** Tells whether a charge has ended without being paid. */
export function isEndedUnpaid({ state }: Charge): boolean {
  return chargeMachine.isFinal(state) && !isPaidChargeState(state)
}
