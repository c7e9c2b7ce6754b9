import { afterAll, expect } from '@jest/globals'
import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client'
import { Webhook } from 'standardwebhooks'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack } from '../support/test-stack.ts'
import { triggerEvent } from '../support/trigger-event.ts'

/** What an endpoint's owner does with it over the real stack, and what its deliveries then do. */

const PATH = '/api/v1/webhooks'
/** A wait of a day: half an hour in this stack, so anything sooner was woken. */
const TOMORROW = { status: 503, headers: { 'retry-after': '86400' } }

const openedStack = openSharedTestStack()
afterAll(async () => (await openedStack).close())

type Shown = {
  uuid: string
  status: string
  event: { id: string; type: string }
  attempts: { status: number | null; answer: string; duration_ms: number }[]
}

/** An endpoint of a merchant of its own, at the local inbox. */
async function endpoint(answers?: object, body: object = {}, of?: Merchant) {
  const stage = await openedStack
  const merchant = of ?? (await stage.createMerchant())
  const { api } = merchant
  const name = `managed-${merchant.uuid}-${Math.random().toString(36).slice(2)}`
  const inbox = (so: object) => stage.simulator.setInboxResponse(name, so)
  if (answers) await inbox(answers)
  const made = await api.post(PATH, { url: `${stage.local.inbox_url}/${name}`, ...body })
  expect(made.status).toBe(201)
  const { uuid, token } = made.body.data as { uuid: string; token: string }
  const path = `${PATH}/${uuid}`
  const client = await stage.connectTemporal()
  return {
    ...merchant,
    hook: uuid,
    secret: token,
    path,
    inbox,
    messages: () => stage.simulator.listInbox(name),
    received: () => stage.listEvents(name),
    /** How often a body arrived. */
    times: async (id: string) =>
      (await stage.simulator.listInbox(name)).filter(({ headers }) => headers['webhook-id'] === id).length,
    ask: async (method: string, more = '', body?: object) => {
      const answer = await api.call(method, `${path}${more}`, body && { body })
      expect([method, more, answer.status]).toEqual([method, more, 200])
      return answer.body
    },
    deliveries: async (): Promise<Shown[]> => (await api.get(`${path}/deliveries`)).body.data,
    workflow: (delivery: string): WorkflowHandle => client.workflow.getHandle(`webhook/${delivery}`),
    happens: () => triggerEvent(api),
    /** Starts a recovery that no worker carries out. */
    startRecovery: () =>
      client.workflow.start('eventReplayWorkflow', {
        workflowId: `recovery/${uuid}`,
        taskQueue: `unpolled-${uuid}`,
        args: [{ webhookUuid: uuid }],
      }),
  }
}
type Message = { body: string; headers: Record<string, string> }
type Endpoint = Awaited<ReturnType<typeof endpoint>>

const shown = (of: Endpoint, fits: (one: Shown) => boolean, delivery?: string) =>
  pollUntil(
    async () => (await of.deliveries()).find(one => !delivery || one.uuid === delivery),
    one => one !== undefined && fits(one),
  ) as Promise<Shown>
/** Its first attempt was made before its workflow began, by the workflow of its charge; now it is that workflow's. */
async function failedOnce(of: Endpoint): Promise<Shown> {
  const delivery = await shown(of, one => one.attempts.length === 1)
  await pollUntil(
    () => of.workflow(delivery.uuid).describe().catch(ignoreNotStarted),
    description => description?.status.name === 'RUNNING',
  )
  return delivery
}

function ignoreNotStarted(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error
}

