import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { FaultBody } from '../../../packages/simulator/control/schemas.ts'
import { measureRunningTime, RESPONSE_LIMIT_MS } from '../../support/running-time.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { randomPixKey, SHOWN_MS, statusesOf } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant, TestStack } from '../support/test-stack.ts'

/** SPEC §6, row by row, for payouts: the next provider only on proof, and never two payouts. */

const { stage, payouts, createMerchant: anyMerchant } = await openMoneySuite()

type Options = NonNullable<NonNullable<Parameters<TestStack['createMerchant']>[0]>['providers']>
type Fault = FaultBody['fault']

/** A merchant whose first provider costs 10 centavos and whose second 20, both with balance. */
function createMerchant([first, second]: Options = [{}, {}]): Promise<Merchant> {
  const fee = (fixedCents: number) => ({ balance: 100, transfer: { fixedCents, hundredthsOfPercent: 0 } })
  return anyMerchant({
    providers: [
      { ...fee(10), ...first },
      { provider: 'PROVIDER_C', ...fee(20), ...second },
    ],
  })
}

const firstOf = (merchant: Merchant) => merchant.connections[0]!
const secondOf = (merchant: Merchant) => merchant.connections[1]!
const balancesAt = (merchant: Merchant, at: Merchant['connection']) =>
  stage.readBalances(merchant.uuid, at.providerAccountUuid)
const outcomes = ({ attempts }: { attempts: { provider: string; outcome: string; code: string }[] }) =>
  attempts.map(({ provider, outcome, code }) => [provider.at(-1), outcome, code].join(' ').trim())
const untouched = { available: 10_000, outside: -10_000 }

/** A new notification of a provider about one of our payouts; its content only triggers a poll. */
function sendNotification({ credentials, uuid }: Merchant['connection'], transfer: { uuid: string }) {
  const item = {
    endToEndId: `E${randomUUID()}`,
    tipo: 'SOLICITACAO',
    gnExtras: { idEnvio: referenceOf(transfer) },
  }
  return stage.api
    .withToken(undefined)
    .post(`/provider-notifications/${uuid}/${credentials.notification_secret}/pix`, { pix: [item] })
}
const referenceOf = ({ uuid }: { uuid: string }) => uuid.replaceAll('-', '')

/** The provider carries out what it had refused: the same id, the same money, settled after all. */
async function settlesAfterAll(
  at: Merchant['connection'],
  { uuid, transfer }: { uuid: string; transfer: { initiation: { pix_key: string } } },
  value = '10.00',
) {
  const sent = await stage.callEfi(at, `/v3/gn/pix/${referenceOf({ uuid })}`, {
    valor: value,
    pagador: { chave: at.collectionKey },
    favorecido: { chave: transfer.initiation.pix_key },
  })
  expect(sent).toMatchObject({ status: 'EM_PROCESSAMENTO' })
}

