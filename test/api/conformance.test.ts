import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Cast, castOf, type Shown } from './contract/cast.ts'
import { fieldsOf, operations, section, sentence, table, valuesOf } from './contract/document.ts'
import { type Context, faultsOf, isPlain, RESOURCE_NAMES } from './contract/shapes.ts'
import { type Stage, sharedStage } from './support/stage.ts'

/** The contract's own tables, walked over a running stack: fields and types, enumerations, states, pages. */

let stage: Stage
let cast: Cast
beforeAll(async () => {
  stage = await sharedStage()
  cast = await castOf(stage)
}, 120_000)
afterAll(async () => {
  if (cast) await stage.booksAgree(cast.merchant)
  await stage.close()
})

const steps = ({ history }: Shown): string[] => history.map(({ status }: Shown) => status)

test('every operation that has a heading is served', () => {
  const { paths } = stage.contract.document as { paths: Record<string, object> }
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
  )
  const named = operations().map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(named.length).toBeGreaterThan(15)
  expect(served).toEqual(expect.arrayContaining(named))
})

describe('every field of every table is there, and of its type', () => {
  type Case = [what: string, resource: string, context: Context, object: () => Shown | Promise<Shown>]
  const CASES: Case[] = [
    ['a charge as it is created', 'Charge', 'charge', () => cast.charge.created],
    ['a charge as it is read once paid', 'Charge', 'charge', () => cast.charge.paid],
    ['a charge that was refunded in part', 'Charge', 'charge', () => cast.charge.partly],
    [
      'its PIX while nobody has paid',
      'PIX initiation object',
      'charge',
      () => cast.charge.created.payment.pix,
    ],
    ['its PIX once paid', 'PIX initiation object', 'charge', () => cast.charge.paid.payment.pix],
    ['its payer', 'Party', 'charge', () => cast.charge.paid.payment.pix.sender],
    ['its movement', 'ledger record', 'charge', () => cast.charge.paid.payment.pix.transaction],
    ['a split', 'Split', 'charge', () => cast.charge.paid.splits[0]],
    ['a transfer as it is sent', 'Transfer', 'transfer', () => cast.transfer.sent],
    ['a transfer that has settled', 'Transfer', 'transfer', () => cast.transfer.settled],
    ['a transfer that was rejected', 'Transfer', 'transfer', () => cast.transfer.rejected.body.data],
    ['its movement', 'ledger record', 'transfer', () => cast.transfer.settled.transfer],
    ['the PIX a refund returns', 'ledger record', 'refund', () => cast.refunded.data.refund.pix_original],
    ['the PIX that returns it', 'ledger record', 'refund', () => cast.refunded.data.refund.pix_refund],
    ['a dispute', 'Dispute', 'dispute', () => cast.med],
    ['the PIX in dispute', 'ledger record', 'dispute', async () => (await cast.med).pix_in_transaction],
    ['a NOMINAL provider', 'Provider', 'ledger', () => provider('NOMINAL')],
    ['a POOL provider', 'Provider', 'ledger', () => provider('POOL')],
  ]
  test.each(CASES)('%s', async (_what, resource, context, object) => {
    expect(faultsOf(await object(), resource, context)).toEqual([])
  })

  test('no table is left out', () => {
    expect([...new Set(CASES.map(([, resource]) => resource))].sort()).toEqual([...RESOURCE_NAMES].sort())
  })

  const provider = (type: string) => cast.providers.find((one: Shown) => one.type === type)

  test('the judge sees what is missing and what is of another type', async () => {
    const { uuid: _, ...without } = cast.charge.paid
    expect(faultsOf(without, 'Charge', 'charge')).toEqual(['Charge.uuid is missing'])
    const other = { ...cast.charge.paid, splits: [{ ...cast.charge.paid.splits[0], value: '10' }] }
    expect(faultsOf(other, 'Charge', 'charge')).toEqual(['Charge.splits.0.value is "10", not number'])
    const nameless = { ...(await cast.med), attachments: [{ uuid: 'x' }] }
    expect(faultsOf(nameless, 'Dispute', 'dispute')).toEqual(['Dispute.attachments.0.url is not string'])
  })
})

