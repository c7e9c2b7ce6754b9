import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { beginPause, endPause, type PauseOrder } from '../../src/db/pauses.ts'
import type { Answer } from './support/client.ts'
import { steps } from './support/money-out.ts'
import { openMoneySuite } from './support/money-suite.ts'
import type { Merchant, Stage } from './support/stage.ts'
import { together } from './support/together.ts'
import { until } from './support/until.ts'

/**
 * SPEC §9, `trilho pause`: nothing new begins where it reaches, nothing that runs is dropped. That the whole service can
 * be paused is shown where nobody else works (test/http/pause.test.ts); here accounts and connections are.
 */

const { stage, out, aMerchant: anyMerchant } = await openMoneySuite()

function aMerchant(...providers: NonNullable<Parameters<Stage['merchant']>[0]>['providers'] & object) {
  return anyMerchant({ providers: providers.length > 0 ? providers : [{ balance: 100 }] })
}

const pause = (target: PauseOrder['target'], reach: PauseOrder['reach'] = 'everything') =>
  beginPause(stage.orm.em.fork(), { target, reach, who: 'suite', reason: 'a drill' })
const resume = (target: PauseOrder['target']) =>
  endPause(stage.orm.em.fork(), { target, who: 'suite', reason: 'over' })
const accountOf = ({ uuid }: Merchant) => ({ accountUuid: uuid })
const createCharge = ({ api }: Merchant, key?: string) =>
  api.post('/api/v1/payments', { value: 10, type: 'PIX' }, key === undefined ? {} : { key })
const said = ({ status, body, headers }: Answer) => [status, body.code, headers.get('retry-after')]
const PAUSED = [503, 'paused', '60']
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()

