import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Stage, sharedStage } from './support/stage.ts'
import { until } from './support/until.ts'

/** What lives leave behind in Temporal: few hops, a sentence for the operator, and nothing about people. */

let stage: Stage
beforeAll(async () => {
  stage = await sharedStage()
})
afterAll(() => stage.close())

const SCHEDULED = 'activityTaskScheduledEventAttributes'
const SHOWN = 'upsertWorkflowSearchAttributesEventAttributes'

async function historyOf(workflowId: string) {
  const client = await stage.temporal()
  const { events = [] } = await client.workflow.getHandle(workflowId).fetchHistory()
  const count = (attributes: string) =>
    events!.filter(
      event =>
        event[attributes as keyof typeof event] !== undefined &&
        event[attributes as keyof typeof event] !== null,
    ).length
  const text = Buffer.concat(everyBytes(events)).toString() + JSON.stringify(events)
  return { count, text }
}

/** Payloads are bytes: what they say is gathered wherever they are. */
function everyBytes(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(everyBytes)
}

test('a create is one activity, a payment one signal and one look at the provider in the task that heard it', async () => {
  const merchant = await stage.merchant()
  const { uuid, payment } = await merchant.api.charge()
  const issued = await historyOf(`charge/${uuid}`)
  expect(issued.count(SCHEDULED)).toBe(1)
  expect(issued.count('timerStartedEventAttributes')).toBe(1)
  expect(issued.count('markerRecordedEventAttributes')).toBe(0)
  expect(issued.count(SHOWN)).toBe(1)

  await stage.simulator.pay({ payload: payment.payload })
  await until(
    () => merchant.api.read(uuid),
    ({ status }) => status === 'PAID',
  )
  const client = await stage.temporal()
  expect(await client.workflow.getHandle(`charge/${uuid}`).result()).toBe('paid')
  const paid = await historyOf(`charge/${uuid}`)
  expect(paid.count(SCHEDULED)).toBe(1)
  expect(paid.count('markerRecordedEventAttributes')).toBe(1)
  expect(paid.count('workflowExecutionSignaledEventAttributes')).toBe(1)
  expect(paid.count(SHOWN)).toBe(2)
})

test('a transfer is sent and stored in one step, asked about once, and its end alone is shown anew', async () => {
  const merchant = await stage.merchant({ providers: [{ balance: 10 }] })
  const order = { value: 1, pix_key: 'maria@example.com' }
  const { uuid } = (await merchant.api.post('/api/v1/transfers', order)).body.data
  const client = await stage.temporal()
  expect(await client.workflow.getHandle(`transfer/${uuid}`).result()).toBe('paid')
  const paid = await historyOf(`transfer/${uuid}`)
  expect(paid.count(SCHEDULED)).toBe(1)
  expect(paid.count('markerRecordedEventAttributes')).toBe(1)
  expect(paid.count(SHOWN)).toBe(1)
})

test('an operator reads beside each activity of a charge, its refund and a transfer what it is for', async () => {
  const merchant = await stage.merchant({ providers: [{ balance: 10 }] })
  const { api } = merchant
  const [open, charge] = [await api.charge(), await api.charge()]
  await stage.simulator.pay({ payload: charge.payment.payload })
  await until(
    () => api.read(charge.uuid),
    ({ status }) => status === 'PAID',
  )
  const refund = (await api.post(`/api/v1/payments/${charge.uuid}/refund`, {})).body.data.refund.uuid
  const transfer = (await api.post('/api/v1/transfers', { value: 1, pix_key: 'maria@example.com' })).body.data
    .uuid
  const summaries = []
  for (const life of [`charge/${open.uuid}`, `refund/${refund}`, `transfer/${transfer}`])
    summaries.push(await firstSummary(life))
  expect(summaries).toEqual([
    'issue 1000 centavos',
    'give it back through the provider that received it',
    'send it through this provider',
  ])
})

async function firstSummary(workflowId: string): Promise<string> {
  const client = await stage.temporal()
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
  const scheduled = events?.find(event => event[SCHEDULED])
  return JSON.parse(Buffer.from(scheduled?.userMetadata?.summary?.data ?? []).toString())
}

test('an operator finds a charge by its account, provider, status and reference', async () => {
  const merchant = await stage.merchant()
  const external_ref = `pedido ${merchant.uuid}`
  const { uuid } = await merchant.api.charge({ external_ref, value: 12.34 })
  const client = await stage.temporal()
  const query = `TrilhoAccount = '${merchant.uuid}' AND TrilhoProvider = '${merchant.connection.uuid}'
    AND TrilhoStatus = 'PENDING' AND TrilhoExternalRef = '${external_ref}' AND TrilhoValueCents = 1234`
  const found = await until(
    async () => {
      const ids = []
      for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId)
      return ids
    },
    ids => ids.length > 0,
  )
  expect(found).toEqual([`charge/${uuid}`])
})

test('no history and no log tells a name, a document, a key, a token or a secret', async () => {
  const merchant = await stage.merchant()
  const inbox = `silent-${merchant.uuid}`
  const token = 'a secret that nobody should read'
  await merchant.api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${inbox}`, token })
  const beneficiary = { name: 'Joaquina Inconfundível', document: '12ABC34501DE35' }
  const payer = { name: 'Pagador Inconfundível', document: '52998224725' }
  const { uuid, payment } = await merchant.api.charge({ final_beneficiary: beneficiary })
  for (let time = 0; time < 2; time++)
    await stage.simulator.pay({ payload: payment.payload, payer, force: true })
  const [movement] = await until(
    () =>
      stage.sql<{ uuid: string }>(
        `select uuid from movement where account_uuid = ? and disposition = 'returned'`,
        [merchant.uuid],
      ),
    rows => rows.length === 1,
  )
  const deliveries = await until(
    () =>
      stage.sql<{ uuid: string; status: string }>(
        'select d.uuid, d.status from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?',
        [merchant.uuid],
      ),
    rows => rows.length === 4 && rows.every(row => row.status === 'DELIVERED'),
  )
  const lives = [
    `charge/${uuid}`,
    `return/${movement!.uuid}`,
    ...deliveries.map(one => `webhook/${one.uuid}`),
  ]
  const told = await Promise.all(lives.map(async life => (await historyOf(life)).text))
  for (const text of told) expect(text).toContain('timeScale') // The payloads are read indeed.
  for (const process of ['api', 'worker']) told.push(await readFile(stage.home.log(process), 'utf8'))

  const { collectionKey, credentials } = merchant.connection
  const secrets = [
    ...Object.values(beneficiary),
    ...Object.values(payer),
    collectionKey,
    credentials.client_secret,
    credentials.notice_secret,
    token,
    merchant.token,
  ]
  for (const secret of secrets)
    for (const [index, text] of told.entries())
      expect([secret, lives[index] ?? 'a log', text.includes(secret)]).toEqual([
        secret,
        lives[index] ?? 'a log',
        false,
      ])
})
