import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { endPause, type PauseRequest, startPause } from '../../src/admin/pauses.ts'
import { playUntilInTime } from '../support/played-again.ts'
import type { ApiResponse } from './support/client.ts'
import { runConcurrentTests } from './support/concurrent-tests.ts'
import { openMoneySuite } from './support/money-suite.ts'
import { statusesOf } from './support/payout-actions.ts'
import { pollUntil } from './support/poll-until.ts'
import type { Merchant, TestStack } from './support/test-stack.ts'

/**
 * SPEC §9, `trilho pause`: nothing new starts in its scope, nothing that runs is dropped. A pause of the whole service
 * is tested where no other suite works (test/http/routing/routing.test.ts); here accounts and connections are.
 */

const { stage, payouts, createMerchant: anyMerchant } = await openMoneySuite()

function createMerchant(
  ...providers: NonNullable<Parameters<TestStack['createMerchant']>[0]>['providers'] & object
) {
  return anyMerchant({ providers: providers.length > 0 ? providers : [{ balance: 100 }] })
}

const pause = (target: PauseRequest['target'], reach: PauseRequest['reach'] = 'everything') =>
  startPause(stage.orm.em.fork(), { target, reach, actor: 'suite', reason: 'a drill' })
const resume = (target: PauseRequest['target']) =>
  endPause(stage.orm.em.fork(), { target, actor: 'suite', reason: 'closed' })
const accountOf = ({ uuid }: Merchant) => ({ accountUuid: uuid })
const createCharge = ({ api }: Merchant, key?: string) =>
  api.post('/api/v1/payments', { value: 10, type: 'PIX' }, key === undefined ? {} : { key })
const summaryOf = ({ status, body, headers }: ApiResponse) => [status, body.code, headers.get('retry-after')]
const PAUSED = [503, 'paused', '60']
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()

