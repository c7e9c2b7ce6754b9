import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiResource, createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** SPEC §7: the account's statement, line by line, and the rules that the database holds. */

let stack: TestStack
let payouts: PayoutActions
let merchant: Merchant
/** Every line, newest first, at the end of the test. */
let lines: ApiResource[]

const scenarioUuids = { charge: '', transfer: '', refund: '', refused: '' }

beforeAll(async () => {
  stack = await openSharedTestStack()
  payouts = createPayoutActions(stack)
  const fee = (fixedCents: number) => ({ fixedCents, hundredthsOfPercent: 0 })
  merchant = await stack.createMerchant({
    providers: [
      { balance: 100, charge: fee(25), transfer: fee(10), refund: fee(5) },
      { provider: 'PROVIDER_C', balance: 7 },
    ],
  })
  const recipient = await stack.createRecipient(merchant)
  const splits = [{ type: 'FIXED', value: 3, recipient_account_uuid: recipient.uuid }]
  const charge = await payouts.createPaidCharge(merchant, { value: 20, splits })
  const sent = await payouts.sendAndSettle(merchant, { value: 12 })
  const refused = await payouts.send(merchant, { value: 6, pix_key: 'ac03@sim.trilho.test' })
  const refund = await payouts.requestRefund(merchant, charge, { value: 8.1 })
  await pollUntil(
    () => merchant.api.readCharge(charge.uuid),
    ({ status }) => status === 'PARTIALLY_REFUNDED',
  )
  await stack.simulator.returnTransfer({ end_to_end: sent.transfer.end_to_end, value: 2 })
  await payouts.waitForStatus(merchant, sent.uuid, 'PARTIALLY_REFUNDED')
  await stack.simulator.deposit({ account: merchant.connections[1]!.account, value: 1.5 })
  await pollUntil(
    () => stack.readBalances(merchant.uuid, merchant.connections[1]!.providerAccountUuid),
    ({ available }) => available === 850,
  )
  Object.assign(scenarioUuids, {
    charge: charge.uuid,
    transfer: sent.uuid,
    refund: refund.body.data.refund.uuid,
    refused: refused.body.data.uuid,
  })
  lines = (await merchant.api.get('/api/v1/ledger?per_page=100')).body.data
})
afterAll(async () => {
  await stack.waitUntilLedgerAgrees(merchant)
  await stack.close()
})

const ledger = async (query = '', api = merchant.api): Promise<ApiResource[]> => {
  const answer = await api.get(`/api/v1/ledger${query}`)
  expect([query, answer.status]).toEqual([query, 200])
  return answer.body.data
}
const at = (provider: string) => lines.filter(line => line.provider.provider === provider)

test('each line shows its amount, its kind and the balance after it', () => {
  const story = at('PROVIDER_A')
    .toReversed()
    .map(({ type, movement_type, value, balance, status }) =>
      [type, movement_type, value, balance, status].join(' '),
    )
  expect(story).toEqual([
    'ADJUSTMENT IN 100 100.00 SETTLED',
    'EXTERNAL_TRANSFER IN 20.25 120.25 SETTLED',
    'FEE OUT 0.25 120.00 SETTLED',
    'SPLIT OUT 3 117.00 SETTLED',
    'EXTERNAL_TRANSFER OUT 12 105.00 SETTLED',
    'FEE OUT 0.1 104.90 SETTLED',
    'EXTERNAL_TRANSFER OUT 6 98.90 FAILED',
    'FEE OUT 0.1 98.80 FAILED',
    'FEE IN 0.1 98.90 FAILED',
    'REVERSAL IN 6 104.90 FAILED',
    // Of 8.10 the split owes ⌊3.00 × 8.10 / 20.25⌋ = 1.20; the owner the rest, and the fee of 0.05.
    'SPLIT IN 1.2 106.10 SETTLED',
    'EXTERNAL_REFUND OUT 8.1 98.00 SETTLED',
    'FEE OUT 0.05 97.95 SETTLED',
    'EXTERNAL_REFUND IN 2 99.95 SETTLED',
  ])
  expect(at('PROVIDER_C').map(({ type, value, balance, reason }) => [type, value, balance, reason])).toEqual([
    ['EXTERNAL_TRANSFER', 1.5, '8.50', 'deposit'],
    ['ADJUSTMENT', 7, '7.00', undefined],
  ])
})

test('the running balance is the sum of the lines, and the last one equals GET /providers', async () => {
  for (const connection of merchant.connections) {
    const own = at(connection.provider).toReversed()
    let cents = 0
    for (const line of own) {
      cents += (line.movement_type === 'IN' ? 1 : -1) * Math.round(line.value * 100)
      expect(line.balance).toBe((cents / 100).toFixed(2))
    }
    const shown = await payouts.readBalances(merchant, connection)
    expect(shown.available_balance).toBe(cents / 100)
  }
})