describe('what the contract tells in sentences', () => {
  const missing = (object: Shown, told: string) => fieldsOf(told).filter(name => !Object.hasOwn(object, name))

  test('the payment of a charge: created, and read', () => {
    const told = sentence('Charge (payment)', '`payment` object: ')
    const { created, paid } = cast.charge
    expect(missing(created.payment, told)).toEqual(['verify_sender'])
    expect(missing(paid.payment, told)).toEqual([])
    // What the code asks: the charge's fee is the payer's.
    expect(created.payment).toMatchObject({ value: 100.1, type: 'PIX', status: 'PENDING' })
    expect(paid.payment).toMatchObject({ value: '100.10', type: 'QR_DYNAMIC', status: 'COMPLETED' })
    expect(isPlain(paid.payment.verify_sender, 'boolean')).toBe(true)
    expect(isPlain(created.payment.expires_at, 'timestamp')).toBe(true)
    expect(created.payment.pix).toMatchObject({ sender: null, transaction: null })
    expect(created.total_value).toBe(created.value + created.fees)
    expect(created.fees).toBe(0.1)
  })

  test('the result of a refund', () => {
    const { message, data } = cast.refunded
    expect(isPlain(message, 'string')).toBe(true)
    expect(missing(data, sentence('Refund result', '`data`: '))).toEqual([])
    // What stands in brackets there is of the two movements.
    const own = sentence('Refund result', '`refund`: ').replaceAll(/\([^)]*\)/g, '')
    expect(missing(data.refund, own)).toEqual([])
    expect(data).toMatchObject({ uuid: cast.charge.created.uuid, status: 'PROCESSING', value: 100 })
    expect(data.refund).toMatchObject({
      value: 1,
      pix_original: { movement_type: 'IN' },
      pix_refund: {
        movement_type: 'OUT',
        type: 'EXTERNAL_REFUND',
        status: 'PENDING',
        settled_at: null,
        initiation: { type: 'REFUND', txid: null },
      },
    })
    expect(typeof data.refund.pix_refund.initiation.value).toBe('number')
  })

  test('a transfer’s movement', () => {
    for (const { transfer } of [cast.transfer.sent, cast.transfer.settled])
      expect(transfer).toMatchObject({
        movement_type: 'OUT',
        type: 'EXTERNAL_TRANSFER',
        initiation: { type: 'KEY', txid: null },
      })
  })

  test('a key: made, listed, read and removed', async () => {
    const told = sentence('PIX key', '').split('. Key formats')[0]!
    const { message, data } = cast.key
    expect(isPlain(message, 'string')).toBe(true)
    const [listed] = await cast.data('/api/v1/pix-keys')
    for (const key of [data, listed, await cast.data(`/api/v1/pix-keys/${data.key}`)]) {
      expect(missing(key, told)).toEqual([])
      expect(key).toMatchObject({ key: data.key, type: 'RANDOM', is_active: true })
      expect(isPlain(key.created_at, 'timestamp')).toBe(true)
    }
    expect(data.key).toMatch(/^[\da-f-]{36}$/)
    const removed = await cast.api.delete(`/api/v1/pix-keys/${encodeURIComponent(data.key)}`)
    expect([removed.status, isPlain(removed.body.message, 'string')]).toEqual([200, true])
  })

  test('a webhook', () => {
    expect(missing(cast.webhook, sentence('Webhook', ''))).toEqual([])
    expect(cast.webhook).toMatchObject({ status: 'ACTIVE', events: ['MED'] })
    expect(cast.webhook.token.length).toBeGreaterThan(20)
  })

  test('a page of a list', async () => {
    const told = fieldsOf(sentence('Conventions', '`meta` fields: '))
    for (const path of LISTS) {
      const { meta, data } = (await cast.api.get(`${path}?per_page=1`)).body
      expect([path, Object.keys(meta).sort()]).toEqual([path, [...told].sort()])
      expect([path, told.filter(name => !isPlain(meta[name], 'integer'))]).toEqual([path, []])
      expect([path, data.length]).toEqual([path, Math.min(1, meta.total)])
    }
  })

  test('the defaults are lists by payment type, of providers without balances', async () => {
    const defaults = await cast.data('/api/v1/providers/defaults')
    expect(Object.keys(defaults)).toEqual(['PIX'])
    expect(defaults.PIX.map(({ uuid }: Shown) => uuid)).toEqual(
      cast.merchant.connections.map(({ uuid }) => uuid),
    )
    for (const one of defaults.PIX) {
      expect(one).not.toHaveProperty('balances')
      expect(faultsOf(one, 'Provider', 'ledger')).toEqual([])
    }
  })
})

