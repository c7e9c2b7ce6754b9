import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { encodeForm, FILES } from '../support/files.ts'
import { playUntilInTime } from '../support/played-again.ts'
import { createPayoutActions } from './support/payout-actions.ts'
import { pollUntil } from './support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'
import { readHistory } from './support/workflow-history.ts'

/** The histories of workflows in Temporal: few hops, a summary for the operator, and no personal data. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

const SCHEDULED = 'activityTaskScheduledEventAttributes'
const TASK = 'workflowTaskCompletedEventAttributes'
const SHOWN = 'upsertWorkflowSearchAttributesEventAttributes'

/** Counts the events of a history that have some attributes, or all of them. */
async function countedOf(workflowId: string) {
  const { events } = await readHistory(stack, workflowId)
  return (attributes?: keyof (typeof events)[number]) =>
    attributes ? events.filter(event => event[attributes]).length : events.length
}

test('a creation is one workflow task, and a payment is one signal and one poll that announces it within its task', async () => {
  // On a machine that stands still tasks, calls and notifications are repeated.
  const { issued, paid, deliveries } = await playUntilInTime(
    playPaidCharge,
    counted => counted.issued() === 9 && counted.paid() === 18,
  )
  expect(issued(TASK)).toBe(1)
  expect(issued(SCHEDULED)).toBe(0)
  expect(issued('timerStartedEventAttributes')).toBe(1)
  expect(issued('markerRecordedEventAttributes')).toBe(1)
  expect(issued(SHOWN)).toBe(1)
  expect(issued()).toBe(9)

  expect(paid(TASK)).toBe(2)
  expect(paid(SCHEDULED)).toBe(0)
  expect(paid('markerRecordedEventAttributes')).toBe(3) // Issued, polled, and the first attempts of its deliveries.
  expect(paid('workflowExecutionSignaledEventAttributes')).toBe(1)
  expect(paid(SHOWN)).toBe(2)
  expect(paid()).toBe(18)
  expect(deliveries.map(({ status }) => status)).toEqual(Array(4).fill('DELIVERED'))
})

async function playPaidCharge() {
  const merchant = await stack.createMerchant()
  const url = `${stack.local.inbox_url}/counted-${merchant.uuid}`
  await merchant.api.post('/api/v1/webhooks', { url, token: 'token'.repeat(5) })
  // The worker attempts one delivery of an endpoint that it does not know, and several at once from then on.
  await payCharge(merchant, await merchant.api.createCharge())
  const charge = await merchant.api.createCharge()
  const { uuid } = charge
  const issued = await countedOf(`charge/${uuid}`)
  await payCharge(merchant, charge)
  const client = await stack.connectTemporal()
  expect(await client.workflow.getHandle(`charge/${uuid}`).result()).toBe('paid')
  const paid = await countedOf(`charge/${uuid}`)
  // One that is not answered in time is delivered again.
  const deliveries = await pollUntil(
    () =>
      stack.sql<{ status: string }>(
        'select d.status from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?',
        [merchant.uuid],
      ),
    rows => rows.every(({ status }) => status === 'DELIVERED'),
  )
  return { issued, paid, deliveries }
}

type PayableCharge = { uuid: string; payment: { payload: string } }

async function payCharge({ api }: Merchant, { uuid, payment }: PayableCharge): Promise<void> {
  await stack.simulator.pay({ payload: payment.payload })
  await pollUntil(
    () => api.readCharge(uuid),
    ({ status }) => status === 'PAID',
  )
}

test('a transfer is stored and sent by one activity, polled once, and updates its search attributes at its end only', async () => {
  const paid = await playUntilInTime(playPaidTransfer, counted => counted() <= 21)
  expect(paid(TASK)).toBeLessThanOrEqual(3) // Two where the notification comes before the response.
  expect(paid(SCHEDULED)).toBe(1)
  expect(paid('markerRecordedEventAttributes')).toBe(1)
  expect(paid(SHOWN)).toBe(1)
  expect(paid()).toBeLessThanOrEqual(21)
})

