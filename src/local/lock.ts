import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Identity, isAlive, ownIdentity } from './identity.ts'
import { pause } from './waiting.ts'

export type Lock = { release(): Promise<void> }

let attempts = 0

/** Takes the lock, or names the living process that holds it. A dead holder's lock is taken over. */
export async function tryLock(path: string): Promise<Lock | { heldBy: Identity }> {
  await mkdir(dirname(path), { recursive: true })
  const mine = `${path}.${process.pid}-${attempts++}`
  await writeFile(mine, JSON.stringify(ownIdentity()))
  try {
    for (;;) {
      if (await linked(mine, path)) return { release: () => rm(path, { force: true }) }
      const holder = await holderOf(path)
      if (holder === undefined) continue
      if (holder && isAlive(holder)) return { heldBy: holder }
      await bury(path, holder)
    }
  } finally {
    await rm(mine, { force: true })
  }
}

/** Waits for its turn; `waiting` is called with whom it waits for, once. */
export async function lock(
  path: string,
  { waiting, abort }: { waiting?: (holder: Identity) => void; abort?: AbortSignal } = {},
): Promise<Lock> {
  for (let told = false; ; told = true) {
    const result = await tryLock(path)
    if ('release' in result) return result
    if (!told) waiting?.(result.heldBy)
    await pause(500, abort)
  }
}

/** A link appears with its content or not at all, and never replaces another's. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Undefined where it has just been let go; null where nobody can read whose it is. */
async function holderOf(path: string): Promise<Identity | null | undefined> {
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
async function bury(path: string, dead: Identity | null): Promise<void> {
  const right = await tryLock(`${path}.after-${dead?.pid ?? 'nobody'}`)
  if ('heldBy' in right) return pause(10)
  const found = await holderOf(path)
  const isStillThere = found !== undefined && found?.pid === dead?.pid && found?.started === dead?.started
  if (isStillThere) await rm(path, { force: true })
  await right.release()
}
