import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isProcessAlive, type ProcessIdentity, readOwnIdentity } from '../process/identity.ts'
import { pause } from './wait-until.ts'

export type FileLock = { release(): Promise<void> }

let attempts = 0

/** Takes the lock, or names the living process that holds it. A dead holder's lock is taken over. */
export async function tryFileLock(path: string): Promise<FileLock | { heldBy: ProcessIdentity }> {
  await mkdir(dirname(path), { recursive: true })
  const mine = `${path}.${process.pid}-${attempts++}`
  await writeFile(mine, JSON.stringify(readOwnIdentity()))
  try {
    for (;;) {
      if (await tryLink(mine, path)) return { release: () => rm(path, { force: true }) }
      const holder = await readLockHolder(path)
      if (holder === undefined) continue
      if (holder && isProcessAlive(holder)) return { heldBy: holder }
      await removeStaleLock(path, holder)
    }
  } finally {
    await rm(mine, { force: true })
  }
}

/** Waits for its turn; `waiting` is called with whom it waits for, once. */
export async function acquireFileLock(
  path: string,
  { onWait: waiting, abort }: { onWait?: (holder: ProcessIdentity) => void; abort?: AbortSignal } = {},
): Promise<FileLock> {
  for (let told = false; ; told = true) {
    const result = await tryFileLock(path)
    if ('release' in result) return result
    if (!told) waiting?.(result.heldBy)
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

/** Undefined where it has just been let go; null where nobody can read whose it is. */
async function readLockHolder(path: string): Promise<ProcessIdentity | null | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null
  }
}

/**
 * Many may find the same dead holder. The right to bury it is a lock too: without it, one that is late would
 * remove the lock of the next living holder.
 */
async function removeStaleLock(path: string, dead: ProcessIdentity | null): Promise<void> {
  const right = await tryFileLock(`${path}.after-${dead?.pid ?? 'nobody'}`)
  if ('heldBy' in right) return pause(10)
  const found = await readLockHolder(path)
  const isStillThere = found !== undefined && found?.pid === dead?.pid && found?.started === dead?.started
  if (isStillThere) await rm(path, { force: true })
  await right.release()
}
