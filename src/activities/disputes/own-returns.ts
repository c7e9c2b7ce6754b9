import type { EntityManager } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { ProviderDispute } from '../../domain/disputes/provider-dispute.ts'
import { referenceOf, uuidFromReference } from '../../domain/pix/identifiers.ts'

/**
 * Leaves out of a dispute's returns, settled and failed ones, those that we ordered: a provider that does not say who
 * ordered a devolução lists our refunds among them. An order of ours has its attempt before the provider can list it. A
 * failed return that we did not order closes the dispute.
 */
export async function leaveOutOwnReturns(
  em: EntityManager,
  { providerAccountUuid }: Pick<Connection, 'providerAccountUuid'>,
  facts: ProviderDispute,
): Promise<ProviderDispute> {
  const { returns, failedReturnIds = [] } = facts
  const ids = [...returns.map(({ id }) => id ?? ''), ...failedReturnIds]
  if (ids.length === 0) return facts
  const uuids = ids.flatMap(id => uuidFromReference(id) ?? [])
  const attempts = await em.find(Attempt, {
    subjectUuid: { $in: uuids },
    providerAccountUuid,
    operation: { $in: ['refund', 'return'] },
  })
  const ownIds = new Set(attempts.map(({ subjectUuid }) => referenceOf(subjectUuid)))
  const isOther = (id: string | null) => !ownIds.has(id ?? '')
  const isClosed = facts.isClosed || failedReturnIds.some(isOther)
  return { ...facts, returns: returns.filter(({ id }) => isOther(id)), isClosed }
}
