// biome-ignore lint/suspicious/noExplicitAny: whatever an activity takes is handed on.
type ProxiedActivity = ((...input: any[]) => Promise<unknown>) & {
  executeWithOptions(options: { summary: string }, input: unknown[]): Promise<unknown>
}

/** Adds a summary to each activity; a workflow that has a better one gives it by `executeWithOptions`. */
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
