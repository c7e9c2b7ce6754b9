const BATCH_SIZE = 16

/** Runs the same action for each item, some at a time. */
export async function runInBatches<Item, Result>(
  items: Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let place = 0; place < items.length; place += BATCH_SIZE)
    results.push(...(await Promise.all(items.slice(place, place + BATCH_SIZE).map(act))))
  return results
}
