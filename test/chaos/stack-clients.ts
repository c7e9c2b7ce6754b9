import { readFile } from 'node:fs/promises'
import { Client, Connection as Temporal } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { tryReadJsonFile } from '../../packages/dev/env/state-dir.ts'
import { createSimulatorClient } from '../../packages/simulator/control/client.ts'
import type { ProviderName } from '../../src/domain/providers/provider.ts'
import { createProviderRegistry } from '../../src/providers/registry.ts'
import { createSealer } from '../../src/security/sealing.ts'
import { openTestOrm } from '../support/orm.ts'
import type { Stack } from '../support/stack.ts'

/** Histories fetched concurrently. */
const HISTORY_BATCH_SIZE = 10

export type StackClients = Awaited<ReturnType<typeof openStackClients>>

/** A running stack with clients of its APIs, database, simulator and Temporal. A call that a restart breaks is repeated. */
export async function openStackClients({ home, local }: Stack, secondApi?: string) {
  const [secretKey, ca] = await Promise.all([
    readFile(home.secretKey, 'utf8'),
    readFile(home.simulatorCa, 'utf8'),
  ])
  const facts = (await tryReadJsonFile<{ providers: Record<ProviderName, { base_url: string }> }>(
    `${home.simulator}/simulator.json`,
  ))!
  const orm = await openTestOrm({ databaseUrl: local.database_url, poolSize: 5 })
  const simulator = createSimulatorClient(local.simulator_url, home.simulatorCa)
  const seal = createSealer(secretKey.trim())
  const providers = createProviderRegistry({ openCredentials: seal.open, timeoutMs: 10_000, ca })
  const baseUrls = Object.fromEntries(
    Object.entries(facts.providers).map(([name, { base_url }]) => [name, base_url]),
  ) as Record<ProviderName, string>

  /** A connection of its own for each query: one that a restart breaks is opened anew. */
  async function temporal<T>(ask: (client: Client) => Promise<T>): Promise<T> {
    const connection = await Temporal.connect({ address: local.temporal_address })
    try {
      return await ask(new Client({ connection }))
    } finally {
      await connection.close()
    }
  }

  const apis = [local.api_url, ...(secondApi === undefined ? [] : [secondApi])]
  let requests = 0

  return {
    local,
    home,
    /** The API of the next request: each in turn. */
    nextApiUrl: () => apis[requests++ % apis.length]!,
    orm,
    seal,
    simulator,
    providers,
    baseUrls,
    sql: <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
      orm.em.fork().execute(query, values),
    temporal,
    /** The ids of the workflows that run now. */
    runningWorkflowIds: () =>
      temporal(async ({ workflow }) => {
        const runningIds: string[] = []
        for await (const { workflowId } of workflow.list({ query: `ExecutionStatus = 'Running'` }))
          runningIds.push(workflowId)
        return runningIds
      }),
    /** The ids of all workflows that Temporal remembers, running or completed. */
    workflowIds: () =>
      temporal(async ({ workflow }) => {
        const ids = new Set<string>()
        for await (const { workflowId } of workflow.list()) ids.add(workflowId)
        return [...ids]
      }),
    /** The histories of these workflows, as Temporal's own JSON, which replays. */
    histories: (ids: string[]) =>
      temporal(async ({ workflow }) => {
        const fetched = async (id: string) =>
          [id, historyToJSON(await workflow.getHandle(id).fetchHistory())] as const
        const histories = new Map<string, string>()
        for (let from = 0; from < ids.length; from += HISTORY_BATCH_SIZE)
          for (const [id, text] of await Promise.all(ids.slice(from, from + HISTORY_BATCH_SIZE).map(fetched)))
            histories.set(id, text)
        return histories
      }),
    /** Those of these ids that have a workflow, running or ended. */
    findStartedWorkflows: (ids: string[]) =>
      temporal(async ({ workflow }) => {
        const found: string[] = []
        for (const id of ids)
          await workflow
            .getHandle(id)
            .describe()
            .then(() => found.push(id))
            .catch(ignoreNotFound)
        return found
      }),
    async close() {
      await Promise.all([orm.close(), simulator.close(), providers.close()])
    },
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}
