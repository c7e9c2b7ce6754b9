import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { providerActivities } from '../../../src/activities/index.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import type { ReviseChargeOutcome } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type {
  ChargeInput,
  ChargeInputDetails,
  ChargeRevisionOrder,
} from '../../../src/workflows/contracts/charges.ts'
import { buildIssuedCharge } from '../../chaos/support/money-fixture.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { TODAY } from './support/due-charge.ts'

/** Requests about charges with a due date: what is refused on which field, and what a change of one answers. */

let fixture: ApiFixture
/** What the workflow of a charge does about an update: nothing, unless a test says otherwise. */
let carryOut: (order: ChargeRevisionOrder) => Promise<unknown> = async () => undefined

beforeAll(async () => {
  const client = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: {
      executeUpdateWithStart: (_: unknown, { args: [order] }: { args: [ChargeRevisionOrder] }) =>
        carryOut(order),
    },
  }
  fixture = await openApiFixture([chargeRoutes], {}, async () => client as unknown as Client)
})
afterAll(() => fixture?.close())

const ADDRESS = { street: 'Rua A', city: 'São Paulo', state: 'SP', zip_code: '01310100' }
const DEBTOR = { name: 'Ana Souza', document: '52998224725' }
const DUE_DAY = addDays(TODAY, 10)
const percent = (value: number) => ({ type: 'PERCENTAGE', value })
const fixed = (value: number) => ({ type: 'FIXED', value })
const untilDay = (value: number, on = DUE_DAY, type = 'PERCENTAGE') => ({ type, until: [{ on, value }] })

type Merchant = { accountUuid: string; token: string }

/** An account with one connection to this provider API. */
async function createMerchant(
  dialect: 'efi' | 'stark' | 'woovi' = 'stark',
): Promise<Merchant & { connection: string }> {
  const accountUuid = await fixture.insertAccount()
  const connection = await fixture.insertConnection(accountUuid, { dialect })
  await fixture.replaceDefaultProviders(accountUuid, [connection])
  return { accountUuid, connection, token: await fixture.insertToken({ accountUuid }) }
}

