import { Charge } from '../db/entities/charge.ts'
import type { ChargeState } from '../domain/charge.ts'
import type { Dependencies } from './dependencies.ts'

export type ChargeNow = { state: ChargeState; expiresAt: string | null; cancelRequested: boolean }

/** Where a charge stands: how a resumed life learns what it is. */
export function chargeNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<ChargeNow> => {
    return chargeAsNow(await orm.em.fork().findOneOrFail(Charge, uuid))
  }
}

export function chargeAsNow({ state, expiresAt, cancelRequestedAt }: Charge): ChargeNow {
  return {
    state,
    expiresAt: expiresAt?.toISOString() ?? null,
    cancelRequested: cancelRequestedAt !== null,
  }
}
