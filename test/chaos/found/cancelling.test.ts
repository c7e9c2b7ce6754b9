import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client'
import type { Dependencies } from '../../../src/activities/dependencies.ts'
import { recordActivities } from '../../../src/activities/index.ts'
import { createApp } from '../../../src/api/app.ts'
import { transferRoutes } from '../../../src/api/routes/transfers.ts'
import { type RunningServer, startServer } from '../../../src/api/server.ts'
import { openWorld, type World } from '../../http/support/world.ts'

/** What a storm found in cancelling: a worker that dies between the question and its answer. */

let world: World
let server: RunningServer
beforeAll(async () => {
  world = await openWorld([])
  const { dependencies, config } = world
  const temporal = async () => silent as unknown as Client
  server = await startServer(createApp({ ...dependencies, temporal, routes: [transferRoutes] }), config)
})
afterAll(async () => {
  await server?.stop()
  await world?.close()
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

test('a cancellation that no worker answers in time is "not known whether it was taken", and no fault of ours', async () => {
  const accountUuid = await world.account()
  const connectionUuid = await world.connection(accountUuid)
  const uuid = randomUUID()
  await recordActivities(world.dependencies as unknown as Dependencies).storeTransfer({
    ...{ uuid, accountUuid, candidates: [connectionUuid], valueCents: 500, requestId: 'r', timeScale: 1 },
    details: world.dependencies.sealer.seal({ pixKey: 'fornecedor@exemplo.com.br', fingerprint: 'f' }),
    scheduledFor: new Date(Date.now() + 86_400_000).toISOString(),
  })
  const answer = await fetch(`${server.url}/api/v1/transfers/${uuid}/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await world.token({ accountUuid })}` },
  })
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 503,
    body: { code: 'not_confirmed', data: { uuid } },
  })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})
