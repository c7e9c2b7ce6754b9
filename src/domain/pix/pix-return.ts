/**
 * Ids of one return of a PIX. `id`: the provider's, unique among the returns of one PIX; `endToEnd`: the rail's id of the
 * return, globally unique, which a provider may report later. One of them may be missing, not both; where `id` equals
 * `endToEnd`, the rail's id replaces an id that the provider has not reported.
 */
export type PixReturnIds = { id: string | null; endToEnd: string | null }

/** A return that is recorded. */
export type RecordedReturn = PixReturnIds & { cents: number }

/**
 * The recorded return that a listed one is; undefined for one that is news. `recordedReturns` are of the same PIX, and
 * `listedReturns` are all that its provider lists. Two that share no kind of id and have the same value may be one return or two: they
 * count as one, as a return that is missing here shows in the reconciliation and one that is credited twice does not.
 */
export function findRecordedReturn<Recorded extends RecordedReturn>(
  pixReturn: PixReturnIds & { cents: number },
  recordedReturns: Recorded[],
  listedReturns: PixReturnIds[],
): Recorded | undefined {
  const sameReturn = recordedReturns.find(recordedReturn => isSameReturn(pixReturn, recordedReturn))
  if (sameReturn) return sameReturn
  return recordedReturns.find(
    recordedReturn =>
      recordedReturn.cents === pixReturn.cents &&
      !hasComparableIds(pixReturn, recordedReturn) &&
      !listedReturns.some(listedReturn => isSameReturn(listedReturn, recordedReturn)),
  )
}

/** An id stored before the provider's id was known may be the rail's, and the other way round. */
function isSameReturn(pixReturn: PixReturnIds, recordedReturn: PixReturnIds): boolean {
  const ids = [pixReturn.id, pixReturn.endToEnd].filter(id => id !== null)
  return ids.some(id => id === recordedReturn.id || id === recordedReturn.endToEnd)
}

/** Whether they name an id of the same kind, so that different ids are different returns. */
function hasComparableIds(pixReturn: PixReturnIds, recordedReturn: PixReturnIds): boolean {
  const hasOwnId = ({ id, endToEnd }: PixReturnIds) => id !== null && id !== endToEnd
  return (
    (hasOwnId(pixReturn) && hasOwnId(recordedReturn)) ||
    (pixReturn.endToEnd !== null && recordedReturn.endToEnd !== null)
  )
}
