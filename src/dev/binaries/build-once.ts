import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { acquireFileLock } from '../os/file-lock.ts'
import type { PrintLine } from '../os/wait-until.ts'

/**
 * Makes a folder of the cache whole or not at all, and once, however many starts want it at the same time:
 * `make` fills an empty folder next to it, which is then moved into its place.
 */
export async function buildOnce(
  folder: string,
  {
    isBuilt: isThere,
    print,
    abort,
  }: { isBuilt: () => Promise<boolean>; print: PrintLine; abort?: AbortSignal },
  make: (emptyFolder: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const buildLock = await acquireFileLock(`${folder}.lock`, {
    onWait: holder => print(`${folder} is being made by process ${holder.pid}; waiting for it.`),
    abort,
  })
  const fresh = `${folder}.new`
  try {
    if (await isThere()) return
    await rm(fresh, { recursive: true, force: true }) // What a killed one left.
    await mkdir(fresh)
    await make(fresh)
    await rm(folder, { recursive: true, force: true })
    await rename(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
    await buildLock.release()
  }
}