describe('POST /payments', () => {
  let stark: Merchant
  let woovi: Merchant
  beforeAll(async () => {
    stark = await createMerchant('stark')
    woovi = await createMerchant('woovi')
  })

  const post = ({ token }: Merchant, { due, ...more }: { due?: object; [field: string]: unknown }) =>
    fixture.call('POST', '/api/v1/payments', {
      token,
      body: {
        value: 100,
        type: 'PIX',
        debtor: { ...DEBTOR, address: ADDRESS },
        due: { on: DUE_DAY, ...due },
        ...more,
      },
    })

  test.each<[string, { due?: object; [field: string]: unknown }, Record<string, string[]>]>([
    ['expires_in with due', { expires_in: 3_600 }, { expires_in: ['must not be sent with due'] }],
    ['no debtor', { debtor: undefined }, { debtor: ['is needed by a charge with a due date'] }],
    ['a value of 0', { value: 0 }, { value: ['must be above 0 where the charge has a due date'] }],
    [
      'a due day before today',
      { due: { on: addDays(TODAY, -1) } },
      { 'due.on': ['must not be before today in Brasília'] },
    ],
    [
      'a percentage above 99.99',
      { due: { fine: percent(100) } },
      { 'due.fine.value': ['must be at most 99.99 percent'] },
    ],
    [
      'a discount after the due day',
      { due: { discount: untilDay(1, addDays(DUE_DAY, 1)) } },
      { 'due.discount.until.0.on': ['must not be after the due day'] },
    ],
    [
      'a fine that its provider does not compute',
      { due: { fine: fixed(1) } },
      { 'due.fine': ['no provider of this charge computes this fine'] },
    ],
    [
      'an abatement of the value, which is wrong at any provider',
      { due: { abatement: fixed(100) } },
      {
        'due.abatement.value': ['must be less than the value of the charge'],
        'due.abatement': ['no provider of this charge computes this abatement'],
      },
    ],
    [
      'errors of schema and rules at once',
      { value: '1', external_ref: '', expires_in: 60, due: { fine: percent(100), payable_days_after: 30 } },
      {
        value: [expect.any(String) as unknown as string],
        external_ref: [expect.any(String) as unknown as string],
        expires_in: ['must not be sent with due'],
        'due.fine.value': ['must be at most 99.99 percent'],
      },
    ],
  ])('refuses %s', async (_, body, errors) => {
    const answer = await post(stark, body)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  test.each<[string, { [field: string]: unknown }, string]>([
    ['a debtor without document', { debtor: { name: 'Ana' } }, 'debtor.document'],
    ['366 payable days', { due: { payable_days_after: 366 } }, 'due.payable_days_after'],
    ['a day that is none', { due: { on: '2026-02-30' } }, 'due.on'],
    ['no day', { due: { on: undefined } }, 'due.on'],
    ['a fine of 0', { due: { fine: percent(0) } }, 'due.fine.value'],
    ['three decimals', { due: { fine: percent(1.005) } }, 'due.fine.value'],
    [
      'interest without a period',
      { due: { interest: { ...percent(1), days: 'CALENDAR' } } },
      'due.interest.per',
    ],
    ['a discount of neither kind', { due: { discount: { type: 'FIXED' } } }, 'due.discount.until'],
    [
      'four days of a discount',
      { due: { discount: { type: 'FIXED', until: Array(4).fill({ on: DUE_DAY, value: 1 }) } } },
      'due.discount.until',
    ],
    ['an unknown member', { due: { fines: percent(1) } }, 'due.fines'],
    [
      'an address without a street',
      { debtor: { ...DEBTOR, address: { ...ADDRESS, street: ' ' } } },
      'debtor.address.street',
    ],
    [
      'a formatted CEP',
      { debtor: { ...DEBTOR, address: { ...ADDRESS, zip_code: '01310-100' } } },
      'debtor.address.zip_code',
    ],
    ['a message of 141 characters', { message: 'x'.repeat(141) }, 'message'],
    ['51 texts', { additional_info: Array(51).fill({ name: 'a', value: 'b' }) }, 'additional_info'],
    [
      '31 names of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`n${n}`, 'x'])) },
      'metadata',
    ],
  ])('refuses %s by its schema', async (_, body, field) => {
    const answer = await post(stark, body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
  })

  test('refuses a debtor without the address that every provider needs', async () => {
    const answer = await post(woovi, { debtor: DEBTOR })
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      { 'debtor.address': ['is needed by every provider of this charge'] },
    ])
  })

  test('leaves out the providers that do not compute the terms, before any is asked', async () => {
    const { accountUuid, token, connection } = await createMerchant('stark')
    const second = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
    await fixture.replaceDefaultProviders(accountUuid, [connection, second])
    const started: ChargeInput[] = []
    carryOut = async () => undefined
    const orders = await captureOrders(started, async () => {
      await post({ accountUuid, token }, { due: { fine: fixed(1) } })
      await post({ accountUuid, token }, { due: { fine: percent(1) } })
      await post({ accountUuid, token }, { due: { fine: percent(1) }, debtor: DEBTOR })
    })
    expect(orders.map(({ candidates }) => candidates)).toEqual([[second], [connection, second], [connection]])
    // Who is to pay, when and what for travels sealed.
    expect(JSON.stringify(orders)).not.toMatch(/Ana|52998224725|PERCENTAGE|Rua A/)
  })

  test('takes a charge without a due date as before', async () => {
    const orders = await captureOrders([], async () => {
      await fixture.call('POST', '/api/v1/payments', { token: stark.token, body: { value: 1, type: 'PIX' } })
    })
    expect(orders[0]?.expiresInSeconds).toBe(86_400)
  })

  test('answers a repeat that names the default expiry as the same request', async () => {
    const { token, connection } = await createMerchant()
    const key = randomUUID()
    const body = { value: 1, type: 'PIX' }
    const repeat = (more: object) =>
      fixture.call('POST', '/api/v1/payments', {
        token,
        body: { ...body, ...more },
        headers: { 'idempotency-key': key },
      })
    const [order] = await captureOrders([], async () => void (await repeat({})))
    await storeIssuedCharge({ ...order!, candidates: [connection] })
    const answers = [await repeat({ expires_in: 86_400 }), await repeat({}), await repeat({ expires_in: 60 })]
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      ...[
        [201, undefined],
        [201, undefined],
        [422, 'idempotency_key_reused'],
      ],
    ])
  })
})

