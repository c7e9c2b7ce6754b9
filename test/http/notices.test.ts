import { randomUUID } from 'node:crypto'
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

async function noticeOf(digest: string, em = world.orm.em.fork()): Promise<Notice> {
  const facts = { kind: 'payment' as const, reference: referenceOf(charge), endToEnd: END_TO_END }
  const [notice] = await keepNotices(em, connection, [
    { ...facts, uuid: randomUUID(), digest: digest.repeat(32), body: '{}', requestId: 'r' },
  ])
  await handOver(engine, em, notice!)
  return world.orm.em.fork().findOneOrFail(Notice, notice!.uuid)
}
const END_TO_END = 'E12345678202601101159abcdefghijk'
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

test('of a charge whose attempt is written while it is looked for, its life is told', async () => {
  await stands('issuing')
  const em = world.orm.em.fork()
  const ask = em.execute.bind(em)
  em.execute = (async (statement: string, values: unknown[]) => {
    const rows = await ask(statement, values)
    if (statement.includes('from attempt r')) await isFound()
    return rows
  }) as never
  expect(await noticeOf('cc', em)).toMatchObject({ outcome: 'taken' })
  expect(told).toEqual([`running charge/${charge}`])
})

/** As a life does that finds its charge again: the attempt at its carrier, then the payload. */
async function isFound(): Promise<void> {
  await world.orm.em.fork().execute(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, reference,
       state, created_at, updated_at)
     select ?, 'issue', ?, uuid, provider_account_uuid, 0, ?, 'accepted', now(), now() from connection where uuid = ?`,
    [randomUUID(), charge, referenceOf(charge), connection],
  )
  await stands('pending')
}
