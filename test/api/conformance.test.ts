import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  fieldsOf,
  readOperations,
  readSection,
  readSentence,
  readTable,
  valuesOf,
} from './contract/document.ts'
import { type ApiResource, createSampleResources, type SampleResources } from './contract/sample-resources.ts'
import { findShapeFaults, matchesPlainType, RESOURCE_NAMES, type RecordContext } from './contract/shapes.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** The contract's own tables against a running stack: fields and types, enumerations, states, pages. */

let testStack: TestStack
let resources: SampleResources
beforeAll(async () => {
  testStack = await openSharedTestStack()
  resources = await createSampleResources(testStack)
})
afterAll(async () => {
  if (resources) await testStack.waitUntilLedgerAgrees(resources.merchant)
  await testStack.close()
})

const steps = ({ history }: ApiResource): string[] => history.map(({ status }: ApiResource) => status)

test('every operation that has a heading is served', () => {
  const { paths } = testStack.contract.document as { paths: Record<string, object> }
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
  )
  const named = readOperations().map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
  expect(named.length).toBeGreaterThan(15)
  expect(served).toEqual(expect.arrayContaining(named))
})

describe('every field of every table is present and has its type', () => {
  type Case = [
    what: string,
    resource: string,
    context: RecordContext,
    object: () => ApiResource | Promise<ApiResource>,
  ]
  const CASES: Case[] = [
    ['a charge as it is created', 'Charge', 'charge', () => resources.charge.created],
    ['a charge as it is read once paid', 'Charge', 'charge', () => resources.charge.paid],
    ['a charge that was refunded in part', 'Charge', 'charge', () => resources.charge.partly],
    ['its PIX while unpaid', 'PIX initiation object', 'charge', () => resources.charge.created.payment.pix],
    ['its PIX once paid', 'PIX initiation object', 'charge', () => resources.charge.paid.payment.pix],
    ['its payer', 'Party', 'charge', () => resources.charge.paid.payment.pix.sender],
    ['its movement', 'ledger record', 'charge', () => resources.charge.paid.payment.pix.transaction],
    ['a split', 'Split', 'charge', () => resources.charge.paid.splits[0]],
    ['a transfer as it is sent', 'Transfer', 'transfer', () => resources.transfer.sent],
    ['a transfer that has settled', 'Transfer', 'transfer', () => resources.transfer.settled],
    ['a transfer that was rejected', 'Transfer', 'transfer', () => resources.transfer.rejected.body.data],
    ['its movement', 'ledger record', 'transfer', () => resources.transfer.settled.transfer],
    [
      'the PIX a refund returns',
      'ledger record',
      'refund',
      () => resources.refunded.data.refund.pix_original,
    ],
    ['the PIX that returns it', 'ledger record', 'refund', () => resources.refunded.data.refund.pix_refund],
    ['a dispute', 'Dispute', 'dispute', () => resources.med],
    ['the PIX in dispute', 'ledger record', 'dispute', async () => (await resources.med).pix_in_transaction],
    ['a NOMINAL provider', 'Provider', 'ledger', () => provider('NOMINAL')],
    ['a POOL provider', 'Provider', 'ledger', () => provider('POOL')],
  ]
  test.each(CASES)('%s', async (_what, resource, context, object) => {
    expect(findShapeFaults(await object(), resource, context)).toEqual([])
  })

  test('every table is checked', () => {
    expect([...new Set(CASES.map(([, resource]) => resource))].sort()).toEqual([...RESOURCE_NAMES].sort())
  })

  const provider = (type: string) => resources.providers.find((one: ApiResource) => one.type === type)

  test('the shape check reports a missing field and a field of another type', async () => {
    const { uuid: _, ...without } = resources.charge.paid
    expect(findShapeFaults(without, 'Charge', 'charge')).toEqual(['Charge.uuid is missing'])
    const other = { ...resources.charge.paid, splits: [{ ...resources.charge.paid.splits[0], value: '10' }] }
    expect(findShapeFaults(other, 'Charge', 'charge')).toEqual(['Charge.splits.0.value is "10", not number'])
    const nameless = { ...(await resources.med), attachments: [{ uuid: 'x' }] }
    expect(findShapeFaults(nameless, 'Dispute', 'dispute')).toEqual([
      'Dispute.attachments.0.url is not string',
    ])
  })
})