runConcurrentTests({
  'a test event is delivered by its own workflow, signed, listed and read like any other': async () => {
    const of = await endpoint()
    const { data } = await of.ask('POST', '/test')
    const delivered = await shown(of, one => one.status === 'DELIVERED')
    expect(delivered).toMatchObject({ uuid: data.uuid, event: { type: 'TEST' }, attempts: [{ status: 200 }] })
    expect(await of.workflow(data.uuid).result()).toBe('DELIVERED')
    const { body, headers } = (await of.messages())[0] as Message
    const event = new Webhook(of.secret).verify(body, headers) as { id: string; data: { token: string } }
    const { data: webhook } = await of.ask('GET')
    expect(event).toMatchObject({ id: data.event.id, type: 'TEST', data: { ...webhook, sequence: 1 } })
    expect(body).not.toContain(of.secret)
    expect((await of.api.get(`/api/v1/events/${event.id}`)).body.data).toEqual(event)
    expect((await of.ask('POST', '/test')).data.event.id).not.toBe(event.id)
  },

  'a delivered body equals what GET showed at that moment, and what the event shows afterwards': async () => {
    const of = await endpoint(undefined, { events: ['PAYMENT', 'PIX_TRANSACTION'] })
    const charge = await of.api.createCharge({ external_ref: 'pedido 9' })
    await (await openedStack).simulator.pay({ payload: charge.payment.payload })
    const messages = await pollUntil(of.received, all => all.length === 2)
    for (const { body } of messages) {
      const deliveredEvent = JSON.parse(body)
      expect((await of.api.get(`/api/v1/events/${deliveredEvent.id}`)).body.data).toEqual(deliveredEvent)
    }
    const payment = messages.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'PAYMENT')
    const { sequence, ...resource } = payment.data
    expect([sequence, resource]).toEqual([1, await of.api.readCharge(charge.uuid)])
    const { data } = (await of.api.get('/api/v1/events?type=payment')).body
    expect(data).toEqual([payment])
  },

  'after a rotation both secrets sign': async () => {
    const of = await endpoint()
    const rotated = (await of.ask('POST', '/rotate')).data
    await of.ask('POST', '/test')
    const { body, headers } = (await pollUntil(of.received, all => all.length === 1))[0] as Message
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2)
    for (const secret of [of.secret, rotated.token])
      expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'TEST' })
    const lone = { ...headers, 'webhook-signature': headers['webhook-signature']!.split(' ')[0]! }
    expect(() => new Webhook(of.secret).verify(body, lone)).toThrow()
  },

  'DELETE ends a delivery that waits until tomorrow': async () => {
    const of = await endpoint(TOMORROW)
    await of.happens()
    const { uuid } = await failedOnce(of)
    expect((await of.workflow(uuid).describe()).status.name).toBe('RUNNING')
    await of.ask('DELETE')
    expect(await of.workflow(uuid).result()).toBe('CANCELLED')
    expect(await of.messages()).toHaveLength(1)
  },

  'disabling an endpoint ends its deliveries; enabled again, it receives new events': async () => {
    const of = await endpoint(TOMORROW)
    await of.happens()
    const { uuid } = await failedOnce(of)
    await of.ask('PATCH', '', { status: 'DISABLED' })
    expect(await of.workflow(uuid).result()).toBe('FAILED')
    const missed = await of.happens()
    await of.inbox({ status: 200 })
    expect((await of.ask('PATCH', '', { status: 'ACTIVE' })).data.status).toBe('ACTIVE')
    const received = await of.happens()
    const messages = await pollUntil(of.received, all => all.length === 2)
    expect(JSON.parse(messages[1]!.body).data.uuid).toBe(received)
    expect(JSON.stringify(messages)).not.toContain(missed)
  },

  'a delivery that waits until tomorrow is sent again immediately': async () => {
    const of = await endpoint(TOMORROW)
    await of.happens()
    const { uuid, event } = await failedOnce(of)
    await of.inbox({ status: 204 })
    expect((await of.ask('POST', `/deliveries/${uuid}/resend`)).data).toMatchObject({
      uuid,
      status: 'PENDING',
    })
    const delivered = await shown(of, one => one.status === 'DELIVERED')
    expect(delivered.attempts.map(one => one.status)).toEqual([503, 204])
    expect(delivered.attempts[0]).toMatchObject({ answer: '{"received":true}' })
    expect(await of.times(event.id)).toBe(2)
  },

  'a completed delivery is sent again with the same id, to the endpoint’s current URL': async () => {
    const of = await endpoint()
    await of.happens()
    const { uuid, event } = await shown(of, one => one.status === 'DELIVERED')
    await of.ask('POST', `/deliveries/${uuid}/resend`)
    await shown(of, one => one.status === 'DELIVERED' && one.attempts.length === 2)
    expect(await of.times(event.id)).toBe(2)
    const stage = await openedStack
    const elsewhere = `moved-${of.hook}`
    await of.ask('PATCH', '', { url: `${stage.local.inbox_url}/${elsewhere}` })
    await of.ask('POST', `/deliveries/${uuid}/resend`)
    const [moved] = await pollUntil(
      () => stage.listEvents(elsewhere),
      all => all.length === 1,
    )
    expect(moved!.headers['webhook-id']).toBe(event.id)
  },

  'deliveries of another account are 404': async () => {
    const [mine, theirs] = [await endpoint(), await endpoint()]
    const { data } = await theirs.ask('POST', '/test')
    const second = await endpoint(undefined, {}, mine)
    const own = (await second.ask('POST', '/test')).data
    for (const path of [
      `${theirs.path}/deliveries/${data.uuid}/resend`,
      `${mine.path}/deliveries/${data.uuid}/resend`,
      `${mine.path}/deliveries/${own.uuid}/resend`,
      `${mine.path}/deliveries/${mine.hook}/resend`,
    ])
      expect([(await mine.api.post(path)).status, (await mine.api.post(path)).body.code]).toEqual([
        404,
        'not_found',
      ])
    expect((await mine.api.get(`${theirs.path}/deliveries`)).status).toBe(404)
    expect((await mine.api.get(`${second.path}/deliveries`)).body.data).toHaveLength(1)
  },

  'recovery sends each missed event once: failed, still failing, and written meanwhile': async () => {
    const since = new Date(Date.now() - 1_000).toISOString()
    const of = await endpoint(undefined, { events: ['PAYMENT'] })
    await of.happens()
    const delivered = await shown(of, one => one.status === 'DELIVERED')
    await of.inbox({ status: 410 })
    await of.happens()
    await pollUntil(
      async () => (await of.ask('GET')).data.status,
      status => status === 'DISABLED',
    )
    const meanwhile = [await of.happens(), await of.happens()]
    expect(await of.deliveries()).toHaveLength(2)
    expect((await of.api.post(`${of.path}/recover`, { since })).body.code).toBe('webhook_disabled')
    await of.inbox(TOMORROW)
    await of.ask('PATCH', '', { status: 'ACTIVE' })
    const failing = await of.happens()
    await pollUntil(of.messages, all => all.some(({ body }) => body.includes(failing)))
    await pollUntil(of.deliveries, all =>
      all.some(({ status, attempts }) => status === 'PENDING' && attempts.length === 1),
    )

    await of.inbox({ status: 200 })
    expect(await of.ask('POST', '/recover', { since })).toEqual({ message: expect.any(String) })
    const all = await pollUntil(
      of.deliveries,
      some => some.every(one => one.status === 'DELIVERED') && some.length === 5,
    )
    const deliveredUuids = (await of.messages()).map(({ body }) => JSON.parse(body).data.uuid)
    for (const uuid of meanwhile) expect(deliveredUuids.filter(one => one === uuid)).toHaveLength(1)
    expect(deliveredUuids.filter(one => one === failing)).toHaveLength(2)
    expect(await of.times(delivered.event.id)).toBe(1)

    await pollUntil(
      () => of.api.post(`${of.path}/recover`, { since }),
      ({ status }) => status === 200,
    )
    await of.ask('POST', '/test')
    await pollUntil(of.deliveries, some => some[0]?.event.type === 'TEST' && some[0].status === 'DELIVERED')
    expect(await of.messages()).toHaveLength(deliveredUuids.length + 1)
    expect(all.find(one => one.uuid === delivered.uuid)!.attempts).toHaveLength(1)
  },

  'while a recovery runs, another one is refused': async () => {
    const of = await endpoint()
    const since = new Date(Date.now() - 1_000).toISOString()
    const running = await of.startRecovery()
    const { status, body } = await of.api.post(`${of.path}/recover`, { since })
    expect([status, body.code]).toEqual([409, 'recovery_in_progress'])
    await running.terminate('the test is over')
    await of.ask('POST', '/recover', { since })
  },

  'a delivery whose workflow is lost gets a new one': async () => {
    const of = await endpoint(TOMORROW)
    await of.happens()
    const { uuid } = await failedOnce(of)
    await of.workflow(uuid).terminate('lost')
    await of.inbox({ status: 200 })
    const stage = await openedStack
    await stage.sql('update delivery set sweep_at = now(), next_attempt_at = now() where uuid = ?', [uuid])
    expect(await shown(of, one => one.status === 'DELIVERED')).toMatchObject({
      attempts: [{ status: 503 }, { status: 200 }],
    })
  },

  'an endpoint that fails for five days is disabled even when nothing is sent to it any more': async () => {
    const of = await endpoint()
    const stage = await openedStack
    await stage.sql(`update webhook set failing_since = now() - interval '5 days' where uuid = ?`, [of.hook])
    await pollUntil(
      async () => (await of.ask('GET')).data,
      data => data.status === 'DISABLED' && data.disabled_reason === 'no success for five days',
    )
  },

  'deliveries are listed newest first, in pages, by their status': async () => {
    const of = await endpoint()
    const made = []
    for (let index = 0; index < 3; index += 1) made.unshift((await of.ask('POST', '/test')).data.uuid)
    await pollUntil(of.deliveries, all => all.every(one => one.status === 'DELIVERED'))
    const page = async (query: string) => (await of.api.get(`${of.path}/deliveries${query}`)).body
    const [first, second] = [await page('?per_page=2'), await page('?per_page=2&page=2')]
    expect([...first.data, ...second.data].map(one => one.uuid)).toEqual(made)
    expect(second.meta).toMatchObject({ total: 3, from: 3, to: 3 })
    expect((await page('?status=pending,failed')).data).toEqual([])
    expect((await page('?status=delivered')).meta.total).toBe(3)
    expect((await of.api.get(`${of.path}/deliveries?status=LOST`)).status).toBe(422)
  },
})