async function playPaidTransfer() {
  const merchant = await stack.createMerchant({ providers: [{ balance: 10 }] })
  const order = { value: 1, pix_key: 'maria@example.com' }
  const { uuid } = (await merchant.api.post('/api/v1/transfers', order)).body.data
  const client = await stack.connectTemporal()
  expect(await client.workflow.getHandle(`transfer/${uuid}`).result()).toBe('paid')
  return countedOf(`transfer/${uuid}`)
}

test('each activity of a charge, its refund and a transfer has a summary for the operator', async () => {
  const merchant = await stack.createMerchant({ providers: [{ balance: 10 }] })
  const { api } = merchant
  const [open, charge] = [await api.createCharge(), await api.createCharge()]
  await stack.simulator.pay({ payload: charge.payment.payload })
  await pollUntil(
    () => api.readCharge(charge.uuid),
    ({ status }) => status === 'PAID',
  )
  const refund = (await api.post(`/api/v1/payments/${charge.uuid}/refund`, {})).body.data.refund.uuid
  const transfer = (await api.post('/api/v1/transfers', { value: 1, pix_key: 'maria@example.com' })).body.data
    .uuid
  const summaries = []
  for (const id of [`charge/${open.uuid}`, `refund/${refund}`, `transfer/${transfer}`])
    summaries.push(await firstSummary(id))
  expect(summaries).toEqual([
    'issue 1000 centavos',
    'send through the provider that received the payment',
    'send through this provider',
  ])
})

async function firstSummary(workflowId: string): Promise<string> {
  const client = await stack.connectTemporal()
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
  const activity =
    events?.find(event => event[SCHEDULED]) ?? events?.find(event => event.markerRecordedEventAttributes)
  return JSON.parse(Buffer.from(activity?.userMetadata?.summary?.data ?? []).toString())
}

test('an operator finds a charge by its account, provider, status and reference', async () => {
  const merchant = await stack.createMerchant()
  const external_ref = `pedido ${merchant.uuid}`
  const { uuid } = await merchant.api.createCharge({ external_ref, value: 12.34 })
  const client = await stack.connectTemporal()
  const query = `TrilhoAccount = '${merchant.uuid}' AND TrilhoProvider = '${merchant.connection.uuid}'
    AND TrilhoStatus = 'PENDING' AND TrilhoExternalRef = '${external_ref}' AND TrilhoValueCents = 1234`
  const found = await pollUntil(
    async () => {
      const ids = []
      for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId)
      return ids
    },
    ids => ids.length > 0,
  )
  expect(found).toEqual([`charge/${uuid}`])
})

test('no history and no log contains a name, a document, a key, a token or a secret', async () => {
  const merchant = await stack.createMerchant()
  const inbox = `silent-${merchant.uuid}`
  const token = 'a secret that nobody should read'
  const url = `${stack.local.inbox_url}/${inbox}`
  const endpoint = (await merchant.api.post('/api/v1/webhooks', { url, token })).body.data
  const beneficiary = { name: 'Joaquina Inconfundível', document: '12ABC34501DE35' }
  const payer = { name: 'Pagador Inconfundível', document: '52998224725' }
  const { uuid, payment } = await merchant.api.createCharge({ final_beneficiary: beneficiary })
  for (let time = 0; time < 2; time++)
    await stack.simulator.pay({ payload: payment.payload, payer, force: true })
  const [movement] = await pollUntil(
    () =>
      stack.sql<{ uuid: string }>(
        `select uuid from movement where account_uuid = ? and disposition = 'returned'`,
        [merchant.uuid],
      ),
    rows => rows.length === 1,
  )
  const deliveries = await pollUntil(
    () =>
      stack.sql<{ uuid: string; status: string }>(
        'select d.uuid, d.status from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?',
        [merchant.uuid],
      ),
    rows => rows.length === 4 && rows.every(row => row.status === 'DELIVERED'),
  )
  // Resent, since the first attempts needed no workflows.
  for (const one of deliveries)
    await merchant.api.post(`/api/v1/webhooks/${endpoint.uuid}/deliveries/${one.uuid}/resend`)
  const workflowIds = [
    `charge/${uuid}`,
    `return/${movement!.uuid}`,
    ...deliveries.map(one => `webhook/${one.uuid}`),
  ]
  await expectNoSecrets(merchant, workflowIds, [
    ...Object.values(beneficiary),
    ...Object.values(payer),
    token,
  ])
})

