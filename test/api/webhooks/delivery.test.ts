import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { InboxMessage } from '../../../packages/simulator/control/client.ts'
import { readRunningProcesses, type Stack, startStack } from '../../support/stack.ts'
import { repeatWhileUnconfirmed } from '../support/client.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../support/test-stack.ts'
import { triggerEvent } from '../support/trigger-event.ts'

/**
 * Which webhooks merchants receive, when and how often, and how they stop them. Three days of attempts pass in fourteen
 * seconds.
 */

const TIME_SCALE = 20_000

let stack: Stack
let testStack: TestStack
let failing: Failing
beforeAll(async () => {
  stack = await startStack({ timeScale: TIME_SCALE })
  testStack = await openTestStack(stack.home)
  failing = await endpointThatOnlyFails()
})
afterAll(async () => {
  await testStack.close()
  expect(await stack.stop()).toBe(0)
  expect(stack.output()).not.toMatch(/(api|simulator|temporal|postgres) ended/)
})

const PATH = '/api/v1/webhooks'

/** An endpoint at the local inbox, under a name of its own. */
async function endpoint(
  { api, uuid }: Merchant,
  more: { name?: string; answers?: object; body?: object } = {},
) {
  const name = `${more.name ?? 'hook'}-${uuid}`
  if (more.answers) await testStack.simulator.setInboxResponse(name, more.answers)
  const { status, body } = await api.post(PATH, { url: `${testStack.local.inbox_url}/${name}`, ...more.body })
  expect(status).toBe(201)
  return {
    ...(body.data as Hook),
    name,
    messages: () => testStack.simulator.listInbox(name),
    received: () => testStack.listEvents(name),
  }
}

const triggerWebhookEvent = ({ api }: Merchant): Promise<string> => triggerEvent(api)

type Failing = Awaited<ReturnType<typeof endpointThatOnlyFails>>

/** It is given up after days: these start before all other tests, and pass while those run. */
async function endpointThatOnlyFails() {
  const merchant = await testStack.createMerchant()
  const hook = await endpoint(merchant, { answers: { status: 500 } })
  const charge = await triggerWebhookEvent(merchant)
  await pollUntil(hook.messages, all => all.length > 0)
  // Ten attempts of a busy machine may take longer than the five days after which the endpoint would be disabled.
  await setFailingSince(hook, new Date(Date.now() + 3_600_000))
  return { merchant, hook, charge }
}

async function setFailingSince({ uuid }: { uuid: string }, since: Date): Promise<void> {
  await pollUntil(
    () =>
      testStack.sql(
        'update webhook set failing_since = ? where uuid = ? and failing_since is not null returning uuid',
        [since, uuid],
      ),
    rows => rows.length === 1,
  )
}

type Hook = { uuid: string; url: string; token: string; events: string[] }
type Delivery = { uuid: string; status: string; attempt_count: number }
function deliveries({ uuid }: { uuid: string }): Promise<Delivery[]> {
  return testStack.sql<Delivery>('select uuid, status, attempt_count from delivery where webhook_uuid = ?', [
    uuid,
  ])
}
const verified = (token: string, { body, headers }: InboxMessage) =>
  new Webhook(token).verify(body, headers as Record<string, string>) as { id: string; data: { uuid: string } }

test('a successful attempt ends the delivery', async () => {
  const merchant = await testStack.createMerchant()
  const hook = await endpoint(merchant, { answers: { status: 503 } })
  await triggerWebhookEvent(merchant)
  await pollUntil(hook.messages, all => all.length >= 3)
  await testStack.simulator.setInboxResponse(hook.name, { status: 204 })
  const [delivery] = await pollUntil(
    () => deliveries(hook),
    ([one]) => one?.status === 'DELIVERED',
  )
  const client = await testStack.connectTemporal()
  expect(await client.workflow.getHandle(`webhook/${delivery!.uuid}`).result()).toBe('DELIVERED')
  expect(await hook.messages()).toHaveLength(delivery!.attempt_count)
})

