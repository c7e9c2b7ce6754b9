import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { expectOneOriginal } from '../../support/one-original.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { type ApiResource, randomPixKey, SHOWN_MS, statusesOf } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, type TestStack, VIRTUAL_ACCOUNT } from '../support/test-stack.ts'

/** Transfers to a PIX key, from the request to the settlement, and their returns. */

const { stage, payouts, createMerchant: anyMerchant } = await openMoneySuite()

/** A merchant for one test; at its end, the ledger must agree with the provider. */
function createMerchant(...providers: Parameters<TestStack['createMerchant']>): Promise<Merchant> {
  const [{ providers: wanted = [{}], ...options } = {}] = providers
  return anyMerchant({
    providers: wanted.map(one => ({ balance: 100, ...one })),
    ...options,
  })
}

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const replayed = ({ headers }: { headers: Headers }) => headers.get('idempotent-replayed')
const balances = (merchant: Merchant) =>
  stage.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)

test('a transfer is accepted, settled, reported and posted in the shapes of the contract', async () => {
  const merchant = await createMerchant({
    providers: [{ transfer: { fixedCents: 10, hundredthsOfPercent: 99 } }],
  })
  const { api, connection } = merchant
  const inbox = `transfer-${merchant.uuid}`
  const hook = (await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${inbox}` })).body.data
  const order = {
    value: 25.9,
    pix_key: 'Maria@Example.com',
    external_ref: 'salário 7',
    final_beneficiary: { name: 'Ana Souza', document: '12abc34501de35' },
    type: 'PIX',
  }
  const answer = await api.post('/api/v1/transfers', order)
  expect([answer.status, replayed(answer)]).toEqual([201, null])
  const { data: created, ...rest } = answer.body
  expect(rest).toEqual({})

  // 25.90 at 0.99 % is 0.25641, and 10 centavos: 0.36.
  const initiation = {
    sender: VIRTUAL_ACCOUNT,
    receiver: {
      name: '',
      document: '',
      account_number: '',
      account_agency: '',
      bank: { code: '', name: '', ispb: '' },
      account_type: 'PAYMENT',
    },
    txid: null,
    value: 25.9,
    type: 'KEY',
    pix_key: 'maria@example.com',
    status: 'PENDING',
    expires_at: null,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const record = {
    uuid: UUID,
    initiation,
    value: 25.9,
    movement_type: 'OUT',
    type: 'EXTERNAL_TRANSFER',
    status: 'PENDING',
    end_to_end: expect.stringMatching(/^E\w{31}$/),
    settled_at: null,
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const attempt = {
    provider: 'PROVIDER_A',
    outcome: 'accepted',
    code: '',
    created_at: INSTANT,
    updated_at: INSTANT,
  }
  const shared = {
    uuid: UUID,
    value: 25.9,
    fees: 0.36,
    currency: 'BRL',
    type: 'PIX',
    external_ref: 'salário 7',
    final_beneficiary: { name: 'Ana Souza', document: '12ABC34501DE35' },
    provider: { uuid: connection.uuid, provider: 'PROVIDER_A' },
    created_at: INSTANT,
  }
  expect(created).toEqual({
    ...shared,
    status: 'PROCESSING',
    transfer: record,
    attempts: [attempt],
    history: ['PENDING', 'PROCESSING'].map(status => ({ status, created_at: INSTANT })),
  })

  const paid = await payouts.waitForStatus(merchant, created.uuid, 'PAID')
  const settled = {
    ...shared,
    status: 'PAID',
    transfer: {
      ...record,
      uuid: created.transfer.uuid,
      end_to_end: created.transfer.end_to_end,
      status: 'SETTLED',
      settled_at: INSTANT,
      initiation: {
        ...initiation,
        status: 'COMPLETED',
        receiver: {
          ...initiation.receiver,
          name: 'Favorecido de Teste',
          account_type: 'CHECKING',
          document: expect.stringMatching(/^\*\*\*\d{6}\*\*$/),
        },
      },
    },
    attempts: [{ ...attempt, outcome: 'settled' }],
    history: ['PENDING', 'PROCESSING', 'PAID'].map(status => ({ status, created_at: INSTANT })),
  }
  expect(paid).toEqual(settled)
  expect((await api.get('/api/v1/transfers')).body.data).toEqual([paid])

  expect(await payouts.listPaidOut(merchant)).toMatchObject([
    {
      kind: 'transfer',
      id: created.uuid.replaceAll('-', ''),
      end_to_end: paid.transfer.end_to_end,
      value: 25.9,
    },
  ])
  expect(await balances(merchant)).toEqual({ available: 10_000 - 2_626, fee: 36, outside: -10_000 + 2_590 })
  expect(await payouts.readBalances(merchant, connection)).toEqual({ available_balance: 73.74 })

  const deliveredEvents = await pollUntil(
    () => stage.listEvents(inbox),
    events => events.length === 2,
  )
  const events = deliveredEvents.map(
    ({ body, headers }) =>
      new Webhook(hook.token).verify(body, headers as Record<string, string>) as ApiResource,
  )
  expect(events.find(({ type }) => type === 'TRANSFER')).toEqual({
    id: UUID,
    type: 'TRANSFER',
    timestamp: INSTANT,
    data: { ...paid, sequence: 1 },
  })
  expect(events.find(({ type }) => type === 'PIX_TRANSACTION')?.data).toMatchObject({
    uuid: created.transfer.uuid,
    transfer_uuid: created.uuid,
    movement_type: 'OUT',
    type: 'EXTERNAL_TRANSFER',
    status: 'SETTLED',
    value: 25.9,
    end_to_end: paid.transfer.end_to_end,
    initiation: {
      receiver: paid.transfer.initiation.receiver,
      type: 'KEY',
      txid: null,
      pix_key: 'maria@example.com',
      status: 'COMPLETED',
    },
    sequence: 1,
  })
})

describe('the response to a POST', () => {
  const DEFINITE: [key: string, code: string, providerCode: string][] = [
    ['ac03', 'AC03', 'pagamento_negado'],
    ['ac07', 'AC07', 'pagamento_negado'],
    ['frad', 'FRAD', 'pagamento_negado'],
    ['am04', 'AM04', 'pagamento_negado'],
    ['ab03', 'AB03', 'pagamento_negado'],
  ]
  test.each(DEFINITE)(
    'refused with %s by its only provider: 400, stored FAILED, nothing moved',
    async (key, code, name) => {
      const merchant = await createMerchant()
      const answer = await payouts.send(merchant, { pix_key: `${key}@sim.trilho.test` })
      expect([answer.status, answer.body.code]).toEqual([400, 'provider_rejected'])
      expect(answer.headers.has('retry-after')).toBe(false)
      const { data } = answer.body
      expect(data).toMatchObject({
        value: 10,
        status: 'FAILED',
        transfer: { status: 'FAILED', settled_at: null, initiation: { status: 'FAILED' } },
      })
      expect(data.error).toEqual({
        code,
        message: expect.any(String),
        provider_code: name,
        provider: 'PROVIDER_A',
        attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code }],
      })
      expect(statusesOf(data)).toEqual(['PENDING', 'PROCESSING', 'FAILED'])
      expect(await payouts.transfer(merchant, data.uuid)).toEqual(data)
      expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
      expect(await payouts.listPaidOut(merchant)).toEqual([])
      expect(await payouts.listEvents(data, 'TRANSFER')).toEqual([{ ...data, sequence: 1 }])
      expect(await payouts.listPixEvents(merchant)).toEqual([])
    },
  )

  test('accepted, then rejected by notification: 201, then FAILED with the rail’s code, the hold released', async () => {
    const merchant = await createMerchant({
      providers: [{ transfer: { fixedCents: 5, hundredthsOfPercent: 0 } }, {}],
    })
    const key = randomUUID()
    const body = { pix_key: 'ac03-later@sim.trilho.test' }
    const answer = await payouts.send(merchant, body, { key })
    expect([answer.status, answer.body.data.status]).toEqual([201, 'PROCESSING'])
    const failed = await payouts.waitForStatus(merchant, answer.body.data.uuid, 'FAILED')
    expect(failed.error).toEqual({
      code: 'AC03',
      message: expect.any(String),
      provider: 'PROVIDER_A',
      attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'AC03' }],
    })
    expect(statusesOf(failed)).toEqual(['PENDING', 'PROCESSING', 'FAILED'])
    expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    expect(await payouts.listEvents(failed, 'TRANSFER')).toEqual([{ ...failed, sequence: 1 }])

    // The key's response is the first one.
    const again = await payouts.send(merchant, body, { key })
    expect([again.status, replayed(again)]).toEqual([201, 'true'])
    expect(again.bytes.toString()).toBe(answer.bytes.toString())
  })

  test('an unreachable provider: 503, stored FAILED, the request may be retried without the key', async () => {
    const merchant = await createMerchant()
    const reachable = await payouts.makeUnreachable(merchant.connection)
    const key = randomUUID()
    const body = { pix_key: randomPixKey() }
    const answer = await payouts.send(merchant, body, { key })
    expect([answer.status, answer.body.code]).toEqual([503, 'no_provider_available'])
    expect(answer.headers.has('retry-after')).toBe(true)
    expect(answer.body.data).toMatchObject({
      status: 'FAILED',
      error: {
        code: 'no_provider_available',
        attempts: [{ provider: 'PROVIDER_A', outcome: 'unreachable', code: 'connection_refused' }],
      },
    })
    await reachable()
    const again = await payouts.send(merchant, body, { key })
    expect([again.status, replayed(again), again.headers.has('retry-after')]).toEqual([503, 'true', false])
    expect(again.body).toEqual({ ...answer.body, request_id: expect.any(String) })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    await payouts.sendAndSettle(merchant, body)
  })

  test('too little balance at the only provider: 400 with insufficient_balance, and the provider is not called', async () => {
    const merchant = await createMerchant({
      providers: [{ balance: 10, transfer: { fixedCents: 1, hundredthsOfPercent: 0 } }],
    })
    const answer = await payouts.send(merchant, { value: 10 })
    expect([answer.status, answer.body.code]).toEqual([400, 'provider_rejected'])
    expect(answer.body.data.error).toEqual({
      code: 'insufficient_balance',
      message: expect.any(String),
      attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'insufficient_balance' }],
    })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    expect(await balances(merchant)).toEqual({ available: 1_000, outside: -1_000 })
    // One less covers value and fee exactly.
    await payouts.sendAndSettle(merchant, { value: 9.99 })
    expect(await balances(merchant)).toEqual({ fee: 1, outside: -1 })
  })
})

test('value and fee are held as provisioned while a transfer is in progress', async () => {
  const merchant = await createMerchant({
    providers: [{ transfer: { fixedCents: 30, hundredthsOfPercent: 0 } }],
  })
  await payouts.injectFault(merchant.connection, 'sendTransfer', 'accepted_then_silent', {
    delay_ms: SHOWN_MS,
  })
  const { data } = (await payouts.send(merchant)).body
  expect(await payouts.readBalances(merchant, merchant.connection)).toEqual({
    available_balance: 89.7,
    provisioned_balance: 10.3,
  })
  expect(await balances(merchant)).toEqual({ available: 8_970, provisioned: 1_030, outside: -10_000 })
  await payouts.waitForStatus(merchant, data.uuid, 'PAID')
  expect(await payouts.readBalances(merchant, merchant.connection)).toEqual({ available_balance: 89.7 })
})

test('many concurrent transfers never hold more than the balance', async () => {
  const merchant = await createMerchant({
    providers: [{ balance: 50, transfer: { fixedCents: 1, hundredthsOfPercent: 0 } }],
  })
  // With keys: a request without one that waits for the lock longer than four seconds is not accepted.
  const send = () => payouts.send(merchant, { value: 4.99 }, { key: randomUUID() })
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  for (const { status, body } of answers)
    if (status !== 201)
      expect(['400 insufficient_balance', '503 not_confirmed']).toContain(
        `${status} ${body.data.error?.code ?? body.code}`,
      )
  // A slow machine may answer while transfers are in progress or not stored yet: only their final states count.
  const ended = await Promise.all(
    answers.map(({ body }) =>
      pollUntil(
        async () => (await merchant.api.get(`/api/v1/transfers/${body.data.uuid}`)).body.data ?? {},
        ({ status }) => status === 'PAID' || status === 'FAILED',
        { everyMs: 200 },
      ),
    ),
  )
  expect(ended.filter(({ status }) => status === 'PAID')).toHaveLength(10)
  for (const { status, error } of ended)
    if (status === 'FAILED') expect(error.code).toBe('insufficient_balance')
  expect(await balances(merchant)).toEqual({ fee: 10, outside: -10 })
  expect(await payouts.listPaidOut(merchant)).toHaveLength(10)
})

describe('the document of the recipient', () => {
  const CPF = '52998224725'
  test('a key of that owner is paid, another owner is a final refusal', async () => {
    const merchant = await createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }] })
    const paid = await payouts.sendAndSettle(merchant, { pix_key: CPF, document: CPF })
    expect(paid.transfer.initiation.receiver.document).toBe('***982247**')

    const answer = await payouts.send(merchant, { pix_key: CPF, document: '11222333000181' })
    expect([answer.status, answer.body.data.error.code]).toEqual([400, 'document_mismatch'])
    // The reason travels with the payment: the second provider was not called.
    expect(answer.body.data.error.attempts).toHaveLength(1)
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })

  test('a provider that cannot check it and names no owner is skipped; without another provider: 422', async () => {
    const merchant = await createMerchant({
      providers: [{ provider: 'PROVIDER_B', dialect: 'inter' }, { provider: 'PROVIDER_C' }],
    })
    const [first, second] = merchant.connections
    const paid = await payouts.sendAndSettle(merchant, { pix_key: CPF, document: CPF })
    expect([paid.provider.uuid, paid.attempts.length]).toEqual([second!.uuid, 1])

    const named = await payouts.send(merchant, { pix_key: CPF, document: CPF, provider_uuid: first!.uuid })
    expect([named.status, Object.keys(named.body.errors)]).toEqual([422, ['document']])
  })
})

describe('a return by the recipient', () => {
  test('in parts, then the rest: PARTIALLY_REFUNDED, REFUNDED, each reported and posted once', async () => {
    const merchant = await createMerchant()
    const paid = await payouts.sendAndSettle(merchant)
    const endToEnd = paid.transfer.end_to_end
    const first = await stage.simulator.returnTransfer({ end_to_end: endToEnd, value: 4 })
    const partly = await payouts.waitForStatus(merchant, paid.uuid, 'PARTIALLY_REFUNDED')
    expect(await balances(merchant)).toEqual({ available: 9_400, outside: -9_400 })
    const second = await stage.simulator.returnTransfer({ end_to_end: endToEnd, value: 1 })
    await pollUntil(
      () => balances(merchant),
      ({ available }) => available === 9_500,
    )
    const third = await stage.simulator.returnTransfer({ end_to_end: endToEnd })
    const whole = await payouts.waitForStatus(merchant, paid.uuid, 'REFUNDED')
    expect(statusesOf(whole)).toEqual(['PENDING', 'PROCESSING', 'PAID', 'PARTIALLY_REFUNDED', 'REFUNDED'])
    // The sent request is unchanged.
    expect(whole.transfer).toEqual(paid.transfer)
    expect(partly.transfer).toEqual(paid.transfer)
    expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })

    expect(
      (await payouts.listEvents(paid, 'TRANSFER')).map(({ status, sequence }) => [status, sequence]),
    ).toEqual([
      ['PAID', 1],
      ['PARTIALLY_REFUNDED', 2],
      ['PARTIALLY_REFUNDED', 3],
      ['REFUNDED', 4],
    ])
    const back = (await payouts.listPixEvents(merchant)).filter(({ movement_type }) => movement_type === 'IN')
    expect(back).toMatchObject(
      [
        [first, 4],
        [second, 1],
        [third, 5],
      ].map(([said, value]) => ({
        type: 'EXTERNAL_REFUND',
        status: 'SETTLED',
        value,
        end_to_end: (said as { return_id: string }).return_id,
        original_uuid: paid.transfer.uuid,
        initiation: { type: 'REFUND', sender: { name: 'Favorecido de Teste' } },
      })),
    )
  })

  test('shows no more of the recipient’s document than the transfer, and neither does the paying PIX', async () => {
    const merchant = await createMerchant({ providers: [{ provider: 'PROVIDER_B', dialect: 'woovi' }] })
    const paid = await payouts.sendAndSettle(merchant)
    const { sender, receiver } = paid.transfer.initiation
    expect(receiver.account_number).toMatch(/^\*+\d\d$/)
    await stage.simulator.returnTransfer({ end_to_end: paid.transfer.end_to_end })
    await payouts.waitForStatus(merchant, paid.uuid, 'REFUNDED')
    const [there, back] = (await payouts.listPixEvents(merchant)).map(({ initiation }) => initiation)
    expect(there).toMatchObject({ sender, receiver })
    expect(back).toMatchObject({ sender: receiver, receiver: sender })
  })

  test('of the whole amount at once', async () => {
    const merchant = await createMerchant()
    const answer = await payouts.send(merchant, { pix_key: 'returned@sim.trilho.test' })
    const whole = await payouts.waitForStatus(merchant, answer.body.data.uuid, 'REFUNDED')
    expect(statusesOf(whole)).toEqual(['PENDING', 'PROCESSING', 'PAID', 'REFUNDED'])
    expect(await balances(merchant)).toEqual({ available: 10_000, outside: -10_000 })
  })
})

describe('a unique external_ref', () => {
  test('is off by default, and permanent under the policy', async () => {
    const merchant = await createMerchant()
    const body = { external_ref: 'folha 7', value: 1 }
    expect((await payouts.send(merchant, body)).status).toBe(201)
    expect((await payouts.send(merchant, body)).status).toBe(201)

    await stage.sql('update account set unique_external_ref = true where uuid = ?', [merchant.uuid])
    const key = randomUUID()
    const refusedReference = await payouts.send(merchant, body, { key })
    expect([refusedReference.status, refusedReference.body.code]).toEqual([409, 'external_ref_in_use'])
    // Nothing was stored and the key is free.
    const order = { value: 1, external_ref: 'folha 8' }
    const fresh = await payouts.send(merchant, { ...order, pix_key: 'maria@example.com' }, { key })
    expect([fresh.status, replayed(fresh)]).toEqual([201, null])
    const again = await payouts.send(merchant, { ...order, pix_key: 'maria@example.com' }, { key })
    expect([again.status, replayed(again)]).toEqual([201, 'true'])
    expect((await payouts.send(merchant, { value: 1 })).status).toBe(201)
    // Another account has its own references.
    expect((await payouts.send(await createMerchant(), order)).status).toBe(201)
  })

  test('holds for concurrent requests', async () => {
    const merchant = await createMerchant()
    await stage.sql('update account set unique_external_ref = true where uuid = ?', [merchant.uuid])
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => payouts.send(merchant, { value: 1, external_ref: 'folha 9' })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
    const sent = answers.find(({ status }) => status === 201)!
    await payouts.waitForStatus(merchant, sent.body.data.uuid, 'PAID')
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })
})

describe('one key, one transfer', () => {
  const body = { value: 12.5, pix_key: 'maria@example.com', external_ref: 'salário' }

  test('without a key every accepted request sends', async () => {
    const merchant = await createMerchant()
    const once = { api: merchant.api.sendingOnce() }
    const sendAccepted = () =>
      pollUntil(
        () => payouts.send(once, body),
        ({ status }) => status === 201,
      )
    const accepted = [await sendAccepted(), await sendAccepted()]
    const uuids = accepted.map(answer => answer.body.data.uuid)
    for (const uuid of uuids) await payouts.waitForStatus(merchant, uuid, 'PAID')
    expect(new Set(uuids).size).toBe(2)
    expect(await payouts.listPaidOut(merchant)).toHaveLength(2)
  })

  test('fifty concurrent requests send once and receive the same response', async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => payouts.send(merchant, body, { key })))
    const [first] = answers
    for (const answer of answers) {
      expect(answer.status).toBe(201)
      expect(answer.body).toEqual(first!.body)
    }
    expectOneOriginal(answers)
    await payouts.waitForStatus(merchant, first!.body.data.uuid, 'PAID')
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
    expect(await balances(merchant)).toEqual({ available: 8_750, outside: -8_750 })
  })

  test('a repeat receives the response of the creation, whatever the transfer’s current state', async () => {
    const merchant = await createMerchant()
    const key = 'a key with blanks, and "quotes" ~'
    const first = await payouts.send(merchant, body, { key })
    const paid = await payouts.waitForStatus(merchant, first.body.data.uuid, 'PAID')
    for (const status of ['PAID', 'REFUNDED']) {
      if (status === 'REFUNDED') {
        await stage.simulator.returnTransfer({ end_to_end: paid.transfer.end_to_end })
        await payouts.waitForStatus(merchant, paid.uuid, status)
      }
      const reordered = { external_ref: 'salário', pix_key: 'MARIA@example.com', value: 12.5 }
      const again = await merchant.api.post('/api/v1/transfers', reordered, { key })
      expect([again.status, replayed(again)]).toEqual([201, 'true'])
      expect(again.bytes.toString()).toBe(first.bytes.toString())
    }
  })

  test('another body or another provider-scoped token is refused; another account has its own keys', async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    const first = await payouts.send(merchant, body, { key })
    const scoped = { api: merchant.api.withToken(merchant.connection.token) }
    for (const answer of [
      await payouts.send(merchant, { ...body, value: 12.51 }, { key }),
      await payouts.send(merchant, { ...body, pix_key: randomPixKey() }, { key }),
      await payouts.send(scoped, body, { key }),
    ])
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
    const other = await createMerchant()
    const theirs = await payouts.send(other, body, { key })
    expect(theirs.status).toBe(201)
    expectOneOriginal([theirs])
    expect(theirs.body.data.uuid).not.toBe(first.body.data.uuid)
  })

  test('two concurrent bodies: one is chosen, and sent once', async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        payouts.send(merchant, { ...body, value: 1 + (index % 2) }, { key }),
      ),
    )
    const won = answers.filter(({ status }) => status === 201)
    expect(new Set(won.map(answer => answer.body.data.value)).size).toBe(1)
    for (const answer of answers)
      if (answer.status !== 201)
        expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused'])
    await payouts.waitForStatus(merchant, won[0]!.body.data.uuid, 'PAID')
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })

  test('a stored FAILED is final for its key: nothing is sent a second time', async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    const refused = { ...body, pix_key: 'ac03@sim.trilho.test' }
    const first = await payouts.send(merchant, refused, { key })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => payouts.send(merchant, refused, { key })),
    )
    for (const again of answers) {
      expect([again.status, replayed(again), again.headers.has('retry-after')]).toEqual([400, 'true', false])
      expect(again.body).toEqual({ ...first.body, request_id: expect.any(String) })
    }
    expect(await payouts.listAttempts(first.body.data)).toHaveLength(1)
  })

  test('a key is answered from the row when the workflow is deleted from Temporal', async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    const first = await payouts.send(merchant, body, { key })
    const { uuid } = await payouts.waitForStatus(merchant, first.body.data.uuid, 'PAID')
    const client = await stage.connectTemporal()
    await client.workflow.getHandle(`transfer/${uuid}`).result()
    await client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `transfer/${uuid}` },
    })
    const again = await payouts.send(merchant, body, { key })
    expect([again.status, replayed(again), again.bytes.toString()]).toEqual([
      201,
      'true',
      first.bytes.toString(),
    ])
    // And its recipient may still return it: a notification reopens the workflow from the row.
    const [line] = await payouts.listPaidOut(merchant)
    await stage.simulator.returnTransfer({ end_to_end: line.end_to_end })
    await payouts.waitForStatus(merchant, uuid, 'REFUNDED')
    expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  })

  test('an invalid request does not use up its key', async () => {
    const merchant = await createMerchant()
    const key = randomUUID()
    expect((await payouts.send(merchant, { ...body, value: 0 }, { key })).status).toBe(422)
    expect((await payouts.send(merchant, { ...body, provider_uuid: randomUUID() }, { key })).status).toBe(422)
    const answer = await payouts.send(merchant, body, { key })
    expect([answer.status, replayed(answer)]).toEqual([201, null])
  })
})

describe('the list', () => {
  test('filters by everything SPEC names, newest first, and a bound token lists its own transfers', async () => {
    const merchant = await createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }] })
    const [a, c] = merchant.connections
    const first = await payouts.sendAndSettle(merchant, {
      value: 1,
      external_ref: 'um',
      pix_key: 'um@example.com',
    })
    const second = await payouts.sendAndSettle(merchant, { value: 2, provider_uuid: c!.uuid })
    const refused = (await payouts.send(merchant, { value: 3, pix_key: 'ac03@sim.trilho.test' })).body.data
    const returned = await payouts.sendAndSettle(merchant, { value: 4 })
    await stage.simulator.returnTransfer({ end_to_end: returned.transfer.end_to_end })
    await payouts.waitForStatus(merchant, returned.uuid, 'REFUNDED')
    await stage.sql(`update transfer set created_at = '2020-02-29T23:59:59.999Z' where uuid = ?`, [
      first.uuid,
    ])
    await stage.sql(`update transfer set settled_at = '2020-03-01T00:00:00Z' where uuid = ?`, [first.uuid])
    const all = [returned, refused, second, first].map(({ uuid }) => uuid)

    const found = async (query: string, api = merchant.api) => {
      const answer = await api.get(`/api/v1/transfers?${query}`)
      expect([query, answer.status]).toEqual([query, 200])
      return answer.body.data.map((transfer: ApiResource) => transfer.uuid)
    }
    const cases: [query: string, expected: string[]][] = [
      ['', all],
      ['type=PIX', all],
      ['type=pix', all],
      ['type=UNDEFINED', []],
      ['status=PAID', [second.uuid, first.uuid]],
      ['status=paid&status=failed', [refused.uuid, second.uuid, first.uuid]],
      ['status=PAID,REFUNDED', [returned.uuid, second.uuid, first.uuid]],
      ['status=UNDEFINED', []],
      ['status=PENDING', []],
      [`uuid=${second.uuid}`, [second.uuid]],
      [`uuid=${second.uuid.toUpperCase()}`, [second.uuid]],
      ['external_ref=um', [first.uuid]],
      ['external_ref=u', []],
      ['pix_key=um@example.com', [first.uuid]],
      ['pix_key=UM@EXAMPLE.COM', [first.uuid]],
      [`end_to_end=${second.transfer.end_to_end}`, [second.uuid]],
      [`provider_uuid=${c!.uuid}`, [second.uuid]],
      ['date_to=2020-02-28', []],
      ['date_to=2020-02-29', [first.uuid]],
      ['date_from=2020-02-29&date_to=2020-02-29', [first.uuid]],
      ['date_from=2020-03-01', [returned.uuid, refused.uuid, second.uuid]],
      ['transfer_date_from=2020-03-01&transfer_date_to=2020-03-01', [first.uuid]],
      ['transfer_date_to=2020-02-29', []],
      ['transfer_date_from=2020-03-02', [returned.uuid, second.uuid]],
      [`status=PAID&provider_uuid=${a!.uuid}`, [first.uuid]],
      ['per_page=1&page=2', [refused.uuid]],
      ['per_page=100&page=2', []],
    ]
    for (const [query, expected] of cases) expect([query, await found(query)]).toEqual([query, expected])
    expect(await found('', merchant.api.withToken(c!.token))).toEqual([second.uuid])
    expect(await found(`provider_uuid=${a!.uuid}`, merchant.api.withToken(c!.token))).toEqual([])
    expect(await found('', (await createMerchant()).api)).toEqual([])

    const meta = (await merchant.api.get('/api/v1/transfers?per_page=3&page=2')).body.meta
    expect(meta).toEqual({
      current_page: 2,
      from: 4,
      last_page: 2,
      per_page: 3,
      to: 4,
      total: 4,
      next_cursor: null,
    })
  })

  test.each([
    ['status=PAYED', 'status.0'],
    ['type=TED', 'type'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['per_page=x', 'per_page'],
    ['page=0', 'page'],
    ['uuid=1', 'uuid.0'],
    ['provider_uuid=PROVIDER_A', 'provider_uuid'],
    ['date_from=2026-02-30', 'date_from'],
    ['transfer_date_to=yesterday', 'transfer_date_to'],
    ['payment_date_from=2026-01-01', 'payment_date_from'],
    ['colour=red', 'colour'],
  ])('%s: 422 on %s', async (query, field) => {
    const merchant = await createMerchant()
    const answer = await merchant.api.get(`/api/v1/transfers?${query}`)
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]])
  })

  test('another account’s transfer is 404', async () => {
    const merchant = await createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }] })
    const { uuid } = await payouts.sendAndSettle(merchant)
    const [a, c] = merchant.connections
    const other = await createMerchant()
    const path = `/api/v1/transfers/${uuid}`
    expect((await merchant.api.withToken(a!.token).get(path)).status).toBe(200)
    expect(
      (await merchant.api.get(path.toUpperCase().replace('/API/V1/TRANSFERS', '/api/v1/transfers'))).status,
    ).toBe(200)
    for (const api of [merchant.api.withToken(c!.token), other.api]) {
      expect((await api.get(path)).status).toBe(404)
      expect((await api.post(`${path}/cancel`)).status).toBe(404)
    }
    expect((await merchant.api.get('/api/v1/transfers/1')).status).toBe(404)
    expect((await merchant.api.get(`/api/v1/transfers/${randomUUID()}`)).status).toBe(404)
    const cancel = await merchant.api.post(`${path}/cancel`)
    expect([cancel.status, cancel.body.code]).toEqual([409, 'transfer_not_cancellable'])
  })
})
