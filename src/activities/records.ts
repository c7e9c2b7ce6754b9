import { Charge } from '../db/entities/charge.ts'
import { Refund } from '../db/entities/refund.ts'
import type { ChargeState } from '../domain/charge.ts'
import type { RefundState } from '../domain/refund.ts'
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

/** Where a refund stands, and who sends it. */
export function refundNow({ orm }: Dependencies) {
  return async (uuid: string): Promise<{ state: RefundState; connectionUuid: string }> => {
    const { state, connectionUuid } = await orm.em.fork().findOneOrFail(Refund, uuid)
    return { state, connectionUuid }
  }
}
