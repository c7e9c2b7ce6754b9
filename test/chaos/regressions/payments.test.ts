import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findCharge } from '../../../src/api/operations/charges.ts'
import { showCharge } from '../../../src/contract/charges/charge.ts'
import type { FoundCharge, IncomingPix, IssuedCharge } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Findings of a review about payments of charges, each as a minimal test. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type Paid = Partial<IncomingPix> & { endToEnd: string }
const id = (letter: string) => `E${letter}${randomUUID().replaceAll('-', '').slice(2)}`
const settled = (endToEnd: string, more: Partial<IncomingPix> = {}): Paid => ({ endToEnd, ...more })
const inProcess = (endToEnd: string) => settled(endToEnd, { status: 'in_process' })
const failed = (endToEnd: string) => settled(endToEnd, { status: 'failed' })

type PollOptions = { status?: FoundCharge['status']; closing?: boolean }

/** A charge of R$ 10.00 whose payload expires a minute from now, or so much later. */
async function pending({ expiresInMs = 60_000 } = {}) {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
  const uuid = randomUUID()
  const charge: IssuedCharge = {
    txid: uuid.replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: toParty({}),
    expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
  }
  fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
  await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 1_000,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  })
  const pix = (paid: Paid): IncomingPix => ({
    txid: charge.txid,
    reference: charge.txid,
    cents: 1_000,
    status: 'settled',
    at: new Date().toISOString(),
    payer: null,
    pixKey: 'key',
    ...paid,
  })

  return {
    uuid,
    connectionUuid,
    reference: charge.txid,
    pix,
    /** Its provider lists these payments, in this order. */
    follow(paid: Paid[], { status = 'completed', closing = false }: PollOptions = {}) {
      const payments = paid.map(pix)
      fixture.scriptProvider({ findCharge: async () => ({ kind: 'found', status, charge, payments }) })
      return fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: closing })
    },
    async paidBy(): Promise<string> {
      const [row] = await fixture.sql<{ end_to_end: string }>(
        'select end_to_end from charge where uuid = ?',
        [uuid],
      )
      return row!.end_to_end
    },
    setAside: () =>
      fixture.sql<{ uuid: string }>(
        'select uuid, end_to_end, reason, disposition from movement where account_uuid = ? and reason is not null',
        [accountUuid],
      ),
    /** The buckets of its payment's postings, in their order. */
    async postedBuckets(): Promise<string[]> {
      const postings = await fixture.sql<{ bucket: string }>(
        `select p.bucket from posting p join movement m on m.uuid = p.movement_uuid
         where m.charge_uuid = ? and m.type = 'EXTERNAL_TRANSFER' order by p.id`,
        [uuid],
      )
      return postings.map(({ bucket }) => bucket)
    },
    async eventStatuses(): Promise<string[]> {
      const bodies = await readEventBodies<{ status: string }>(
        fixture.sql,
        `subject_uuid = ? and type = 'PAYMENT'`,
        [uuid],
      )
      return bodies.map(({ status }) => status)
    },
  }
}

const [X, Y] = [id('X'), id('Y')]
const EARLIER = { at: '2026-01-10T12:00:00.000Z' }
const LATER = { at: '2026-01-10T12:00:01.000Z' }

test.each<[string, Paid[][]]>([
  [
    'next to one in progress that fails',
    [
      [inProcess(X), settled(Y)],
      [settled(Y), failed(X)],
    ],
  ],
  ['in the poll that finds the previous one failed', [[inProcess(X)], [settled(Y), failed(X)]]],
  [
    'while the previous one was in progress',
    [[inProcess(X)], [settled(Y), inProcess(X)], [settled(Y), failed(X)]],
  ],
  ['while the previous one was not listed', [[inProcess(X)], [settled(Y)], [settled(Y), failed(X)]]],
])('a payment settled %s pays the charge, and nothing is returned', async (_, polls) => {
  const charge = await pending()
  let last: unknown
  for (const look of polls) last = await charge.follow(look)
  expect(last).toMatchObject({ kind: 'known', state: 'paid', returns: [] })
  expect(await charge.paidBy()).toBe(Y)
  expect(await charge.setAside()).toEqual([])
})

test('a listed payment without a value does not keep the right one from paying its charge', async () => {
  const charge = await pending()
  const right = id('1')
  expect(await charge.follow([settled(id('0'), { cents: 0 }), settled(right)])).toMatchObject({
    state: 'paid',
  })
  expect(await charge.paidBy()).toBe(right)
  expect(await charge.setAside()).toEqual([])
})

test('a charge whose payment is in progress shows no transaction yet, because a merchant who sees one may ship', async () => {
  const charge = await pending()
  const shown = async () => {
    const found = (await findCharge(fixture.orm.em.fork(), charge.uuid))!
    const { status, payment } = showCharge(found, found.refunds)
    return { status, transaction: payment.pix.transaction }
  }
  await charge.follow([inProcess(X)])
  expect(await shown()).toEqual({ status: 'PROCESSING', transaction: null })
  await charge.follow([settled(X)])
  expect(await shown()).toMatchObject({ status: 'PAID', transaction: { end_to_end: X, status: 'SETTLED' } })
})

test('of two settled payments the first one pays the charge, whatever their order in the list', async () => {
  const charge = await pending()
  await charge.follow([settled(Y, LATER), settled(X, EARLIER)])
  expect(await charge.paidBy()).toBe(X)
  expect(await charge.setAside()).toMatchObject([
    { end_to_end: Y, reason: 'second_payment', disposition: 'held' },
  ])
})

