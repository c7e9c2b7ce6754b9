import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { buildIssuedCharge } from '../../chaos/support/money-fixture.ts'
import { insertDebit, insertRecurrence } from '../support/recurrences.ts'
import { accepted, BODY, openRecurrenceRequests, TODAY } from './support/recurrence-requests.ts'

/** Requests about recurrences: what is refused on which field, and what each answers. */

let fixture: Awaited<ReturnType<typeof openRecurrenceRequests>>
beforeAll(async () => {
  fixture = await openRecurrenceRequests()
})
afterAll(() => fixture?.close())
beforeEach(() => {
  fixture.scriptProvider({ createRecurrence: async () => accepted('waiting') })
})

const DEBTOR_WITH_ADDRESS = {
  ...BODY.debtor,
  address: { street: 'Rua A', city: 'Belo Horizonte', state: 'MG', zip_code: '30421322' },
}

async function createActive(change: object = {}, dialect: 'efi' | 'woovi' = 'efi') {
  const merchant = await fixture.createMerchant(dialect)
  fixture.scriptProvider({ createRecurrence: async () => accepted('active') })
  const { body } = await merchant.call('POST', '/recurrences', { ...BODY, ...change })
  return { ...merchant, uuid: body.data.uuid as string }
}

/** The provider makes every debit. */
function makeDebits() {
  fixture.scriptProvider({
    issueCharge: async ({ reference }) => ({
      kind: 'accepted',
      charge: { ...buildIssuedCharge(reference), receiver: toParty({}), payload: '' },
    }),
  })
}

describe('POST /recurrences', () => {
  test('a recurrence shows what its payer is to authorize, and a repeat with the key answers alike', async () => {
    const { call } = await fixture.createMerchant()
    const key = randomUUID()
    const answer = await call('POST', '/recurrences', BODY, key)
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      {
        status: 'PENDING',
        value: 49.9,
        generate: 'AUTOMATIC',
        days_before: 4,
        payload: 'payload',
        rail_id: expect.stringMatching(/^RR/),
        is_past_due: false,
        history: [{ status: 'PENDING' }],
      },
    ])
    const again = await call('POST', '/recurrences', BODY, key)
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([
      ...[201, 'true', answer.body],
    ])
    const other = await call('POST', '/recurrences', { ...BODY, value: 50 }, key)
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test.each<[string, object, Record<string, string[]>]>([
    ['a value and a minimum', { minimum_value: 5 }, { minimum_value: ['must not be sent with value'] }],
    [
      'a day before today',
      { starts_on: addDays(TODAY, -1) },
      { starts_on: ['must not be before today in Brasília'] },
    ],
    [
      'a request without an account',
      { journey: 'REQUEST' },
      { payer_account: ['is needed by the journey REQUEST'] },
    ],
    [
      'a contract that is too long',
      { contract: 'x'.repeat(36) },
      { contract: ['must be at most 35 characters'] },
    ],
    [
      'generated charges without a value',
      { value: undefined, generate: 'AUTOMATIC' },
      { generate: ['must be MANUAL where the recurrence has no fixed value'] },
    ],
  ])('refuses %s', async (_, change, errors) => {
    const { call } = await fixture.createMerchant()
    const answer = await call('POST', '/recurrences', { ...BODY, ...change })
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  test('refuses a journey that no provider has', async () => {
    const { call } = await fixture.createMerchant('sicoob')
    const answer = await call('POST', '/recurrences', BODY)
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      { journey: ['is not offered by the providers of this recurrence'] },
    ])
  })

  test('at a provider that makes the debits itself it needs an address, a value, and the days of that provider', async () => {
    const { call } = await fixture.createMerchant('woovi')
    const refused = await call('POST', '/recurrences', {
      ...BODY,
      value: undefined,
      generate: 'MANUAL',
      days_before: 5,
    })
    expect([refused.status, Object.keys(refused.body.errors).sort()]).toEqual([
      422,
      ['days_before', 'debtor.address', 'generate', 'value'],
    ])
    fixture.scriptProvider({
      createRecurrence: async ({ debtor }) => {
        expect(debtor.address).toEqual({
          street: 'Rua A',
          city: 'Belo Horizonte',
          state: 'MG',
          zipCode: '30421322',
        })
        return accepted('waiting')
      },
    })
    const body = { ...BODY, debtor: DEBTOR_WITH_ADDRESS }
    const answer = await call('POST', '/recurrences', body)
    expect([answer.status, answer.body.data.debtor]).toEqual([201, body.debtor])
  })

  test('answers with the refusal of its provider', async () => {
    const { call } = await fixture.createMerchant()
    fixture.scriptProvider({
      createRecurrence: async () => ({ kind: 'rejected', finality: 'final', code: 'x', message: 'no' }),
    })
    const answer = await call('POST', '/recurrences', BODY)
    expect([answer.status, answer.body.code, answer.body.data.status]).toEqual([
      ...[400, 'provider_rejected', 'FAILED'],
    ])
  })

  test('is 503 while its creation has no answer', async () => {
    const { call } = await fixture.createMerchant()
    fixture.scriptProvider({
      createRecurrence: async () => ({ kind: 'unknown', code: 'timeout', message: '' }),
    })
    const answer = await call('POST', '/recurrences', BODY)
    expect([answer.status, answer.body.code]).toEqual([503, 'issuing'])
  })
})

