import { Client, type ClientPlugin, Connection } from '@temporalio/client'
import { PROBE_TIMEOUT_MS, TEMPORAL_READY_TIMEOUT_MS } from '../../http/limits.ts'
import { TemporalConnectionError } from '../../http/outage.ts'
import { connectToTemporal, type TemporalServer } from '../../temporal/connection.ts'

/** Creates the process's Temporal client. It connects at the first call: the API responds without Temporal. */
export function createTemporalClient(
  server: TemporalServer & { namespace: string },
  plugins: ClientPlugin[] = [],
): {
  /** Returns the client. Fails with `TemporalConnectionError` while Temporal is unreachable; recovers by itself. */
  client(): Promise<Client>
  close(): Promise<void>
} {
  const { namespace } = server
  let connection: TimeLimitedConnection | undefined
  let client: Client | undefined
  return {
    async client() {
      connection ??= await connectToTemporal(
        server,
        options => (connection ??= TimeLimitedConnection.lazy(options) as TimeLimitedConnection),
      )
      await connection.awaitReady()
      client ??= new Client({ connection, namespace, plugins })
      return client
    },
    async close() {
      await connection?.close()
    },
  }
}

/** Probes Temporal by describing the namespace; fails where it does not respond or does not exist. */
export async function probeTemporal(client: Client): Promise<void> {
  const { namespace } = client.options
  await client.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () =>
    client.workflowService.describeNamespace({ namespace }),
  )
}

/** Connection that fails fast while Temporal is unreachable: gRPC itself would retry past the request's deadline. */
class TimeLimitedConnection extends Connection {
  async awaitReady(): Promise<void> {
    try {
      await this.untilReady(Date.now() + TEMPORAL_READY_TIMEOUT_MS)
    } catch (cause) {
      throw new TemporalConnectionError('Temporal cannot be reached', { cause })
    }
  }
}
