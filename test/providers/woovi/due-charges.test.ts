import { describe, expect, test } from '@jest/globals'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { listUnsupportedDueMembers } from '../../../src/domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import {
  chargeOf,
  okReply,
  openWooviFixture,
  pageOf,
  REFERENCE,
  transactionOf,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const POST = 'POST /api/v1/charge'
const GET = `GET /api/v1/charge/${REFERENCE}`
const PAID = 'GET /api/v1/transaction'

const terms: DueTerms = {
  on: '2026-01-20',
  payableDaysAfter: 30,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
}
const address = {
  street: 'Rua A',
  number: '100',
  complement: 'Sala 2',
  neighborhood: 'Centro',
  city: 'Belo Horizonte',
  state: 'MG',
  zipCode: '30421322',
}
const debtor = { name: 'Ana Souza', document: '52998224725', address }
const additionalInfo = [{ name: 'Contrato', value: '2026/7' }]
const order = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 1,
  collectionKey: null,
  debtor,
  due: terms,
}
const dueChargeOf = (changes: object = {}) =>
  chargeOf({
    type: 'OVERDUE',
    dueDate: '2026-01-21T02:59:59.999Z',
    expiresDate: '2026-02-20T02:59:59.999Z',
    expiresIn: 3_553_199,
    interestsSettings: { fines: { value: 0 }, interests: { value: 0 } },
    ...changes,
  })

test('a charge with a due date is requested with its customer’s address, and with a fine and an interest of zero', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(dueChargeOf()))
  expect(await story.provider.issueCharge({ ...order, message: 'Pedido 7', additionalInfo })).toMatchObject({
    kind: 'accepted',
    charge: { totalCents: 1234, payload: '00020101021226...', expiresAt: '2026-02-20T02:59:59.999Z' },
  })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    correlationID: REFERENCE,
    value: 1234,
    comment: 'Pedido 7',
    additionalInfo: [{ key: 'Contrato', value: '2026/7' }],
    type: 'OVERDUE',
    dueDate: '2026-01-20T15:00:00.000Z',
    daysAfterDueDate: 30,
    fines: { type: 'FIXED', value: 0 },
    interests: { type: 'PERCENTAGE', value: 0 },
    customer: {
      name: 'Ana Souza',
      taxID: '52998224725',
      address: {
        street: 'Rua A',
        number: '100',
        complement: 'Sala 2',
        neighborhood: 'Centro',
        city: 'Belo Horizonte',
        state: 'MG',
        zipcode: '30421322',
        country: 'BR',
      },
    },
  })
})

const fixed = (cents: number) => ({ type: 'FIXED', cents }) as const
const percentage = (basisPoints: number) => ({ type: 'PERCENTAGE', basisPoints }) as const
const perDay = (
  rate: ReturnType<typeof fixed> | ReturnType<typeof percentage>,
  days: 'CALENDAR' | 'BUSINESS',
) => ({ discount: { kind: 'per_day', rate, days } }) as const

test.each<[string, Partial<DueTerms>, object]>([
  ['a fine in centavos', { fine: fixed(150) }, { fines: { type: 'FIXED', value: 150 } }],
  ['a fine in percent', { fine: percentage(200) }, { fines: { type: 'PERCENTAGE', value: 200 } }],
  [
    'interest of a day in percent',
    { interest: { ...percentage(3), per: 'DAY', days: 'CALENDAR' } },
    { interests: { type: 'PERCENTAGE', value: 3 } },
  ],
  [
    'discounts in centavos until a day',
    {
      discount: {
        kind: 'until',
        steps: [
          { ...fixed(50), on: '2026-01-18' },
          { ...fixed(100), on: '2026-01-15' },
        ],
      },
    },
    {
      discountSettings: {
        modality: 'FIXED_VALUE_UNTIL_SPECIFIED_DATE',
        discountFixedDate: [
          { daysActive: 8, value: 50 },
          { daysActive: 5, value: 100 },
        ],
      },
    },
  ],
  [
    'a discount in percent until a day',
    { discount: { kind: 'until', steps: [{ ...percentage(500), on: '2026-01-11' }] } },
    {
      discountSettings: {
        modality: 'PERCENTAGE_UNTIL_SPECIFIED_DATE',
        discountFixedDate: [{ daysActive: 1, value: 500 }],
      },
    },
  ],
  [
    'centavos for each day in advance',
    perDay(fixed(5), 'CALENDAR'),
    { discountSettings: { modality: 'VALUE_PER_RUNNING_DAY_ADVANCE', value: 5 } },
  ],
  [
    'centavos for each business day in advance',
    perDay(fixed(5), 'BUSINESS'),
    { discountSettings: { modality: 'VALUE_PER_BUSINESS_DAY_ADVANCE', value: 5 } },
  ],
  [
    'percent for each day in advance',
    perDay(percentage(10), 'CALENDAR'),
    { discountSettings: { modality: 'PERCENTAGE_PER_RUNNING_DAY_ADVANCE', value: 10 } },
  ],
  [
    'percent for each business day in advance',
    perDay(percentage(10), 'BUSINESS'),
    { discountSettings: { modality: 'PERCENTAGE_PER_BUSINESS_DAY_ADVANCE', value: 10 } },
  ],
])('%s is written as Woovi publishes it', async (_name, changes, fields) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(dueChargeOf({ interestsSettings: null })))
  const due = { ...terms, ...changes }
  expect(listUnsupportedDueMembers(due, PROVIDER_CAPABILITIES.woovi.dueCharges!)).toEqual([])
  expect(await story.provider.issueCharge({ ...order, due })).toMatchObject({ kind: 'accepted' })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toMatchObject(fields)
})

