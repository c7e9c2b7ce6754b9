import { Connection } from '@temporalio/client'
import type { Config } from '../config.ts'
import { formatServerUrl } from '../http/server.ts'
import { connectToTemporal } from '../temporal/connection.ts'
import { waitForTemporal } from '../temporal/readiness.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import type { OperatorCommand } from './command-context.ts'

const DAY_S = 86_400
/** gRPC status ALREADY_EXISTS. */
const ALREADY_EXISTS = 6

/** Registers the commands that prepare a Temporal server (namespace, search attributes) and check a worker. */
export function registerTemporalCommands(trilho: OperatorCommand) {
  trilho
    .command('prepare-temporal')
    .option('--retention-days <days>', 'how long ended workflows stay readable', '30')
    .run(async ({ config, print }, options: { retentionDays: string }) => {
      const { namespace } = config.temporal
      const searchAttributes = Object.values(SEARCH_ATTRIBUTES)
      const isNew = await createNamespace(config.temporal, Number(options.retentionDays) * DAY_S)
      await waitForTemporal(config.temporal, { namespace, searchAttributes })
      print({ namespace, made: isNew, search_attributes: searchAttributes.map(({ name }) => name) })
    })

  trilho.command('worker-health').run(async ({ config, print }) => {
    const { host, workerPort } = config
    const url = `${formatServerUrl(host, workerPort)}/readyz`
    const noAnswer = `No worker answers at ${url}: set HOST and TRILHO_WORKER_PORT as its process has them`
    const response = await fetch(url).catch(() => {
      throw new Error(noAnswer)
    })
    print(await response.json())
    if (!response.ok) process.exitCode = 1
  })
}

/** Creates the namespace; returns whether it was missing. */
async function createNamespace(server: Config['temporal'], retentionS: number): Promise<boolean> {
  const { namespace } = server
  const connection = await connectToTemporal(server, options => Connection.connect(options))
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: retentionS as never },
    })
    return true
  } catch (error) {
    if (Object(error).code !== ALREADY_EXISTS) throw error
    return false
  } finally {
    await connection.close()
  }
}
