// biome-ignore lint/suspicious/noExplicitAny: the input of any activity is passed on.
type ProxiedActivity = ((...input: any[]) => Promise<unknown>) & {
  executeWithOptions(options: { summary: string }, input: unknown[]): Promise<unknown>
}

/** Adds a default summary to each activity; a workflow passes another one by `executeWithOptions`. */
export function withSummaries<Activities extends object>(
  activities: Activities,
  summaries: Record<keyof Activities, string>,
): Activities {
  const entries = Object.entries<string>(summaries).map(([name, summary]) => {
    const { executeWithOptions } = activities[name as keyof Activities] as ProxiedActivity
    const call = (...input: unknown[]) => executeWithOptions({ summary }, input)
    return [name, Object.assign(call, { executeWithOptions })]
  })
  return Object.fromEntries(entries) as Activities
}
