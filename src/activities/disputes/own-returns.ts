import type { EntityManager } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import { referenceOf, uuidFromReference } from '../../domain/pix/identifiers.ts'

/**
 * Leaves out of a dispute's returns those that we ordered: a provider that does not say who ordered a devolução lists our
 * refunds among them. An order of ours has its attempt before the provider can list it.
 */
export async function leaveOutOwnReturns(
  em: EntityManager,
  { providerAccountUuid }: Pick<Connection, 'providerAccountUuid'>,
  facts: ProviderDispute,
): Promise<ProviderDispute> {
  const uuids = facts.returns.flatMap(({ id }) => uuidFromReference(id ?? '') ?? [])
  if (uuids.length === 0) return facts
  const attempts = await em.find(Attempt, {
    subjectUuid: { $in: uuids },
    providerAccountUuid,
    operation: { $in: ['refund', 'return'] },
  })
  const ownIds = new Set(attempts.map(({ subjectUuid }) => referenceOf(subjectUuid)))
  return { ...facts, returns: facts.returns.filter(({ id }) => !ownIds.has(id ?? '')) }
}
