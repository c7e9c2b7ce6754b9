import { mkdir, rename, rm } from 'node:fs/promises'
import { acquireFileLock, readLockHolder } from '../os/file-lock.ts'
import type { PrintLine } from '../os/waits.ts'

/**
 * Makes a folder of the cache whole or not at all, and once, however many starts want it at the same time:
 * `make` fills an empty folder next to it, which is then moved into its place.
 */
export async function buildOnce(
  folder: string,
  {
    isBuilt,
    print,
    abort,
  }: { isBuilt: () => boolean | Promise<boolean>; print: PrintLine; abort?: AbortSignal },
  make: (emptyFolder: string) => Promise<void>,
): Promise<void> {
  const lockFile = `${folder}.building`
  const lock = await acquireFileLock(lockFile, {
    onWait: () => print(`${folder} is being made by process ${readLockHolder(lockFile)}; waiting for it.`),
    abort,
  })
  const fresh = `${folder}.new`
  try {
    if (await isBuilt()) return
    await rm(fresh, { recursive: true, force: true }) // What a killed one left.
    await mkdir(fresh)
    await make(fresh)
    await rm(folder, { recursive: true, force: true })
    await rename(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
    lock.release()
  }
}
