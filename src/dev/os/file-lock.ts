import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isProcessAlive, type ProcessIdentity, readOwnIdentity } from '../process/identity.ts'
import { pause } from './wait-until.ts'

export type FileLock = { release(): Promise<void> }

let attempts = 0

/** Acquires the lock, or returns the running process that holds it. The lock of an ended process passes to the caller. */
export async function tryFileLock(path: string): Promise<FileLock | { heldBy: ProcessIdentity }> {
  await mkdir(dirname(path), { recursive: true })
  const candidate = `${path}.${process.pid}-${attempts++}`
  await writeFile(candidate, JSON.stringify(readOwnIdentity()))
  try {
    for (;;) {
      if (await tryLink(candidate, path)) return { release: () => rm(path, { force: true }) }
      const holder = await readLockHolder(path)
      if (holder === undefined) continue
      if (holder && isProcessAlive(holder)) return { heldBy: holder }
      await removeStaleLock(path, holder)
    }
  } finally {
    await rm(candidate, { force: true })
  }
}

/** Waits for the lock; `onWait` is called once, with the holder. */
export async function acquireFileLock(
  path: string,
  { onWait: waiting, abort }: { onWait?: (holder: ProcessIdentity) => void; abort?: AbortSignal } = {},
): Promise<FileLock> {
  for (let isReported = false; ; isReported = true) {
    const result = await tryFileLock(path)
    if ('release' in result) return result
    if (!isReported) waiting?.(result.heldBy)
    await pause(500, abort)
  }
}

/** A link appears with its content or not at all, and never replaces another's. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Returns the holder; undefined where the lock was just released, null where its holder cannot be read. */
async function readLockHolder(path: string): Promise<ProcessIdentity | null | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null
  }
}

/**
 * Removes the lock of an ended process. Several processes may find the same one, so that the removal needs a lock too:
 * without it, a late process would remove the lock of the next holder.
 */
async function removeStaleLock(path: string, dead: ProcessIdentity | null): Promise<void> {
  const recoveryLock = await tryFileLock(`${path}.after-${dead?.pid ?? 'unknown'}`)
  if ('heldBy' in recoveryLock) return pause(10)
  const found = await readLockHolder(path)
  const isStillThere = found !== undefined && found?.pid === dead?.pid && found?.started === dead?.started
  if (isStillThere) await rm(path, { force: true })
  await recoveryLock.release()
}
