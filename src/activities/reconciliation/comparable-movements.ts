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

/** Finds the PIX movements to compare with a statement: those in the period, and those that it names at any time. */
export async function findComparableMovements(
  em: EntityManager,
  period: ComparisonPeriod,
): Promise<RecordedMovement[]> {
  const { providerAccountUuid, settledAfter, settledBefore, providerEntries } = period
  const returns = providerEntries.filter(entry => entry.returnOf !== undefined)
  const movements = await em.find(Movement, {
    providerAccountUuid,
    $or: [
      { endToEnd: { $in: providerEntries.map(entry => entry.endToEnd).filter(Boolean) } },
      { returnOf: { $in: returns.map(entry => entry.returnOf!) } },
      { refundUuid: { $in: returns.flatMap(({ reference }) => uuidFromReference(reference ?? '') ?? []) } },
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

async function findOriginalEndToEndIds(
  em: EntityManager,
  movements: Movement[],
): Promise<OriginalEndToEndIds> {
  const uuids = movements.flatMap(one => (isOrderedReturn(one) ? one.originalUuid! : []))
  if (uuids.length === 0) return new Map()
  const originals = await em.find(Movement, { uuid: { $in: uuids } })
  return new Map(originals.map(one => [one.uuid, one.endToEnd]))
}

/** Tells whether we ordered a return: its id at the provider is then ours. */
function isOrderedReturn({ type, movementType, originalUuid, disputeUuid }: Movement): boolean {
  return type === 'EXTERNAL_REFUND' && movementType === 'OUT' && originalUuid != null && disputeUuid == null
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