describe('terms that Woovi does not compute are not requested', () => {
  const until = (...steps: [on: string, cents: number][]): Partial<DueTerms> => ({
    discount: { kind: 'until', steps: steps.map(([on, cents]) => ({ ...fixed(cents), on })) },
  })
  test.each<[string, Partial<DueTerms>]>([
    ['an abatement', { abatement: fixed(1) }],
    ['interest in centavos', { interest: { ...fixed(1), per: 'DAY', days: 'CALENDAR' } }],
    ['interest of a month', { interest: { ...percentage(100), per: 'MONTH', days: 'CALENDAR' } }],
    ['interest of business days', { interest: { ...percentage(1), per: 'DAY', days: 'BUSINESS' } }],
    ['a discount until the due day', until(['2026-01-20', 5])],
    ['a discount until today', until(['2026-01-10', 5])],
    ['a discount that rises', until(['2026-01-12', 5], ['2026-01-14', 6])],
    ['a discount that stays', until(['2026-01-14', 5], ['2026-01-12', 5])],
    [
      'discounts of two types',
      {
        discount: {
          kind: 'until',
          steps: [
            { ...fixed(9), on: '2026-01-12' },
            { ...percentage(5), on: '2026-01-14' },
          ],
        },
      },
    ],
  ])('%s', async (_name, changes) => {
    await using story = await openWooviFixture()
    expect(await story.provider.issueCharge({ ...order, due: { ...terms, ...changes } })).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'due_unsupported',
    })
    expect(story.scripted.seen).toEqual([])
  })

  test('a debtor without an address', async () => {
    await using story = await openWooviFixture()
    expect(PROVIDER_CAPABILITIES.woovi.dueCharges).toMatchObject({ needsAddress: true, revisable: 'nothing' })
    expect(story.provider.reviseCharge).toBeUndefined()
    const { address: _, ...addressless } = debtor
    expect(await story.provider.issueCharge({ ...order, debtor: addressless })).toMatchObject({
      code: 'due_unsupported',
    })
    expect(story.scripted.seen).toEqual([])
  })
})

test.each<[string, object]>([
  ['another value', { value: 1235 }],
  ['another kind', { type: 'DYNAMIC' }],
  ['another due day', { dueDate: '2026-01-22T02:59:59.999Z' }],
  ['a fine that was not ordered', { interestsSettings: { fines: { value: 1000 } } }],
  ['an interest that was not ordered', { interestsSettings: { interests: { value: 200 } } }],
  ['another discount day', { discountSettings: { discountFixedDate: [{ data: '2026-01-12', value: 5 }] } }],
])('a charge with %s is no answer to the order', async (_name, changes) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(dueChargeOf(changes)))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    kind: 'unknown',
    code: 'unreadable_answer',
  })
  expect(story.recorded).toHaveLength(1)
})

test.each(['2026-01-20', '2026-01-20T00:00:00.000Z', '2026-01-20T15:00:00.000Z', null])(
  'the due day is read from %p',
  async dueDate => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(POST, okReply(dueChargeOf({ dueDate })))
    expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
  },
)

test('a charge whose reported end is that of its due day can be paid until its last day', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(dueChargeOf({ expiresDate: '2026-01-21T02:59:59.999Z' })))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    charge: { expiresAt: '2026-02-20T02:59:59.999Z' },
  })
})

test.concurrent.each(UNEXPLAINED_REPLIES)('issuing with a due date: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(POST, reply)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

test('a charge whose answer was lost is found by its reference when it is issued again', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, wooviErrorReply('Já existe uma cobrança com este Correlação ID'))
  story.scripted.scriptReplies(GET, okReply(dueChargeOf()))
  expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
  expect(await story.provider.issueCharge({ ...order, due: { ...terms, fine: fixed(1) } })).toMatchObject({
    kind: 'rejected',
    code: 'reference_in_use',
  })
})

test.each([
  ['that says so', { type: 'OVERDUE' }, undefined],
  ['of which the caller says so', { type: null }, { isDue: true }],
] as const)(
  'a charge with a due date %s is open until Woovi says that it has expired',
  async (_name, changes, kind) => {
    await using story = await openWooviFixture({ now: () => Date.parse('2026-03-01T12:00:00Z') })
    story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', [])))
    story.scripted.scriptReplies(GET, okReply(dueChargeOf(changes)))
    expect(await story.provider.findCharge(REFERENCE, kind)).toMatchObject({ status: 'open', payments: [] })
    story.scripted.scriptReplies(GET, okReply(dueChargeOf({ ...changes, status: 'EXPIRED' })))
    expect(await story.provider.findCharge(REFERENCE, kind)).toMatchObject({ status: 'expired' })
  },
)

test('a payment has the value that was paid, and no parts: Woovi reports none', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply(dueChargeOf({ status: 'COMPLETED' })))
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', [transactionOf({ value: 1301 })])))
  const found = await story.provider.findCharge(REFERENCE)
  expect(found).toMatchObject({
    status: 'completed',
    charge: { totalCents: 1234 },
    payments: [{ cents: 1301 }],
  })
  expect(found.kind === 'found' && found.payments[0]).not.toHaveProperty('parts')
})
