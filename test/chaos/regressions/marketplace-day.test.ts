import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { postAccountEntries } from '../../../src/activities/reconciliation/account-entries.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listEvents } from '../../../src/api/operations/events.ts'
import { listLedgerLines } from '../../../src/api/operations/ledger.ts'
import { readVisibleProvider } from '../../../src/api/operations/providers.ts'
import { listAllRefunds } from '../../../src/api/operations/refunds.ts'
import { readSettlement } from '../../../src/api/operations/settlement.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { eventsQuery } from '../../../src/contract/events/event.ts'
import {
  ledgerQuery,
  type ShownLedgerLine,
  showLedgerLine,
} from '../../../src/contract/ledger/ledger-line.ts'
import { allRefundsQuery } from '../../../src/contract/refunds/refund.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { readLedgerLines } from '../../../src/db/repositories/ledger-lines.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { IncomingPix, IssuedCharge, ProviderPayout } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import type { FixtureMerchant } from '../support/money-fixture.ts'

/** SPEC §7: the statements of a marketplace and its sellers are matched line by line with the bank's. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

/** A row of the bank's list: what moved on the rail or was debited; a PIX has its end-to-end id. */
type BankRow = { endToEnd: string; cents: number }

const PAYER = toParty({ name: 'Ana Souza', document: '52998224725' })

