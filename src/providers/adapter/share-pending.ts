/** Makes concurrent calls of a function share one run of it. */
export function sharePending<T>(run: () => Promise<T>): () => Promise<T> {
  let pendingRun: Promise<T> | undefined
  return () => {
    pendingRun ??= run().finally(() => {
      pendingRun = undefined
    })
    return pendingRun
  }
}