test('the fingerprint of a charge without a due date has the default expiry, as that of earlier releases', async () => {
  const { token, connection } = await createMerchant()
  const orders: ChargeInput[] = []
  const body = { value: 1, type: 'PIX' }
  await captureOrders(
    orders,
    async () => void (await fixture.call('POST', '/api/v1/payments', { token, body })),
  )
  const { fingerprint } = fixture.dependencies.sealer.open<ChargeInputDetails>(orders[0]!.details)
  const stored = { ...createChargeBody.parse(body), expires_in: 86_400 }
  expect(fingerprint).toBe(fingerprintRequest({ body: stored, connectionUuid: null }))
  expect(orders[0]!.candidates).toEqual([connection])
})

/** Stores a charge as the workflow of its order does, whose provider has issued it. */
async function storeIssuedCharge(order: ChargeInput): Promise<void> {
  const charge = { ...buildIssuedCharge(order.uuid), receiver: toParty({}) }
  const provider: Partial<Provider> = { issueCharge: async () => ({ kind: 'accepted', charge }) }
  await providerActivities({
    ...fixture.dependencies,
    providers: { providerFor: () => provider as Provider, close: async () => {} },
    timeScale: 1,
  } as unknown as ActivityDependencies).issueCharge(order)
}

/** Runs requests whose workflows start and never answer, and returns the orders that these were started with. */
async function captureOrders(orders: ChargeInput[], send: () => Promise<void>): Promise<ChargeInput[]> {
  const { temporal } = fixture.dependencies
  const client = await temporal.client()
  const workflow = client.workflow as unknown as Record<string, unknown>
  const update = workflow.executeUpdateWithStart
  workflow.executeUpdateWithStart = async (
    _: unknown,
    request: { startWorkflowOperation: { options: { args: [ChargeInput] } } },
  ) => {
    orders.push(request.startWorkflowOperation.options.args[0])
  }
  await send().finally(() => {
    workflow.executeUpdateWithStart = update
  })
  return orders
}