/** A marketplace with its bank, which lists what the bank does in this test, whatever the ledger holds. */
async function openMarketplace() {
  const pool = randomUUID()
  const random = createSeededRandom(48)
  const owner = await fixture.createMerchant(0, pool)
  const sellers = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  const fees = { charge: 99, transfer: 50, refund: 25 }
  const table = Object.fromEntries(
    Object.entries(fees).map(([name, fixedCents]) => [name, { fixedCents, hundredthsOfPercent: 0 }]),
  )
  await fixture.sql(
    `update provider_account set owner_uuid = ? where uuid = (select provider_account_uuid from connection where uuid = ?)`,
    [owner.accountUuid, owner.connectionUuid],
  )
  await fixture.sql(`update connection set fees = ?, type = 'NOMINAL' where account_uuid = ?`, [
    JSON.stringify(table),
    owner.accountUuid,
  ])
  const bank: BankRow[] = []
  const { connectionUuid, accountUuid } = owner
  const now = () => new Date().toISOString()
  /** The bank moves money on the rail. */
  const move = (letter: 'E' | 'D', cents: number) => {
    const endToEnd = `${letter}${randomUUID().replaceAll('-', '').slice(1)}`
    bank.push({ endToEnd, cents })
    return endToEnd
  }
  const settled = (endToEnd: string, cents: number) => ({
    status: 'settled' as const,
    endToEnd,
    cents,
    at: now(),
  })
  const incoming = (cents: number): IncomingPix =>
    ({
      endToEnd: move('E', cents),
      txid: '',
      cents,
      status: 'settled',
      at: now(),
      payer: PAYER,
    }) as IncomingPix

  const market = {
    owner,
    sellers,
    bank,
    random,
    /** A charge, paid by one PIX of its value and by others that it does not expect. */
    async charge(valueCents: number, { percents = [] as number[], besides = [] as number[] } = {}) {
      const uuid = randomUUID()
      const issued = {
        txid: uuid.replaceAll('-', ''),
        payload: 'payload',
        pixKey: 'key',
        receiver: null,
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      } as unknown as IssuedCharge
      const totalCents = valueCents + fees.charge
      const payments = [totalCents, ...besides].map(cents => ({ ...incoming(cents), txid: issued.txid }))
      const splits = percents.map((percent, index) => ({
        type: 'PERCENTAGE' as const,
        amount: percent * 100,
        recipientAccountUuid: sellers[index]!.accountUuid,
      }))
      fixture.scriptProvider({
        issueCharge: async () => ({ kind: 'accepted', charge: issued }),
        findCharge: async () => ({ kind: 'found', status: 'completed', charge: issued, payments }),
      })
      await fixture.providers.issueCharge({
        uuid,
        accountUuid,
        candidates: [connectionUuid],
        valueCents,
        expiresInSeconds: 60,
        details: fixture.seal.seal({ splits, fingerprint: 'f' }),
        requestId: 'r',
        timeScale: 1,
      })
      await fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false })
      const unmatched = await fixture.sql<{ uuid: string }>(
        'select uuid from movement where charge_uuid = ? and disposition is not null order by created_at, uuid',
        [uuid],
      )
      return { uuid, endToEnd: payments[0]!.endToEnd, unmatched: unmatched.map(one => one.uuid) }
    },
    async deposit(cents: number) {
      await runInTransaction(fixture.orm, async em =>
        recordUnmatchedPayment(em, {
          connection: await em.findOneOrFail(Connection, connectionUuid),
          payment: incoming(cents),
          reason: 'deposit',
          requestId: 'r',
        }),
      )
    },
    async transfer(
      valueCents: number,
      { by = owner, returnedCents = 0, outcome = 'settled' as 'settled' | 'failed' | 'late' } = {},
    ) {
      const order = fixture.transferInput(by, { valueCents })
      const key = { uuid: order.uuid, connectionUuid: by.connectionUuid }
      await fixture.records.storeTransfer(order)
      const accepted = { status: 'in_process', cents: valueCents, endToEnd: '', at: null } as const
      fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: accepted }) })
      await fixture.providers.sendTransfer({ ...key, isResend: false })
      const answer = (payout: ProviderPayout) => {
        fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout }) })
        return fixture.providers.pollTransfer({ ...key, pollCount: 1 })
      }
      if (outcome !== 'settled')
        await answer({ ...settled('', valueCents), status: 'rejected', code: 'AC03' })
      if (outcome === 'failed') return
      const payout = settled(move('E', -valueCents), valueCents)
      const returns =
        returnedCents > 0
          ? [
              {
                id: randomUUID(),
                endToEnd: move('D', returnedCents),
                cents: returnedCents,
                at: now(),
              },
            ]
          : []
      await answer({ ...payout, returns })
    },
    async refund(chargeUuid: string, valueCents: number, outcome: 'settled' | 'failed' | 'late' = 'settled') {
      const order = {
        uuid: randomUUID(),
        chargeUuid,
        accountUuid,
        connectionUuid,
        valueCents,
        fingerprint: 'f',
        requestId: 'r',
        timeScale: 1,
      }
      const key = { uuid: order.uuid, connectionUuid }
      expect(await fixture.records.openRefund(order)).toMatchObject({ state: 'sending' })
      fixture.scriptProvider({
        refund: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
      })
      await fixture.providers.sendRefund({ ...key, isResend: false })
      const answer = (payout: ProviderPayout) => {
        fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout }) })
        return fixture.providers.pollRefund({ ...key, pollCount: 1 })
      }
      if (outcome !== 'settled')
        await answer({ ...settled('', valueCents), status: 'rejected', code: 'AM09' })
      if (outcome !== 'failed') await answer(settled(move('D', -valueCents), valueCents))
    },
    /** An unmatched PIX goes back to its payer, at once or after the bank had refused it. */
    async returnUnmatched(uuid: string, cents: number, outcome: 'settled' | 'late' | 'kept') {
      const key = { uuid, connectionUuid }
      const refused = { kind: 'rejected', finality: 'final', code: 'no', message: 'no' } as const
      if (outcome === 'settled') {
        const payout = settled(move('D', -cents), cents)
        fixture.scriptProvider({ refund: async () => ({ kind: 'accepted', payout }) })
        await fixture.providers.sendReturn({ ...key, isResend: false })
        return
      }
      fixture.scriptProvider({ refund: async () => refused })
      await fixture.providers.sendReturn({ ...key, isResend: false })
      if (outcome === 'kept') {
        expect(await fixture.records.keepUnmatchedPayment({ uuid, sending: 1, cents })).toBe(true)
        return
      }
      const payout = settled(move('D', -cents), cents)
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout }) })
      await fixture.providers.pollReturn({ ...key, pollCount: 1 })
    },
    async dispute(endToEnd: string, cents: number, returnedCents: number) {
      const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd })
      await dispute.pollAnswering({ cents })
      if (returnedCents === 0) return dispute.pollAnswering({ cents, status: 'disagreed' })
      const returned = {
        id: randomUUID(),
        endToEnd: move('D', -returnedCents),
        cents: returnedCents,
        at: now(),
      }
      return dispute.pollAnswering({ cents, status: 'agreed', returns: [returned], isClosed: true })
    },
    async tariff(cents: number) {
      bank.push({ endToEnd: '', cents: -cents })
      const [place] = await fixture.sql<{ uuid: string }>(
        'select provider_account_uuid as uuid from connection where uuid = ?',
        [connectionUuid],
      )
      await fixture.sql(
        `insert into account_entry (uuid, provider_account_uuid, type, entry_id, kind, value_cents, moved_at)
         values (?, ?, 'TARIFF', ?, 'tariff', ?, now())`,
        [randomUUID(), place!.uuid, randomUUID(), cents],
      )
      await postAccountEntries(fixture.dependencies, place!.uuid)
    },
    async lines(of: string): Promise<ShownLedgerLine[]> {
      const scope = { accountUuid: of, connectionUuid: null }
      const rows = await readLedgerLines(fixture.orm.em.fork(), scope, {
        days: undefined,
        limit: 1_000,
        offset: 0,
      })
      return rows.map(showLedgerLine)
    },
  }
  return market
}

