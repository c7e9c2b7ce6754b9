import type { EntityManager } from '../client/orm.ts'
import { ProviderAccountOpening } from '../entities/connection.ts'

/** Finds what the opening balance of a provider account was read with; null where it was not read. */
export function findOpening(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<ProviderAccountOpening | null> {
  return em.findOne(ProviderAccountOpening, providerAccountUuid)
}

/** Tells whether a movement is dated before the provider account's movements are credited: its opening balance may have it. */
export async function isBeforeCrediting(
  em: EntityManager,
  { providerAccountUuid, at }: { providerAccountUuid: string; at: Date },
): Promise<boolean> {
  return (await em.count(ProviderAccountOpening, { providerAccountUuid, creditedSince: { $gt: at } })) > 0
}
