import { randomUUID } from 'node:crypto'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Report } from '../../db/entities/report.ts'
import { findLockedRow, lockAccount } from '../../db/locks.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { isPartialReport, REPORT_LIFETIME_MS, reportMachine } from '../../domain/reports/report.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import { createFileCipher, type FileKey } from '../../security/sealed-file.ts'
import type { BuildReportResult } from '../../workflows/contracts/reports.ts'
import { recordReportEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { storeCompressedFile } from '../shared/compressed-file.ts'
import { transition } from '../shared/transition.ts'
import { openReportContent, TooManyLinesError } from './content.ts'

/**
 * Builds the file of a report in its turn: one of an account and one of a worker at a time, so that reports leave both to payments. An
 * interrupted attempt is repeated from its beginning, and writes another file.
 */
export function buildReport(dependencies: ActivityDependencies) {
  let isBuilding = false
  return async (uuid: string): Promise<BuildReportResult> => {
    if (isBuilding) return { kind: 'wait' }
    isBuilding = true
    try {
      const claim = await claimReport(dependencies, uuid)
      if (claim.kind !== 'claimed') return claim
      return await writeClaimedReport(dependencies, claim)
    } finally {
      isBuilding = false
    }
  }
}

type ReportClaim = { kind: 'claimed'; report: Report; fileKey: string; earlierFileKey: string | null }

/** Claims a report for this attempt, which alone stores its file, unless another one of the account is being built. */
function claimReport({ orm }: ActivityDependencies, uuid: string): Promise<ReportClaim | BuildReportResult> {
  return runInTransaction(orm, async (em): Promise<ReportClaim | BuildReportResult> => {
    const [report] = await findLockedRow(em, Report, uuid, noQuery)
    // A restored backup may lack it.
    if (!report || reportMachine.isFinal(report.state)) return { kind: 'closed' }
    if (report.state === 'ready')
      return { kind: 'ready', keepMs: Math.max(1, report.expiresAt!.getTime() - Date.now()) }
    if (report.state === 'pending') {
      await lockAccount(em, report.accountUuid)
      const { accountUuid } = report
      if ((await em.count(Report, { accountUuid, state: 'building' })) > 0) return { kind: 'wait' }
      transition(report, reportMachine, 'started', new Date())
    }
    const earlierFileKey = report.fileKey ?? null
    const fileKey = `reports/${uuid}/${randomUUID()}`
    report.fileKey = fileKey
    return { kind: 'claimed', report, fileKey, earlierFileKey }
  })
}

type BuiltFile = Pick<Report, 'lineCount' | 'sizeBytes' | 'sha256' | 'builtAt' | 'isPartial'> & {
  key: FileKey
}

async function writeClaimedReport(
  dependencies: ActivityDependencies,
  { report, fileKey, earlierFileKey }: ReportClaim,
): Promise<BuildReportResult> {
  const { orm, sealer, storage, timeScale } = dependencies
  if (earlierFileKey !== null) await storage.removeFile(earlierFileKey)
  const file = await writeFile(dependencies, report, fileKey).catch(error => {
    if (error instanceof TooManyLinesError) return null
    throw error
  })
  const result = await runInTransaction(orm, async (em): Promise<BuildReportResult> => {
    const [stored] = await findLockedRow(em, Report, report.uuid, noQuery)
    // It was removed meanwhile, or a later attempt has claimed it.
    if (!stored || stored.fileKey !== fileKey || stored.state !== 'building') return { kind: 'closed' }
    const at = new Date()
    if (file === null) {
      transition(stored, reportMachine, 'failed', at)
      stored.failure = 'too_many_lines'
      await recordReportEvent(em, stored, at)
      return { kind: 'closed' }
    }
    const { key, ...figures } = file
    const keepMs = scaleWait(REPORT_LIFETIME_MS, timeScale)
    Object.assign(stored, figures)
    stored.sealedFile = sealer.seal(key)
    stored.expiresAt = new Date(figures.builtAt!.getTime() + keepMs)
    transition(stored, reportMachine, 'built', at)
    await recordReportEvent(em, stored, at)
    return { kind: 'ready', keepMs }
  })
  if (result.kind === 'closed') await storage.removeFile(fileKey)
  return result
}

/** Writes the content of a report compressed and sealed into the storage. */
async function writeFile(
  { orm, storage }: ActivityDependencies,
  report: Report,
  fileKey: string,
): Promise<BuiltFile> {
  const builtAt = new Date()
  const content = await openReportContent(orm.em.fork(), report, builtAt)
  const { cipher, readKey } = createFileCipher()
  const { sizeBytes, sha256 } = await storeCompressedFile(storage, {
    content: content.stream,
    cipher,
    keyOf: () => fileKey,
  })
  return {
    lineCount: content.countLines(),
    sizeBytes,
    sha256,
    builtAt,
    isPartial: isPartialReport(report, builtAt),
    key: readKey(),
  }
}
