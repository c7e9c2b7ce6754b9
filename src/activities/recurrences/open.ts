import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { lockRecurrence } from '../../db/repositories/recurrences.ts'
import type {
  RecurrenceInput,
  RecurrenceInputDetails,
  RecurrenceSnapshot,
} from '../../workflows/contracts/recurrences.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { readSnapshot } from './state.ts'

/** Stores the order of a recurrence, before any provider is called. A repeat finds its row. */
export function openRecurrence(dependencies: ActivityDependencies) {
  return (order: RecurrenceInput): Promise<RecurrenceSnapshot> =>
    runInTransaction(dependencies.orm, async em => {
      const stored = await em.findOne(Recurrence, order.uuid, { populate: ['connection'] })
      return readSnapshot(em, stored ?? (await storeRecurrence(dependencies, em, order)))
    })
}

/** Reads the state of a recurrence, for a workflow that is reopened, or continues as new. */
export function getRecurrence({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<RecurrenceSnapshot> =>
    runInTransaction(orm, async em => readSnapshot(em, await lockRecurrence(em, uuid)))
}

/** Stores the row of a recurrence. `at`: when it was ordered. */
export async function storeRecurrence(
  { sealer }: ActivityDependencies,
  em: EntityManager,
  order: RecurrenceInput,
  at = new Date(),
): Promise<Recurrence> {
  const details = sealer.open<RecurrenceInputDetails>(order.details)
  const connection = await em.findOneOrFail(Connection, order.candidates[0]!)
  return em.create(Recurrence, {
    uuid: order.uuid,
    accountUuid: order.accountUuid,
    connection,
    providerAccountUuid: connection.providerAccountUuid,
    state: 'creating',
    ...details.terms,
    debtorName: details.debtor.name,
    debtorDocument: details.debtor.document,
    firstChargeUuid: order.firstCharge?.uuid ?? null,
    debtorAddress: details.debtor.address ?? null,
    sealedPayerAccount: details.payerAccount ? sealer.seal(details.payerAccount) : null,
    requestExpiresAt: details.requestExpiresAt === undefined ? null : new Date(details.requestExpiresAt),
    externalRef: details.externalRef ?? null,
    splits: details.splits,
    metadata: details.metadata ?? {},
    skippedCycles: [],
    history: [],
    requestId: order.requestId,
    tokenNumber: order.tokenNumber ?? null,
    userUuid: order.userUuid ?? null,
    fingerprint: details.fingerprint,
    createdAt: at,
    updatedAt: at,
  })
}
