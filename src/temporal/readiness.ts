import { Connection } from '@temporalio/client'
import type { SearchAttributeType } from '@temporalio/common'
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js'
import { waitUntil } from '../startup/wait-until.ts'
import { connectToTemporal, type TemporalServer } from './connection.ts'

/** As src/workflows/contracts/search-attributes.ts defines them. */
export type SearchAttribute = { name: string; type: SearchAttributeType }

/** How long a server may take until it is ready: the first start of a development server makes its schema. */
const READY_LIMIT_MS = 60_000
/** Time for connecting, and for the calls that ask whether it is. */
const CALL_LIMIT_MS = 2_000

/**
 * Waits until the namespace answers and knows every search attribute. Those it lacks are added: a development
 * server registers them only when it makes its database, and a server that was given may know none of ours. It accepts a
 * workflow that carries them once it can search by them, which may be later than it lists them.
 */
export async function waitForTemporal(
  server: TemporalServer,
  { namespace, searchAttributes }: { namespace: string; searchAttributes: readonly SearchAttribute[] },
  abort?: AbortSignal,
): Promise<void> {
  let last = 'no answer'
  await waitUntil(knowsItAll, {
    description: () =>
      `The Temporal server at ${server.address} is not ready for the namespace ${namespace}: ${last}`,
    limitMs: READY_LIMIT_MS,
    abort,
  })

  async function knowsItAll(): Promise<boolean> {
    try {
      return await callTemporal(server, async ({ workflowService, operatorService }) => {
        await workflowService.describeNamespace({ namespace })
        const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
        const missing = searchAttributes.filter(({ name }) => customAttributes?.[name] === undefined)
        if (missing.length === 0) {
          const query = buildEmptySearchQuery(searchAttributes)
          await workflowService.countWorkflowExecutions({ namespace, query })
          return true
        }
        last = `without the search attributes ${missing.map(({ name }) => name).join(', ')}`
        const types = missing.map(({ name, type }) => [name, encodeSearchAttributeIndexedValueType(type)])
        await operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(types) })
        return false
      })
    } catch (error) {
      last = (error as Error).message
      return false
    }
  }
}

/** A query by all search attributes that finds nothing, and that no number of workflows makes slow. */
function buildEmptySearchQuery(searchAttributes: readonly SearchAttribute[]): string {
  return ["WorkflowId = 'none'", ...searchAttributes.map(({ name }) => `${name} is not null`)].join(' and ')
}

/** Calls a server over a connection that is opened for it and closed after it; each of both may take two seconds. */
export async function callTemporal<T>(
  server: TemporalServer,
  call: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectToTemporal(server, options =>
    Connection.connect({ ...options, connectTimeout: CALL_LIMIT_MS }),
  )
  try {
    return await connection.withDeadline(Date.now() + CALL_LIMIT_MS, () => call(connection))
  } finally {
    await connection.close()
  }
}
