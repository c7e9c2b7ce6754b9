/** How often each name occurs. */
export function countByName(names: string[]): Record<string, number> {
  const counts = Map.groupBy(names, name => name)
  return Object.fromEntries([...counts].map(([name, all]) => [name, all.length] as const).sort())
}
