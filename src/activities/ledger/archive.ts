import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  insertLedgerArchive,
  type LedgerArchive,
  listMonthsToArchive,
  readMonthLines,
} from '../../db/repositories/ledger-archives.ts'
import { getCancellationSignal, throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { storeCompressedFile } from '../shared/compressed-file.ts'

type ArchiveStorage = Pick<ActivityDependencies['storage'], 'writeFile' | 'openFile'>

/** Archives the months of the ledger that are over: each is a file of the storage, and a row once the file was read back. May be repeated. */
export function archiveClosedMonths({ orm, storage }: Pick<ActivityDependencies, 'orm' | 'storage'>) {
  return async (): Promise<{ archived: number }> => {
    const em = orm.em.fork()
    let archived = 0
    for (const month of await listMonthsToArchive(em, new Date())) {
      throwIfCancelled()
      if (await insertLedgerArchive(em, await writeMonth(em, storage, month))) archived += 1
    }
    return { archived }
  }
}

/**
 * Writes the file of a month, a line of JSON for each line of the ledger, compressed. Its key has the digest: two processes write the
 * same file, and one that was interrupted is written again. The row of a month never changes, so the file is read back before it is
 * written. Throws if it has other lines.
 */
export async function writeMonth(
  em: EntityManager,
  storage: ArchiveStorage,
  month: string,
): Promise<LedgerArchive> {
  let lineCount = 0
  async function* writeLines(): AsyncGenerator<string> {
    for await (const line of readMonthLines(em, month)) {
      lineCount += 1
      yield `${line}\n`
    }
  }
  const { key, sizeBytes, sha256 } = await storeCompressedFile(storage, {
    content: Readable.from(writeLines(), { objectMode: false }),
    keyOf: digest => `ledger/${month}-${digest.slice(0, 16)}.jsonl.gz`,
  })
  if ((await digestStoredLines(storage, key)) !== sha256)
    throw new Error(`the archive of ${month} is not whole in the storage: ${key}`)
  return { month, storageKey: key, sha256, sizeBytes, lineCount }
}

/** Reads an archive from the storage; returns the SHA-256 of its lines, undefined where there is no file. */
async function digestStoredLines(storage: ArchiveStorage, key: string): Promise<string | undefined> {
  const file = await storage.openFile(key)
  if (!file) return undefined
  const digest = createHash('sha256')
  const signal = getCancellationSignal()
  await pipeline(file.stream, createGunzip(), digest, { ...(signal && { signal }) })
  return digest.digest('hex')
}