runConcurrentTests({
  'a paused account starts no new operation, its running ones continue, and stored keys keep their responses':
    async () => {
      const merchant = await createMerchant()
      const key = randomUUID()
      const before = await createCharge(merchant, key)
      const paid = await payouts.createPaidCharge(merchant)
      await pause(accountOf(merchant))

      const fresh = randomUUID()
      expect(summaryOf(await createCharge(merchant, fresh))).toEqual(PAUSED)
      expect(summaryOf(await payouts.send(merchant))).toEqual(PAUSED)
      expect(summaryOf(await payouts.send(merchant, { scheduled_for: soon(60_000) }))).toEqual(PAUSED)
      expect(summaryOf(await payouts.requestRefund(merchant, paid))).toEqual(PAUSED)
      expect(await payouts.listPaidOut(merchant)).toEqual([])
      const again = await createCharge(merchant, key)
      expect([again.status, again.bytes.toString()]).toEqual([201, before.bytes.toString()])

      await stage.simulator.pay({ payload: before.body.data.payment.payload })
      await pollUntil(
        () => merchant.api.readCharge(before.body.data.uuid),
        ({ status }) => status === 'PAID',
      )
      const { data } = (await createCharge(await createMerchant())).body
      expect(data.status).toBe('PENDING')

      await resume(accountOf(merchant))
      expect((await createCharge(merchant, fresh)).status).toBe(201)
      await payouts.sendAndSettle(merchant)
      expect((await payouts.requestRefund(merchant, paid)).status).toBe(200)
    },

  'while money out is paused charges are issued and paid, and an open charge can be cancelled': async () => {
    const merchant = await createMerchant()
    await pause(accountOf(merchant), 'money_out')
    const paid = await payouts.createPaidCharge(merchant)
    expect(summaryOf(await payouts.send(merchant))).toEqual(PAUSED)
    expect(summaryOf(await payouts.requestRefund(merchant, paid))).toEqual(PAUSED)
    const open = await merchant.api.createCharge()
    await merchant.api.carryOut('POST', `/api/v1/payments/${open.uuid}/cancel`)
  },

  'a paused connection is passed over; a request that names it or a token bound to it gets a refusal that says so':
    async () => {
      const merchant = await createMerchant({ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 })
      const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
      await pause({ connectionUuid: first.uuid })
      const { data } = (await createCharge(merchant)).body
      expect(data.provider.uuid).toBe(second.uuid)
      expect((await payouts.sendAndSettle(merchant)).attempts).toMatchObject([{ provider: 'PROVIDER_C' }])
      expect(summaryOf(await payouts.send(merchant, { provider_uuid: first.uuid }))).toEqual(PAUSED)
      expect(summaryOf(await payouts.send({ api: merchant.api.withToken(first.token) }))).toEqual(PAUSED)
    },

  'a scheduled transfer that comes due during a pause of money out is sent after the pause': async () => {
    const merchant = await createMerchant()
    // Not before the pause, on a machine that stands still for some seconds.
    const { data } = (await payouts.send(merchant, { scheduled_for: soon(30_000) })).body
    await pause(accountOf(merchant), 'money_out')
    await pollUntil(
      () => payouts.listAttempts(data),
      ([attempt]) => attempt?.code === 'paused',
    )
    const waiting = await payouts.transfer(merchant, data.uuid)
    expect(statusesOf(waiting)).toEqual(['PENDING'])
    expect(waiting.attempts).toMatchObject([{ outcome: 'unreachable', code: 'paused' }])
    expect(await stage.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
      available: 10_000,
      outside: -10_000,
    })
    await resume(accountOf(merchant))
    const sent = await payouts.waitForStatus(merchant, data.uuid, 'PAID')
    expect(sent.attempts).toMatchObject([{ outcome: 'settled', code: '' }])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  },

  'an unmatched PIX is held during a pause of money out, and returned after it': async () => {
    const merchant = await createMerchant()
    const charge = await payouts.createPaidCharge(merchant)
    await pause(accountOf(merchant), 'money_out')
    const second = await stage.simulator.pay({ payload: charge.payment.payload, force: true })
    const state = async () => {
      const [movement] = await stage.sql<{ uuid: string; disposition: string; code: string | null }>(
        `select m.uuid, m.disposition, a.code from movement m left join attempt a on a.subject_uuid = m.uuid
         where m.end_to_end = ? and m.movement_type = 'IN'`,
        [second.end_to_end],
      )
      return movement
    }
    await pollUntil(state, movement => movement?.code === 'paused')
    expect(await state()).toMatchObject({ disposition: 'held' })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    await resume(accountOf(merchant))
    await pollUntil(state, movement => movement?.disposition === 'returned')
    expect(await payouts.listPaidOut(merchant)).toMatchObject([{ kind: 'refund', value: 10 }])
  },

  'a transfer whose first provider refuses while the next one is paused fails with that reason': async () => {
    const play = async () => {
      const merchant = await createMerchant({ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 })
      const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
      await payouts.injectFault(first, 'sendTransfer', 'slow', { delay_ms: 2_500 })
      const transfer = payouts.send(merchant, { pix_key: 'am04@sim.trilho.test' })
      await storedTransfer(merchant)
      await pause({ connectionUuid: second.uuid }, 'money_out')
      return { merchant, answer: await transfer }
    }
    const { merchant, answer } = await playUntilInTime(play, ({ answer }) => answer.status === 503)
    expect([answer.status, answer.body.code]).toEqual([503, 'paused'])
    if (answer.repeats === 0) expect(summaryOf(answer)).toEqual([503, 'paused', '5'])
    expect(answer.body.data).toMatchObject({ status: 'FAILED', error: { code: 'paused' } })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
  },

  'a transfer whose account is blocked before the next provider is called fails with that reason':
    async () => {
      const play = async () => {
        const merchant = await createMerchant({ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 })
        await payouts.injectFault(merchant.connections[0]!, 'sendTransfer', 'slow', { delay_ms: 2_500 })
        const transfer = payouts.send(merchant, { pix_key: 'am04@sim.trilho.test' })
        await storedTransfer(merchant)
        await stage.sql(`update account set status = 'BLOCKED' where uuid = ?`, [merchant.uuid])
        return { merchant, answer: await transfer }
      }
      const { merchant, answer } = await playUntilInTime(play, ({ answer }) => answer.status === 403)
      expect([answer.status, answer.body.code]).toEqual([403, 'account_blocked'])
      expect(answer.body.data).toMatchObject({
        status: 'FAILED',
        error: { code: 'account_blocked', attempts: [{ code: 'AM04' }, { code: 'account_blocked' }] },
      })
      expect(await payouts.listPaidOut(merchant)).toEqual([])
    },

  'a payout that is proved absent is not sent again before the pause ends': async () => {
    const play = async () => {
      const merchant = await createMerchant()
      await payouts.injectFault(merchant.connection, 'sendTransfer', 'timeout_then_absent')
      const transfer = payouts.send(merchant)
      const { uuid } = await storedTransfer(merchant)
      await pause(accountOf(merchant), 'money_out')
      expect((await transfer).body.data).toMatchObject({ status: 'PROCESSING' })
      const [attempt] = await pollUntil(
        () => payouts.listAttempts({ uuid }),
        ([one]) => one?.code === 'paused' || one?.state === 'settled',
      )
      return { merchant, uuid, attempt }
    }
    const { merchant, uuid } = await playUntilInTime(play, ({ attempt }) => attempt.code === 'paused')
    const doubtful = await payouts.transfer(merchant, uuid)
    expect(doubtful).toMatchObject({ outcome: 'unknown', attempts: [{ outcome: 'unknown', code: 'paused' }] })
    await resume(accountOf(merchant))
    const sent = await payouts.waitForStatus(merchant, uuid, 'PAID')
    expect(sent.attempts).toMatchObject([{ outcome: 'settled', code: '' }])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  },
})

/** The transfer of a merchant that has one, as soon as its first attempt is stored. */
async function storedTransfer({ uuid }: Merchant): Promise<{ uuid: string }> {
  const [row] = await pollUntil(
    () =>
      stage.sql<{ uuid: string }>(
        'select t.uuid from transfer t join attempt a on a.subject_uuid = t.uuid where t.account_uuid = ?',
        [uuid],
      ),
    rows => rows.length > 0,
  )
  return row!
}