describe('the sentences of the contract', () => {
  const missing = (object: ApiResource, documented: string) =>
    fieldsOf(documented).filter(name => !Object.hasOwn(object, name))

  test('the payment of a charge: created, and read', () => {
    const documented = readSentence('Charge (payment)', '`payment` object: ')
    const { created, paid } = resources.charge
    expect(missing(created.payment, documented)).toEqual(['verify_sender'])
    expect(missing(paid.payment, documented)).toEqual([])
    // The code asks for value plus fee: the payer bears the charge's fee.
    expect(created.payment).toMatchObject({ value: 100.1, type: 'PIX', status: 'PENDING' })
    expect(paid.payment).toMatchObject({ value: '100.10', type: 'QR_DYNAMIC', status: 'COMPLETED' })
    expect(matchesPlainType(paid.payment.verify_sender, 'boolean')).toBe(true)
    expect(matchesPlainType(created.payment.expires_at, 'timestamp')).toBe(true)
    expect(created.payment.pix).toMatchObject({ sender: null, transaction: null })
    expect(created.total_value).toBe(created.value + created.fees)
    expect(created.fees).toBe(0.1)
  })

  test('the result of a refund', () => {
    const { message, data } = resources.refunded
    expect(matchesPlainType(message, 'string')).toBe(true)
    expect(missing(data, readSentence('Refund result', '`data`: '))).toEqual([])
    // The part in brackets there applies to both movements.
    const own = readSentence('Refund result', '`refund`: ').replaceAll(/\([^)]*\)/g, '')
    expect(missing(data.refund, own)).toEqual([])
    expect(data).toMatchObject({ uuid: resources.charge.created.uuid, status: 'PROCESSING', value: 100 })
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
    for (const { transfer } of [resources.transfer.sent, resources.transfer.settled])
      expect(transfer).toMatchObject({
        movement_type: 'OUT',
        type: 'EXTERNAL_TRANSFER',
        initiation: { type: 'KEY', txid: null },
      })
  })

  test('a PIX key: created, listed, read and removed', async () => {
    const documented = readSentence('PIX key', '').split('. Key formats')[0]!
    const { message, data } = resources.key
    expect(matchesPlainType(message, 'string')).toBe(true)
    const [listed] = await resources.data('/api/v1/pix-keys')
    for (const key of [data, listed, await resources.data(`/api/v1/pix-keys/${data.key}`)]) {
      expect(missing(key, documented)).toEqual([])
      expect(key).toMatchObject({ key: data.key, type: 'RANDOM', is_active: true })
      expect(matchesPlainType(key.created_at, 'timestamp')).toBe(true)
    }
    expect(data.key).toMatch(/^[\da-f-]{36}$/)
    const removed = await resources.api.delete(`/api/v1/pix-keys/${encodeURIComponent(data.key)}`)
    expect([removed.status, matchesPlainType(removed.body.message, 'string')]).toEqual([200, true])
  })

  test('a webhook', () => {
    expect(missing(resources.webhook, readSentence('Webhook', ''))).toEqual([])
    expect(resources.webhook).toMatchObject({ status: 'ACTIVE', events: ['MED'] })
    expect(resources.webhook.token.length).toBeGreaterThan(20)
  })

  test('a page of a list', async () => {
    const documented = fieldsOf(readSentence('Conventions', '`meta` fields: '))
    for (const path of LISTS) {
      const { meta, data } = (await resources.api.get(`${path}?per_page=1`)).body
      // From a numbered page a client may go on by cursor, which the contract does not know.
      expect([path, Object.keys(meta).sort()]).toEqual([path, [...documented, 'next_cursor'].sort()])
      expect([path, documented.filter(name => !matchesPlainType(meta[name], 'integer'))]).toEqual([path, []])
      expect([path, data.length]).toEqual([path, Math.min(1, meta.total)])
    }
  })

  test('default providers are listed by payment type, without balances', async () => {
    const defaults = await resources.data('/api/v1/providers/defaults')
    expect(Object.keys(defaults)).toEqual(['PIX'])
    expect(defaults.PIX.map(({ uuid }: ApiResource) => uuid)).toEqual(
      resources.merchant.connections.map(({ uuid }) => uuid),
    )
    for (const one of defaults.PIX) {
      expect(one).not.toHaveProperty('balances')
      expect(findShapeFaults(one, 'Provider', 'ledger')).toEqual([])
    }
  })
})

