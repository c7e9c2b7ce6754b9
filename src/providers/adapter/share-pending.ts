/** Makes concurrent calls of a function share one run of it. */
export function sharePending<T>(run: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= run().finally(() => {
      pending = undefined
    })
    return pending
  }
}
