import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { QrCode } from '../../../src/db/entities/qr-code.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { staticTxidOf } from '../../../src/domain/qr-codes/qr-code.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { ChargeInput } from '../../../src/workflows/contracts/charges.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** PIX to static codes, whichever way and however often they are reported. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  fixture.scriptProvider({
    findPayment: async endToEnd => {
      const payment = received.get(endToEnd)
      return payment ? { kind: 'found', payment } : { kind: 'not_found' }
    },
    findCharge: async () => ({ kind: 'not_found' }),
  })
})
afterAll(() => fixture?.close())

/** What the scripted provider has received. */
const received = new Map<string, IncomingPix>()
let pixCount = 0

function receive(pix: { txid: string | null; cents: number; pixKey: string }): string {
  pixCount += 1
  const endToEnd = `E00000000202611291200${String(pixCount).padStart(11, '0')}`
  const payer = toParty({ name: 'Maria Souza', document: '52998224725' })
  received.set(endToEnd, {
    ...pix,
    endToEnd,
    reference: pix.txid,
    status: 'settled',
    at: new Date().toISOString(),
    payer,
  })
  return endToEnd
}

const report = (connectionUuid: string, endToEnd: string) =>
  fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })

async function createCode(
  { accountUuid, connectionUuid }: Merchant,
  more: Partial<QrCode> = {},
): Promise<QrCode> {
  return runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    const uuid = randomUUID()
    const [key, txid] = [connection.collectionKey!, staticTxidOf(uuid)]
    const at = new Date()
    return em.create(QrCode, {
      uuid,
      accountUuid,
      connection,
      providerAccountUuid: connection.providerAccountUuid,
      status: 'ACTIVE',
      pixKey: key,
      txid,
      payload: buildStaticBrCode({ key, cents: null, txid, receiverName: 'Loja' }),
      splits: [],
      metadata: {},
      requestId: 'r',
      fingerprint: 'f',
      createdAt: at,
      updatedAt: at,
      ...more,
    })
  })
}

const readCharges = (qrCodeUuid: string) =>
  fixture.sql<{ uuid: string; end_to_end: string; state: string; received_cents: string }>(
    'select uuid, end_to_end, state, received_cents from charge where qr_code_uuid = ?',
    [qrCodeUuid],
  )
const readReasons = (endToEnd: string) =>
  fixture.sql<{ reason: string | null }>('select reason from movement where end_to_end = ?', [endToEnd])

test('each PIX is one charge, however often, in whatever order and by whichever connection it is reported', async () => {
  const merchant = await fixture.createMerchant(0)
  const code = await createCode(merchant)
  const pix = Array.from({ length: 150 }, (_, index) => {
    const cents = 1 + ((index * 7_919) % 50_000)
    return receive({ txid: code.txid, cents, pixKey: index % 3 === 0 ? '' : code.pixKey })
  })
  // Always the same order, which is not that of the PIX: three reports of each, ten at once.
  const reports = [...pix, ...pix, ...pix].map((endToEnd, index) => ({
    endToEnd,
    rank: (index * 7_877) % 449,
  }))
  const order = reports.toSorted((a, b) => a.rank - b.rank).map(({ endToEnd }) => endToEnd)
  const places = Array.from({ length: 10 }, async (_, place) => {
    for (let index = place; index < order.length; index += 10) {
      await report(merchant.connectionUuid, order[index]!)
    }
  })
  await Promise.all(places)
  const charges = await readCharges(code.uuid)
  expect(charges.map(one => one.end_to_end).toSorted()).toEqual(pix.toSorted())
  expect(new Set(charges.map(({ state }) => state))).toEqual(new Set(['paid']))
  const sum = pix.reduce((cents, endToEnd) => cents + received.get(endToEnd)!.cents, 0)
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: sum, outside: -sum })
  const [stored] = await fixture.sql(
    'select received_count, received_cents::int from qr_code where uuid = ?',
    [code.uuid],
  )
  expect(stored).toEqual({ received_count: 150, received_cents: sum })
  const [events] = await fixture.sql<{ count: string }>(
    "select count(*)::text as count from event where account_uuid = ? and type = 'PAYMENT'",
    [merchant.accountUuid],
  )
  expect(events!.count).toBe('150')
})

test('a PIX to a code whose notification was lost is found by the statement', async () => {
  const merchant = await fixture.createMerchant(0)
  const code = await createCode(merchant)
  const endToEnd = receive({ txid: code.txid, cents: 250, pixKey: code.pixKey })
  const at = new Date(Date.now() - 600_000).toISOString()
  const entry = { endToEnd, reference: code.txid, direction: 'IN', cents: 250, at } as const
  fixture.scriptProvider({
    statement: async () => ({ kind: 'found', entries: [entry] }),
    listDisputes: async () => ({ kind: 'no_answer', code: 'timeout', message: 'no answer in time' }),
  })
  const { providerAccountUuid } = code
  const hour = 3_600_000
  const [from, to] = [Date.now() - hour, Date.now()].map(ms => new Date(ms).toISOString()) as [string, string]
  const outcome = await reconcile(fixture.dependencies)({ providerAccountUuid, from, to })
  expect(outcome).toMatchObject({ repaired: 1 })
  expect(fixture.signalledWorkflowIds).toContain(`deposit/${merchant.connectionUuid}/${endToEnd}`)
  await report(merchant.connectionUuid, endToEnd)
  expect(await readCharges(code.uuid)).toMatchObject([{ end_to_end: endToEnd, state: 'paid' }])
})