test('GET shows and lists the recurrences of the account alone', async () => {
  const { uuid, call } = await createActive()
  const other = await fixture.createMerchant()
  const read = await call('GET', `/recurrences/${uuid}`)
  expect(read.body.data).toMatchObject({ status: 'ACTIVE', next_charge_on: BODY.starts_on })
  expect((await other.call('GET', `/recurrences/${uuid}`)).status).toBe(404)
  const list = await call('GET', '/recurrences?status=ACTIVE')
  expect(list.body.data.map((one: { uuid: string }) => one.uuid)).toEqual([uuid])
  expect((await call('GET', '/recurrences?status=ENDED')).body.data).toEqual([])
  expect((await other.call('GET', '/recurrences')).body.data).toEqual([])
})

test('the list has those that are past due alone, or the others', async () => {
  const { call, accountUuid: account, connection } = await fixture.createMerchant()
  const owner = {
    sql: (statement: string, values: unknown[] = []) => fixture.orm.em.execute(statement, values),
    account,
    connection,
  }
  const [late, other] = [await insertRecurrence(owner), await insertRecurrence(owner)]
  await insertDebit(owner, { recurrence: late, cycle: 2, debitOn: addDays(TODAY, -2) })
  const list = async (query: string) =>
    (await call('GET', `/recurrences?${query}`)).body.data.map((one: { uuid: string }) => one.uuid)
  expect(await list('is_past_due=true')).toEqual([late])
  expect(await list('status=ACTIVE&is_past_due=1')).toEqual([late])
  expect(await list('is_past_due=false')).toEqual([other])
  const wrong = await call('GET', '/recurrences?is_past_due=yes')
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['is_past_due']])
})

test('its code is drawn, and there is none of a request', async () => {
  const { uuid, token } = await createActive()
  const draw = (name: string, of = uuid) =>
    fetch(`${fixture.server.url}/api/v1/recurrences/${of}/qr.${name}`, {
      headers: { authorization: `Bearer ${token}` },
    })
  const svg = await draw('svg')
  expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(await svg.text()).toMatch(/^<svg/)
  const png = await draw('png')
  expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
  await fixture.orm.em.execute('update recurrence set payload = null where uuid = ?', [uuid])
  expect((await draw('svg')).status).toBe(404)
})

test('its status is told by RECURRENCE events', async () => {
  const { uuid } = await createActive()
  const events = await fixture.orm.em.execute<{ type: string; status: string }[]>(
    `select type, body ->> 'status' as status from event where subject_uuid = ?`,
    [uuid],
  )
  expect(events).toEqual([{ type: 'RECURRENCE', status: 'ACTIVE' }])
})

