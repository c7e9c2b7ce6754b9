import type { EntityManager } from '../../db/client/orm.ts'
import { Movement } from '../../db/entities/movement.ts'
import { findRecordedReturn, type PixReturnIds, type RecordedReturn } from '../../domain/pix/pix-return.ts'

/** A return as its provider lists it. */
export type ListedReturn = PixReturnIds & { cents: number; at: string }

/** The PIX whose returns are listed, and the direction of those. */
export type ReturnedPix = {
  providerAccountUuid: string
  movementType: 'IN' | 'OUT'
  /** The end-to-end id, and what else its returns may have been recorded under while that was not known. */
  names: string[]
}

type RecordedReturnMovement = RecordedReturn & { movement: Movement }
type MatchedReturns<Listed> = {
  unrecorded: Listed[]
  recorded: { listed: Listed; recorded: RecordedReturnMovement }[]
}

/** Tells the listed returns that are not recorded yet from those that are. Reads only. */
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
  const kept = movements.map(movement => ({
    movement,
    // The id of a return is unique among the returns of one PIX only.
    id: names.includes(movement.returnOf ?? '') ? (movement.returnId ?? null) : null,
    endToEnd: movement.endToEnd ?? null,
    cents: movement.valueCents,
  }))
  for (const listed of all) {
    const recorded = findRecordedReturn(listed, kept, all)
    if (recorded) matched.recorded.push({ listed, recorded })
    else if (!findRecordedReturn(listed, matched.unrecorded, all)) matched.unrecorded.push(listed)
  }
  return matched
}

/**
 * The listed returns that are not recorded yet; those that are learn the ids that their provider told later. The caller
 * holds the row lock of what was returned. Repeatable.
 */
export async function findUnrecordedReturns<Listed extends ListedReturn>(
  em: EntityManager,
  pix: ReturnedPix,
  all: Listed[],
): Promise<Listed[]> {
  const { unrecorded: news, recorded: known } = await matchReturns(em, pix, all)
  for (const { listed, recorded } of known) completeReturnIds(recorded, listed)
  return news
}

/** The columns by which a return is recognised; without an id of the provider's the rail's stands for it. */
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