test('Retry-After is honoured where it asks for more than the schedule', async () => {
  const merchant = await testStack.createMerchant()
  const hook = await endpoint(merchant, { answers: { status: 429, headers: { 'retry-after': '80000' } } })
  await triggerWebhookEvent(merchant)
  const [first, second] = await pollUntil(
    () =>
      testStack.sql<{ at: string }>(
        `select t.at from delivery_attempt t join delivery d on d.uuid = t.delivery_uuid join webhook w on w.uuid = d.webhook_uuid
         where w.url like ? order by t.number`,
        [`%/${hook.name}`],
      ),
    tries => tries.length >= 2,
  )
  expect(Number(new Date(second!.at)) - Number(new Date(first!.at))).toBeGreaterThanOrEqual(
    80_000_000 / TIME_SCALE,
  )
})

test('410 disables an endpoint immediately, and it receives nothing more', async () => {
  const merchant = await testStack.createMerchant()
  const gone = await endpoint(merchant, { name: 'gone', answers: { status: 410 } })
  const other = await endpoint(merchant, { name: 'other' })
  await triggerWebhookEvent(merchant)
  const shown = await pollUntil(
    () => stateOf(merchant, gone),
    ({ status }) => status === 'DISABLED',
  )
  expect(shown.disabled_reason).toMatch(/410/)
  await triggerWebhookEvent(merchant)
  await pollUntil(other.received, all => all.length === 2)
  expect(await gone.messages()).toHaveLength(1)
  expect(await deliveries(gone)).toMatchObject([{ status: 'FAILED', attempt_count: 1 }])
})

test('a redirect is a failure and is not followed', async () => {
  const merchant = await testStack.createMerchant()
  const target = `target-${merchant.uuid}`
  const location = `${testStack.local.inbox_url}/${target}`
  const hook = await endpoint(merchant, { answers: { status: 302, headers: { location } } })
  await triggerWebhookEvent(merchant)
  await pollUntil(hook.messages, all => all.length >= 2)
  expect(await testStack.simulator.listInbox(target)).toEqual([])
  await merchant.api.delete(`${PATH}/${hook.uuid}`)
})

test('an unresponsive endpoint delays no other endpoint', async () => {
  const merchant = await testStack.createMerchant()
  const hanging = await endpoint(merchant, { name: 'hanging', answers: { delay_ms: 60_000 } })
  const fast = await endpoint(merchant, { name: 'fast' })
  const bystander = await testStack.createMerchant()
  const theirs = await endpoint(bystander)
  const isTested = async ({ api }: Merchant, { uuid }: Hook) =>
    expect((await repeatWhileUnconfirmed(() => api.post(`${PATH}/${uuid}/test`))).status).toBe(200)
  await Promise.all(Array.from({ length: 40 }, () => isTested(merchant, hanging)))
  await Promise.all([isTested(merchant, fast), isTested(bystander, theirs)])
  for (const hook of [fast, theirs])
    await pollUntil(
      () => deliveries(hook),
      ([one]) => one?.status === 'DELIVERED',
    )
  // No delivery waited for one of its attempts to end.
  const ended = await testStack.sql(
    'select t.number from delivery_attempt t join delivery d on d.uuid = t.delivery_uuid where d.webhook_uuid = ?',
    [hanging.uuid],
  )
  expect(ended).toEqual([])
  await testStack.sql('update webhook set deleted_at = now() where account_uuid = ?', [merchant.uuid])
})

test('DELETE ends the deliveries of an endpoint', async () => {
  const merchant = await testStack.createMerchant()
  const hook = await endpoint(merchant, { answers: { status: 500 } })
  await triggerWebhookEvent(merchant)
  await pollUntil(hook.messages, all => all.length >= 2)
  expect((await merchant.api.delete(`${PATH}/${hook.uuid}`)).body).toEqual({ message: expect.any(String) })
  const [delivery] = await pollUntil(
    () => deliveries(hook),
    ([one]) => one?.status === 'CANCELLED',
  )
  const client = await testStack.connectTemporal()
  expect(await client.workflow.getHandle(`webhook/${delivery!.uuid}`).result()).toBe('CANCELLED')
  await triggerWebhookEvent(merchant)
  expect(await deliveries(hook)).toHaveLength(1)
  expect((await merchant.api.get(`${PATH}/${hook.uuid}`)).status).toBe(404)
  expect((await merchant.api.delete(`${PATH}/${hook.uuid}`)).status).toBe(404)
  expect((await merchant.api.get(PATH)).body.data).toEqual([])
})

