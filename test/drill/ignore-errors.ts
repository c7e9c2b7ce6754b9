/** Waits for an operation that may fail during a fault; the checkers judge its result. */
export async function ignoreErrors(operation: Promise<unknown>): Promise<void> {
  await operation.catch(() => {})
}
