import { Charge } from '../db/entities/charge.ts'
import type { ChargeState } from '../domain/charge.ts'
import type { Dependencies } from './dependencies.ts'

export type ChargeNow = { state: ChargeState; expiresAt: string | null; cancelRequested: boolean }

/** Where a charge stands: how a resumed life learns what it is. */
export function chargeNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<ChargeNow> => {
    const charge = await orm.em.fork().findOneOrFail(Charge, uuid)
    return {
      state: charge.state,
      expiresAt: charge.expiresAt?.toISOString() ?? null,
      cancelRequested: charge.cancelRequestedAt !== null,
    }
  }
}
