import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { doorOf, openTransfer } from '../../src/activities/transfer-opening.ts'
import { transferRoutes } from '../../src/api/routes/transfers.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { ask } from '../../src/db/questions.ts'
import { openWorld, type World } from './support/world.ts'

/** SPEC §4, `unique_external_ref`, beside §9: what was tried out takes no reference from what is meant. */

let world: World
let accountUuid: string
const connections = { test: '', live: '' }
beforeAll(async () => {
  world = await openWorld([transferRoutes])
  accountUuid = await world.account()
  await world.orm.em.execute('update account set unique_external_ref = true where uuid = ?', [accountUuid])
  connections.test = await world.connection(accountUuid)
  connections.live = await world.connection(accountUuid, { isSimulated: false })
  await world.defaults(accountUuid, Object.values(connections))
})
afterAll(() => world?.close())

/** What becomes of a transfer whose row is written now. */
function open(mode: 'test' | 'live', externalRef: string): Promise<string> {
  const order = {
    ...{ uuid: randomUUID(), accountUuid, candidates: [connections[mode]] },
    ...{ valueCents: 100, details: '', requestId: 'r', timeScale: 1 },
  }
  const details = { pixKey: 'maria@example.com', externalRef, fingerprint: 'f' }
  return inTransaction(world.orm, async em => {
    const door = await ask(em, doorOf(em, order))
    const { transfer } = await openTransfer(em, { order, details, door })
    return transfer.failure?.code ?? transfer.state
  })
}

test('a reference is taken in each mode by itself, where it is asked for and where the row is written', async () => {
  const codeOf = async (mode: 'test' | 'live') => {
    const token = await world.token({ accountUuid, mode })
    const body = { value: 1, pix_key: 'maria@example.com', external_ref: 'pedido 7' }
    return (await world.call('POST', '/api/v1/transfers', { token, body })).body.code
  }
  const begun = 'unavailable' // Allowed: what is missing here is Temporal.
  expect(await open('test', 'pedido 7')).toBe('created')
  expect([await codeOf('test'), await codeOf('live')]).toEqual(['external_ref_taken', begun])
  expect([await open('live', 'pedido 7'), await codeOf('live')]).toEqual(['created', 'external_ref_taken'])
  expect([await open('test', 'pedido 7'), await open('live', 'pedido 7')]).toEqual([
    'external_ref_taken',
    'external_ref_taken',
  ])
  expect([await codeOf('test'), await codeOf('live')]).toEqual(['external_ref_taken', 'external_ref_taken'])
})
