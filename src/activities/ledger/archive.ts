import { Readable } from 'node:stream'
import type { EntityManager } from '../../db/client/orm.ts'
import {
  insertLedgerArchive,
  type LedgerArchive,
  listMonthsToArchive,
  readMonthLines,
} from '../../db/repositories/ledger-archives.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { storeCompressedFile } from '../shared/compressed-file.ts'

/** Archives the months of the ledger that are over: each is a file of the storage, and a row when the file is whole. May be repeated. */
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
 * same file, and one that was interrupted is written again.
 */
export async function writeMonth(
  em: EntityManager,
  storage: Pick<ActivityDependencies['storage'], 'writeFile'>,
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
  return { month, storageKey: key, sha256, sizeBytes, lineCount }
}