describe('POST /recurrences/{uuid}/cancel', () => {
  test('cancels it at its provider', async () => {
    const { uuid, call } = await createActive()
    fixture.scriptProvider({ cancelRecurrence: async () => ({ kind: 'cancelled' }) })
    const answer = await call('POST', `/recurrences/${uuid}/cancel`)
    expect([answer.status, answer.body.data.status]).toEqual([200, 'CANCELLED'])
    const again = await call('POST', `/recurrences/${uuid}/cancel`)
    expect([again.status, again.body.code]).toEqual([409, 'recurrence_not_cancellable'])
  })

  test('without an answer it stays', async () => {
    const { uuid, call } = await createActive()
    fixture.scriptProvider({
      cancelRecurrence: async () => ({ kind: 'no_answer', code: 'timeout', message: '' }),
    })
    const answer = await call('POST', `/recurrences/${uuid}/cancel`)
    expect([answer.status, answer.body.code]).toEqual([503, 'cancellation_unknown'])
    expect((await call('GET', `/recurrences/${uuid}`)).body.data.status).toBe('ACTIVE')
  })
})

describe('POST /recurrences/{uuid}/charges', () => {
  test('makes the debit of a cycle, once', async () => {
    const { uuid, call } = await createActive()
    makeDebits()
    const charge = await call('POST', `/recurrences/${uuid}/charges`, { due_on: BODY.starts_on })
    expect([charge.status, charge.body.data]).toMatchObject([
      201,
      { status: 'PENDING', value: 49.9, recurrence: { uuid, cycle: 1 }, payment: { payload: '', tries: [] } },
    ])
    const read = await call('GET', `/payments/${charge.body.data.uuid}`)
    expect(read.body.data.payment).toMatchObject({
      type: 'AUTOMATIC',
      due: { on: BODY.starts_on },
      tries: [],
    })
    const second = await call('POST', `/recurrences/${uuid}/charges`, { due_on: addDays(BODY.starts_on, 1) })
    expect([second.status, second.body.code]).toEqual([409, 'cycle_already_charged'])
    const listed = await call('GET', `/payments?recurrence_uuid=${uuid}&due_from=${BODY.starts_on}`)
    expect(listed.body.data).toHaveLength(1)
  })

  test.each<[string, object, Record<string, string[]>]>([
    [
      'another value',
      { due_on: BODY.starts_on, value: 5 },
      { value: ['must be the value of the recurrence'] },
    ],
    [
      'a day that is too near',
      { due_on: addDays(TODAY, 1) },
      { due_on: ['must be 2 to 10 days after today in Brasília'] },
    ],
    ['a day before the first', { due_on: addDays(TODAY, 3) }, { due_on: ['must be within the recurrence'] }],
  ])('refuses %s', async (_, body, errors) => {
    const { uuid, call } = await createActive()
    const answer = await call('POST', `/recurrences/${uuid}/charges`, body)
    expect([answer.status, answer.body.errors]).toEqual([422, errors])
  })

  test('refuses one whose provider makes the debits itself', async () => {
    const { uuid, call } = await createActive({ debtor: DEBTOR_WITH_ADDRESS }, 'woovi')
    const answer = await call('POST', `/recurrences/${uuid}/charges`, { due_on: BODY.starts_on })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['due_on']])
  })

  test('refuses one that is not active', async () => {
    const merchant = await fixture.createMerchant()
    const { body } = await merchant.call('POST', '/recurrences', BODY)
    const answer = await merchant.call('POST', `/recurrences/${body.data.uuid}/charges`, {
      due_on: BODY.starts_on,
    })
    expect([answer.status, answer.body.code]).toEqual([409, 'recurrence_not_active'])
  })
})

