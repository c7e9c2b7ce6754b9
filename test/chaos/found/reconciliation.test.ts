import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation.ts'
import type { Engine } from '../../../src/engine/start.ts'
import { depositId } from '../../../src/workflows/ids.ts'
import { openBooks } from '../support/books.ts'

/** What a storm found in reconciliation: a life that was told of a lost notice, and came to nothing. */

let books: Awaited<ReturnType<typeof openBooks>>
/** The lives that were woken, in order. */
const woken: string[] = []
const engine = {
  client: async () => ({
    workflow: {
      signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => woken.push(workflowId),
    },
  }),
  taskQueue: 'none',
  timeScale: 1,
} as unknown as Engine
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

test('what is missing here is told to its life again at every look until it is booked, and shown meanwhile', async () => {
  const { connectionUuid } = await books.merchant(0)
  const [{ uuid: providerAccountUuid }] = (await books.sql<{ uuid: string }>(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [connectionUuid],
  )) as [{ uuid: string }]
  const now = Date.now()
  const at = new Date(now - 3_600_000).toISOString()
  const endToEnd = `E${'7'.repeat(31)}`
  books.provider({
    listMeds: async () => ({ kind: 'found', meds: [] }),
    statement: async () => ({
      kind: 'found',
      entries: [{ endToEnd, reference: null, direction: 'IN', cents: 700, at }],
    }),
  })
  const look = () =>
    reconcile(
      books.dependencies,
      engine,
    )({
      providerAccountUuid,
      from: new Date(now - 7_200_000).toISOString(),
      to: new Date(now).toISOString(),
    })

  expect(await look()).toMatchObject({ matched: 0, repaired: 1, differences: 0 })
  expect(await look()).toMatchObject({ repaired: 0, differences: 1 })
  expect(woken).toEqual(Array(2).fill(depositId(connectionUuid, endToEnd)))

  const provider = {
    cents: 700,
    endToEnd,
    status: 'settled' as const,
    at,
    txid: null,
    payer: null,
    pixKey: '',
  }
  books.provider({ findPayment: async () => ({ kind: 'found', payment: provider }) })
  await books.providers.takeDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  expect(await look()).toMatchObject({ matched: 1, repaired: 0, differences: 0 })
  expect(await books.sql('select 1 from difference where settled_at is null')).toEqual([])
})
