import { writeMonth } from '../activities/ledger/archive.ts'
import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import {
  insertLedgerArchive,
  type LedgerArchive,
  listMonthsToArchive,
} from '../db/repositories/ledger-archives.ts'
import type { FileStorage } from '../storage/storage.ts'

/** Archives the months of the ledger that are over and not archived, as maintenance does, and yields each when it is recorded. */
export async function* archiveLedger(
  em: EntityManager,
  storage: FileStorage,
  order: ActionAuthor,
): AsyncGenerator<LedgerArchive> {
  for (const month of await listMonthsToArchive(em, new Date())) {
    const archive = await writeMonth(em, storage, month)
    const isNew = await runAuditedAction(em, {
      by: order,
      action: 'archive_ledger',
      subject: `ledger/${month}`,
      work: tx => insertLedgerArchive(tx, archive),
    })
    if (isNew) yield archive
  }
}
