import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { settleBy } from '../../src/activities/operators-word.ts'
import { devolution } from '../../src/activities/refunds.ts'
import { pixOut } from '../../src/activities/transfers.ts'
import { openWorld, type World } from './support/world.ts'

/** An operator may signal a life at any moment, by the Temporal UI too; a life that waits for an activity hears nothing else. */

let world: World
let connectionUuid: string
let transferUuid: string
beforeAll(async () => {
  world = await openWorld([])
  const accountUuid = await world.account()
  connectionUuid = await world.connection(accountUuid)
  transferUuid = await world.transfer(connectionUuid)
})
afterAll(() => world?.close())

const dependencies = () => ({ orm: world.orm, log: world.dependencies.log, timeScale: 1 }) as Dependencies
const SEEN = { attempt: randomUUID(), sending: 1 }
const words = [
  { ...SEEN, as: 'rejected', reason: 'not on the statement' },
  { ...SEEN, as: 'settled', endToEnd: 'E0000000020261122120000000000000a', reason: 'on the statement' },
] as const

test.each(words)('is about nothing where no attempt was begun: $as', async word => {
  const [transfers, refunds] = [settleBy(dependencies(), pixOut), settleBy(dependencies(), devolution)]
  const nothing = { kind: 'unknown', code: 'never_begun' }
  expect(await transfers({ uuid: transferUuid, connectionUuid, word })).toEqual(nothing)
  expect(await transfers({ uuid: randomUUID(), connectionUuid, word })).toEqual(nothing)
  expect(await refunds({ uuid: randomUUID(), connectionUuid, word })).toEqual(nothing)
  const kept = await world.orm.em
    .fork()
    .execute('select state, failure from transfer where uuid = ?', [transferUuid])
  expect(kept).toEqual([{ state: 'created', failure: null }])
  expect(world.lines.filter(line => line.includes('nothing was begun'))).not.toEqual([])
})

describe('an act about one attempt', () => {
  const act = (more: object) => settleBy(dependencies(), pixOut)({ ...more, connectionUuid } as never)
  const attemptOf = async (uuid: string) =>
    (await world.orm.em.fork().execute('select * from attempt where uuid = ?', [uuid]))[0]
  const refusals = (uuid: string) =>
    world.orm.em
      .fork()
      .execute(`select act, reason from operator_act where subject = ?`, [`transfer/${uuid}`])

  /** A transfer whose attempt is unknown and was sent twice. */
  async function unknownTransfer() {
    const [uuid, attempt] = [await world.transfer(connectionUuid), randomUUID()]
    await world.orm.em.fork().execute(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, reference,
         state, sendings, unknown_since, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, ?, 'unknown', 2, now(), now(), now() from connection
       where uuid = ?`,
      [attempt, uuid, attempt.replaceAll('-', ''), connectionUuid],
    )
    return { uuid, attempt }
  }

  test('changes no other attempt, nor one that was sent again, and the refusal is recorded', async () => {
    const { uuid, attempt } = await unknownTransfer()
    const before = await attemptOf(attempt)
    for (const seen of [
      { attempt: randomUUID(), sending: 2 },
      { attempt, sending: 1 },
    ]) {
      const word = { ...seen, as: 'rejected', reason: 'bank A confirms it' }
      expect(await act({ uuid, word })).toEqual({ kind: 'unknown', code: '' })
    }
    expect(await attemptOf(attempt)).toEqual(before)
    expect(await refusals(uuid)).toEqual([
      {
        act: 'settle_refused',
        reason: expect.stringContaining(`now attempt ${attempt}, sending 2, unknown`),
      },
      { act: 'settle_refused', reason: expect.stringContaining('sending 1, has changed') },
    ])
  })

  test.each([
    ['no attempt', ({ attempt: _, ...word }: Word) => word],
    ['no sending', ({ sending: _, ...word }: Word) => word],
    ['no outcome', ({ as: _, ...word }: Word) => word],
    ['an outcome of other letters', (word: Word) => ({ ...word, as: 'Rejected' })],
    ['no end-to-end id of what settled', (word: Word) => ({ ...word, as: 'settled' })],
    ['nothing', () => ({})],
    ['no object', () => 'rejected'],
  ])('with %s in its signal is refused, recorded, and changes nothing', async (_, changed) => {
    const { uuid, attempt } = await unknownTransfer()
    const word = { attempt, sending: 2, as: 'rejected', reason: 'by telephone' }
    expect(await act({ uuid, word: changed(word) })).toMatchObject({ kind: 'unknown' })
    expect(await attemptOf(attempt)).toMatchObject({ state: 'unknown', sendings: 2 })
    expect(await refusals(uuid)).toEqual([
      { act: 'settle_refused', reason: expect.stringMatching(/^the signal must/) },
    ])
  })

  test('is kept where nothing has changed; repeated, it is no refusal', async () => {
    const { uuid, attempt } = await unknownTransfer()
    const word = { attempt, sending: 2, as: 'rejected', reason: 'by telephone' }
    for (const _ of [1, 2])
      expect(await act({ uuid, word })).toMatchObject({ kind: 'rejected', code: 'settled_by_operator' })
    expect(await attemptOf(attempt)).toMatchObject({ state: 'rejected', message: 'by telephone' })
    expect(await refusals(uuid)).toEqual([])
  })
})

type Word = { attempt: string; sending: number; as: string; reason: string }