/** What moves inside an account, and has no row of the bank. */
const INTERNAL_TYPES = ['FEE', 'SPLIT', 'HOLD', 'REVERSAL', 'SHORTFALL']

test('each row of the bank’s day is one line by end-to-end id and value, and no other line is left', async () => {
  const market = await openMarketplace()
  const { owner, sellers, random, bank } = market
  const charges: Awaited<ReturnType<typeof market.charge>>[] = []
  for (let n = 0; n < 24; n++)
    charges.push(
      await market.charge(3_000 + random.upTo(9_000), { percents: n % 3 === 0 ? [] : [30, n % 2 ? 25 : 50] }),
    )
  for (let n = 0; n < 4; n++) await market.deposit(1_000 + random.upTo(500))

  // Payments that no charge expects: two second payments in one charge, and more in others.
  for (const [outcome, cents] of [
    ['settled', 1_234],
    ['settled', 77],
    ['late', 4_321],
    ['kept', 555],
  ] as const) {
    const { unmatched } = await market.charge(2_000, { percents: [40], besides: [cents] })
    await market.returnUnmatched(unmatched[0]!, cents, outcome)
  }

  for (let n = 0; n < 6; n++) await market.transfer(700 + random.upTo(900))
  await market.transfer(1_500, { outcome: 'failed' })
  await market.transfer(1_600, { outcome: 'late' })
  await market.transfer(900, { returnedCents: 900 })
  for (const by of sellers) await market.transfer(600, { by })

  for (const one of charges.slice(0, 7)) await market.refund(one.uuid, 500 + random.upTo(1_000))
  await market.refund(charges[7]!.uuid, 800, 'failed')
  await market.refund(charges[8]!.uuid, 900, 'late')

  await market.dispute(charges[10]!.endToEnd, 2_000, 2_000)
  await market.dispute(charges[11]!.endToEnd, 2_500, 1_000)
  await market.dispute(charges[12]!.endToEnd, 2_500, 0)
  await market.tariff(150)

  // All that is left is sent away: what a dispute returns then is a debt, which the next payment repays.
  for (const by of [owner, ...sellers]) await spendAll(market, by)
  await market.dispute(charges[13]!.endToEnd, 3_000, 3_000)
  const [balance] = await readOwnerBalances(owner)
  expect(balance).toMatchObject({ available_balance: 0, shortfall_balance: 3_000 })
  await market.charge(6_566)
  expect((await readOwnerBalances(owner))[0]).toMatchObject({ shortfall_balance: 0 })

  expect(bank.length).toBeGreaterThanOrEqual(65)
  const accounts = [owner, ...sellers].map(one => one.accountUuid)
  const own = await market.lines(owner.accountUuid)
  const all = (await Promise.all(accounts.map(uuid => market.lines(uuid)))).flat()
  const external = all.filter(({ type, status }) => !INTERNAL_TYPES.includes(type) && status !== 'FAILED')
  const keyOf = (endToEnd: string, cents: number) => `${endToEnd} ${cents}`
  expect(
    external
      .map(line => keyOf(line.end_to_end, line.movement_type === 'IN' ? line.value : -line.value))
      .sort(),
  ).toEqual(bank.map(row => keyOf(row.endToEnd, row.cents)).sort())
  for (const line of all.filter(({ type }) => INTERNAL_TYPES.includes(type))) expect(line.end_to_end).toBe('')
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])

  // The settlement of the day says what came in and what went, each in its own figure.
  const sumOf = (...types: string[]) =>
    own
      .filter(({ type }) => types.includes(type))
      .reduce((sum, { movement_type, value }) => sum + (movement_type === 'IN' ? value : -value), 0)
  const figures = await readDay(owner)
  const received = bank.filter(({ endToEnd, cents }) => endToEnd.startsWith('E') && cents > 0)
  expect(figures).toMatchObject({
    payments: received.reduce((sum, { cents }) => sum + cents, 0),
    disputes: -6_000,
    shortfalls: 0,
    splits: sumOf('SPLIT'),
    fees: sumOf('FEE'),
    holds: sumOf('HOLD'),
  })
})