describe('PATCH /payments/{uuid}', () => {
  const answers: ReviseChargeOutcome[] = []
  let issued = { ...buildIssuedCharge(randomUUID()), receiver: toParty({}) }
  const provider: Partial<Provider> = {
    issueCharge: async () => ({ kind: 'accepted', charge: issued }),
    reviseCharge: async () => answers.shift()!,
    findCharge: async () => ({ kind: 'found', status: 'open', charge: issued, payments: [] }),
    balances: async () => ({ kind: 'no_answer', code: 'timeout', message: '' }),
  }
  const activities = () =>
    providerActivities({
      ...fixture.dependencies,
      providers: { providerFor: () => provider as Provider, close: async () => {} },
      timeScale: 1,
    } as unknown as ActivityDependencies)

  /** A charge of R$ 100.00 that its provider has issued. */
  async function issueCharge({
    hasDue = true,
    dialect = 'efi' as 'efi' | 'stark' | 'woovi',
    splits = [] as object[],
  } = {}) {
    const { accountUuid, token, connection } = await createMerchant(dialect)
    const uuid = randomUUID()
    issued = { ...buildIssuedCharge(uuid), receiver: toParty({}) }
    const due = {
      on: DUE_DAY,
      payableDaysAfter: 30,
      fine: null,
      interest: null,
      abatement: null,
      discount: { kind: 'until', steps: [{ type: 'PERCENTAGE', basisPoints: 500, on: DUE_DAY }] },
    }
    await activities().issueCharge({
      uuid,
      accountUuid,
      candidates: [connection],
      valueCents: 10_000,
      expiresInSeconds: 3_600,
      details: fixture.dependencies.sealer.seal({
        splits,
        fingerprint: 'f',
        debtor: DEBTOR,
        ...(hasDue && { due }),
      }),
      requestId: 'r',
      timeScale: 1,
    })
    carryOut = async order => {
      const result = await activities().reviseCharge({
        chargeUuid: uuid,
        revisionUuid: order.uuid,
        order,
        isPayloadExpired: false,
      })
      return result.kind === 'no_answer' ? { kind: 'no_answer' } : { kind: 'closed', state: result.state }
    }
    return {
      uuid,
      accountUuid,
      patch: (body: object, key?: string) =>
        fixture.call('PATCH', `/api/v1/payments/${uuid}`, {
          token,
          body,
          ...(key !== undefined && { headers: { 'idempotency-key': key } }),
        }),
      get: () => fixture.call('GET', `/api/v1/payments/${uuid}`, { token }),
    }
  }
  const revised = (): ReviseChargeOutcome => ({ kind: 'revised', charge: issued })
  const noAnswer: ReviseChargeOutcome = { kind: 'no_answer', code: 'timeout', message: '' }

  test('changes what the charge asks', async () => {
    const charge = await issueCharge()
    answers.push(revised())
    const answer = await charge.patch({
      value: 80,
      message: 'Janeiro',
      due: { on: addDays(DUE_DAY, 5), payable_days_after: 10, fine: percent(2) },
    })
    expect([answer.status, answer.body.data]).toMatchObject([
      200,
      {
        value: 80,
        total_value: 80,
        revision: 1,
        message: 'Janeiro',
        payment: {
          value: '80.00',
          due: { on: addDays(DUE_DAY, 5), payable_days_after: 10, fine: { type: 'PERCENTAGE', value: 2 } },
          amount_due: { value: 80, is_forecast: true },
        },
      },
    ])
    expect(answer.body.data.payment.due).not.toHaveProperty('discount')
    expect((await charge.get()).body).toEqual(answer.body)
  })

  test('with the same key is carried out once', async () => {
    const charge = await issueCharge()
    answers.push(revised())
    const key = randomUUID()
    const first = await charge.patch({ value: 80 }, key)
    const again = await charge.patch({ value: 80 }, key)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(again.body).toEqual(first.body)
    const other = await charge.patch({ value: 70 }, key)
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('without an answer is 503, and a repeat with the same key asks again', async () => {
    const charge = await issueCharge()
    answers.push(noAnswer, revised())
    const key = randomUUID()
    const first = await charge.patch({ value: 80 }, key)
    expect([first.status, first.body.code, first.headers.get('retry-after')]).toEqual([
      ...[503, 'revision_unknown', expect.any(String)],
    ])
    expect((await charge.get()).body.data).toMatchObject({ value: 100, revision: 0 })
    const other = await charge.patch({ value: 70 })
    expect([other.status, other.body.code]).toEqual([409, 'revision_in_progress'])
    const again = await charge.patch({ value: 80 }, key)
    expect([again.status, again.body.data.value]).toEqual([200, 80])
  })

  test('that changes nothing is answered without its provider', async () => {
    const charge = await issueCharge()
    const answer = await charge.patch({ value: 100 })
    expect([answer.status, answer.body.data.revision]).toEqual([200, 0])
  })

  test('that changed nothing changes nothing when it is sent again after another one', async () => {
    const charge = await issueCharge()
    const key = randomUUID()
    await charge.patch({ value: 100 }, key)
    answers.push(revised())
    await charge.patch({ value: 80 })
    const again = await charge.patch({ value: 100 }, key)
    expect([again.status, again.body.data.value, again.headers.get('idempotent-replayed')]).toEqual([
      ...[200, 80, 'true'],
    ])
    const other = await charge.patch({ value: 70 }, key)
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('names what its provider cannot change, and calls none', async () => {
    const charge = await issueCharge({ dialect: 'stark' })
    const due = { on: addDays(DUE_DAY, 5), fine: percent(2) }
    const answer = await charge.patch({ value: 80, message: 'Janeiro', due })
    const message = ['cannot be changed at the provider of this charge']
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      { value: message, message, 'due.fine': message, 'due.discount': message },
    ])
  })

  test('that loses against another one is 409, and was not begun', async () => {
    const charge = await issueCharge()
    carryOut = async () => ({ kind: 'closed', state: 'pending' })
    const answer = await charge.patch({ value: 80 })
    expect([answer.status, answer.body.code]).toEqual([409, 'revision_in_progress'])
  })

  test('is 503 while a payment is in process, whose settlement decides', async () => {
    const charge = await issueCharge()
    answers.push(noAnswer)
    const key = randomUUID()
    await charge.patch({ value: 80 }, key)
    await fixture.orm.em.execute(`update charge set state = 'paying' where uuid = ?`, [charge.uuid])
    const again = await charge.patch({ value: 80 }, key)
    expect([again.status, again.body.code]).toEqual([503, 'revision_unknown'])
    const other = await charge.patch({ value: 70 })
    expect([other.status, other.body.code]).toEqual([409, 'charge_not_revisable'])
  })

  test('that its provider refuses is 409, also for a repeat', async () => {
    const charge = await issueCharge()
    answers.push({ kind: 'refused', code: 'locked', message: 'cannot be revised' })
    const key = randomUUID()
    for (const replayed of [null, 'true']) {
      const answer = await charge.patch({ value: 80 }, key)
      expect([answer.status, answer.body.code, answer.headers.get('idempotent-replayed')]).toEqual([
        ...[409, 'charge_not_revisable', replayed],
      ])
    }
  })

  test.each([
    ['without a due date', { hasDue: false }],
    ['of a provider that changes none', { dialect: 'woovi' }],
  ] as const)('of a charge %s is 409', async (_, order) => {
    const answer = await (await issueCharge(order)).patch({ value: 80 })
    expect([answer.status, answer.body.code]).toEqual([409, 'charge_not_revisable'])
  })

  test('of a charge that is not PENDING is 409', async () => {
    const charge = await issueCharge()
    await fixture.orm.em.execute(`update charge set state = 'cancelled' where uuid = ?`, [charge.uuid])
    const answer = await charge.patch({ value: 80 })
    expect([answer.status, answer.body.code]).toEqual([409, 'charge_not_revisable'])
  })

  test.each<[string, object, Record<string, string[]>]>([
    ['nothing', {}, { body: ['must name value, due or message'] }],
    ['a value of 0', { value: 0 }, { value: ['must be above 0 where the charge has a due date'] }],
    [
      'a due day before today',
      { due: { on: addDays(TODAY, -1) } },
      { 'due.on': ['must not be before today in Brasília'] },
    ],
    [
      'an unknown field',
      { value: 1, expires_in: 60 },
      { expires_in: [expect.any(String) as unknown as string] },
    ],
  ])('refuses %s', async (_, body, errors) => {
    const answer = await (await issueCharge()).patch(body)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  test('refuses a value below the splits of the charge', async () => {
    const recipientAccountUuid = await fixture.insertAccount()
    const charge = await issueCharge({ splits: [{ type: 'FIXED', amount: 5_000, recipientAccountUuid }] })
    const answer = await charge.patch({ value: 49 })
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      { value: ['must not be less than the splits of the charge'] },
    ])
  })

  test('of another account’s charge is 404', async () => {
    const charge = await issueCharge()
    const { token } = await createMerchant()
    const answer = await fixture.call('PATCH', `/api/v1/payments/${charge.uuid}`, {
      token,
      body: { value: 1 },
    })
    expect(answer.status).toBe(404)
  })

  test('due_from and due_to select by the due day', async () => {
    const charge = await issueCharge()
    const token = await fixture.insertToken({ accountUuid: charge.accountUuid })
    const list = async (query: string) => {
      const answer = await fixture.call('GET', `/api/v1/payments?${query}`, { token })
      return [answer.status, answer.body.data?.length ?? Object.keys(answer.body.errors)]
    }
    expect(await list(`due_from=${DUE_DAY}&due_to=${DUE_DAY}`)).toEqual([200, 1])
    expect(await list(`due_from=${addDays(DUE_DAY, 1)}`)).toEqual([200, 0])
    expect(await list(`due_to=${addDays(DUE_DAY, -1)}`)).toEqual([200, 0])
    expect(await list('due_from=2026-12-02&due_to=2026-12-01')).toEqual([422, ['due_to']])
  })
})
