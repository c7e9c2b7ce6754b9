import type { EntityManager } from '../client/orm.ts'
import { Movement } from '../entities/movement.ts'

/** Lists what went back of a settled PIX: the newest returns, oldest first. */
export async function listSettledReturns(
  em: EntityManager,
  originalUuid: string,
  limit: number,
): Promise<Movement[]> {
  const newest = await em.find(
    Movement,
    { originalUuid, type: 'EXTERNAL_REFUND', status: 'SETTLED' },
    { orderBy: { settledAt: 'desc', uuid: 'desc' }, limit },
  )
  return newest.reverse()
}

/** Reads the sum of all that went back of a settled PIX, in centavos, and whether its provider account is simulated. */
export async function readReceiptState(
  em: EntityManager,
  { uuid, providerAccountUuid }: Pick<Movement, 'uuid' | 'providerAccountUuid'>,
): Promise<{ returnedCents: number; isSimulated: boolean }> {
  const [state] = await em.execute<{ returnedCents: number; isSimulated: boolean }[]>(
    `select is_simulated as "isSimulated", (
       select coalesce(sum(value_cents), 0)::float8 from movement
       where original_uuid = ? and type = 'EXTERNAL_REFUND' and status = 'SETTLED') as "returnedCents"
     from provider_account where uuid = ?`,
    [uuid, providerAccountUuid],
  )
  return state!
}
