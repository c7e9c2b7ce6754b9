/** After the last suite of the project. */
export default async function stopSharedStack(): Promise<void> {
  await globalThis.sharedStack?.stop()
}