test('lines name the operation that they belong to', () => {
  const of = (field: string, uuid: string) =>
    lines.filter(line => line[field] === uuid).map(({ type }) => type)
  expect(of('charge_uuid', scenarioUuids.charge).toSorted()).toEqual([
    'EXTERNAL_REFUND',
    'EXTERNAL_TRANSFER',
    'FEE',
    'FEE',
    'SPLIT',
    'SPLIT',
  ])
  expect(of('transfer_uuid', scenarioUuids.transfer)).toEqual(['EXTERNAL_REFUND', 'FEE', 'EXTERNAL_TRANSFER'])
  expect(of('transfer_uuid', scenarioUuids.refused)).toHaveLength(4)
  expect(of('refund_uuid', scenarioUuids.refund)).toEqual(['FEE', 'EXTERNAL_REFUND', 'SPLIT'])
  for (const line of lines)
    expect(line.provider.uuid).toBe(
      merchant.connections.find(one => one.provider === line.provider.provider)!.uuid,
    )
})

test('lines show their operation, the reference of the caller, when they settled, and who is on the other side', () => {
  const shown = at('PROVIDER_A')
    .toReversed()
    .map(line => [
      `${line.operation_type} ${line.type} ${line.movement_type}`,
      ...[line.counterparty && /^\*{3}.+\*\*$/.test(line.counterparty.document), line.settled_at !== null],
    ])
  expect(shown).toEqual([
    ['ADJUSTMENT ADJUSTMENT IN', null, true],
    ['CHARGE EXTERNAL_TRANSFER IN', true, true],
    ['CHARGE FEE OUT', null, true],
    ['SPLIT SPLIT OUT', true, true],
    ['TRANSFER EXTERNAL_TRANSFER OUT', true, true],
    ['TRANSFER FEE OUT', null, true],
    // Its provider named no receiver.
    ['TRANSFER EXTERNAL_TRANSFER OUT', null, false],
    ['TRANSFER FEE OUT', null, false],
    ['TRANSFER FEE IN', null, false],
    ['TRANSFER REVERSAL IN', null, false],
    ['REFUND SPLIT IN', true, true],
    ['REFUND EXTERNAL_REFUND OUT', true, true],
    ['REFUND FEE OUT', null, true],
    ['TRANSFER EXTERNAL_REFUND IN', true, true],
  ])
  const { charge, transfer, refund } = scenarioUuids
  const operations = { CHARGE: charge, SPLIT: charge, REFUND: refund }
  for (const line of lines) {
    expect(line.balance_after).toBe(Number(line.balance))
    const own = operations[line.operation_type as keyof typeof operations]
    if (own) expect(line.operation_uuid).toBe(own)
  }
  expect(lines.filter(line => line.operation_uuid === transfer)).toHaveLength(3)
  expect(new Set(lines.map(line => line.line_uuid)).size).toBe(lines.length)
})

test('lines are filtered by provider and day and paged, and a bound token reads its provider’s lines only', async () => {
  const [a, c] = merchant.connections as [Merchant['connection'], Merchant['connection']]
  const [lastDay, firstDay] = [lines[0], lines.at(-1)].map(line => line.created_at.slice(0, 10) as string)
  expect(await ledger('?per_page=100')).toEqual(lines)
  expect(await ledger(`?per_page=100&provider_uuid=${a.uuid}`)).toEqual(at('PROVIDER_A'))
  expect(await ledger(`?provider_uuid=${c.uuid}`)).toEqual(at('PROVIDER_C'))
  expect(await ledger(`?provider_uuid=${randomUUID()}`)).toEqual([])
  expect(await ledger(`?per_page=100&date_from=2020-01-01&date_to=${lastDay}`)).toEqual(lines)
  expect(await ledger('?date_to=2020-01-01')).toEqual([])
  expect(await ledger('?date_from=2099-01-01')).toEqual([])
  expect(await ledger('?per_page=100&date_to=9999-12-31&time_zone=America/Sao_Paulo')).toEqual(lines)
  expect(await ledger('?per_page=2&page=2')).toEqual(lines.slice(2, 4))
  const { transfer, charge, refund } = scenarioUuids
  for (const [query, isFound] of [
    ['type=fee', ({ type }) => type === 'FEE'],
    ['type=FEE,SPLIT', ({ type }) => ['FEE', 'SPLIT'].includes(type)],
    [`operation_type=transfer&date_from=${firstDay}`, line => line.operation_type === 'TRANSFER'],
    [
      `operation_type=CHARGE&type=FEE&date_from=${firstDay}`,
      line => line.operation_type === 'CHARGE' && line.type === 'FEE',
    ],
    [`operation_uuid=${transfer}`, line => line.transfer_uuid === transfer],
    [`operation_uuid=${charge}`, line => line.charge_uuid === charge],
    [`operation_uuid=${refund}`, line => line.refund_uuid === refund],
  ] satisfies [string, (line: ApiResource) => boolean][]) {
    const { data, meta } = (await merchant.api.get(`/api/v1/ledger?per_page=100&${query}`)).body
    const expected = lines.filter(isFound)
    expect([query, data, meta.total]).toEqual([query, expected, expected.length])
    expect(expected).not.toEqual([])
  }
  const { meta } = (await merchant.api.get('/api/v1/ledger?per_page=2&page=2')).body
  expect(meta).toEqual({
    current_page: 2,
    from: 3,
    last_page: Math.ceil(lines.length / 2),
    per_page: 2,
    to: 4,
    total: lines.length,
    next_cursor: expect.any(String),
  })

  const byCursor = []
  for (let cursor = ''; cursor !== null; ) {
    const page = (await merchant.api.get(`/api/v1/ledger?per_page=3&cursor=${cursor}`)).body
    byCursor.push(...page.data)
    cursor = page.meta.next_cursor
  }
  expect(byCursor).toEqual(lines)

  const scoped = merchant.api.withToken(c.token)
  expect(await ledger('', scoped)).toEqual(at('PROVIDER_C'))
  expect(await ledger(`?provider_uuid=${c.uuid}`, scoped)).toEqual(at('PROVIDER_C'))
  expect(await ledger(`?provider_uuid=${a.uuid}`, scoped)).toEqual([])

  const other = await stack.createMerchant()
  expect(await ledger('', other.api)).toEqual([])
  expect(await ledger(`?provider_uuid=${a.uuid}`, other.api)).toEqual([])
  expect((await merchant.api.withToken(undefined).get('/api/v1/ledger')).status).toBe(401)
})

