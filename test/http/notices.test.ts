import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Notice } from '../../src/db/entities/notice.ts'
import { keepNotices } from '../../src/db/notices.ts'
import { referenceOf } from '../../src/domain/identifiers.ts'
import { handOver } from '../../src/engine/notices.ts'
import type { Engine } from '../../src/engine/start.ts'
import { livedIn } from './support/lived-in.ts'
import { openWorld, type World } from './support/world.ts'

/** Whom a notice of a payment is given to, where its provider account has no attempt that goes by its reference. */

let world: World
let charge: string
let connection: string
beforeAll(async () => {
  world = await openWorld([])
  const lived = await livedIn(world)
  charge = lived.open
  connection = lived.connection
})
afterAll(() => world?.close())

let told: string[]
beforeEach(() => {
  told = []
})
const workflow = {
  getHandle: (id: string) => ({ signal: async () => void told.push(`running ${id}`) }),
  signalWithStart: async (type: string) => void told.push(type),
}
const engine = { client: async () => ({ workflow }), taskQueue: 'q', timeScale: 1 } as unknown as Engine

async function noticeOf(digest: string): Promise<Notice> {
  const em = world.orm.em.fork()
  const [notice] = await keepNotices(em, connection, [
    {
      ...{
        uuid: crypto.randomUUID(),
        digest: digest.repeat(32),
        kind: 'payment',
        body: '{}',
        requestId: 'r',
      },
      ...{ reference: referenceOf(charge), endToEnd: 'E12345678202601101159abcdefghijk' },
    },
  ])
  await handOver(engine, em, notice!)
  return em.fork().findOneOrFail(Notice, notice!.uuid)
}
const stands = (state: string) =>
  world.orm.em.fork().execute('update charge set state = ? where uuid = ?', [state, charge])

test('a charge that is carried elsewhere is not paid by it: it is a deposit', async () => {
  await stands('pending')
  expect(await noticeOf('aa')).toMatchObject({ outcome: 'taken' })
  expect(told).toEqual(['depositWorkflow'])
})

test('of a charge that is being issued, or found again after a restore, its life is told', async () => {
  await stands('issuing')
  expect(await noticeOf('bb')).toMatchObject({ outcome: 'taken' })
  expect(told).toEqual([`running charge/${charge}`])
})