test('an endpoint receives only the event types it subscribed to', async () => {
  const merchant = await testStack.createMerchant()
  const all = await endpoint(merchant, { name: 'all' })
  const payments = await endpoint(merchant, { name: 'payments', body: { events: ['payment'] } })
  const pix = await endpoint(merchant, { name: 'pix', body: { events: ['PIX_TRANSACTION', 'MED'] } })
  expect(payments.events).toEqual(['PAYMENT'])
  expect(all.events).toEqual(['PAYMENT', 'TRANSFER', 'REFUND', 'MED', 'PIX_TRANSACTION'])
  const { payment } = await merchant.api.createCharge()
  await testStack.simulator.pay({ payload: payment.payload })
  await pollUntil(all.received, events => events.length === 2)
  const kinds = async (hook: typeof all) =>
    (await pollUntil(hook.received, (events: InboxMessage[]) => events.length > 0)).map(
      ({ body }: InboxMessage) => JSON.parse(body).type,
    )
  expect(await kinds(payments)).toEqual(['PAYMENT'])
  expect(await kinds(pix)).toEqual(['PIX_TRANSACTION'])
})

test('a signing secret is shown in full at creation only; a given secret signs by its bytes', async () => {
  const merchant = await testStack.createMerchant()
  const generated = await endpoint(merchant, { name: 'generated' })
  expect(generated.token).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(Buffer.from(generated.token.slice(6), 'base64')).toHaveLength(32)
  const given = await endpoint(merchant, { name: 'given', body: { token: 'um segredo longo, só nosso' } })
  expect(given.token).toBe('um segredo longo, só nosso')
  const standard = `whsec_${Buffer.from('another secret of 24 byte').toString('base64')}`
  const own = await endpoint(merchant, { name: 'own', body: { token: standard } })

  const listed = (await merchant.api.get(PATH)).body.data
  expect(listed.map((one: { uuid: string }) => one.uuid)).toEqual([own.uuid, given.uuid, generated.uuid])
  for (const [index, hook] of [own, given, generated].entries()) {
    expect(listed[index]).toEqual(await stateOf(merchant, hook))
    expect(listed[index].token).not.toBe(hook.token)
    expect(hook.token).not.toContain(listed[index].token)
    expect(listed[index].token).toContain('*')
  }

  await triggerWebhookEvent(merchant)
  const first = async (hook: typeof given): Promise<InboxMessage> =>
    (await pollUntil(hook.messages, all => all.length > 0))[0]!
  for (const hook of [generated, own])
    expect(verified(hook.token, await first(hook))).toMatchObject({ type: 'PAYMENT' })
  const { body, headers } = await first(given)
  const plain = new Webhook(new TextEncoder().encode('um segredo longo, só nosso'), { format: 'raw' })
  expect(plain.verify(body, headers as Record<string, string>)).toMatchObject({ type: 'PAYMENT' })
})

test('an account has at most twenty endpoints under any concurrency', async () => {
  const merchant = await testStack.createMerchant()
  const url = `${testStack.local.inbox_url}/many`
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, index) => merchant.api.post(PATH, { url }, { key: `key ${index}` })),
  )
  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(20)
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body.code]).toEqual([409, 'webhook_limit'])
  await merchant.api.delete(`${PATH}/${made[0]!.body.data.uuid}`)
  expect((await merchant.api.post(PATH, { url })).status).toBe(201)
  expect((await merchant.api.get(PATH)).body.meta.total).toBe(20)
})

test.each([
  ['no url', {}, ['url']],
  ['http', { url: 'http://localhost/hook' }, ['url']],
  ['no url at all', { url: 'shop' }, ['url']],
  ['a private address', { url: 'https://10.0.0.1/' }, ['url']],
  ['a link-local address, which is never allowed', { url: 'https://169.254.169.254/latest' }, ['url']],
  ['a mapped address', { url: 'https://[::ffff:169.254.169.254]/' }, ['url']],
  ['an invalid host', { url: 'https://nowhere.invalid/' }, ['url']],
  ['a password', { url: 'https://me:secret@localhost/' }, ['url']],
  ['a port without TLS', { url: 'https://localhost:1/' }, ['url']],
  ['an empty token', { token: '' }, ['token']],
  ['bad base64', { token: 'whsec_no!' }, ['token']],
  ['no events', { events: [] }, ['events']],
  ['an unknown event', { events: ['PAYMENT', 'GOSSIP'] }, ['events.1']],
])('an endpoint with %s is refused', async (_what, body, fields) => {
  const url = `${testStack.local.inbox_url}/fine`
  const order = 'url' in body || fields[0] === 'url' ? body : { url, ...body }
  const answer = await testStack.api.post(PATH, order)
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, fields])
})

