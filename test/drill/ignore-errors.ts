/** Waits for an operation that may fail while a fault lasts; what it came to is judged by the checkers. */
export async function ignoreErrors(operation: Promise<unknown>): Promise<void> {
  await operation.catch(() => {})
}
