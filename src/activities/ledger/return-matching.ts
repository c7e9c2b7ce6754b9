import type { EntityManager } from '../../db/client/orm.ts'
import { Movement } from '../../db/entities/movement.ts'
import { findRecordedReturn, type PixReturnIds, type RecordedReturn } from '../../domain/pix/pix-return.ts'

/** Return as its provider lists it. */
export type ListedReturn = PixReturnIds & { cents: number; at: string }

/** The PIX whose returns are listed, and the direction of the returns. */
export type ReturnedPix = {
  providerAccountUuid: string
  movementType: 'IN' | 'OUT'
  /** The end-to-end id, and the reference under which its returns may have been recorded while that id was unknown. */
  names: string[]
}

type RecordedReturnMovement = RecordedReturn & { movement: Movement }
type MatchedReturns<Listed> = {
  unrecorded: Listed[]
  recorded: { listed: Listed; recorded: RecordedReturnMovement }[]
}

/** Separates the listed returns that are not recorded yet from the recorded ones. Only reads. */
export async function matchReturns<Listed extends ListedReturn>(
  em: EntityManager,
  { providerAccountUuid, movementType, names }: ReturnedPix,
  all: Listed[],
): Promise<MatchedReturns<Listed>> {
  const matched: MatchedReturns<Listed> = { unrecorded: [], recorded: [] }
  if (all.length === 0) return matched
  const railIds = all.map(one => one.endToEnd).filter(id => id !== null)
  const movements = await em.find(Movement, {
    providerAccountUuid,
    movementType,
    $or: [{ returnOf: { $in: names } }, { endToEnd: { $in: railIds } }],
  })
  const recordedReturns = movements.map(movement => ({
    movement,
    // A return's id is unique only among the returns of one PIX.
    id: names.includes(movement.returnOf ?? '') ? (movement.returnId ?? null) : null,
    endToEnd: movement.endToEnd ?? null,
    cents: movement.valueCents,
  }))
  for (const listed of all) {
    const recorded = findRecordedReturn(listed, recordedReturns, all)
    if (recorded) matched.recorded.push({ listed, recorded })
    else if (!findRecordedReturn(listed, matched.unrecorded, all)) matched.unrecorded.push(listed)
  }
  return matched
}

/**
 * Finds the listed returns that are not recorded yet. Adds to the recorded ones the ids that their provider has
 * reported since. The caller holds the row lock of the returned operation. Repeatable.
 */
export async function findUnrecordedReturns<Listed extends ListedReturn>(
  em: EntityManager,
  pix: ReturnedPix,
  all: Listed[],
): Promise<Listed[]> {
  const { unrecorded, recorded: matches } = await matchReturns(em, pix, all)
  for (const { listed, recorded } of matches) completeReturnIds(recorded, listed)
  return unrecorded
}

/** Builds the columns that identify a return; the rail's end-to-end id replaces a missing id of the provider. */
export function buildReturnColumns(returnOf: string, { id, endToEnd }: PixReturnIds) {
  return { endToEnd, returnOf, returnId: id ?? endToEnd }
}

function completeReturnIds(
  { movement, id: knownId }: RecordedReturnMovement,
  { id, endToEnd }: PixReturnIds,
): void {
  const isPlaceholder = knownId !== null && knownId === movement.endToEnd
  movement.endToEnd ??= endToEnd
  if (isPlaceholder && id !== null) movement.returnId = id
}
