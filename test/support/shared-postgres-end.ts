/** After the last suite. */
export default async function stopSharedPostgres(): Promise<void> {
  await globalThis.sharedPostgres?.stop()
}