describe('a provider’s own final refusal starts the next provider', () => {
  type Undo = () => Promise<unknown>
  const CASES: [why: string, does: (at: Merchant['connection']) => Promise<Undo>, first: string][] = [
    ['refused', at => faulty(at, 'refused'), 'A rejected provider_account_blocked'],
    ['429', at => faulty(at, 'http_429'), 'A rejected rate_limited'],
    ['an address without a listener', at => payouts.makeUnreachable(at), 'A unreachable connection_refused'],
    [
      'a host that does not exist',
      at => payouts.makeUnreachable(at, `https://${'x'.repeat(64)}.invalid`),
      'A unreachable dns_failed',
    ],
    ['credentials that are refused', at => storeWrongSecret(at), 'A unreachable no_token'],
  ]
  test.each(CASES)('%s', async (_, does, first) => {
    const merchant = await createMerchant()
    const undo = await does(firstOf(merchant))
    const answer = await payouts.send(merchant)
    expect([answer.status, answer.body.data.status]).toEqual([201, 'PROCESSING'])
    const paid = await payouts.waitForStatus(merchant, answer.body.data.uuid, 'PAID')
    expect(paid.provider).toEqual({ uuid: secondOf(merchant).uuid, provider: 'PROVIDER_C' })
    expect(outcomes(paid)).toEqual([first, 'C settled'])
    expect(statusesOf(paid)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
    expect(paid).not.toHaveProperty('error')
    // The sender's fee; the first hold was released.
    expect(paid.fees).toBe(0.2)
    expect(await balancesAt(merchant, firstOf(merchant))).toEqual(untouched)
    expect(await balancesAt(merchant, secondOf(merchant))).toEqual({
      available: 8_980,
      fee: 20,
      outside: -9_000,
    })
    expect(await payouts.listPaidOut(merchant)).toMatchObject([
      { account: secondOf(merchant).account, value: 10 },
    ])
    await undo()
  })

  async function faulty(at: Merchant['connection'], kind: Fault): Promise<Undo> {
    await payouts.injectFault(at, 'sendTransfer', kind)
    return async () => undefined // It was used up.
  }
  /** Nothing has an access token of these credentials, whatever has called the provider with the right ones meanwhile. */
  async function storeWrongSecret({ uuid }: Merchant['connection']): Promise<Undo> {
    const [row] = await stage.sql<{ sealed: string }>(
      'select sealed_credentials as sealed from connection where uuid = ?',
      [uuid],
    )
    const store = (sealed: string) =>
      stage.sql('update connection set sealed_credentials = ? where uuid = ?', [sealed, uuid])
    await store(stage.seal.seal({ ...stage.seal.open<object>(row!.sealed), client_secret: 'another' }))
    return () => store(row!.sealed)
  }

  test('too little balance at that provider, though it covers the value without the fee', async () => {
    const merchant = await createMerchant([{ balance: 10.09 }])
    const paid = await payouts.sendAndSettle(merchant)
    expect(outcomes(paid)).toEqual(['A rejected insufficient_balance', 'C settled'])
    expect(await balancesAt(merchant, firstOf(merchant))).toEqual({ available: 1_009, outside: -1_009 })
  })
})

describe('when no provider is left', () => {
  const refused = (merchant: Merchant, index: number, kind: Fault = 'refused') =>
    payouts.injectFault(merchant.connections[index]!, 'sendTransfer', kind)

  test('both refuse: 400 with the last refusal, and the response lists both', async () => {
    const merchant = await createMerchant()
    await refused(merchant, 0)
    await refused(merchant, 1, 'http_429')
    const { status, body } = await payouts.send(merchant)
    expect([status, body.code]).toEqual([400, 'provider_rejected'])
    expect(body.data.error).toEqual({
      code: 'rate_limited',
      provider_code: 'balde_fichas_vazio',
      message: expect.any(String),
      provider: 'PROVIDER_C',
      attempts: [
        { provider: 'PROVIDER_A', outcome: 'rejected', code: 'provider_account_blocked' },
        { provider: 'PROVIDER_C', outcome: 'rejected', code: 'rate_limited' },
      ],
    })
    expect(await balancesAt(merchant, firstOf(merchant))).toEqual(untouched)
    expect(await balancesAt(merchant, secondOf(merchant))).toEqual(untouched)
  })

  test('one refuses and one is unreachable: 503', async () => {
    const merchant = await createMerchant()
    await refused(merchant, 0)
    const reachable = await payouts.makeUnreachable(secondOf(merchant))
    const { status, body, headers } = await payouts.send(merchant)
    expect([status, body.code, headers.has('retry-after')]).toEqual([503, 'no_provider_available', true])
    expect(body.data).toMatchObject({ status: 'FAILED', error: { code: 'no_provider_available' } })
    expect(outcomes(body.data.error)).toEqual([
      'A rejected provider_account_blocked',
      'C unreachable connection_refused',
    ])
    await reachable()
  })

  test('too little balance at every provider: insufficient_balance, and no provider is called', async () => {
    const merchant = await createMerchant()
    const { status, body } = await payouts.send(merchant, { value: 99.95 })
    expect([status, body.data.error.code]).toEqual([400, 'insufficient_balance'])
    expect(outcomes(body.data.error)).toEqual([
      'A rejected insufficient_balance',
      'C rejected insufficient_balance',
    ])
    expect(body.data.error).not.toHaveProperty('provider')
    expect(await balancesAt(merchant, secondOf(merchant))).toEqual(untouched)
  })

  test('too little balance at one provider and a refusal of the other: the refusal', async () => {
    const merchant = await createMerchant([{ balance: 1 }])
    await refused(merchant, 1)
    const { status, body } = await payouts.send(merchant)
    expect([status, body.data.error]).toMatchObject([
      400,
      { code: 'provider_account_blocked', provider: 'PROVIDER_C', provider_code: 'documento_bloqueado' },
    ])
  })
})

test('every rail code: reasons about the payment itself end the transfer, other reasons start the next provider', async () => {
  const merchant = await createMerchant()
  // Codes whose cause is the provider (src/domain/pix/rail-codes.ts). All others end the transfer, or belong to returns
  // only.
  const others = 'AB03 AB11 AG12 AGNT AM04 AM12 AM18 AM23 BE05 CH16 DS0G DS27 DT02 ED05 FF07 FF08 RC09'.split(
    ' ',
  )
  const finals =
    `AB09 AC03 AC06 AC07 AC14 AG03 AG13 AM01 AM02 AM09 BE01 BE15 BE17 CH11 CN01 DS02 DS04 DT05 DU03 DUPL FRAD INDT
     MD01 RC10 RR04 RR06 SL02 UPAY`.split(/\s+/)
  const ask = async (code: string) => {
    const pix_key = `${code.toLowerCase()}@sim.trilho.test`
    const { status, body } = await payouts.send(merchant, { value: 0.01, pix_key })
    return [code, status, body.data.error.code, body.data.error.attempts.length]
  }
  const asked = []
  for (let codes = [...others, ...finals]; codes.length > 0; codes = codes.slice(5))
    asked.push(...(await Promise.all(codes.slice(0, 5).map(ask))))
  expect(asked).toEqual([
    ...others.map(code => [code, 400, code, 2]),
    ...finals.map(code => [code, 400, code, 1]),
  ])
  expect(await balancesAt(merchant, firstOf(merchant))).toEqual(untouched)
  expect(await payouts.listPaidOut(merchant)).toEqual([])
})

describe('an unknown outcome starts no other provider', () => {
  const UNKNOWN: [fault: Fault, code: string][] = [
    ['timeout_then_done', 'connection_reset'],
    ['timeout_then_absent', 'connection_reset'],
    ['http_500', 'http_500'],
    ['broken_body', 'unreadable_answer'],
  ]
  runConcurrentTests({
    ...Object.fromEntries(
      UNKNOWN.map(([kind, code]) => [
        `${kind}: the same one is asked until it knows, one movement is all there is`,
        () => unknownAndPaidOnce(kind, code),
      ]),
    ),
    'magic keys that need no fault: timeout-then-done@, timeout-then-absent@, slow@': async () => {
      const paidOnce = async (name: string) => {
        const merchant = await createMerchant()
        const paid = await payouts.sendAndSettle(merchant, { pix_key: `${name}@sim.trilho.test` })
        expect([name, ...outcomes(paid)]).toEqual([name, 'A settled'])
        expect(await payouts.listPaidOut(merchant)).toMatchObject([{ account: firstOf(merchant).account }])
      }
      await Promise.all(['timeout-then-done', 'timeout-then-absent', 'slow'].map(paidOnce))
    },

    'a payout repeated after proven absence and then refused counts as a first refusal, and the next provider pays':
      async () => {
        const merchant = await createMerchant()
        await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'timeout_then_absent')
        await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'refused')
        const paid = await payouts.sendAndSettle(merchant)
        expect(outcomes(paid)).toEqual(['A rejected provider_account_blocked', 'C settled'])
        expect(await payouts.listPaidOut(merchant)).toMatchObject([{ account: secondOf(merchant).account }])
        expect(await balancesAt(merchant, firstOf(merchant))).toEqual(untouched)
      },

    'a payout repeated after proven absence whose outcome is unknown again is polled again, and moves money once':
      async () => {
        const merchant = await createMerchant([{ sendsNotifications: false }])
        await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'timeout_then_absent')
        await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'timeout_then_done')
        const paid = await payouts.sendAndSettle(merchant)
        expect(outcomes(paid)).toEqual(['A settled'])
        expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
      },

    'the request is answered PROCESSING by its deadline, and the workflow continues': async () => {
      const merchant = await createMerchant([{ sendsNotifications: false }])
      await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'timeout_then_done')
      await payouts.injectFault(firstOf(merchant), 'findTransfer', 'http_500', { times: 8 })
      const [order, key] = [{ pix_key: randomPixKey() }, randomUUID()]
      const { result, elapsedMs } = await measureRunningTime(() => payouts.send(merchant, order, { key }))
      const { status, body, bytes, repeats } = result
      if (repeats === 0) expect(elapsedMs).toBeLessThan(RESPONSE_LIMIT_MS)
      expect([status, body.data.status]).toEqual([201, 'PROCESSING'])
      expect(statusesOf(body.data)).toEqual(['PENDING', 'PROCESSING'])
      expectNoOutcome(body.data)
      // The next poll is an hour away; notifications start one now.
      const paid = await pollUntil(
        async () => {
          expect((await sendNotification(firstOf(merchant), body.data)).status).toBe(200)
          return payouts.transfer(merchant, body.data.uuid)
        },
        transfer => transfer.status === 'PAID',
        { everyMs: 500 },
      )
      expect(outcomes(paid)).toEqual(['A settled'])
      expect((await payouts.send(merchant, order, { key })).bytes.toString()).toBe(bytes.toString())
      expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
    },

    'a request answered PROCESSING by its deadline gets that response for its key even after the transfer is refused':
      async () => {
        const merchant = await createMerchant([{ sendsNotifications: false }])
        await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'timeout_then_absent')
        await payouts.injectFault(firstOf(merchant), 'findTransfer', 'http_500', { times: 4 })
        const [order, key] = [{ pix_key: 'ac03@sim.trilho.test' }, randomUUID()]
        const first = await payouts.send(merchant, order, { key })
        expect([first.status, first.body.data.status]).toEqual([201, 'PROCESSING'])
        expectNoOutcome(first.body.data)
        const answers = [await payouts.send(merchant, order, { key })]
        const failed = await payouts.waitForStatus(merchant, first.body.data.uuid, 'FAILED')
        expect(failed.error.code).toBe('AC03')
        answers.push(await payouts.send(merchant, order, { key }))
        for (const again of answers)
          expect([again.status, again.bytes.toString()]).toEqual([201, first.bytes.toString()])
        expect(await payouts.listPaidOut(merchant)).toEqual([])
      },
  })

  /** On a busy machine the call is still open when the request's deadline has passed. */
  const expectNoOutcome = (transfer: Parameters<typeof outcomes>[0]) =>
    expect(['A unknown connection_reset', 'A calling']).toEqual(expect.arrayContaining(outcomes(transfer)))

  async function unknownAndPaidOnce(kind: Fault, code: string) {
    const merchant = await createMerchant([{ sendsNotifications: false }])
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', kind)
    // It answers no call for two seconds, so that the unknown outcome is visible.
    await payouts.injectFault(firstOf(merchant), 'findTransfer', 'http_500', { times: 3 })
    const key = randomUUID()
    const body = { pix_key: randomPixKey() }
    const posted = payouts.send(merchant, body, { key })
    const unknownOutcome = await pollUntil(
      async () => (await merchant.api.get('/api/v1/transfers')).body.data[0],
      transfer => transfer?.outcome === 'unknown' && transfer.next_check_at,
      { everyMs: 50 },
    )
    expect(unknownOutcome.status).toBe('PROCESSING')
    expect(outcomes(unknownOutcome)).toEqual([`A unknown ${code}`])
    expect(Date.parse(unknownOutcome.unknown_since)).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(unknownOutcome.next_check_at)).toBeGreaterThan(Date.parse(unknownOutcome.unknown_since))
    expect(await balancesAt(merchant, firstOf(merchant))).toMatchObject({ provisioned: 1_010 })

    const answer = await posted
    expect([answer.status, answer.body.data.status]).toEqual([201, 'PROCESSING'])
    // Accepted in time; or, by the deadline, still unknown, or called again.
    expect([['A accepted'], [`A unknown ${code}`], ['A calling']]).toContainEqual(outcomes(answer.body.data))
    const paid = await payouts.waitForStatus(merchant, answer.body.data.uuid, 'PAID')
    expect(outcomes(paid)).toEqual(['A settled'])
    for (const gone of ['outcome', 'unknown_since', 'next_check_at']) expect(paid).not.toHaveProperty(gone)
    expect(await payouts.listAttempts(paid)).toHaveLength(1)
    expect(await payouts.listPaidOut(merchant)).toMatchObject([
      { id: referenceOf(paid), account: firstOf(merchant).account },
    ])
    expect((await payouts.send(merchant, body, { key })).bytes.toString()).toBe(answer.bytes.toString())
    expect(await balancesAt(merchant, secondOf(merchant))).toEqual(untouched)
  }
})