together({
  'while an account is paused nothing new begins, what runs goes on, and keys keep their answers':
    async () => {
      const merchant = await aMerchant()
      const key = randomUUID()
      const before = await createCharge(merchant, key)
      const paid = await out.paidCharge(merchant)
      await pause(accountOf(merchant))

      const fresh = randomUUID()
      expect(said(await createCharge(merchant, fresh))).toEqual(PAUSED)
      expect(said(await out.send(merchant))).toEqual(PAUSED)
      expect(said(await out.send(merchant, { scheduled_for: soon(60_000) }))).toEqual(PAUSED)
      expect(said(await out.refund(merchant, paid))).toEqual(PAUSED)
      expect(await out.paidOut(merchant)).toEqual([])
      const again = await createCharge(merchant, key)
      expect([again.status, again.bytes.toString()]).toEqual([201, before.bytes.toString()])

      await stage.simulator.pay({ payload: before.body.data.payment.payload })
      await until(
        () => merchant.api.read(before.body.data.uuid),
        ({ status }) => status === 'PAID',
      )
      const { data } = (await createCharge(await aMerchant())).body
      expect(data.status).toBe('PENDING')

      await resume(accountOf(merchant))
      expect((await createCharge(merchant, fresh)).status).toBe(201)
      await out.paid(merchant)
      expect((await out.refund(merchant, paid)).status).toBe(200)
    },

  'while money out is paused charges are issued and paid, and an open charge can be cancelled': async () => {
    const merchant = await aMerchant()
    await pause(accountOf(merchant), 'money_out')
    const paid = await out.paidCharge(merchant)
    expect(said(await out.send(merchant))).toEqual(PAUSED)
    expect(said(await out.refund(merchant, paid))).toEqual(PAUSED)
    const open = await merchant.api.charge()
    expect((await merchant.api.post(`/api/v1/payments/${open.uuid}/cancel`)).status).toBe(200)
  },

  'a paused connection is passed over; what names it or is bound to it is told so': async () => {
    const merchant = await aMerchant({ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 })
    const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
    await pause({ connectionUuid: first.uuid })
    const { data } = (await createCharge(merchant)).body
    expect(data.provider.uuid).toBe(second.uuid)
    expect((await out.paid(merchant)).attempts).toMatchObject([{ provider: 'PROVIDER_C' }])
    expect(said(await out.send(merchant, { provider_uuid: first.uuid }))).toEqual(PAUSED)
    expect(said(await out.send({ api: merchant.api.as(first.token) }))).toEqual(PAUSED)
  },

  'a scheduled transfer that comes due while money out is paused waits, and goes out once it is over':
    async () => {
      const merchant = await aMerchant()
      const { data } = (await out.send(merchant, { scheduled_for: soon(10_000) })).body
      await pause(accountOf(merchant), 'money_out')
      await until(
        () => out.attempts(data),
        ([attempt]) => attempt?.code === 'paused',
      )
      const waiting = await out.transfer(merchant, data.uuid)
      expect(steps(waiting)).toEqual(['PENDING'])
      expect(waiting.attempts).toMatchObject([{ outcome: 'unreachable', code: 'paused' }])
      expect(await stage.balances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
        available: 10_000,
        outside: -10_000,
      })
      await resume(accountOf(merchant))
      const sent = await out.becomes(merchant, data.uuid, 'PAID', 60_000)
      expect(sent.attempts).toMatchObject([{ outcome: 'settled', code: '' }])
      expect(await out.paidOut(merchant)).toHaveLength(1)
    },

  'an unmatched PIX is kept for its payer while money out is paused, and goes back afterwards': async () => {
    const merchant = await aMerchant()
    const charge = await out.paidCharge(merchant)
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
    await until(state, movement => movement?.code === 'paused')
    expect(await state()).toMatchObject({ disposition: 'held' })
    expect(await out.paidOut(merchant)).toEqual([])
    await resume(accountOf(merchant))
    await until(state, movement => movement?.disposition === 'returned', { limitMs: 60_000 })
    expect(await out.paidOut(merchant)).toMatchObject([{ kind: 'refund', value: 10 }])
  },

  'a transfer whose first provider refuses while the next is paused has failed, and says why': async () => {
    const merchant = await aMerchant({ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 })
    const [first, second] = merchant.connections as [Merchant['connection'], Merchant['connection']]
    await out.fault(first, 'sendTransfer', 'slow', { delay_ms: 4_000 })
    const sending = out.send(merchant, { pix_key: 'am04@sim.trilho.test' })
    await storedTransfer(merchant)
    await pause({ connectionUuid: second.uuid }, 'money_out')
    const answer = await sending
    expect(said(answer)).toEqual([503, 'paused', '5'])
    expect(answer.body.data).toMatchObject({ status: 'FAILED', error: { code: 'paused' } })
    expect(await out.paidOut(merchant)).toEqual([])
  },

  'a transfer whose account is blocked before the next provider is called has failed, and says why':
    async () => {
      const merchant = await aMerchant({ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 })
      await out.fault(merchant.connections[0]!, 'sendTransfer', 'slow', { delay_ms: 4_000 })
      const sending = out.send(merchant, { pix_key: 'am04@sim.trilho.test' })
      await storedTransfer(merchant)
      await stage.sql(`update account set status = 'BLOCKED' where uuid = ?`, [merchant.uuid])
      const answer = await sending
      expect([answer.status, answer.body.code]).toEqual([403, 'account_blocked'])
      expect(answer.body.data).toMatchObject({
        status: 'FAILED',
        error: { code: 'account_blocked', attempts: [{ code: 'AM04' }, { code: 'account_blocked' }] },
      })
      expect(await out.paidOut(merchant)).toEqual([])
    },

  'what is proved never to have arrived is not sent again before the pause is over': async () => {
    const merchant = await aMerchant()
    await out.fault(merchant.connection, 'sendTransfer', 'timeout_then_absent')
    const sending = out.send(merchant)
    const { uuid } = await storedTransfer(merchant)
    await pause(accountOf(merchant), 'money_out')
    expect((await sending).body.data).toMatchObject({ status: 'PROCESSING' })
    await until(
      () => out.attempts({ uuid }),
      ([attempt]) => attempt?.code === 'paused',
      { limitMs: 60_000 },
    )
    const doubtful = await out.transfer(merchant, uuid)
    expect(doubtful).toMatchObject({ outcome: 'unknown', attempts: [{ outcome: 'unknown', code: 'paused' }] })
    await resume(accountOf(merchant))
    const sent = await out.becomes(merchant, uuid, 'PAID', 60_000)
    expect(sent.attempts).toMatchObject([{ outcome: 'settled', code: '' }])
    expect(await out.paidOut(merchant)).toHaveLength(1)
  },
})

/** The transfer of a merchant that has one, as soon as its first attempt is written. */
async function storedTransfer({ uuid }: Merchant): Promise<{ uuid: string }> {
  const [row] = await until(
    () =>
      stage.sql<{ uuid: string }>(
        'select t.uuid from transfer t join attempt a on a.subject_uuid = t.uuid where t.account_uuid = ?',
        [uuid],
      ),
    rows => rows.length > 0,
  )
  return row!
}