test.each([
  ['per_page=0', 'per_page'],
  ['page=x', 'page'],
  ['provider_uuid=PROVIDER_A', 'provider_uuid'],
  ['date_from=2026-13-01', 'date_from'],
  ['date_to=today', 'date_to'],
  ['type=TARIFF', 'type.0'],
  ['operation_type=PIX', 'operation_type.0'],
  ['operation_type=SPLIT', 'date_from'],
  ['operation_type=SPLIT&date_from=2026-01-01&date_to=2026-02-02', 'date_from'],
  ['operation_uuid=1', 'operation_uuid'],
  ['time_zone=Brasilia', 'time_zone'],
])('%s: 422 on %s', async (query, field) => {
  const answer = await merchant.api.get(`/api/v1/ledger?${query}`)
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
})

test('a recipient’s statement shows the share and what a refund took back', async () => {
  const shop = await stack.createMerchant({ providers: [{ balance: 1 }] })
  const recipient = await stack.createRecipient(shop)
  const splits = [{ type: 'FIXED', value: 4, recipient_account_uuid: recipient.uuid }]
  const charge = await payouts.createPaidCharge(shop, { splits })
  await payouts.requestRefund(shop, charge, { value: 5 })
  await pollUntil(
    () => shop.api.readCharge(charge.uuid),
    ({ status }) => status === 'PARTIALLY_REFUNDED',
  )
  const own = (await ledger('', recipient.api)).map(({ type, movement_type, value, balance }) => [
    type,
    movement_type,
    value,
    balance,
  ])
  expect(own).toEqual([
    ['SPLIT', 'OUT', 2, '2.00'],
    ['SPLIT', 'IN', 4, '4.00'],
  ])
  await stack.waitUntilLedgerAgrees(shop)
})

test('the database holds postings immutable and balanced, and no merchant bucket below zero', async () => {
  const place = [merchant.uuid, merchant.connection.providerAccountUuid]
  for (const statement of [
    'update posting set cents = cents + 1 where account_uuid = ? and provider_account_uuid = ?',
    'delete from posting where account_uuid = ? and provider_account_uuid = ?',
  ])
    await expect(stack.sql(statement, place)).rejects.toThrow(/append-only/)
  await expect(
    stack.sql(
      `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
       select uuid, account_uuid, provider_account_uuid, 'FEE', 'available', 1, 1 from movement
       where account_uuid = ? and provider_account_uuid = ? limit 1`,
      place,
    ),
  ).rejects.toThrow(/do not add up to zero/)
  for (const bucket of ['available', 'pending', 'provisioned', 'blocked', 'retained', 'fee'])
    await expect(
      stack.sql(
        'update balance set cents = -1 where account_uuid = ? and provider_account_uuid = ? and bucket = ?',
        [...place, bucket],
      ),
    ).rejects.toThrow(/balance_covered/)
  await expect(
    stack.sql(
      `update balance set cents = 1 where account_uuid = ? and provider_account_uuid = ? and bucket = 'shortfall'`,
      place,
    ),
  ).rejects.toThrow(/balance_shortfall/)
})