test('at a shared account the txid alone says whose a PIX is, whichever connection reports it', async () => {
  const pool = randomUUID()
  const [ana, bia] = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  await fixture.sql(
    'update connection set collection_key = (select collection_key from connection where uuid = ?) where uuid = ?',
    [ana.connectionUuid, bia.connectionUuid],
  )
  const code = await createCode(ana)
  const named = receive({ txid: code.txid, cents: 700, pixKey: code.pixKey })
  await report(bia.connectionUuid, named)
  await report(ana.connectionUuid, named)
  expect(await readCharges(code.uuid)).toMatchObject([{ end_to_end: named, state: 'paid' }])
  expect(await fixture.readBalances(ana.accountUuid)).toMatchObject({ available: 700 })
  expect(await fixture.readBalances(bia.accountUuid)).toEqual({})
  const dropped = receive({ txid: null, cents: 800, pixKey: code.pixKey })
  await report(ana.connectionUuid, dropped).catch(() => undefined)
  expect(await readCharges(code.uuid)).toHaveLength(1)
})

test('a txid of a code in a PIX to another key is a deposit', async () => {
  const merchant = await fixture.createMerchant(0)
  const code = await createCode(merchant)
  const endToEnd = receive({ txid: code.txid, cents: 900, pixKey: randomUUID() })
  await report(merchant.connectionUuid, endToEnd)
  expect(await readCharges(code.uuid)).toEqual([])
  expect(await readReasons(endToEnd)).toEqual([{ reason: 'deposit' }])
})

test.each([
  ['two open codes', [null, null], 500, 'deposit'],
  ['an open code and one of its value', [null, 500], 500, 'deposit'],
  ['one code of its value', [500], 500, null],
  ['one open code, which any PIX would fit', [null], 500, 'deposit'],
  ['an open code and one of another value', [null, 600], 500, 'deposit'],
  ['two codes of other values', [600, 700], 500, 'deposit'],
  ['two codes, one of its value', [600, 500], 500, null],
])('a PIX without a txid, of %s', async (_, values, cents, reason) => {
  const merchant = await fixture.createMerchant(0)
  const codes = await Promise.all(values.map(valueCents => createCode(merchant, { valueCents })))
  await createCode(merchant, { status: 'DISABLED', valueCents: cents })
  const endToEnd = receive({ txid: null, cents, pixKey: codes[0]!.pixKey })
  await report(merchant.connectionUuid, endToEnd)
  expect(await readReasons(endToEnd)).toEqual([{ reason }])
})

test('a charge with an open amount is rebuilt after a restore with the code that its payer was shown', async () => {
  const merchant = await fixture.createMerchant(0)
  const { accountUuid, connectionUuid } = merchant
  const order: ChargeInput = {
    uuid: randomUUID(),
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 0,
    expiresInSeconds: 3_600,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  }
  const issued = await fixture.providers.issueCharge(order)
  expect(issued).toMatchObject({ state: 'pending', isStatic: true, expiresAt: null })
  const readCode = () => fixture.sql('select payload, txid, pix_key from charge where uuid = ?', [order.uuid])
  const shown = await readCode()
  // The restored database has neither the charge nor its code.
  await fixture.sql('delete from attempt where subject_uuid = ?', [order.uuid])
  await fixture.sql('delete from charge where uuid = ?', [order.uuid])
  await fixture.sql('delete from qr_code where uuid = ?', [order.uuid])
  const restored = { orderedAt: new Date().toISOString(), connectionUuid }
  const rebuilt = await fixture.providers.rebuildOperation({
    noun: 'charge',
    order,
    restored,
    timeScale: 1,
  } as never)
  expect(rebuilt).toMatchObject({ kind: 'known', state: 'pending' })
  expect(await readCode()).toEqual(shown)
  const endToEnd = receive({ txid: staticTxidOf(order.uuid), cents: 1_234, pixKey: '' })
  await report(connectionUuid, endToEnd)
  expect(await readReasons(endToEnd)).toEqual([{ reason: null }])
})

test.each([
  ['its payload', "payload = payload || 'x'"],
  ['its value', 'value_cents = 1'],
  ['its key', "pix_key = 'other'"],
  ['its txid', "txid = 'OTHER'"],
  ['its policy', "on_payment = 'RETURN'"],
])('PostgreSQL refuses to change %s of a code', async (_, change) => {
  const code = await createCode(await fixture.createMerchant(0))
  await expect(fixture.sql(`update qr_code set ${change} where uuid = ?`, [code.uuid])).rejects.toThrow(
    'qr_code_fixed',
  )
})

test('PostgreSQL keeps one code of a txid, disabled codes disabled, and no charge of another account’s code', async () => {
  const [merchant, other] = [await fixture.createMerchant(0), await fixture.createMerchant(0)]
  const code = await createCode(merchant, { txid: 'CAIXA1' })
  await expect(createCode(merchant, { txid: 'CAIXA1' })).rejects.toThrow('qr_code_reference')
  await createCode(other, { txid: 'CAIXA1' })
  await fixture.sql("update qr_code set status = 'DISABLED' where uuid = ?", [code.uuid])
  await expect(
    fixture.sql("update qr_code set status = 'ACTIVE' where uuid = ?", [code.uuid]),
  ).rejects.toThrow('qr_code_fixed')
  await expect(createCode(merchant, { valueCents: null, feeCents: 5 })).rejects.toThrow('qr_code_open_fee')
  await report(merchant.connectionUuid, receive({ txid: 'CAIXA1', cents: 100, pixKey: '' }))
  const [charge] = await readCharges(code.uuid)
  const foreign = await createCode(other)
  await expect(
    fixture.sql('update charge set qr_code_uuid = ? where uuid = ?', [foreign.uuid, charge!.uuid]),
  ).rejects.toThrow('charge_qr_code')
  await expect(
    fixture.sql('update charge set expires_at = now() where uuid = ?', [charge!.uuid]),
  ).rejects.toThrow('charge_expiry_known')
})
