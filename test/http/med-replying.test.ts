import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { sendMedReply } from '../../src/activities/med-replies.ts'
import type { ReplyOutcome } from '../../src/domain/med-facts.ts'
import { disputeRow } from './support/disputes.ts'
import { openWorld, type World } from './support/world.ts'

/** A provider that gets no id of ours with a reply would take two calls for two replies: one call tells it at a time. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

test('a call that was given up and still runs is joined by no other; once it has ended another may follow', async () => {
  const { send, calls } = await answeredDispute()
  const givenUp = send()
  const call = await calls.next()
  expect(await send()).toMatchObject({ kind: 'again', replyWanted: true })
  call.answer({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  expect(await givenUp).toMatchObject({ kind: 'again', replyWanted: true })

  const second = send()
  const another = await calls.next()
  another.answer({ kind: 'accepted' })
  expect(await second).toMatchObject({ kind: 'over', replyWanted: false })
  expect(await send()).toMatchObject({ kind: 'over' })
  expect(calls.count).toBe(2)
})

test('a call whose process died is waited for as long as it could have taken', async () => {
  const { uuid, send, calls } = await answeredDispute()
  const underWay = (until: string) =>
    world.orm.em.execute('update med set replying_until = now() + ?::interval where uuid = ?', [until, uuid])
  await underWay('30 seconds')
  expect(await send()).toMatchObject({ kind: 'again', replyWanted: true })
  expect(calls.count).toBe(0)

  await underWay('-1 second')
  const told = send()
  const call = await calls.next()
  call.answer({ kind: 'accepted' })
  expect(await told).toMatchObject({ kind: 'over', replyWanted: false })
})

test('a call that ends after its time leaves alone the one that has followed it', async () => {
  const { uuid, send, calls } = await answeredDispute()
  const slow = send()
  const late = await calls.next()
  await world.orm.em.execute(`update med set replying_until = now() - interval '1 second' where uuid = ?`, [
    uuid,
  ])
  const second = send()
  const call = await calls.next()
  late.answer({ kind: 'unknown', code: 'timeout', message: 'no answer' })
  expect(await slow).toMatchObject({ kind: 'again', replyWanted: true })
  expect(await send()).toMatchObject({ kind: 'again', replyWanted: true })
  call.answer({ kind: 'accepted' })
  expect(await second).toMatchObject({ kind: 'over', replyWanted: false })
  expect(calls.count).toBe(2)
})

/** A dispute whose reply the provider does not have yet, and the calls that reach the provider. */
async function answeredDispute() {
  const connectionUuid = await world.connection(await world.account())
  const uuid = await disputeRow(world, { connection: connectionUuid, state: 'analysing', replied: true })
  const calls = heldCalls()
  const { orm, log, storage } = world.dependencies
  const told = sendMedReply({
    ...{ orm, log, storage },
    providers: { providerFor: () => ({ replyMed: calls.take }) },
  } as unknown as Dependencies)
  const order = { uuid, connectionUuid, providerMedId: 'm', endToEnd: null, requestId: 'r', timeScale: 1 }
  return { uuid, calls, send: () => told(order) }
}

type Call = { answer(outcome: ReplyOutcome): void }

/** Calls that hang until the test answers them. */
function heldCalls() {
  const waiting: ((call: Call) => void)[] = []
  const calls = {
    count: 0,
    take: () =>
      new Promise<ReplyOutcome>(answer => {
        calls.count += 1
        waiting.shift()?.({ answer })
      }),
    next: () => new Promise<Call>(resolve => waiting.push(resolve)),
  }
  return calls
}
