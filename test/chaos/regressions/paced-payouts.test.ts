import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type {
  FindPayoutOutcome,
  PreparePayoutOutcome,
  SendPayoutOutcome,
} from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A payout whose call was not made, because the pace of its provider left no room for it. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  // Another worker reaches every provider: only a failure to connect is left to it.
  fixture.dependencies.isReachedByOthersOnly = async () => true
})
beforeEach(() => fixture.sql('delete from circuit_breaker'))
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

const WAITING_SEND: SendPayoutOutcome = { ...PACED_SEND, retryAfterMs: 4_000 } as SendPayoutOutcome
const NO_ROOM = { kind: 'paced', retryAfterMs: 4_000 }
const ACCEPTED: SendPayoutOutcome = {
  kind: 'accepted',
  payout: { status: 'in_process', cents: 500, endToEnd: '', at: null },
}
const readAttempts = (uuid: string) =>
  fixture.sql(
    'select state, code, sendings, preparations from attempt where subject_uuid = ? order by position',
    [uuid],
  )

/** Orders a transfer of 5 reais with an acceptance deadline; `send` makes the next sending of its workflow. */
async function orderTransfer(more: { batchUuid?: string } = {}) {
  const merchant = await fixture.createMerchant(1_000)
  const acceptBefore = new Date(Date.now() + 60_000).toISOString()
  const order = fixture.transferInput(merchant, { acceptBefore, ...more })
  const { accountUuid, connectionUuid } = merchant
  const { uuid } = order
  const send = (isResend = false) =>
    fixture.providers.sendTransfer({ uuid, connectionUuid, isResend, order, maxTurnWaitMs: 3_600_000 })
  const poll = () => fixture.providers.pollTransfer({ uuid, connectionUuid, pollCount: 0 })
  return { uuid, accountUuid, connectionUuid, send, poll }
}

/** Scripts the outcomes of the next sendings; returns what each was told of its turn. */
function scriptTurns(...outcomes: SendPayoutOutcome[]): unknown[] {
  const turns: unknown[] = []
  const send = async ({ turn }: { turn?: unknown }) => {
    turns.push(turn)
    return outcomes.shift()!
  }
  fixture.scriptProvider({ sendTransfer: send, refund: send })
  return turns
}

test('an item of a batch waits for its turn as one', async () => {
  const { send } = await orderTransfer({ batchUuid: randomUUID() })
  const turns = scriptTurns(WAITING_SEND, ACCEPTED)
  expect([await send(), await send()]).toEqual([NO_ROOM, { kind: 'in_process' }])
  expect(turns).toEqual(
    [false, true].map(hasWaited => ({ maxWaitMs: 3_600_000, hasWaited, isBatchItem: true })),
  )
})

