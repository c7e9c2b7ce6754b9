import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { settleManually } from '../../../src/activities/payouts/manual-settlement.ts'
import { refundPayout } from '../../../src/activities/refunds/refund-payout.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { transferPayout } from '../../../src/activities/transfers/transfer-payout.ts'
import { OPERATOR_REJECTION } from '../../../src/domain/payouts/unsent-code.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/**
 * An operator may signal a workflow at any moment, by the Temporal UI too; a workflow that awaits an activity processes
 * nothing else.
 */

let fixture: ApiFixture
let connectionUuid: string
let transferUuid: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  const accountUuid = await fixture.insertAccount()
  connectionUuid = await fixture.insertConnection(accountUuid)
  transferUuid = await fixture.insertTransfer(connectionUuid)
})
afterAll(() => fixture?.close())

const dependencies = () =>
  ({ orm: fixture.orm, log: fixture.dependencies.log, timeScale: 1 }) as ActivityDependencies
const SETTLED_ATTEMPT = { attempt: randomUUID(), sending: 1 }
const manualSettlements = [
  { ...SETTLED_ATTEMPT, as: 'rejected', reason: 'not on the statement' },
  {
    ...SETTLED_ATTEMPT,
    as: 'settled',
    endToEnd: 'E0000000020261122120000000000000a',
    reason: 'on the statement',
  },
] as const

test.each(manualSettlements)(
  'a manual settlement without a started attempt changes nothing: $as',
  async word => {
    const [transfers, refunds] = [
      settleManually(dependencies(), transferPayout),
      settleManually(dependencies(), refundPayout),
    ]
    const nothing = { kind: 'unknown', code: 'not_started' }
    expect(await transfers({ uuid: transferUuid, connectionUuid, signal: word })).toEqual(nothing)
    expect(await transfers({ uuid: randomUUID(), connectionUuid, signal: word })).toEqual(nothing)
    expect(await refunds({ uuid: randomUUID(), connectionUuid, signal: word })).toEqual(nothing)
    const kept = await fixture.orm.em
      .fork()
      .execute('select state, failure from transfer where uuid = ?', [transferUuid])
    expect(kept).toEqual([{ state: 'created', failure: null }])
    expect(fixture.lines.filter(line => line.includes('no attempt was stored'))).not.toEqual([])
  },
)

describe('a manual settlement of one attempt', () => {
  const act = (more: object) =>
    settleManually(dependencies(), transferPayout)({ ...more, connectionUuid } as never)
  const attemptOf = async (uuid: string) =>
    (await fixture.orm.em.fork().execute('select * from attempt where uuid = ?', [uuid]))[0]
  const refusals = (uuid: string) =>
    fixture.orm.em
      .fork()
      .execute(`select action, reason from operator_action where subject = ?`, [`transfer/${uuid}`])

  /** A transfer whose attempt is unknown and was sent twice. */
  async function unknownTransfer() {
    const [uuid, attempt] = [await fixture.insertTransfer(connectionUuid), randomUUID()]
    await fixture.orm.em.fork().execute(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
         state, sendings, unknown_since, created_at, updated_at)
       select ?, 'transfer', ?, uuid, provider_account_uuid, 0, 'unknown', 2, now(), now(), now() from connection
       where uuid = ?`,
      [attempt, uuid, connectionUuid],
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
      expect(await act({ uuid, signal: word })).toEqual({ kind: 'unknown', code: '' })
    }
    expect(await attemptOf(attempt)).toEqual(before)
    expect(await refusals(uuid)).toEqual([
      {
        action: 'settle_refused',
        reason: expect.stringContaining(`now attempt ${attempt}, sending 2, unknown`),
      },
      { action: 'settle_refused', reason: expect.stringContaining('sending 1, has changed') },
    ])
  })

  test.each([
    ['no attempt', ({ attempt: _, ...word }: ManualSettlementCase) => word],
    ['no call number', ({ sending: _, ...word }: ManualSettlementCase) => word],
    ['no outcome', ({ as: _, ...word }: ManualSettlementCase) => word],
    ['an outcome of other letters', (word: ManualSettlementCase) => ({ ...word, as: 'Rejected' })],
    ['no end-to-end id of the settlement', (word: ManualSettlementCase) => ({ ...word, as: 'settled' })],
    ['nothing', () => ({})],
    ['no object', () => 'rejected'],
  ])('with %s in its signal is refused and recorded, and changes nothing', async (_, changed) => {
    const { uuid, attempt } = await unknownTransfer()
    const word = { attempt, sending: 2, as: 'rejected', reason: 'by telephone' }
    expect(await act({ uuid, word: changed(word) })).toMatchObject({ kind: 'unknown' })
    expect(await attemptOf(attempt)).toMatchObject({ state: 'unknown', sendings: 2 })
    expect(await refusals(uuid)).toEqual([
      { action: 'settle_refused', reason: expect.stringMatching(/^the signal must/) },
    ])
  })

  test('is applied where nothing has changed; repeated, it is not refused', async () => {
    const { uuid, attempt } = await unknownTransfer()
    const word = { attempt, sending: 2, as: 'rejected', reason: 'by telephone' }
    for (const _ of [1, 2])
      expect(await act({ uuid, signal: word })).toMatchObject({
        kind: 'rejected',
        code: 'settled_by_operator',
      })
    expect(await attemptOf(attempt)).toMatchObject({
      state: 'rejected',
      message: OPERATOR_REJECTION.message,
      refused_by: 'operator',
      was_unknown_until: expect.any(String),
    })
    expect(await refusals(uuid)).toEqual([])
  })

  test('tells the merchant what the operator wrote for the merchant, and never the reason', async () => {
    const { uuid, attempt } = await unknownTransfer()
    const word = { attempt, sending: 2, as: 'rejected', reason: 'their night shift said so' }
    await act({ uuid, signal: { ...word, merchantText: 'The bank has refused it.' } })
    expect(await attemptOf(attempt)).toMatchObject({ message: 'The bank has refused it.' })
    const rows = await fixture.orm.em.fork().execute(
      `select t::text as row from transfer t where uuid = ?
         union all select e::text from event e where subject_uuid = ?
         union all select a::text from attempt a where subject_uuid = ?
         union all select r::text from attempt_answer r where attempt_uuid = ?`,
      [uuid, uuid, uuid, attempt],
    )
    expect(JSON.stringify(rows)).not.toContain('night shift')
  })
})

type ManualSettlementCase = { attempt: string; sending: number; as: string; reason: string }