describe('POST /payments/{uuid}/retry', () => {
  test('refuses a debit whose provider retries it itself', async () => {
    const { uuid: recurrenceUuid, call } = await createActive(
      { debtor: DEBTOR_WITH_ADDRESS, starts_on: addDays(TODAY, 3) },
      'woovi',
    )
    makeDebits()
    const { order } = (await fixture.activities.prepareCycle(recurrenceUuid)).charge!
    await fixture.activities.issueDebit({ order })
    const { body, status } = await call('POST', `/payments/${order.uuid}/retry`, {
      on: addDays(TODAY, 5),
    })
    expect([status, body.code, body.data]).toEqual([
      ...[409, 'charge_not_retryable', { reason: 'retried_by_provider' }],
    ])
  })

  test('asks once, whatever becomes of the answer, and a repeat with the key answers alike', async () => {
    const { uuid: recurrenceUuid, call } = await createActive()
    makeDebits()
    const charge = await call('POST', `/recurrences/${recurrenceUuid}/charges`, { due_on: BODY.starts_on })
    const { uuid } = charge.body.data
    const failed = {
      on: BODY.starts_on,
      kind: 'FIRST',
      status: 'REJECTED',
      code: 'AM02',
      endToEnd: null,
    } as const
    await fixture.orm.em.execute('update charge set tries = ?::jsonb where uuid = ?', [
      JSON.stringify([failed]),
      uuid,
    ])
    const debit = { ...buildIssuedCharge(uuid), receiver: toParty({}), payload: '' }
    const requested: unknown[] = []
    fixture.scriptProvider({
      findCharge: async () => ({
        kind: 'found',
        status: 'open',
        charge: debit,
        payments: [],
        tries: [failed],
      }),
      reviseCharge: async revision => {
        requested.push(revision)
        return requested.length === 1
          ? { kind: 'no_answer', code: 'timeout', message: '' }
          : { kind: 'revised', charge: debit }
      },
    })
    const key = randomUUID()
    const on = addDays(BODY.starts_on, 2)
    const retry = (body: object) => call('POST', `/payments/${uuid}/retry`, body, key)
    const unanswered = await retry({ on })
    expect([unanswered.status, unanswered.body.code]).toEqual([503, 'revision_unknown'])
    const second = await call('POST', `/payments/${uuid}/retry`, { on: addDays(on, 1) }, randomUUID())
    expect([second.status, second.body.code]).toEqual([409, 'revision_in_progress'])
    const answer = await retry({ on })
    expect([answer.status, answer.body.data.payment.tries]).toMatchObject([200, [{}, { on, kind: 'RETRY' }]])
    expect(requested).toEqual([requested[0], requested[0]])
    const again = await retry({ on })
    expect([again.status, again.headers.get('idempotent-replayed'), requested.length]).toEqual([
      ...[200, 'true', 2],
    ])
    const other = await retry({ on: addDays(on, 1) })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('refuses a charge that is no debit, and a debit whose try is pending', async () => {
    const { uuid, call } = await createActive()
    makeDebits()
    const charge = await call('POST', `/recurrences/${uuid}/charges`, { due_on: BODY.starts_on })
    const retry = (on: string) => call('POST', `/payments/${charge.body.data.uuid}/retry`, { on })
    const pending = await retry(addDays(BODY.starts_on, 1))
    expect([pending.status, pending.body.code, pending.body.data]).toEqual([
      ...[409, 'charge_not_retryable', { reason: 'try_pending' }],
    ])
    await fixture.orm.em.execute(`update charge set tries = ?::jsonb where uuid = ?`, [
      JSON.stringify([
        { on: BODY.starts_on, kind: 'FIRST', status: 'REJECTED', code: 'AM02', endToEnd: null },
      ]),
      charge.body.data.uuid,
    ])
    const tooLate = await retry(addDays(BODY.starts_on, 8))
    expect([tooLate.status, tooLate.body.errors]).toEqual([
      422,
      { on: ['must be within seven days after the due day, and before the next one'] },
    ])
    fixture.scriptProvider({
      reviseCharge: async ({ reference, retryOn }) => {
        expect(retryOn).toBe(addDays(BODY.starts_on, 2))
        return {
          kind: 'revised',
          charge: { ...buildIssuedCharge(reference), receiver: toParty({}), payload: '' },
        }
      },
    })
    const answer = await retry(addDays(BODY.starts_on, 2))
    expect([answer.status, answer.body.data.payment.tries]).toMatchObject([
      200,
      [{ kind: 'FIRST' }, { kind: 'RETRY', on: addDays(BODY.starts_on, 2), status: 'REQUESTED' }],
    ])
  })
})