describe('after a provider has accepted', () => {
  test('its rejection is final, even with a code that would start the next provider', async () => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'accepted_then_rejected')
    const { status, body } = await payouts.send(merchant)
    expect([status, body.data.status]).toEqual([201, 'PROCESSING'])
    const failed = await payouts.waitForStatus(merchant, body.data.uuid, 'FAILED')
    expect(failed.error).toMatchObject({ code: 'AB03', provider: 'PROVIDER_A' })
    expect(outcomes(failed)).toEqual(['A rejected AB03'])
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    expect(await balancesAt(merchant, firstOf(merchant))).toEqual(untouched)
    expect(await balancesAt(merchant, secondOf(merchant))).toEqual(untouched)
  })

  test('its silence is waited out: it is polled on the schedule, and the transfer is PAID without a notification', async () => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'accepted_then_silent')
    const { status, body } = await payouts.send(merchant)
    expect([status, body.data.status]).toEqual([201, 'PROCESSING'])
    expect(outcomes(body.data)).toEqual(['A accepted'])
    expect(body.data).not.toHaveProperty('outcome')
    await payouts.waitForStatus(merchant, body.data.uuid, 'PAID')
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })

  test.each([
    'notification_lost',
    'notification_duplicated',
    'notification_reordered',
    'notification_forged',
  ] as const)('%s changes nothing', async kind => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', kind)
    const paid = await payouts.sendAndSettle(merchant)
    expect(outcomes(paid)).toEqual(['A settled'])
    expect(await payouts.listEvents(paid, 'TRANSFER')).toHaveLength(1)
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })
})