describe('a transfer that waits for its turn', () => {
  test('keeps its hold, has sent nothing, is stored in time, and is sent by the next call as one that has waited', async () => {
    const { uuid, accountUuid, send, poll } = await orderTransfer()
    const turns = scriptTurns(WAITING_SEND, WAITING_SEND, ACCEPTED)
    expect(await send()).toEqual(NO_ROOM)
    expect(await readAttempts(uuid)).toEqual([
      { state: 'preparing', code: 'paced', sendings: 0, preparations: 0 },
    ])
    expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500, provisioned: 500 })
    expect(await fixture.sql('select state, accept_before from transfer where uuid = ?', [uuid])).toEqual([
      { state: 'sending', accept_before: null },
    ])
    // A run of the workflow that does not know the result asks, and sends.
    expect(await poll()).toEqual({ kind: 'not_started' })
    expect(await send()).toEqual(NO_ROOM)
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(await readAttempts(uuid)).toEqual([
      { state: 'accepted', code: null, sendings: 1, preparations: 0 },
    ])
    expect(turns).toEqual(
      [false, true, true].map(hasWaited => ({ maxWaitMs: 3_600_000, hasWaited, isBatchItem: false })),
    )
    expect(await readBreakers()).toEqual([])
  })

  test('is not sent any more once its connection is not active', async () => {
    const { uuid, connectionUuid, send } = await orderTransfer()
    scriptTurns(WAITING_SEND)
    await send()
    await fixture.sql("update connection set status = 'INACTIVE' where uuid = ?", [connectionUuid])
    expect(await send()).toMatchObject({ kind: 'unreachable', code: 'provider_inactive' })
    expect(await readAttempts(uuid)).toMatchObject([
      { state: 'unreachable', code: 'provider_inactive', sendings: 0 },
    ])
  })

  test('is polled, and not sent, where its provider may have had it before', async () => {
    const { uuid, send, poll } = await orderTransfer()
    scriptTurns({ kind: 'unknown', code: 'timeout', message: 'x' }, WAITING_SEND)
    expect(await send()).toEqual({ kind: 'unknown', code: 'timeout' })
    expect(await send(true)).toEqual({ kind: 'unknown', code: 'paced' })
    expect(await readAttempts(uuid)).toMatchObject([{ state: 'unknown', code: 'paced', sendings: 1 }])
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'not_found' }) })
    expect(await poll()).toMatchObject({ kind: 'not_found' })
  })

  test('after an earlier sending that was proved not to have moved keeps its hold, and is sent by a later call', async () => {
    const { uuid, accountUuid, connectionUuid, send, poll } = await orderTransfer()
    const turns = scriptTurns(PACED_SEND, WAITING_SEND, ACCEPTED)
    expect(await send()).toMatchObject({ kind: 'unreachable', code: 'paced' })
    expect(await send()).toEqual(NO_ROOM)
    expect(await readAttempts(uuid)).toMatchObject([{ state: 'calling', code: 'paced', sendings: 1 }])
    expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500, provisioned: 500 })
    expect(await poll()).toEqual({ kind: 'not_started' })
    // Nothing is under way: other credentials may send it.
    await fixture.sql('update connection set credentials_epoch = credentials_epoch + 1 where uuid = ?', [
      connectionUuid,
    ])
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(await readAttempts(uuid)).toMatchObject([{ state: 'accepted', code: null, sendings: 2 }])
    // An attempt that has ended without a turn has no place any more.
    expect(turns).toEqual(
      [false, false, true].map(hasWaited => ({ maxWaitMs: 3_600_000, hasWaited, isBatchItem: false })),
    )
  })

  test('is not mistaken for one whose call was interrupted, and whose poll had no turn', async () => {
    const { uuid, send, poll } = await orderTransfer()
    const called = Promise.withResolvers<void>()
    fixture.scriptProvider({
      sendTransfer() {
        called.resolve()
        return new Promise(() => undefined)
      },
      findTransfer: async () => PACED_LOOK_UP,
    })
    void send()
    await called.promise
    expect(await poll()).toEqual({ kind: 'unknown', code: 'paced' })
    const turns = scriptTurns()
    expect(await send()).toEqual({ kind: 'unknown', code: 'interrupted' })
    expect(turns).toEqual([])
    expect(await readAttempts(uuid)).toMatchObject([{ state: 'unknown', code: 'interrupted', sendings: 1 }])
  })

  test('is prepared anew where what its provider had prepared has expired meanwhile', async () => {
    const { uuid, send } = await orderTransfer()
    const handles: unknown[] = []
    const prepared = [new Date(Date.now() + 300).toISOString(), new Date(Date.now() + 60_000).toISOString()]
    const outcomes = [WAITING_SEND, ACCEPTED]
    fixture.scriptProvider({
      prepareTransfer: async () => {
        const expiresAt = prepared.shift()!
        return { kind: 'prepared', handle: { ref: expiresAt, expiresAt } }
      },
      sendTransfer: async (_order, handle) => {
        handles.push(handle?.ref)
        return outcomes.shift()!
      },
    })
    expect(await send()).toEqual(NO_ROOM)
    await new Promise(resolve => setTimeout(resolve, 400))
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(new Set(handles).size).toBe(2)
    expect(await readAttempts(uuid)).toEqual([
      { state: 'accepted', code: null, sendings: 1, preparations: 2 },
    ])
    fixture.scriptProvider({ prepareTransfer: undefined })
  })

  test('before its preparation has prepared nothing, and is prepared by the next call', async () => {
    const { uuid, send } = await orderTransfer()
    const preparations: PreparePayoutOutcome[] = [
      WAITING_SEND as PreparePayoutOutcome,
      { kind: 'prepared', handle: { ref: 'h' } },
    ]
    const turns: unknown[] = []
    fixture.scriptProvider({
      prepareTransfer: async ({ turn }) => {
        turns.push(turn)
        return preparations.shift()!
      },
      sendTransfer: async ({ turn }) => {
        turns.push(turn)
        return ACCEPTED
      },
    })
    expect(await send()).toEqual(NO_ROOM)
    expect(await readAttempts(uuid)).toMatchObject([{ state: 'preparing', code: 'paced', sendings: 0 }])
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(turns).toEqual(
      [false, true, true].map(hasWaited => ({ maxWaitMs: 3_600_000, hasWaited, isBatchItem: false })),
    )
    fixture.scriptProvider({ prepareTransfer: undefined })
  })

  test('leaves the outcome to a later sending whose answer came first', async () => {
    const { uuid, send } = await orderTransfer()
    const answer = Promise.withResolvers<SendPayoutOutcome>()
    const called = Promise.withResolvers<void>()
    fixture.scriptProvider({
      sendTransfer() {
        called.resolve()
        return answer.promise
      },
    })
    const late = send()
    await called.promise
    scriptTurns(ACCEPTED)
    expect(await send(true)).toEqual({ kind: 'in_process' })
    answer.resolve(WAITING_SEND)
    expect(await late).toEqual({ kind: 'in_process' })
    expect(await readAttempts(uuid)).toMatchObject([{ state: 'accepted', sendings: 2 }])
  })
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
