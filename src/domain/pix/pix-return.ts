/**
 * Ids of one return of a PIX. `id`: the provider's, unique among the returns of one PIX; `endToEnd`: the rail's id of the
 * return, globally unique, which a provider may report later. One of them may be missing, not both; where `id` equals
 * `endToEnd`, the rail's id replaces an id that the provider has not reported.
 */
export type PixReturnIds = { id: string | null; endToEnd: string | null }

/** A return that is recorded. */
export type RecordedReturn = PixReturnIds & { cents: number }

/**
 * The recorded return that a listed one is; undefined for one that is news. `recorded` are the returns of the same PIX, and
 * `listed` all that its provider lists. Two that share no kind of id and have the same value may be one return or two: they
 * count as one, as a return that is missing here shows in the reconciliation and one that is credited twice does not.
 */
export function findRecordedReturn<Recorded extends RecordedReturn>(
  one: PixReturnIds & { cents: number },
  recorded: Recorded[],
  listed: PixReturnIds[],
): Recorded | undefined {
  const same = recorded.find(recordedReturn => isSameReturn(one, recordedReturn))
  if (same) return same
  return recorded.find(
    recordedReturn =>
      recordedReturn.cents === one.cents &&
      !hasComparableIds(one, recordedReturn) &&
      !listed.some(other => isSameReturn(other, recordedReturn)),
  )
}

/** An id stored before the provider's id was known may be the rail's, and the other way round. */
function isSameReturn(one: PixReturnIds, recordedReturn: PixReturnIds): boolean {
  const ids = [one.id, one.endToEnd].filter(id => id !== null)
  return ids.some(id => id === recordedReturn.id || id === recordedReturn.endToEnd)
}

/** Whether they name an id of the same kind, so that different ids are different returns. */
function hasComparableIds(one: PixReturnIds, recordedReturn: PixReturnIds): boolean {
  const ownId = ({ id, endToEnd }: PixReturnIds) => id !== null && id !== endToEnd
  return (ownId(one) && ownId(recordedReturn)) || (one.endToEnd !== null && recordedReturn.endToEnd !== null)
}
