import { Writable } from 'node:stream'
import { pino } from 'pino'
import { type ApiDependencies, createApp, type RouteRegistrar } from '../../../src/api/app.ts'
import { createConfiguredCodeReader } from '../../../src/code-reader/reader.ts'
import { readConfig } from '../../../src/config.ts'
import type { OrmOptions } from '../../../src/db/client/orm.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { createSealer } from '../../../src/security/sealing.ts'
import { openStorage } from '../../../src/storage/storage.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'
import { repeatUntilFinal } from '../../support/repeated-requests.ts'
import { createRowInserters } from './row-inserters.ts'

export type ApiFixture = Awaited<ReturnType<typeof openApiFixture>>

/** The API in this process over a database of its own, without Temporal unless one is given: nothing here needs a workflow. */
export async function openApiFixture(
  routes: RouteRegistrar[],
  environment: Record<string, string> = {},
  connectToTemporal: ApiDependencies['temporal']['client'] = refuseConnection,
  {
    providers,
    ...limits
  }: Pick<OrmOptions, 'connectMs' | 'statementMs'> & Pick<ApiDependencies, 'providers'> = {},
) {
  const config = readConfig({
    DATABASE_URL: await createTestDatabase(),
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    PORT: '0',
    TRILHO_SECRET_KEY: `a:${Buffer.alloc(32, 7).toString('base64')}`,
    TRILHO_RATE_LIMIT: '100000',
    TRILHO_RATE_BURST: '100000',
    ...environment,
  })
  const orm = await openTestOrm({ databaseUrl: config.databaseUrl, poolSize: 10, ...limits })
  const lines: string[] = []
  const dependencies: ApiDependencies = {
    orm,
    temporal: {
      client: connectToTemporal,
      taskQueue: config.temporal.taskQueue,
      timeScale: config.timeScale,
    },
    config,
    log: pino(
      { level: 'info' },
      new Writable({ write: (line, _, done) => done(void lines.push(`${line}`)) }),
    ),
    sealer: createSealer(config.secretKeys),
    storage: await openStorage(config),
    codeReader: createConfiguredCodeReader(config),
    ...(providers && { providers }),
  }
  const server = await startServer(createApp({ ...dependencies, routes }), config)

  return {
    orm,
    config,
    server,
    dependencies,
    /** What was logged so far. */
    lines,
    call: createCaller(server),
    ...createRowInserters(orm),
    async close() {
      await server.stop()
      await orm.close()
    },
  }
}

/** Repeats a request while it is answered 503. */
export function repeatWhileUnavailable<T extends { status: number }>(
  send: () => Promise<T>,
): Promise<T & { repeats: number }> {
  return repeatUntilFinal(send, ({ status }) => status !== 503)
}

async function refuseConnection(): Promise<never> {
  throw new TemporalConnectionError('there is none here')
}

export type CallOptions = {
  token?: string | undefined
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where it is not.
export type ApiResponse = { status: number; headers: Headers; body: any; text: string }

export function createCaller(server: RunningServer) {
  return async (
    method: string,
    path: string,
    { token, body, raw, headers }: CallOptions = {},
  ): Promise<ApiResponse> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await fetch(server.url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : text }
  }
}
