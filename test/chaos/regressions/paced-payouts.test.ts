import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { FindPayoutOutcome, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A payout whose call was not made, because the pace of its provider left no room for it. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  // Another worker reaches every provider: only a failure to connect is left to it.
  fixture.dependencies.isReachedByOthersOnly = async () => true
})
afterAll(() => fixture?.close())

const PACED_SEND: SendPayoutOutcome = { kind: 'unreachable', code: 'paced', message: 'not called' }
const PACED_LOOK_UP: FindPayoutOutcome = {
  kind: 'no_answer',
  code: 'paced',
  message: 'not called',
  isUnprocessed: true,
}
const readBreakers = () => fixture.sql('select * from circuit_breaker')

test('a transfer without a turn goes to the next provider, and its circuit stays closed', async () => {
  const merchant = await fixture.createMerchant(10_000)
  const { connectionUuid: first } = merchant
  const second = await fixture.createConnection(merchant)
  const em = fixture.orm.em.fork()
  await postOpeningBalance(em, await em.findOneOrFail(Connection, second), 1_000)
  fixture.scriptProvider({ sendTransfer: async () => PACED_SEND })
  for (let times = 0; times < 6; times += 1) {
    const order = fixture.transferInput(merchant, { candidates: [first, second] })
    const { uuid } = order
    const sent = await fixture.providers.sendTransfer({ uuid, connectionUuid: first, isResend: false, order })
    expect(sent).toMatchObject({ kind: 'unreachable', code: 'paced' })
  }
  expect(await readBreakers()).toEqual([])

  const order = fixture.transferInput(merchant, { candidates: [first, second] })
  const { uuid } = order
  await fixture.providers.sendTransfer({ uuid, connectionUuid: first, isResend: false, order })
  fixture.scriptProvider({
    sendTransfer: async () => ({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 500, endToEnd: '', at: null },
    }),
  })
  const sent = await fixture.providers.sendTransfer({ uuid, connectionUuid: second, isResend: false })
  expect(sent).toMatchObject({ kind: 'in_process' })
  const attempts = 'select state, code from attempt where subject_uuid = ? order by position'
  expect(await fixture.sql(attempts, [uuid])).toEqual([
    { state: 'unreachable', code: 'paced' },
    { state: 'accepted', code: null },
  ])
})

test('a poll without a turn changes no state and no circuit, and the next one is within a minute', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid } = merchant
  const order = fixture.transferInput(merchant)
  const { uuid } = order
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'unreadable_answer', message: 'x' }),
    findTransfer: async () => PACED_LOOK_UP,
  })
  await fixture.providers.sendTransfer({ uuid, connectionUuid, isResend: false, order })
  await fixture.sql('delete from circuit_breaker')
  for (let times = 0; times < 6; times += 1)
    expect(await fixture.providers.pollTransfer({ uuid, connectionUuid, pollCount: 100 })).toEqual({
      kind: 'unknown',
      code: 'paced',
    })
  const [attempt] = await fixture.sql<{ state: string; next_check_at: Date }>(
    'select state, next_check_at from attempt where subject_uuid = ?',
    [uuid],
  )
  expect(attempt?.state).toBe('unknown')
  expect(new Date(attempt!.next_check_at).getTime()).toBeLessThanOrEqual(Date.now() + 60_000)
  expect(await readBreakers()).toEqual([])
})