async function spendAll(
  market: Awaited<ReturnType<typeof openMarketplace>>,
  by: FixtureMerchant,
): Promise<void> {
  const { available = 0 } = await fixture.readBalances(by.accountUuid)
  const feeCents = by === market.owner ? 50 : 0
  await market.transfer(available - feeCents, { by })
  expect(await fixture.readBalances(by.accountUuid)).not.toHaveProperty('available')
}

const tokenOf = ({ accountUuid }: FixtureMerchant) =>
  ({ uuid: accountUuid, accountUuid, connectionUuid: null, mode: 'test' }) as const

async function readOwnerBalances(owner: FixtureMerchant) {
  const provider = await readVisibleProvider(fixture.orm.em.fork(), tokenOf(owner), owner.connectionUuid)
  return provider.balances
}

async function readDay(owner: FixtureMerchant) {
  const timeZone = 'UTC'
  const name = new Date().toISOString().slice(0, 'YYYY-MM'.length)
  const [report] = await readSettlement(fixture.orm.em.fork(), tokenOf(owner), { name, timeZone })
  return report!.total.figures
}

test('a PIX is found by its id in the ledger, refunds and events, and a charge by its payer', async () => {
  const market = await openMarketplace()
  const { owner } = market
  const charge = await market.charge(5_000, { percents: [40] })
  await market.charge(700)
  await market.refund(charge.uuid, 1_000)
  const refunded = market.bank.at(-1)!.endToEnd
  const em = () => fixture.orm.em.fork()
  const token = tokenOf(owner)
  const lines = async (query: object) => (await listLedgerLines(em(), token, ledgerQuery.parse(query))).data
  expect(await lines({ end_to_end: charge.endToEnd })).toMatchObject([
    { type: 'EXTERNAL_TRANSFER', value: 5_099, end_to_end: charge.endToEnd },
  ])
  expect(await lines({ end_to_end: refunded })).toMatchObject([
    { type: 'FEE', value: 25 },
    { type: 'EXTERNAL_REFUND', value: 1_000, end_to_end: refunded },
    { type: 'SPLIT', movement_type: 'IN' },
  ])
  expect(await lines({ end_to_end: 'E-none' })).toEqual([])

  const refunds = await listAllRefunds(em(), token, allRefundsQuery.parse({ end_to_end: refunded }))
  const provider = { uuid: owner.connectionUuid, provider: 'PROVIDER_A' }
  expect(refunds.data).toMatchObject([
    { charge_uuid: charge.uuid, pix_refund: { end_to_end: refunded, provider }, pix_original: { provider } },
  ])
  const events = await listEvents(em(), token, eventsQuery.parse({ end_to_end: refunded }))
  expect(new Set(events.data.map(({ type }) => type))).toEqual(
    new Set(['PAYMENT', 'REFUND', 'PIX_TRANSACTION']),
  )
  expect(events.data.find(({ type }) => type === 'PIX_TRANSACTION')?.body).toMatchObject({ provider })

  const charges = async (query: object) =>
    (await listCharges(em(), token, chargesQuery.parse(query))).data.map(({ uuid }) => uuid)
  expect(await charges({ payer_name: 'ana s', end_to_end: charge.endToEnd })).toEqual([charge.uuid])
  expect(await charges({ payer_document: '52998224725' })).toHaveLength(2)
  expect(await charges({ payer_name: 'Souza' })).toEqual([])
  expect(await charges({ payer_document: '11222333000181' })).toEqual([])
})
