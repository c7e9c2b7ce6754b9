import { Client, type ClientPlugin, Connection } from '@temporalio/client'
import type { Config } from '../../config.ts'
import { TemporalConnectionError } from '../http/outage.ts'
import { PROBE_TIMEOUT_MS, TEMPORAL_READY_TIMEOUT_MS } from '../limits.ts'

/** The process's one connection to Temporal, made at the first need: the API starts and answers without it. */
export function createTemporalClient(
  { address, namespace }: Pick<Config['temporal'], 'address' | 'namespace'>,
  plugins: ClientPlugin[] = [],
): {
  /** Fails with NotConnected while Temporal is away; the connection mends itself behind it. */
  client(): Promise<Client>
  close(): Promise<void>
} {
  let connection: TimeLimitedConnection | undefined
  let client: Client | undefined
  return {
    async client() {
      connection ??= TimeLimitedConnection.lazy({ address }) as TimeLimitedConnection
      await connection.awaitReady()
      client ??= new Client({ connection, namespace, plugins })
      return client
    },
    async close() {
      await connection?.close()
    },
  }
}

/** Asks for the namespace; fails where Temporal does not answer or does not have it. */
export async function probeTemporal(client: Client): Promise<void> {
  const { namespace } = client.options
  await client.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () =>
    client.workflowService.describeNamespace({ namespace }),
  )
}

/** Says at once that it is ready, and soon enough that it is not: calls themselves would retry past any answer. */
class TimeLimitedConnection extends Connection {
  async awaitReady(): Promise<void> {
    try {
      await this.untilReady(Date.now() + TEMPORAL_READY_TIMEOUT_MS)
    } catch (cause) {
      throw new TemporalConnectionError('Temporal cannot be reached', { cause })
    }
  }
}
