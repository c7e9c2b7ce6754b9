import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { pollUntil } from '../support/poll-until.ts'
import { openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** Notifications of providers that are repeated after their rows were deleted. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

test('a repeat of a notification whose row was deleted after thirty days changes nothing', async () => {
  const merchant = await stack.createMerchant({ providers: [{ sendsNotifications: false, balance: 100 }] })
  const { api, connection } = merchant
  const client = await stack.connectTemporal()
  const charge = await api.createCharge()
  const paid = await stack.simulator.pay({ payload: charge.payment.payload })
  const deposited = await stack.simulator.deposit({ account: connection.account, value: 7 })
  const order = { value: 5, pix_key: 'maria@example.com' }
  const transfer = (await api.post('/api/v1/transfers', order)).body.data
  const readTransfer = async () => (await api.get(`/api/v1/transfers/${transfer.uuid}`)).body.data
  const { end_to_end: sent } = await pollUntil(readTransfer, ({ status }) => status === 'PAID')

  const pix = [
    { endToEndId: paid.end_to_end, txid: referenceOf(charge.uuid) },
    { endToEndId: deposited.end_to_end },
    { endToEndId: sent, gnExtras: { idEnvio: referenceOf(transfer.uuid) } },
  ]
  const workflowIds = [
    WORKFLOWS.charge.idOf(charge.uuid),
    WORKFLOWS.deposit.idOf(`${connection.uuid}/${deposited.end_to_end}`),
    WORKFLOWS.transfer.idOf(transfer.uuid),
  ]
  const readRuns = () =>
    Promise.all(
      workflowIds.map(async id => {
        const { status, runId } = await client.workflow.getHandle(id).describe()
        return { status: status.name, runId }
      }),
    )
  const listNotifications = () =>
    stack.sql<{ outcome: string | null }>(
      'select outcome from provider_notification where connection_uuid = ?',
      [connection.uuid],
    )
  /** Sends all notifications and waits until each has been routed and its workflow has ended. */
  async function notify(earlier: { runId: string }[] = []) {
    const path = `/provider-notifications/${connection.uuid}/${connection.credentials.notification_secret}/pix`
    expect((await stack.api.withToken(undefined).post(path, { pix })).status).toBe(200)
    await pollUntil(
      listNotifications,
      rows => rows.length === 3 && rows.every(row => row.outcome === 'routed'),
    )
    return pollUntil(readRuns, runs =>
      runs.every(({ status, runId }, index) => status === 'COMPLETED' && runId !== earlier[index]?.runId),
    )
  }
  const readState = async () => ({
    charge: await api.readCharge(charge.uuid),
    transfer: await readTransfer(),
    movements: await stack.sql('select * from movement where account_uuid = ? order by uuid', [
      merchant.uuid,
    ]),
    events: await stack.sql('select uuid from event where account_uuid = ? order by uuid', [merchant.uuid]),
    balances: await stack.readBalances(merchant.uuid, connection.providerAccountUuid),
  })

  const runs = await notify()
  await stack.waitUntilLedgerAgrees(merchant)
  const before = await readState()
  expect(before.movements).toHaveLength(4)
  await stack.sql(
    `update provider_notification set routed_at = now() - interval '31 days' where connection_uuid = ?`,
    [connection.uuid],
  )
  await pruneEvents({ orm: stack.orm } as never)()
  expect(await listNotifications()).toEqual([])

  await notify(runs)
  expect(await readState()).toEqual(before)
  await stack.waitUntilLedgerAgrees(merchant)
})
