import { Movement } from '../db/entities/movement.ts'
import type { EntityManager } from '../db/orm.ts'
import { findReturn, type RecordedReturn, type ReturnName } from '../domain/pix-return.ts'

/** A return as its provider lists it. */
export type ListedReturn = ReturnName & { cents: number; at: string }

/** The PIX whose returns are listed, and the direction of those. */
export type ReturnedPix = {
  providerAccountUuid: string
  movementType: 'IN' | 'OUT'
  /** The end-to-end id, and what else its returns may have been recorded under while that was not known. */
  names: string[]
}

type Recorded = RecordedReturn & { movement: Movement }
type Matched<Listed> = { news: Listed[]; known: { listed: Listed; recorded: Recorded }[] }

/** Tells the listed returns that are not recorded yet from those that are. Reads only. */
export async function matchReturns<Listed extends ListedReturn>(
  em: EntityManager,
  { providerAccountUuid, movementType, names }: ReturnedPix,
  all: Listed[],
): Promise<Matched<Listed>> {
  const matched: Matched<Listed> = { news: [], known: [] }
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
    const recorded = findReturn(listed, kept, all)
    if (recorded) matched.known.push({ listed, recorded })
    else if (!findReturn(listed, matched.news, all)) matched.news.push(listed)
  }
  return matched
}

/**
 * The listed returns that are not recorded yet; those that are learn the ids that their provider told later. The caller
 * holds the row lock of what was returned. Repeatable.
 */
export async function unrecordedReturns<Listed extends ListedReturn>(
  em: EntityManager,
  pix: ReturnedPix,
  all: Listed[],
): Promise<Listed[]> {
  const { news, known } = await matchReturns(em, pix, all)
  for (const { listed, recorded } of known) learn(recorded, listed)
  return news
}

/** The columns by which a return is recognised; without an id of the provider's the rail's stands for it. */
export function returnColumns(returnOf: string, { id, endToEnd }: ReturnName) {
  return { endToEnd, returnOf, returnId: id ?? endToEnd }
}

function learn({ movement, id: knownId }: Recorded, { id, endToEnd }: ReturnName): void {
  const isPlaceholder = knownId !== null && knownId === movement.endToEnd
  movement.endToEnd ??= endToEnd
  if (isPlaceholder && id !== null) movement.returnId = id
}
