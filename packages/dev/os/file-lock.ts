import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pause } from '../../../src/startup/wait-until.ts'

export type FileLock = { release(): void }

const SQLITE_BUSY = 5

/** Databases of the locks that this process holds: one that is garbage-collected is closed, and its lock released. */
const held = new Set<DatabaseSync>()

/**
 * Acquires the lock; undefined where another process holds it. The operating system holds the lock, through SQLite, until
 * its process ends: a killed process leaves none, and a suspended one keeps it (locks that age, as those of
 * proper-lockfile, pass to another process then). The file stays.
 */
export function tryFileLock(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path)
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (Object(error).errcode === SQLITE_BUSY) return undefined
    throw error
  }
  held.add(database)
  writeFileSync(`${path}.pid`, String(process.pid))
  return {
    release() {
      held.delete(database)
      database.close()
    },
  }
}

/** Returns the id of the process that acquired the lock last, for a message. */
export function readLockHolder(path: string): string {
  return readFileSync(`${path}.pid`, 'utf8')
}

/** Waits for the lock; `onWait` is called once, where that takes more than a moment. */
export async function acquireFileLock(
  path: string,
  { onWait, abort }: { onWait?: () => void; abort?: AbortSignal } = {},
): Promise<FileLock> {
  for (let attempts = 1; ; attempts++) {
    const lock = tryFileLock(path)
    if (lock) return lock
    if (attempts === 2) onWait?.()
    await pause(500, abort)
  }
}
