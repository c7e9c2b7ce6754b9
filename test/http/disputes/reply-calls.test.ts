import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendDisputeReply, storeDisputeReply } from '../../../src/activities/disputes/activities.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import type { ReplyToDisputeOutcome } from '../../../src/domain/disputes/provider-dispute.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { insertDispute } from '../support/dispute-rows.ts'

/** A provider that gets no id of ours with a reply would take two calls for two replies: one call runs at a time. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([disputeRoutes, eventRoutes])
})
afterAll(() => fixture?.close())

test('a call that was given up and still runs allows no other; once it has ended another may start', async () => {
  const { send, calls } = await answeredDispute()
  const givenUp = send()
  const call = await calls.next()
  expect(await send()).toMatchObject({ kind: 'again', isReplyPending: true })
  call.answer({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  expect(await givenUp).toMatchObject({ kind: 'again', isReplyPending: true })

  const second = send()
  const another = await calls.next()
  another.answer({ kind: 'accepted' })
  expect(await second).toMatchObject({ kind: 'closed', isReplyPending: false })
  expect(await send()).toMatchObject({ kind: 'closed' })
  expect(calls.count).toBe(2)
})

test('a call whose process ended is waited for as long as it could have taken', async () => {
  const { uuid, send, calls } = await answeredDispute()
  const underWay = (until: string) =>
    fixture.orm.em.execute('update dispute set replying_until = now() + ?::interval where uuid = ?', [
      until,
      uuid,
    ])
  await underWay('30 seconds')
  expect(await send()).toMatchObject({ kind: 'again', isReplyPending: true })
  expect(calls.count).toBe(0)

  await underWay('-1 second')
  const replyOutcome = send()
  const call = await calls.next()
  call.answer({ kind: 'accepted' })
  expect(await replyOutcome).toMatchObject({ kind: 'closed', isReplyPending: false })
})

test('a call that ends after its time does not change the one that followed it', async () => {
  const { uuid, send, calls } = await answeredDispute()
  const slow = send()
  const late = await calls.next()
  await fixture.orm.em.execute(
    `update dispute set replying_until = now() - interval '1 second' where uuid = ?`,
    [uuid],
  )
  const second = send()
  const call = await calls.next()
  late.answer({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  expect(await slow).toMatchObject({ kind: 'again', isReplyPending: true })
  expect(await send()).toMatchObject({ kind: 'again', isReplyPending: true })
  call.answer({ kind: 'accepted' })
  expect(await second).toMatchObject({ kind: 'closed', isReplyPending: false })
  expect(calls.count).toBe(2)
})

test('a refused reply shows why, in its event and in the API, until another is accepted', async () => {
  const { uuid, token, send, calls } = await answeredDispute()
  const outcome = send()
  const call = await calls.next()
  call.answer({
    kind: 'rejected',
    finality: 'final',
    code: 'reply_rejected',
    message: 'the text is too long',
  })
  expect(await outcome).toMatchObject({ kind: 'closed', isReplyPending: false })
  const refusal = {
    status: 'PENDING',
    analysis: '',
    reply_error: { code: 'reply_rejected', message: 'the text is too long' },
  }
  const events = await fixture.call('GET', `/api/v1/events?operation_uuid=${uuid}`, { token })
  expect(events.body.data).toEqual([expect.objectContaining({ data: expect.objectContaining(refusal) })])
  const read = () => fixture.call('GET', `/api/v1/meds/${uuid}`, { token })
  expect((await read()).body.data).toMatchObject(refusal)

  await store(uuid)
  expect((await read()).body.data).toMatchObject({ status: 'PROCESSING', analysis: 'Again.' })
  expect((await read()).body.data.reply_error).toBeUndefined()
})

/** Stores another reply, as the workflow's update does. */
function store(uuid: string) {
  const reply = { accept: false, analysis: 'Again.', attachments: [] }
  const { orm } = fixture.dependencies
  const dependencies = { orm, sealer: { open: () => reply } } as unknown as ActivityDependencies
  return storeDisputeReply(dependencies)({ uuid, details: 'sealed', requestId: 'again', sentBy: 'r' })
}

/** A dispute whose reply the provider does not have yet, and the calls that reach the provider. */
async function answeredDispute() {
  const accountUuid = await fixture.insertAccount()
  const connectionUuid = await fixture.insertConnection(accountUuid)
  const token = await fixture.insertToken({ accountUuid })
  const uuid = await insertDispute(fixture, {
    connection: connectionUuid,
    state: 'analysing',
    hasReply: true,
  })
  const calls = heldCalls()
  const { orm, log, storage } = fixture.dependencies
  const replyOutcome = sendDisputeReply({
    orm,
    log,
    storage,
    providers: { providerFor: () => ({ replyToDispute: calls.take, findDispute }) },
  } as unknown as ActivityDependencies)
  const order = { uuid, connectionUuid, providerDisputeId: 'm', endToEnd: null, requestId: 'r', timeScale: 1 }
  return { uuid, token, calls, send: () => replyOutcome(order) }
}

/** The provider still awaits a reply. */
const findDispute = async () => ({ kind: 'found', dispute: { status: 'open' } })

type Call = { answer(outcome: ReplyToDisputeOutcome): void }

/** Calls that hang until the test answers them. */
function heldCalls() {
  const waiting: ((call: Call) => void)[] = []
  const calls = {
    count: 0,
    take: () =>
      new Promise<ReplyToDisputeOutcome>(answer => {
        calls.count += 1
        waiting.shift()?.({ answer })
      }),
    next: () => new Promise<Call>(resolve => waiting.push(resolve)),
  }
  return calls
}
