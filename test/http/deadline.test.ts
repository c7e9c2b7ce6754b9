import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import Koa from 'koa'
import { answeredInTime, Deadline, requestDeadline } from '../../src/api/deadline.ts'
import { lastMoment } from '../../src/api/last-moment.ts'
import { ANSWER_MS, LEAST_TO_BEGIN_MS, READ_BACK_MS } from '../../src/api/limits.ts'
import { NoAnswerInTime } from '../../src/api/outage.ts'
import { startServer } from '../../src/api/server.ts'
import { ask } from '../../src/db/questions.ts'
import { openWorld, type World } from './support/world.ts'

/** One request, one deadline: each step gets what the steps before it have left. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

const never = () => new Promise<never>(() => {})
const UUID = '3e2f0f1c-7f61-4a57-9c9b-6f0a8a3f8a11'

test('every step takes from the same time', async () => {
  const deadline = new Deadline(10_000)
  const before = deadline.leftMs
  await sleep(30)
  expect(deadline.leftMs).toBeLessThan(before)
  expect(deadline.stepMs()).toBeLessThanOrEqual(deadline.leftMs + 50 - READ_BACK_MS)
  expect(deadline.stepMs(100)).toBe(100)
  expect(new Deadline(0).stepMs()).toBe(0)
})

test('a step that does not end is given up, and its part is the cause', async () => {
  const deadline = new Deadline(20)
  deadline.waitsFor = 'storage'
  await expect(deadline.within(never())).rejects.toMatchObject({ name: 'NoAnswerInTime', part: 'storage' })
  expect(await new Deadline(60_000).within(Promise.resolve('in time'))).toBe('in time')
})

test('the time in which the caller sends is not counted', async () => {
  const deadline = new Deadline(40)
  const answering = deadline.within(deadline.uncounted(sleep(200, 'sent')))
  expect(await answering).toBe('sent')
  expect(deadline.leftMs).toBeGreaterThan(0)
})

test('what may have been begun is not confirmed; nothing is begun late', async () => {
  const begun = new Deadline(LEAST_TO_BEGIN_MS + 200)
  begun.begins(UUID)
  await expect(begun.answered(never())).rejects.toMatchObject({
    code: 'not_confirmed',
    more: { data: { uuid: UUID } },
  })
  const late = new Deadline(LEAST_TO_BEGIN_MS)
  expect(() => late.begins(UUID)).toThrow(NoAnswerInTime)
  await expect(late.answered(Promise.reject(new NoAnswerInTime('late')))).rejects.toThrow(NoAnswerInTime)
})

test('what is stored may be waited for longer', () => {
  const deadline = new Deadline(1)
  deadline.extendTo(60_000)
  expect(deadline.leftMs).toBeGreaterThan(30_000)
  deadline.extendTo(5)
  expect(deadline.leftMs).toBeGreaterThan(30_000)
})

test('an order without a key is taken no later than its request begins nothing, however late that is heard', async () => {
  const app = new Koa()
  let heard: { takeBefore: number; begunBy: number } | undefined
  app.use(answeredInTime)
  app.use(async ctx => {
    await sleep(300)
    const [at] = await Promise.all([ask(world.orm.em.fork(), lastMoment())])
    const begunBy = Date.now() + requestDeadline().leftMs - LEAST_TO_BEGIN_MS
    heard = { takeBefore: Date.parse(at), begunBy }
    ctx.body = 'heard'
  })
  const server = await startServer(app, { host: '127.0.0.1', port: 0 })
  const started = Date.now()
  await (await fetch(server.url)).text()
  await server.stop()
  expect(heard!.takeBefore).toBeLessThanOrEqual(heard!.begunBy + 2) // Two clocks of one machine, in milliseconds.
  expect(heard!.takeBefore).toBeGreaterThan(started)
  expect(heard!.begunBy).toBeLessThan(started + ANSWER_MS)
})