test('no history of a transfer, a refund or a dispute contains one either', async () => {
  const payouts = createPayoutActions(stack)
  const merchant = await stack.createMerchant({
    providers: [
      { provider: 'PROVIDER_B', dialect: 'woovi', sendsNotifications: true },
      { provider: 'PROVIDER_A', balance: 100 },
    ],
  })
  const payer = { name: 'Pagadora Inconfundível', document: '12ABC34501DE35' }
  const charge = await payouts.createPaidCharge(merchant, { value: 20 }, { payer })
  const refund = (await payouts.requestRefund(merchant, charge, { value: 1 })).body.data.refund
  const order = {
    provider_uuid: merchant.connections[1]!.uuid,
    pix_key: 'inconfundivel@example.com',
    document: '52998224725',
    final_beneficiary: { name: 'Favorecido Inconfundível', document: '11144477735' },
  }
  const transfer = await payouts.sendAndSettle(merchant, order)
  const looked = { pix_key: 'consultada.inconfundivel@example.com', name: 'Consultada Inconfundível' }
  const lookup = (await merchant.api.post('/api/v1/pix-keys/lookup', looked)).body.data
  expect(lookup.name_match).toBe('NONE')
  const warned = { pix_key: looked.pix_key, lookup_uuid: lookup.uuid, on_mismatch: 'WARN' }
  const sent = await payouts.sendAndSettle(merchant, warned)

  await stack.simulator.openDispute({
    end_to_end: charge.payment.pix.transaction.end_to_end,
    type: 'SCAM',
  })
  const [med] = (
    await pollUntil(
      () => merchant.api.get('/api/v1/meds'),
      ({ body }) => body.data.length === 1,
    )
  ).body.data
  const analysis = 'Uma resposta inconfundível'
  const form = await encodeForm(
    [
      ['accept', '0'],
      ['analysis', analysis],
    ],
    [{ bytes: FILES.pdf, name: 'inconfundível.pdf' }],
  )
  expect((await merchant.api.call('POST', `/api/v1/meds/${med.uuid}/reply`, form)).status).toBe(200)

  const workflowIds = [
    `charge/${charge.uuid}`,
    `refund/${refund.uuid}`,
    `transfer/${transfer.uuid}`,
    `transfer/${sent.uuid}`,
    `med/${med.uuid}`,
  ]
  const personalTexts = [analysis, 'inconfundível.pdf', transfer.transfer.initiation.receiver.name]
  const { pix_key, document, final_beneficiary } = order
  await expectNoSecrets(merchant, workflowIds, [
    ...Object.values(payer),
    ...[pix_key, document],
    ...Object.values(looked),
    ...Object.values(final_beneficiary),
    ...personalTexts,
  ])
})

/** Expects that neither these histories nor any log contains one of these texts or a secret of the merchant's. */
async function expectNoSecrets({ connection, token }: Merchant, workflowIds: string[], texts: string[]) {
  const histories = await Promise.all(workflowIds.map(async id => (await readHistory(stack, id)).text))
  for (const text of histories) expect(text).toContain('timeScale') // The payloads are read indeed.
  for (const process of ['api', 'worker']) histories.push(await readFile(stack.home.log(process), 'utf8'))
  const { collectionKey, credentials } = connection
  const secrets = [collectionKey, ...Object.values(credentials), token].filter(one => typeof one === 'string')
  for (const secret of [...texts, ...secrets]) {
    expect(secret.length).toBeGreaterThan(5)
    for (const [index, text] of histories.entries())
      expect([secret, workflowIds[index] ?? 'a log', text.includes(secret)]).toEqual([
        secret,
        workflowIds[index] ?? 'a log',
        false,
      ])
  }
}