const LISTS = ['payments', 'transfers', 'pix-keys', 'providers', 'meds', 'webhooks'].map(
  noun => `/api/v1/${noun}`,
)

describe('every value of every enumeration is accepted as a filter in any case, and no other value is', () => {
  const inTable = (title: string, field: string) =>
    valuesOf(readTable(title).find(row => row.Field === field)?.Notes ?? '')
  const known = (title: string, name = '`status`') => {
    const text = readSection(title)
    return valuesOf(/\(([^)]*)\)/.exec(text.slice(text.indexOf(name)))?.[1] ?? '')
  }
  test.each<[path: string, name: string, values: string[], atLeast: number]>([
    ['payments', 'status', valuesOf(readSentence('Charge status', 'Values:')), 9],
    ['payments', 'type', known('GET /api/v1/payments', '- by type'), 2],
    ['transfers', 'status', known('GET /api/v1/transfers'), 9],
    ['transfers', 'status', valuesOf(readSentence('Transfer status', 'Values:')), 9],
    ['transfers', 'type', known('GET /api/v1/transfers', 'by type'), 2],
    ['meds', 'status', known('GET /api/v1/meds'), 5],
    ['meds', 'med_type', known('GET /api/v1/meds', '`med_type` values'), 2],
    ['meds', 'dispute_type', inTable('Dispute (MED)', 'dispute_type'), 5],
    ['providers', 'status', inTable('Provider', 'status'), 12],
    [
      'pix-keys',
      'type',
      valuesOf(readSentence('POST /api/v1/pix-keys', 'Body (JSON): `type` (required: ').split(')')[0]!),
      4,
    ],
  ])('%s: %s', async (path, name, values, atLeast) => {
    expect(values.length).toBeGreaterThanOrEqual(atLeast)
    const asked = (value: string) => resources.api.get(`/api/v1/${path}?${name}=${value}`)
    for (const value of values)
      expect([value, (await asked(value)).status, (await asked(value.toLowerCase())).status]).toEqual([
        value,
        200,
        200,
      ])
    expect([(await asked('SOMETHING')).status, (await asked('')).status]).toEqual([422, 422])
  })

  test('every event type can be subscribed to', async () => {
    const kinds = valuesOf(readSentence('Events', 'Webhook event kinds: '))
    expect(kinds).toHaveLength(5)
    const url = `${testStack.local.inbox_url}/kinds`
    const all = await resources.api.post('/api/v1/webhooks', { url })
    expect([all.status, [...all.body.data.events].sort()]).toEqual([201, [...kinds].sort()])
    for (const kind of kinds)
      expect(
        (await resources.api.post('/api/v1/webhooks', { url, events: [kind] })).body.data.events,
      ).toEqual([kind])
    expect((await resources.api.post('/api/v1/webhooks', { url, events: ['OTHER'] })).status).toBe(422)
  })
})

describe('the states of the contract, as histories show them', () => {
  test('a charge', () => {
    const { created, paid, partly } = resources.charge
    expect([created.status, steps(created)]).toEqual(['PENDING', ['PENDING']])
    expect([paid.status, steps(paid)]).toEqual(['PAID', ['PENDING', 'PROCESSING', 'PAID']])
    expect([partly.status, steps(partly).slice(3)]).toEqual([
      'PARTIALLY_REFUNDED',
      ['PROCESSING', 'PARTIALLY_REFUNDED'],
    ])
    expect(created.splits.map(({ status }: ApiResource) => status)).toEqual(['PENDING', 'PENDING'])
    expect(paid.splits.map(({ status }: ApiResource) => status)).toEqual(['CREDITED', 'CREDITED'])
  })

  test('a transfer', () => {
    const { sent, settled, rejected } = resources.transfer
    expect([sent.status, steps(settled)]).toEqual(['PROCESSING', ['PENDING', 'PROCESSING', 'PAID']])
    expect([rejected.status, rejected.body.data.status]).toEqual([400, 'FAILED'])
    expect(rejected.body.data.error).toBeDefined()
  })
})
