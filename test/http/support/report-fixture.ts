import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { buildReport } from '../../../src/activities/reports/build.ts'
import { closeReport, openReport } from '../../../src/activities/reports/open.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import type { RouteRegistrar } from '../../../src/api/app.ts'
import type { ReopenedInput } from '../../../src/workflows/contracts/orders.ts'
import type { ReportInput } from '../../../src/workflows/contracts/reports.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { openApiFixture } from './api-fixture.ts'

type UpdateWithStart = { startWorkflowOperation: { options: { args: [ReportInput | ReopenedInput] } } }

/** The API with a storage of its own, and the activities of reports: what a workflow does until an update is answered is done at once. */
export async function openReportFixture(routes: RouteRegistrar[]) {
  const folder = await createTemporaryFolder()
  const workflow = {
    async executeUpdateWithStart(_: unknown, { startWorkflowOperation }: UpdateWithStart) {
      const [input] = startWorkflowOperation.options.args
      if ('reopen' in input) await closeReport(dependencies)({ uuid: input.reopen, reason: 'cancelled' })
      else await openReport(dependencies)(input)
    },
  }
  const withDeadline = <T>(_: number, call: () => Promise<T>) => call()
  const client = { workflow, withDeadline } as unknown as Client
  const files = join(folder.path, 'files')
  const fixture = await openApiFixture(routes, { TRILHO_STORAGE_FOLDER: files }, async () => client)
  const dependencies = { ...fixture.dependencies, timeScale: 1 } as unknown as ActivityDependencies
  return {
    ...fixture,
    /** Those of a worker over the same database and storage. */
    activities: dependencies,
    /** Folder of the stored files. */
    files,
    /** Builds a report as a worker of its own does. */
    build: (uuid: string) => buildReport(dependencies)(uuid),
    async close() {
      await fixture.close()
      await folder.remove()
    },
  }
}