test('a payment that settles before one in progress is a second payment once both have settled, in either order', async () => {
  const charge = await pending()
  await charge.follow([inProcess(X)])
  expect(await charge.follow([settled(Y, EARLIER), inProcess(X)])).toMatchObject({ state: 'paying' })
  expect(await charge.setAside()).toEqual([])
  await charge.follow([settled(Y, EARLIER), settled(X, LATER)])
  expect(await charge.paidBy()).toBe(X)
  expect(await charge.setAside()).toMatchObject([
    { end_to_end: Y, reason: 'second_payment', disposition: 'held' },
  ])
})

test('a wrong amount pays nothing, whatever becomes of a payment in progress', async () => {
  const charge = await pending()
  await charge.follow([inProcess(X)])
  await charge.follow([inProcess(X), settled(Y, { cents: 900 })])
  expect(await charge.setAside()).toMatchObject([
    { end_to_end: Y, reason: 'wrong_amount', disposition: 'held' },
  ])
})

test('a charge past its time is not EXPIRED where one payment has failed and another has settled', async () => {
  const charge = await pending({ expiresInMs: -1_000 })
  await charge.follow([inProcess(X)])
  await charge.follow([settled(Y), failed(X)])
  expect(await charge.eventStatuses()).toEqual(['PAID'])
})

test('a payment set aside by the poll that finds a payload open is given to the workflow, which returns it', async () => {
  const charge = await pending({ expiresInMs: -1_000 })
  const followed = await charge.follow([settled(Y, { cents: 900 })], { status: 'open', closing: true })
  const [aside] = await charge.setAside()
  expect(aside).toMatchObject({ reason: 'wrong_amount', disposition: 'held' })
  expect(followed).toMatchObject({
    kind: 'no_answer',
    state: 'pending',
    code: 'still_open',
    returns: [{ uuid: aside!.uuid }],
  })
})

test.each([
  ['no payment listed', []],
  ['only a failed payment listed', [failed(X)]],
  ['another amount listed', [settled(Y, { cents: 900 })]],
])('a charge that its provider reports as paid is not EXPIRED, with %s', async (_, listed) => {
  const charge = await pending({ expiresInMs: -1_000 })
  expect(await charge.follow(listed, { closing: true })).toMatchObject({
    kind: 'no_answer',
    state: 'pending',
    code: 'payment_not_listed',
  })
})

test('a PIX whose notification names no charge is credited to the charge that the provider names', async () => {
  const charge = await pending()
  const paid = settled(id('Z'))
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment: charge.pix(paid) }) })
  const { connectionUuid } = charge
  const outcome = await fixture.providers.recordDeposit({
    connectionUuid,
    endToEnd: paid.endToEnd,
    requestId: 'r',
    timeScale: 1,
  })
  expect(outcome).toEqual({ kind: 'expected' })
  expect(fixture.signalledWorkflowIds.at(-1)).toBe(`charge/${charge.uuid}`)
  expect(await charge.follow([paid])).toMatchObject({ state: 'paid' })
  expect(await charge.setAside()).toEqual([])
})

test('two account owners who split with each other are credited concurrently without a deadlock', async () => {
  const pool = randomUUID()
  const owners = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  const issued = new Map<string, { charge: IssuedCharge; payments: IncomingPix[] }>()
  fixture.scriptProvider({
    issueCharge: async ({ reference }) => ({ kind: 'accepted', charge: issued.get(reference)!.charge }),
    findCharge: async reference => ({ kind: 'found', status: 'completed', ...issued.get(reference)! }),
  })
  for (let round = 0; round < 8; round++) {
    const charges = await Promise.all(
      owners.map(async ({ accountUuid, connectionUuid }, place) => {
        const uuid = randomUUID()
        const reference = uuid.replaceAll('-', '')
        const expiresAt = new Date(Date.now() + 60_000).toISOString()
        const pix = {
          ...settled(id('P')),
          txid: reference,
          reference,
          cents: 1_000,
          status: 'settled' as const,
        }
        issued.set(reference, {
          charge: { txid: reference, payload: 'payload', pixKey: 'key', receiver: toParty({}), expiresAt },
          payments: [{ ...pix, at: new Date().toISOString(), payer: null, pixKey: 'key' }],
        })
        const splits = [{ type: 'FIXED', amount: 300, recipientAccountUuid: owners[1 - place]!.accountUuid }]
        await fixture.providers.issueCharge({
          uuid,
          accountUuid,
          candidates: [connectionUuid],
          valueCents: 1_000,
          expiresInSeconds: 60,
          details: fixture.seal.seal({ splits, fingerprint: 'f' }),
          requestId: 'r',
          timeScale: 1,
        })
        return uuid
      }),
    )
    const polls = charges.map(chargeUuid =>
      fixture.providers.pollCharge({ chargeUuid, isPayloadExpired: false }),
    )
    expect(await Promise.all(polls)).toMatchObject([{ state: 'paid' }, { state: 'paid' }])
  }
})

test('a payment that is settled when it is first listed is not posted as pending before', async () => {
  const charge = await pending()
  await charge.follow([settled(id('S'))])
  expect(await charge.postedBuckets()).toEqual(['outside', 'available'])
  const [row] = await fixture.sql<{ history: { status: string }[] }>(
    'select history from charge where uuid = ?',
    [charge.uuid],
  )
  expect(row!.history.map(({ status }) => status)).toEqual(['PENDING', 'PROCESSING', 'PAID'])

  const slow = await pending()
  const payment = id('P')
  await slow.follow([inProcess(payment)])
  await slow.follow([settled(payment)])
  expect(await slow.postedBuckets()).toEqual(['outside', 'pending', 'pending', 'available'])
})

test('a listed payment of another charge does not end the polls for a payment of this one', async () => {
  const charge = await pending()
  const polled = await charge.follow([{ ...settled(id('O')), reference: 'b'.repeat(32) }])
  expect(polled).toMatchObject({ kind: 'known', state: 'pending', listedPaymentCount: 0 })
})