test('tokens bound to a provider cannot use webhooks; another account’s webhooks are 404', async () => {
  const merchant = await testStack.createMerchant()
  const other = await testStack.createMerchant()
  const hook = await endpoint(merchant)
  const scoped = merchant.api.withToken(merchant.connection.token)
  for (const answer of [
    await scoped.get(PATH),
    await scoped.post(PATH, { url: hook.url }),
    await scoped.get(`${PATH}/${hook.uuid}`),
    await scoped.delete(`${PATH}/${hook.uuid}`),
  ])
    expect([answer.status, answer.body.message]).toEqual([403, expect.stringMatching(/provider-scoped/)])
  expect((await other.api.get(`${PATH}/${hook.uuid}`)).status).toBe(404)
  expect((await other.api.delete(`${PATH}/${hook.uuid}`)).status).toBe(404)
})

test('an endpoint that only fails gets ten attempts in three days, each signed anew, then the delivery fails', async () => {
  const { merchant, hook, charge } = failing
  await pollUntil(
    () => deliveries(hook),
    ([one]) => one?.status === 'FAILED',
    { limitMs: 120_000 },
  )
  const [delivery] = await deliveries(hook)

  const tries = await testStack.sql<{ status_code: number; at: Date; answer: string }>(
    'select status_code, at, answer from delivery_attempt where delivery_uuid = ? order by number',
    [delivery!.uuid],
  )
  expect(tries).toHaveLength(10)
  for (const one of tries) expect(one).toMatchObject({ status_code: 500, answer: '{"received":true}' })
  const times = tries.map(one => new Date(one.at).getTime())
  // The length of each wait is tested where time is skipped (test/workflows/webhooks/delivery.test.ts): here machines
  // may be slow.
  expect(times).toEqual(times.toSorted((a, b) => a - b))

  const messages = await hook.messages()
  expect(messages).toHaveLength(10)
  expect(new Set(messages.map((message: InboxMessage) => message.body)).size).toBe(1)
  for (const message of messages) {
    const event = verified(hook.token, message)
    expect(event).toMatchObject({ type: 'PAYMENT', data: { uuid: charge, status: 'CANCELLED' } })
    expect(message.headers['webhook-id']).toBe(event.id)
  }

  // Five days without a success: the next failure disables it.
  await setFailingSince(hook, tries[0]!.at)
  await pollUntil(
    () => Date.now(),
    now => now - times[0]! > (5 * 86_400_000) / TIME_SCALE,
  )
  await triggerWebhookEvent(merchant)
  const shown = await pollUntil(
    () => stateOf(merchant, hook),
    ({ status }) => status === 'DISABLED',
  )
  expect(shown.disabled_reason).toBe('no success for five days')
})

test('deliveries survive a killed worker', async () => {
  const merchant = await testStack.createMerchant()
  const hook = await endpoint(merchant, { answers: { status: 500 } })
  await Promise.all(Array.from({ length: 5 }, () => triggerWebhookEvent(merchant)))
  await pollUntil(hook.messages, all => all.length >= 5)
  const { worker } = await readRunningProcesses(stack.home)
  process.kill(worker!.pid, 'SIGKILL')
  await testStack.simulator.setInboxResponse(hook.name, { status: 200 })
  const all = await pollUntil(
    () => deliveries(hook),
    rows => rows.every(row => row.status !== 'PENDING'),
  )
  expect(all.map(one => one.status)).toEqual(Array(5).fill('DELIVERED'))
  expect((await readRunningProcesses(stack.home)).worker!.pid).not.toBe(worker!.pid)
})

async function stateOf({ api }: Merchant, { uuid }: { uuid: string }) {
  return (await api.get(`${PATH}/${uuid}`)).body.data
}
