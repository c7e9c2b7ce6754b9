import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

/** What a local Trilho keeps, all in one folder (TRILHO_HOME). */
export type StateDir = ReturnType<typeof resolveStateDir>

export function resolveStateDir(folder: string) {
  const path = (...names: string[]) => join(resolve(folder), ...names)
  return {
    folder: path(),
    /** Held while one runs here. */
    lock: path('lock'),
    ports: path('ports.json'),
    pids: path('pids.json'),
    /** There while everything runs: neither during a start nor during a stop. */
    localInfo: path('local.json'),
    secretKey: path('secret.key'),
    postgres: path('postgres'),
    postgresPassword: path('postgres.password'),
    temporalDatabase: path('temporal.db'),
    /** Attachments, where the storage is the disk. */
    files: path('files'),
    simulator: path('simulator'),
    simulatorCa: path('simulator', 'tls', 'ca.pem'),
    log: (name: string) => path('logs', `${name}.log`),
  }
}

/**
 * Creates the home, for its own user only; one that exists keeps its mode. Root's home can be entered by others, but not
 * listed: PostgreSQL runs in it as another user.
 */
export function createStateDir(folder: string, isRoot = process.getuid?.() === 0): void {
  mkdirSync(folder, { recursive: true, mode: isRoot ? 0o711 : 0o700 })
}

/** Readers see the old file or the new one, never half of it. */
function writeFileAtomically(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.${process.pid}.new`
  writeFileSync(fresh, text, { mode })
  renameSync(fresh, path)
}

export function writeJsonFile(path: string, value: unknown, mode?: number): void {
  writeFileAtomically(path, `${JSON.stringify(value, null, 2)}\n`, mode)
}

/** Undefined if it is not there, or no JSON. */
export async function tryReadJsonFile<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** A secret made at the first start and kept, for this user's eyes only. */
export async function readOrCreateSecret(path: string, make: () => string): Promise<string> {
  const stored = await readFile(path, 'utf8').catch(() => undefined)
  if (stored) return stored.trim()
  const secret = make()
  writeFileAtomically(path, `${secret}\n`, 0o600)
  return secret
}