describe('a single provider', () => {
  test('named by the request never falls back', async () => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'refused')
    const { status, body } = await payouts.send(merchant, { provider_uuid: firstOf(merchant).uuid })
    expect([status, body.data.error.attempts.length]).toEqual([400, 1])
    expect(await payouts.listPaidOut(merchant)).toEqual([])
  })

  test('of a bound token never falls back, whatever provider the body names', async () => {
    const merchant = await createMerchant()
    const scoped = { api: merchant.api.withToken(secondOf(merchant).token) }
    const paid = await payouts.sendAndSettle(scoped, { provider_uuid: firstOf(merchant).uuid })
    expect(paid.provider.uuid).toBe(secondOf(merchant).uuid)
    await payouts.injectFault(secondOf(merchant), 'sendTransfer', 'refused')
    const { status, body } = await payouts.send(scoped, { provider_uuid: firstOf(merchant).uuid })
    expect([status, outcomes(body.data.error)]).toEqual([400, ['C rejected provider_account_blocked']])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })
})

test('a provider that gave no answer five times is tried last', async () => {
  const merchant = await createMerchant()
  const reachable = await payouts.makeUnreachable(firstOf(merchant))
  for (const paid of await Promise.all(
    Array.from({ length: 5 }, () => payouts.sendAndSettle(merchant, { value: 0.01 })),
  ))
    expect(outcomes(paid)).toEqual(['A unreachable connection_refused', 'C settled'])
  await payouts.keepCircuitOpen(firstOf(merchant))
  expect(outcomes(await payouts.sendAndSettle(merchant, { value: 0.01 }))).toEqual(['C settled'])
  const [shown] = (await merchant.api.get('/api/v1/providers/defaults')).body.data.PIX
  expect(shown).toMatchObject({ uuid: firstOf(merchant).uuid, is_operational: false })
  await reachable()
})

