import { runInTransaction } from '../../db/client/transaction.ts'
import { Report } from '../../db/entities/report.ts'
import { findLockedRow } from '../../db/locks.ts'
import { noQuery } from '../../db/pipeline/query.ts'
import { type ReportState, reportMachine } from '../../domain/reports/report.ts'
import type { CloseReportInput, ReportInput } from '../../workflows/contracts/reports.ts'
import { recordReportEvent } from '../events/record-event.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { transition } from '../shared/transition.ts'

/** Stores the order of a report; returns its state. Repeatable. */
export function openReport({ orm }: ActivityDependencies) {
  return ({ timeScale: _, ...order }: ReportInput): Promise<ReportState> =>
    runInTransaction(orm, async em => {
      const stored = await em.findOne(Report, order.uuid)
      if (stored) return stored.state
      const at = new Date()
      const { tokenNumber = null, userUuid = null } = order
      const report = em.create(Report, {
        ...order,
        tokenNumber,
        userUuid,
        state: 'pending',
        failure: null,
        fileKey: null,
        sealedFile: null,
        lineCount: null,
        sizeBytes: null,
        sha256: null,
        isPartial: null,
        builtAt: null,
        expiresAt: null,
        sequence: 0,
        createdAt: at,
        updatedAt: at,
      })
      return report.state
    })
}

/** Ends a report and deletes its file: one that is not built fails, a READY one expires. Returns its state. Repeatable. */
export function closeReport({ orm, storage }: ActivityDependencies) {
  return async ({ uuid, reason }: CloseReportInput): Promise<ReportState> => {
    const { state, fileKey } = await runInTransaction(orm, async em => {
      const [report] = await findLockedRow(em, Report, uuid, noQuery)
      // A restored backup may lack it.
      if (!report) return { state: 'failed' as const, fileKey: null }
      const at = new Date()
      if (reportMachine.accepts(report.state, 'failed')) {
        transition(report, reportMachine, 'failed', at)
        report.failure = reason
        await recordReportEvent(em, report, at)
      } else if (reportMachine.accepts(report.state, 'removed')) {
        transition(report, reportMachine, 'removed', at)
        report.sealedFile = null
      }
      return { state: report.state, fileKey: report.fileKey }
    })
    // After the commit: nothing opens the file any more, so that a repeat deletes what is left.
    if (fileKey) await storage.removeFile(fileKey)
    return state
  }
}
