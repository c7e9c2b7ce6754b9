import { afterAll, beforeAll, expect } from '@jest/globals'
import { referenceOf } from '../../src/domain/identifiers.ts'
import { keepUnmatched, returnUnmatched, StaleReturn } from '../../src/engine/return.ts'
import { type MoneyOut, moneyOut, type Shown } from './support/money-out.ts'
import { type Merchant, type Stage, sharedStage } from './support/stage.ts'
import { together } from './support/together.ts'
import { until } from './support/until.ts'

/** A PIX that is no charge's and that its provider refused to send back: it waits in `pending`, and goes once. */

let stage: Stage
let out: MoneyOut
beforeAll(async () => {
  stage = await sharedStage()
  out = moneyOut(stage)
})
afterAll(() => stage.close())

type Stray = { uuid: string; end_to_end: string; disposition: string }

const balances = ({ uuid, connection }: Merchant) => stage.balances(uuid, connection.providerAccountUuid)
const HELD = { available: 1_000, pending: 1_000, outside: -2_000 }
const GONE = { available: 1_000, outside: -1_000 }

/** The movement of a second payment, once it stands as the story wants it. */
const becomes = ({ uuid }: Merchant, wanted: string): Promise<Stray> =>
  until(
    async () => {
      const rows = await stage.sql<Stray>(
        `select uuid, end_to_end, disposition from movement where account_uuid = ? and reason = 'second_payment'`,
        [uuid],
      )
      return rows[0]!
    },
    stray => stray?.disposition === wanted,
  )

/** A charge that was paid twice, and whose second payment its provider would not take back. */
async function strayOf(merchant: Merchant): Promise<Stray> {
  await out.fault(merchant.connection, 'refund', 'refused')
  const charge = await out.paidCharge(merchant)
  await stage.simulator.pay({ payload: charge.payment.payload, force: true })
  const stray = await becomes(merchant, 'not_returned')
  expect(await balances(merchant)).toEqual(HELD)
  expect(await out.paidOut(merchant)).toEqual([])
  return stray
}

/** It went once, to its payer, and was told once. */
async function hasGone(merchant: Merchant, stray: Stray) {
  await becomes(merchant, 'returned')
  await stage.booksAgree(merchant)
  expect(await balances(merchant)).toEqual(GONE)
  const told = (await out.pixEvents(merchant)).filter((pix: Shown) => pix.movement_type === 'OUT')
  expect(told).toMatchObject([
    { type: 'EXTERNAL_REFUND', status: 'SETTLED', value: 10, original_uuid: stray.uuid },
  ])
}

/** The merchant's dispute, once it is shown as the story wants it. */
const med = ({ api, connection }: Merchant, wanted: object): Promise<Shown> =>
  until(
    async () => {
      // Its provider's list is read in the next round, whoever has waited longer.
      await stage.sql('update provider_account set meds_asked_at = null where uuid = ?', [
        connection.providerAccountUuid,
      ])
      return (await api.get('/api/v1/meds')).body.data[0]
    },
    (now: Shown) => now && Object.entries(wanted).every(([name, value]) => now[name] === value),
    { limitMs: 60_000, everyMs: 250 },
  )

together({
  async 'that has gone after all, although it was refused, is booked when its provider tells of it'() {
    const merchant = await stage.merchant()
    const stray = await strayOf(merchant)
    await stage.efi(merchant.connection, `/v2/pix/${stray.end_to_end}/devolucao/${referenceOf(stray.uuid)}`, {
      valor: '10.00',
    })
    await hasGone(merchant, stray)
    expect(await out.attempts(stray)).toMatchObject([{ operation: 'return', state: 'settled' }])
  },

  async 'that is disputed blocks nothing of the account’s: what its provider gives back is what waited'() {
    const merchant = await stage.merchant()
    const stray = await strayOf(merchant)
    const { id } = await stage.simulator.med({ end_to_end: stray.end_to_end, type: 'SCAM' })
    expect(await med(merchant, { status: 'PENDING' })).toMatchObject({ value: 10, blocked_value: 0 })
    expect(await balances(merchant)).toEqual(HELD)
    await stage.simulator.decideMed(id, 'agreed')
    await med(merchant, { status: 'ACCEPTED', resolved: true })
    await hasGone(merchant, stray)
    expect(await out.attempts(stray)).toMatchObject([{ operation: 'return', state: 'rejected' }])
  },

  async 'that an operator keeps is its account’s, and is not sent back any more'() {
    const merchant = await stage.merchant()
    const stray = await strayOf(merchant)
    const engine = { client: () => stage.temporal(), taskQueue: 'trilho', timeScale: 1 }
    const seen = { disposition: 'not_returned', sending: 1 } as const
    const word = { uuid: stray.uuid, seen, who: 'op', reason: 'the payer’s account is closed' }
    await expect(
      keepUnmatched(engine, stage.orm.em.fork(), { ...word, seen: { ...seen, sending: 0 } }),
    ).rejects.toThrow(StaleReturn)
    await keepUnmatched(engine, stage.orm.em.fork(), word)
    await becomes(merchant, 'kept')
    expect(await balances(merchant)).toEqual({ available: 2_000, outside: -2_000 })
    await stage.booksAgree(merchant)
    for (const act of [keepUnmatched, returnUnmatched])
      await expect(act(engine, stage.orm.em.fork(), word)).rejects.toThrow(StaleReturn)
    expect(await out.paidOut(merchant)).toEqual([])
  },

  async 'that is disputed in part goes in part: the rest of it goes on waiting'() {
    const merchant = await stage.merchant()
    const stray = await strayOf(merchant)
    const { id } = await stage.simulator.med({ end_to_end: stray.end_to_end, type: 'SCAM', value: 4 })
    await med(merchant, { status: 'PENDING' })
    await stage.simulator.decideMed(id, 'agreed')
    await med(merchant, { status: 'ACCEPTED', resolved: true })
    await stage.booksAgree(merchant)
    expect(await balances(merchant)).toEqual({ available: 1_000, pending: 600, outside: -1_600 })
    await becomes(merchant, 'not_returned')
  },
})
