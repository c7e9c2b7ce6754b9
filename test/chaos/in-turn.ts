const AT_ONCE = 16

/** Does the same with each, some at a time. */
export async function inTurn<Item, Result>(
  items: Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let place = 0; place < items.length; place += AT_ONCE)
    results.push(...(await Promise.all(items.slice(place, place + AT_ONCE).map(act))))
  return results
}
