import type { EntityManager } from '../../db/client/orm.ts'
import { Movement } from '../../db/entities/movement.ts'
import { referenceOf, uuidFromReference } from '../../domain/pix/identifiers.ts'
import type { StatementEntry } from '../../domain/providers/provider.ts'
import type { RecordedMovement } from '../../domain/reconciliation/statement-comparison.ts'

export type ComparisonPeriod = {
  providerAccountUuid: string
  settledAfter: number
  settledBefore: number
  providerEntries: StatementEntry[]
}

/** Our movements of the rail: those well inside the period, and those that the statement names whatever their time. */
export async function findComparableMovements(
  em: EntityManager,
  period: ComparisonPeriod,
): Promise<RecordedMovement[]> {
  const { providerAccountUuid, settledAfter, settledBefore, providerEntries: theirs } = period
  const returning = theirs.filter(entry => entry.returnOf !== undefined)
  const movements = await em.find(Movement, {
    providerAccountUuid,
    $or: [
      { endToEnd: { $in: theirs.map(entry => entry.endToEnd).filter(Boolean) } },
      { returnOf: { $in: returning.map(entry => entry.returnOf!) } },
      { refundUuid: { $in: returning.flatMap(({ reference }) => uuidFromReference(reference ?? '') ?? []) } },
      {
        settledAt: { $gte: new Date(settledAfter), $lte: new Date(settledBefore) },
        $or: [{ endToEnd: { $ne: null } }, { type: 'EXTERNAL_REFUND' }],
      },
    ],
  })
  const originals = await findOriginalEndToEndIds(em, movements)
  return movements.map(movement => ({
    endToEnd: movement.endToEnd ?? '',
    direction: movement.movementType,
    cents: movement.valueCents,
    settledAt: movement.settledAt?.toISOString() ?? null,
    status: movement.status,
    ...toReturnName(movement, originals),
  }))
}

type OriginalEndToEndIds = Map<string, string | null | undefined>

/** The end-to-end ids of what our own refunds and returns give back. */
async function findOriginalEndToEndIds(
  em: EntityManager,
  movements: Movement[],
): Promise<OriginalEndToEndIds> {
  const uuids = movements.flatMap(one => (isOrderedReturn(one) ? one.originalUuid! : []))
  if (uuids.length === 0) return new Map()
  const originals = await em.find(Movement, { uuid: { $in: uuids } })
  return new Map(originals.map(one => [one.uuid, one.endToEnd]))
}

/** A return that we ordered: its id at the provider is ours. */
function isOrderedReturn({ type, movementType, originalUuid, medUuid }: Movement): boolean {
  return type === 'EXTERNAL_REFUND' && movementType === 'OUT' && originalUuid != null && medUuid == null
}

function toReturnName(
  movement: Movement,
  originals: OriginalEndToEndIds,
): Pick<RecordedMovement, 'returnOf' | 'returnId'> {
  const { returnOf, returnId, originalUuid, refundUuid } = movement
  if (returnOf && returnId) return { returnOf, returnId }
  const original = isOrderedReturn(movement) ? originals.get(originalUuid!) : null
  return original ? { returnOf: original, returnId: referenceOf(refundUuid ?? originalUuid!) } : {}
}
