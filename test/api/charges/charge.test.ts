import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { decode as decodePng } from 'fast-png'
import decodeQR from 'qr/decode.js'
import { Webhook } from 'standardwebhooks'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack, VIRTUAL_ACCOUNT } from '../support/test-stack.ts'

/** A charge from its creation to the signed webhook. */

let stack: TestStack
beforeAll(async () => {
  stack = await openSharedTestStack()
})
afterAll(() => stack.close())

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const PAYLOAD = expect.stringMatching(/^000201.*br\.gov\.bcb\.pix.*6304[0-9A-F]{4}$/)

const isPaid = ({ status }: { status: string }) => status === 'PAID'

/** Creates a charge, pays it, and waits until it is PAID. */
async function paid(merchant: Merchant, body: object) {
  const { uuid, payment } = await merchant.api.createCharge(body)
  const { end_to_end } = await stack.simulator.pay({ payload: payment.payload })
  return { endToEnd: end_to_end, charge: await pollUntil(() => merchant.api.readCharge(uuid), isPaid) }
}

test('a charge with splits is created, read, paid, split, sent as an event and posted to the ledger', async () => {
  const merchant = await stack.createMerchant({
    providers: [{ charge: { fixedCents: 10, hundredthsOfPercent: 99 } }],
  })
  const { api, connection } = merchant
  const maria = await stack.createRecipient(merchant, 'Maria')
  const joao = await stack.createRecipient(merchant, 'João')
  const inbox = `charge-${merchant.uuid}`
  const hook = (await api.post('/api/v1/webhooks', { url: `${stack.local.inbox_url}/${inbox}` })).body.data

  const order = {
    value: 150.75,
    type: 'pix',
    external_ref: 'pedido 42',
    final_beneficiary: { name: 'Ana Souza', document: '12abc34501de35' },
    splits: [
      { type: 'percentage', value: 33.33, recipient_account_uuid: maria.uuid },
      { type: 'FIXED', value: 20.05, recipient_account_uuid: joao.uuid },
    ],
    expires_in: 3_600,
  }
  const answer = await api.post('/api/v1/payments', order)
  expect(answer.status).toBe(201)
  expect(answer.headers.get('idempotent-replayed')).toBeNull()
  const { data: created, ...rest } = answer.body
  expect(rest).toEqual({})

  // 150.75 at 0.99 % is 1.492425, rounded half up, and 10 centavos: 1.59.
  const shared = {
    uuid: UUID,
    value: 150.75,
    total_value: 152.34,
    fees: 1.59,
    currency: 'BRL',
    type: 'PIX',
    external_ref: 'pedido 42',
    final_beneficiary: { name: 'Ana Souza', document: '12ABC34501DE35' },
    provider: { uuid: connection.uuid, provider: 'PROVIDER_A' },
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const splits = (status: string) => [
    {
      uuid: UUID,
      type: 'PERCENTAGE',
      value: 33.33,
      status,
      recipient_account: { uuid: maria.uuid, name: 'Maria' },
    },
    { uuid: UUID, type: 'FIXED', value: 20.05, status, recipient_account: { uuid: joao.uuid, name: 'João' } },
  ]
  const pix = {
    sender: null,
    receiver: VIRTUAL_ACCOUNT,
    txid: created.uuid.replaceAll('-', ''),
    value: '152.34',
    type: 'QR_DYNAMIC',
    pix_key: connection.collectionKey,
    additional_info: [],
    transaction: null,
    status: 'PENDING',
    expires_at: INSTANT,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const payment = {
    uuid: UUID,
    status: 'PENDING',
    payload: PAYLOAD,
    pix,
    expires_at: INSTANT,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  expect(created).toEqual({
    ...shared,
    status: 'PENDING',
    splits: splits('PENDING'),
    history: [{ status: 'PENDING', created_at: INSTANT }],
    payment: { ...payment, value: 152.34, type: 'PIX' },
  })
  const lifetime = Date.parse(created.payment.expires_at) - Date.parse(created.created_at)
  // The order and the row that the worker stores have times of their own.
  expect(Math.abs(lifetime - 3_600_000)).toBeLessThan(60_000)

  const read = await api.readCharge(created.uuid)
  expect(read).toEqual({
    ...created,
    refunded_value: 0,
    net_value: 0,
    refund_uuids: [],
    payment: { ...created.payment, value: '152.34', type: 'QR_DYNAMIC', verify_sender: false },
  })
  expect((await api.get('/api/v1/payments')).body.data).toEqual([read])

  const png = await api.get(`/api/v1/payments/${created.uuid}/qr.png`)
  expect(png.headers.get('content-type')).toBe('image/png')
  expect(textIn(png.bytes)).toBe(created.payment.payload)
  const svg = await api.get(`/api/v1/payments/${created.uuid}/qr.svg`)
  expect(svg.headers.get('content-type')).toMatch(/^image\/svg\+xml/)
  expect(textInSvg(svg.bytes.toString())).toBe(created.payment.payload)

  const payer = { name: 'Carlos Lima', document: '52998224725' }
  const { end_to_end } = await stack.simulator.pay({ payload: created.payment.payload, payer })
  const paidCharge = await pollUntil(() => api.readCharge(created.uuid), isPaid)
  expect(paidCharge).toEqual({
    ...shared,
    refunded_value: 0,
    net_value: 150.75,
    refund_uuids: [],
    status: 'PAID',
    splits: splits('CREDITED'),
    history: ['PENDING', 'PROCESSING', 'PAID'].map(status => ({ status, created_at: INSTANT })),
    payment: {
      ...payment,
      value: '152.34',
      type: 'QR_DYNAMIC',
      verify_sender: false,
      status: 'COMPLETED',
      pix: {
        ...pix,
        status: 'COMPLETED',
        sender: { ...VIRTUAL_ACCOUNT, ...payer, ...unknownAccount, account_type: 'CHECKING' },
        transaction: {
          uuid: UUID,
          value: '152.34',
          movement_type: 'IN',
          type: 'EXTERNAL_TRANSFER',
          status: 'SETTLED',
          end_to_end,
          settled_at: INSTANT,
          created_at: INSTANT,
          updated_at: INSTANT,
        },
      },
    },
  })

  // 33.33 % of 150.75 is 50.244975: rounded down, the rest stays with the owner.
  const at = connection.providerAccountUuid
  expect(await stack.readBalances(maria.uuid, at)).toEqual({ available: 5_024 })
  expect(await stack.readBalances(joao.uuid, at)).toEqual({ available: 2_005 })
  expect(await stack.readBalances(merchant.uuid, at)).toEqual({
    available: 15_075 - 5_024 - 2_005,
    fee: 159,
    outside: -15_234,
  })
  const [provider] = (await api.get('/api/v1/providers')).body.data
  expect(provider.balances).toEqual([
    {
      available_balance: 80.46,
      pending_balance: 0,
      blocked_balance: 0,
      retained_balance: 0,
      provisioned_balance: 0,
      shortfall_balance: 0,
      currency: 'BRL',
    },
  ])
  const [theirs] = (await maria.api.get('/api/v1/providers')).body.data
  expect(theirs.balances[0].available_balance).toBe(50.24)

  const messages = await pollUntil(
    () => stack.listEvents(inbox),
    all => all.length === 2,
  )
  const events = messages.map(({ method, headers, body }) => {
    expect(method).toBe('POST')
    return new Webhook(hook.token).verify(body, headers as Record<string, string>) as Record<string, unknown>
  })
  expect(new Set(events.map(event => event.id)).size).toBe(2)
  expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual(events.map(event => event.id))
  const paymentEvent = events.find(event => event.type === 'PAYMENT')
  expect(paymentEvent).toEqual({
    id: UUID,
    type: 'PAYMENT',
    timestamp: INSTANT,
    data: { ...paidCharge, sequence: 1 },
  })
  expect(events.find(event => event.type === 'PIX_TRANSACTION')).toEqual({
    id: UUID,
    type: 'PIX_TRANSACTION',
    timestamp: INSTANT,
    data: {
      uuid: paidCharge.payment.pix.transaction.uuid,
      initiation: {
        sender: paidCharge.payment.pix.sender,
        receiver: VIRTUAL_ACCOUNT,
        txid: pix.txid,
        value: 152.34,
        type: 'QR_DYNAMIC',
        pix_key: connection.collectionKey,
        status: 'COMPLETED',
        expires_at: null,
        created_at: INSTANT,
        updated_at: INSTANT,
      },
      value: 152.34,
      movement_type: 'IN',
      type: 'EXTERNAL_TRANSFER',
      status: 'SETTLED',
      end_to_end,
      charge_uuid: created.uuid,
      provider: { uuid: connection.uuid, provider: 'PROVIDER_A' },
      settled_at: INSTANT,
      created_at: INSTANT,
      updated_at: INSTANT,
      sequence: 1,
    },
  })

  // Stored snapshots do not change: the replay of the creation is tested in idempotency.test.ts.
  expect(textIn((await api.get(`/api/v1/payments/${created.uuid}/qr.png`)).bytes)).toBe(
    created.payment.payload,
  )
  await stack.waitUntilLedgerAgrees(merchant)
})

test('the demo account does the same with its own tokens: a provider-scoped token, and PROVIDER_B adds its fee', async () => {
  const { providers, recipient_accounts, account_uuid } = stack.local
  const scoped = stack.api.withToken(providers.PROVIDER_B.token)
  const [recipient] = recipient_accounts
  const before = await stack.readBalances(account_uuid, await providerAccountOf(providers.PROVIDER_B.uuid))
  const charge = await scoped.createCharge({
    value: 100,
    splits: [{ type: 'PERCENTAGE', value: 10, recipient_account_uuid: recipient!.uuid }],
  })
  expect(charge).toMatchObject({
    value: 100,
    fees: 1.09,
    total_value: 101.09,
    provider: { provider: 'PROVIDER_B' },
  })
  await stack.simulator.pay({ payload: charge.payment.payload })
  expect((await pollUntil(() => scoped.readCharge(charge.uuid), isPaid)).splits).toMatchObject([
    { status: 'CREDITED' },
  ])
  const after = await stack.readBalances(account_uuid, await providerAccountOf(providers.PROVIDER_B.uuid))
  expect(after.available! - before.available!).toBe(9_000)
  expect(after.fee! - (before.fee ?? 0)).toBe(109)
})

test.each([
  // value, fee (fixed, hundredths of a percent), splits, fees, shares
  { value: 0.01, fee: [0, 0], splits: [['PERCENTAGE', 99.99]], fees: 0, shares: [0] },
  {
    value: 0.03,
    fee: [0, 0],
    splits: [
      ['PERCENTAGE', 33.34],
      ['PERCENTAGE', 66.66],
    ],
    fees: 0,
    shares: [1, 1],
  },
  { value: 100, fee: [0, 5], splits: [['PERCENTAGE', 100]], fees: 0.05, shares: [10_000] },
  { value: 10, fee: [0, 5], splits: [['FIXED', 10]], fees: 0.01, shares: [1_000] },
  {
    value: 9.99,
    fee: [1, 5],
    splits: [
      ['FIXED', 0],
      ['PERCENTAGE', 0],
    ],
    fees: 0.01,
    shares: [0, 0],
  },
  {
    value: 0.1,
    fee: [7, 10_000],
    splits: [
      ['FIXED', 0.05],
      ['PERCENTAGE', 50],
    ],
    fees: 0.17,
    shares: [5, 5],
  },
] as const)(
  'a payment of $value with a fee of $fee and splits $splits is shared without gaining or losing a centavo',
  async row => {
    const [fixedCents, hundredthsOfPercent] = row.fee
    const merchant = await stack.createMerchant({
      providers: [{ charge: { fixedCents, hundredthsOfPercent } }],
    })
    const recipients = await Promise.all(row.splits.map(() => stack.createRecipient(merchant)))
    const { charge } = await paid(merchant, {
      value: row.value,
      splits: row.splits.map(([type, value], index) => ({
        type,
        value,
        recipient_account_uuid: recipients[index]!.uuid,
      })),
    })
    expect(charge.fees).toBe(row.fees)
    const cents = Math.round(row.value * 100)
    expect(charge.total_value).toBe((cents + Math.round(row.fees * 100)) / 100)
    const at = merchant.connection.providerAccountUuid
    const got = await Promise.all(
      recipients.map(async one => (await stack.readBalances(one.uuid, at)).available ?? 0),
    )
    expect(got).toEqual(row.shares)
    const owner = await stack.readBalances(merchant.uuid, at)
    const given = row.shares.reduce((sum: number, share) => sum + share, 0)
    expect(owner.available ?? 0).toBe(cents - given)
    expect(owner.fee ?? 0).toBe(Math.round(row.fees * 100))
    await stack.waitUntilLedgerAgrees(merchant)
  },
)

test('a split whose recipient cannot receive it is FAILED, and its share stays with the owner', async () => {
  const merchant = await stack.createMerchant()
  const [fine, blocked, disconnected] = await Promise.all(
    [1, 2, 3].map(() => stack.createRecipient(merchant)),
  )
  const stranger = await stack.createRecipient({ connections: [] })
  const { uuid, payment } = await merchant.api.createCharge({
    value: 100,
    splits: [fine, blocked, disconnected, stranger].map(one => ({
      type: 'PERCENTAGE',
      value: 10,
      recipient_account_uuid: one!.uuid,
    })),
  })
  await stack.sql(`update account set status = 'BLOCKED' where uuid = ?`, [blocked!.uuid])
  await stack.sql(`update connection set status = 'INACTIVE' where account_uuid = ?`, [disconnected!.uuid])
  await stack.simulator.pay({ payload: payment.payload })
  const charge = await pollUntil(() => merchant.api.readCharge(uuid), isPaid)
  expect(charge.splits.map((split: { status: string }) => split.status)).toEqual([
    'CREDITED',
    'FAILED',
    'FAILED',
    'FAILED',
  ])
  expect(await stack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toMatchObject({
    available: 9_000,
  })
  await stack.waitUntilLedgerAgrees(merchant)
})

const unknownAccount = {
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: expect.any(String) },
}

function textIn(png: Buffer): string {
  const { width, height, data, channels, depth } = decodePng(png)
  expect([channels, depth]).toEqual([1, 1])
  const rowBytes = Math.ceil(width / 8)
  const readPixel = (_: unknown, index: number) => {
    const [x, y] = [index % width, Math.floor(index / width)]
    const isWhite = (data[y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1
    return isWhite ? 255 : 0
  }
  return decodeQR({ width, height, data: rgba(Array.from({ length: width * height }, readPixel)) })
}

/** Renders the picture's one path as a browser would, four pixels a module, and decodes it. */
function textInSvg(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  let [x, y] = [0, 0]
  for (const [, move, right, down] of svg.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)h1v1/g)) {
    // After a module the pen is back at its start.
    x = Number(right) + (move === 'm' ? x : 0)
    y = Number(down) + (move === 'm' ? y : 0)
    dark[y]![x] = true
  }
  const scale = 4
  const pixels = Array.from({ length: (size * scale) ** 2 }, (_, index) => {
    const [column, row] = [index % (size * scale), Math.floor(index / (size * scale))]
    return dark[Math.floor(row / scale)]![Math.floor(column / scale)] ? 0 : 255
  })
  return decodeQR({ width: size * scale, height: size * scale, data: rgba(pixels) })
}

function rgba(greys: number[]): Uint8Array {
  return Uint8Array.from(greys.flatMap(grey => [grey, grey, grey, 255]))
}

async function providerAccountOf(connectionUuid: string): Promise<string> {
  const [row] = await stack.sql<{ provider_account_uuid: string }>(
    'select provider_account_uuid from connection where uuid = ?',
    [connectionUuid],
  )
  return row!.provider_account_uuid
}
