import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client'
import { databaseActivities } from '../../../src/activities/index.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { createApp } from '../../../src/api/app.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { type RunningServer, startServer } from '../../../src/http/server.ts'
import { type ApiFixture, openApiFixture } from '../../http/support/api-fixture.ts'

/** A storm's finding: a worker that is killed between a cancel request and its answer. */

let fixture: ApiFixture
let server: RunningServer
beforeAll(async () => {
  fixture = await openApiFixture([])
  const { dependencies, config } = fixture
  const temporal = { ...dependencies.temporal, client: async () => silent as unknown as Client }
  server = await startServer(createApp({ ...dependencies, temporal, routes: [transferRoutes] }), config)
})
afterAll(async () => {
  await server?.stop()
  await fixture?.close()
})

const silent = {
  withDeadline: (_: number, ask: () => unknown) => ask(),
  workflow: {
    getHandle: () => ({
      executeUpdate: async () => {
        throw new WorkflowUpdateRPCTimeoutOrCancelledError('Deadline exceeded')
      },
    }),
  },
}

test('a cancellation that no worker answers in time is 503 with an unknown outcome, and not an internal error', async () => {
  const accountUuid = await fixture.insertAccount()
  const connectionUuid = await fixture.insertConnection(accountUuid)
  const uuid = randomUUID()
  await databaseActivities(fixture.dependencies as unknown as ActivityDependencies).storeTransfer({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 500,
    requestId: 'r',
    timeScale: 1,
    details: fixture.dependencies.sealer.seal({ pixKey: 'fornecedor@exemplo.com.br', fingerprint: 'f' }),
    scheduledFor: new Date(Date.now() + 86_400_000).toISOString(),
  })
  const answer = await fetch(`${server.url}/api/v1/transfers/${uuid}/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await fixture.insertToken({ accountUuid })}` },
  })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 503,
    body: { code: 'not_confirmed', data: { uuid } },
  })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})
