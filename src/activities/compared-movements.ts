import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { referenceOf, uuidOf } from '../domain/identifiers.ts'
import type { StatementEntry } from '../domain/provider.ts'
import type { Ours } from '../domain/reconciliation.ts'

export type ComparedPeriod = {
  providerAccountUuid: string
  settledAfter: number
  settledBefore: number
  theirs: StatementEntry[]
}

/** Our movements of the rail: those well inside the period, and those that the statement names whatever their time. */
export async function comparedMovements(em: EntityManager, period: ComparedPeriod): Promise<Ours[]> {
  const { providerAccountUuid, settledAfter, settledBefore, theirs } = period
  const returning = theirs.filter(entry => entry.returnOf !== undefined)
  const movements = await em.find(Movement, {
    providerAccountUuid,
    $or: [
      { endToEnd: { $in: theirs.map(entry => entry.endToEnd).filter(Boolean) } },
      { returnOf: { $in: returning.map(entry => entry.returnOf!) } },
      { refundUuid: { $in: returning.flatMap(({ reference }) => uuidOf(reference ?? '') ?? []) } },
      {
        settledAt: { $gte: new Date(settledAfter), $lte: new Date(settledBefore) },
        $or: [{ endToEnd: { $ne: null } }, { type: 'EXTERNAL_REFUND' }],
      },
    ],
  })
  const originals = await originalsOf(em, movements)
  return movements.map(movement => ({
    endToEnd: movement.endToEnd ?? '',
    direction: movement.movementType,
    cents: movement.valueCents,
    settledAt: movement.settledAt?.toISOString() ?? null,
    status: movement.status,
    ...returnNameOf(movement, originals),
  }))
}

type Originals = Map<string, string | null | undefined>

/** The end-to-end ids of what our own refunds and returns give back. */
async function originalsOf(em: EntityManager, movements: Movement[]): Promise<Originals> {
  const uuids = movements.flatMap(one => (isOrdered(one) ? one.originalUuid! : []))
  if (uuids.length === 0) return new Map()
  const originals = await em.find(Movement, { uuid: { $in: uuids } })
  return new Map(originals.map(one => [one.uuid, one.endToEnd]))
}

/** A return that we ordered: its id at the provider is ours. */
function isOrdered({ type, movementType, originalUuid, medUuid }: Movement): boolean {
  return type === 'EXTERNAL_REFUND' && movementType === 'OUT' && originalUuid != null && medUuid == null
}

function returnNameOf(movement: Movement, originals: Originals): Pick<Ours, 'returnOf' | 'returnId'> {
  const { returnOf, returnId, originalUuid, refundUuid } = movement
  if (returnOf && returnId) return { returnOf, returnId }
  const original = isOrdered(movement) ? originals.get(originalUuid!) : null
  return original ? { returnOf: original, returnId: referenceOf(refundUuid ?? originalUuid!) } : {}
}