const LISTS = ['payments', 'transfers', 'pix-keys', 'providers', 'meds', 'webhooks'].map(
  noun => `/api/v1/${noun}`,
)

describe('every value of every enumeration is taken as a filter, in any case, and no other', () => {
  const inTable = (title: string, field: string) =>
    valuesOf(table(title).find(row => row.Field === field)?.Notes ?? '')
  const known = (title: string, name = '`status`') => {
    const text = section(title)
    return valuesOf(/\(([^)]*)\)/.exec(text.slice(text.indexOf(name)))?.[1] ?? '')
  }
  test.each<[path: string, name: string, values: string[], atLeast: number]>([
    ['payments', 'status', valuesOf(sentence('Charge status', 'Values:')), 9],
    ['payments', 'type', known('GET /api/v1/payments', '- by type'), 2],
    ['transfers', 'status', known('GET /api/v1/transfers'), 9],
    ['transfers', 'status', valuesOf(sentence('Transfer status', 'Values:')), 9],
    ['transfers', 'type', known('GET /api/v1/transfers', 'by type'), 2],
    ['meds', 'status', known('GET /api/v1/meds'), 5],
    ['meds', 'med_type', known('GET /api/v1/meds', '`med_type` values'), 2],
    ['meds', 'dispute_type', inTable('Dispute (MED)', 'dispute_type'), 5],
    ['providers', 'status', inTable('Provider', 'status'), 12],
    [
      'pix-keys',
      'type',
      valuesOf(sentence('POST /api/v1/pix-keys', 'Body (JSON): `type` (required: ').split(')')[0]!),
      4,
    ],
  ])('%s: %s', async (path, name, values, atLeast) => {
    expect(values.length).toBeGreaterThanOrEqual(atLeast)
    const asked = (value: string) => cast.api.get(`/api/v1/${path}?${name}=${value}`)
    for (const value of values)
      expect([value, (await asked(value)).status, (await asked(value.toLowerCase())).status]).toEqual([
        value,
        200,
        200,
      ])
    expect([(await asked('SOMETHING')).status, (await asked('')).status]).toEqual([422, 422])
  })

  test('every kind of event can be subscribed to', async () => {
    const kinds = valuesOf(sentence('Events', 'Webhook event kinds: '))
    expect(kinds).toHaveLength(5)
    const url = `${stage.local.inbox_url}/kinds`
    const all = await cast.api.post('/api/v1/webhooks', { url })
    expect([all.status, [...all.body.data.events].sort()]).toEqual([201, [...kinds].sort()])
    for (const kind of kinds)
      expect((await cast.api.post('/api/v1/webhooks', { url, events: [kind] })).body.data.events).toEqual([
        kind,
      ])
    expect((await cast.api.post('/api/v1/webhooks', { url, events: ['OTHER'] })).status).toBe(422)
  })
})

describe('the states of the contract, as histories tell them', () => {
  test('a charge', () => {
    const { created, paid, partly } = cast.charge
    expect([created.status, steps(created)]).toEqual(['PENDING', ['PENDING']])
    expect([paid.status, steps(paid)]).toEqual(['PAID', ['PENDING', 'PROCESSING', 'PAID']])
    expect([partly.status, steps(partly).slice(3)]).toEqual([
      'PARTIALLY_REFUNDED',
      ['PROCESSING', 'PARTIALLY_REFUNDED'],
    ])
    expect(created.splits.map(({ status }: Shown) => status)).toEqual(['PENDING', 'PENDING'])
    expect(paid.splits.map(({ status }: Shown) => status)).toEqual(['CREDITED', 'CREDITED'])
  })

  test('a transfer', () => {
    const { sent, settled, rejected } = cast.transfer
    expect([sent.status, steps(settled)]).toEqual(['PROCESSING', ['PENDING', 'PROCESSING', 'PAID']])
    expect([rejected.status, rejected.body.data.status]).toEqual([400, 'FAILED'])
    expect(rejected.body.data.error).toBeDefined()
  })
})
