import { Charge } from '../../db/entities/charge.ts'
import type { ChargeSnapshot } from '../../workflows/contracts/charges.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Reads the state of a charge, for a workflow that is reopened. */
export function getCharge({ orm }: ActivityDependencies) {
  return async (uuid: string): Promise<ChargeSnapshot> => {
    return toChargeSnapshot(await orm.em.fork().findOneOrFail(Charge, uuid))
  }
}

export function toChargeSnapshot({ state, expiresAt, cancelRequestedAt }: Charge): ChargeSnapshot {
  return { state, expiresAt: expiresAt?.toISOString() ?? null, cancelRequested: cancelRequestedAt !== null }
}