describe('a settlement after a failure', () => {
  test('makes a FAILED transfer PAID and late; the ledger follows the money', async () => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'refused')
    const { body } = await payouts.send(merchant, { provider_uuid: firstOf(merchant).uuid })
    expect(body.data.status).toBe('FAILED')
    await settlesAfterAll(firstOf(merchant), body.data)
    const paid = await payouts.waitForStatus(merchant, body.data.uuid, 'PAID')
    expect(statusesOf(paid)).toEqual(['PENDING', 'PROCESSING', 'FAILED', 'PAID'])
    expect(paid).not.toHaveProperty('error')
    expect(paid.transfer).toMatchObject({ status: 'SETTLED', end_to_end: expect.stringMatching(/^E\w{31}$/) })
    expect(outcomes(paid)).toEqual(['A settled'])
    expect(await payouts.listEvents(paid, 'TRANSFER')).toMatchObject([
      { status: 'FAILED', sequence: 1 },
      { status: 'PAID', sequence: 2, late: true },
    ])
    expect(await balancesAt(merchant, firstOf(merchant))).toEqual({ available: 9_000, outside: -9_000 })

    // And it may still be returned.
    await stage.simulator.returnTransfer({ end_to_end: paid.transfer.end_to_end })
    await payouts.waitForStatus(merchant, paid.uuid, 'REFUNDED')
  })

  test('while another provider has paid is a duplicate: reported and posted, without a correction', async () => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'refused')
    const paid = await payouts.sendAndSettle(merchant)
    expect(outcomes(paid)).toEqual(['A rejected provider_account_blocked', 'C settled'])
    await settlesAfterAll(firstOf(merchant), paid)
    const deliveredEvents = await pollUntil(
      () => payouts.listPixEvents(merchant),
      events => events.length === 2,
    )
    expect(deliveredEvents[1]).toMatchObject({
      movement_type: 'OUT',
      type: 'EXTERNAL_TRANSFER',
      status: 'SETTLED',
      reason: 'duplicate_settlement',
      value: 10,
    })
    const now = await payouts.transfer(merchant, paid.uuid)
    expect({ ...now, attempts: [] }).toEqual({ ...paid, attempts: [] })
    expect(outcomes(now)).toEqual(['A duplicate', 'C settled'])
    expect(await payouts.listEvents(paid, 'TRANSFER')).toHaveLength(1)
    expect(await balancesAt(merchant, firstOf(merchant))).toEqual({ available: 9_000, outside: -9_000 })
    expect(await balancesAt(merchant, secondOf(merchant))).toMatchObject({ available: 8_980 })

    // Its recipient returns the second one: money that arrives is credited, the transfer stays PAID.
    await stage.simulator.returnTransfer({ end_to_end: deliveredEvents[1].end_to_end })
    await pollUntil(
      () => balancesAt(merchant, firstOf(merchant)),
      ({ available }) => available === 10_000,
    )
    expect((await payouts.transfer(merchant, paid.uuid)).status).toBe('PAID')
    expect((await payouts.listPixEvents(merchant)).at(-1)).toMatchObject({
      movement_type: 'IN',
      type: 'EXTERNAL_REFUND',
      original_uuid: deliveredEvents[1].uuid,
    })
  })

  test('while another provider’s attempt is in progress is a duplicate as well', async () => {
    const merchant = await createMerchant()
    await payouts.injectFault(firstOf(merchant), 'sendTransfer', 'refused')
    await payouts.injectFault(secondOf(merchant), 'sendTransfer', 'accepted_then_silent', {
      delay_ms: SHOWN_MS,
    })
    const { body } = await payouts.send(merchant)
    await settlesAfterAll(firstOf(merchant), body.data)
    await pollUntil(
      () => payouts.listAttempts(body.data),
      ([first]) => first.state === 'duplicate',
    )
    const paid = await payouts.waitForStatus(merchant, body.data.uuid, 'PAID')
    expect(paid.provider.uuid).toBe(secondOf(merchant).uuid)
    expect(outcomes(paid)).toEqual(['A duplicate', 'C settled'])
    expect(await payouts.listPaidOut(merchant)).toHaveLength(2)
  })
})

test('the database refuses a second live attempt', async () => {
  const merchant = await createMerchant()
  const paid = await payouts.sendAndSettle(merchant)
  const another = `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position,
      state, created_at, updated_at)
    values (gen_random_uuid(), 'transfer', ?, ?, ?, 1, ?, now(), now())`
  const { uuid, providerAccountUuid } = secondOf(merchant)
  for (const state of ['calling', 'accepted', 'unknown', 'settled'])
    await expect(stage.sql(another, [paid.uuid, uuid, providerAccountUuid, state])).rejects.toThrow(
      /attempt_one_active/,
    )
})
