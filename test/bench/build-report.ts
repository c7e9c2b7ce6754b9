import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildReport } from '../../src/activities/reports/build.ts'
import { openReport } from '../../src/activities/reports/open.ts'
import type { ActivityDependencies } from '../../src/activities/runtime/dependencies.ts'
import { openOrm } from '../../src/db/client/orm.ts'
import { Report } from '../../src/db/entities/report.ts'
import type { ReportDays, ReportFormat } from '../../src/domain/reports/report.ts'
import { createSealer } from '../../src/security/sealing.ts'
import { openStorage } from '../../src/storage/storage.ts'

/** What one report has cost, as this program prints it. */
export type ReportCost = { format: ReportFormat; lines: number; seconds: number; peakMib: number }

/** The order of the report, as this program reads it from its only argument. */
export type ReportOrder = ReportDays & { databaseUrl: string; accountUuid: string; format: ReportFormat }

/** A program that builds one report in a process of its own, so that the memory is that of the report. */
const { databaseUrl, ...order }: ReportOrder = JSON.parse(process.argv[2] ?? '')
const folder = await mkdtemp(join(tmpdir(), 'trilho-bench-'))
const secretKeys = `a:${Buffer.alloc(32, 7).toString('base64')}`
const orm = await openOrm({ databaseUrl, poolSize: 2 })
const dependencies = {
  orm,
  sealer: createSealer(secretKeys),
  storage: await openStorage({
    storage: { kind: 'disk', folder },
    secretKeys,
    publicUrl: 'http://127.0.0.1',
    linkSeconds: 60,
  }),
  timeScale: 1,
} as ActivityDependencies
const uuid = randomUUID()
await openReport(dependencies)({
  uuid,
  connectionUuid: null,
  isSimulated: true,
  kind: 'LEDGER',
  decimalMark: 'POINT',
  requestId: 'bench',
  fingerprint: 'f',
  timeScale: 1,
  ...order,
})
const began = performance.now()
await buildReport(dependencies)(uuid)
const seconds = (performance.now() - began) / 1_000
const { format, lineCount } = await orm.em.fork().findOneOrFail(Report, uuid)
const cost: ReportCost = {
  format,
  lines: lineCount ?? 0,
  seconds,
  peakMib: process.resourceUsage().maxRSS / 1_024,
}
process.stdout.write(JSON.stringify(cost))
await orm.close()
await rm(folder, { recursive: true })
