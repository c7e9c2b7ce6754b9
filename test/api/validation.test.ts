import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { RequestOptions } from './support/client.ts'
import { type Merchant, openSharedTestStack, type TestStack } from './support/test-stack.ts'

/** Every rule of the contract and of SPEC §1 and §2 for charges and their list: all errors are named at once. */

let stack: TestStack
let merchant: Merchant
let other: Merchant
let recipient: string
let second: string
const ids: Record<string, string> = {}

beforeAll(async () => {
  stack = await openSharedTestStack()
  merchant = await stack.createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }, {}, {}] })
  other = await stack.createMerchant()
  recipient = (await stack.createRecipient(merchant)).uuid
  second = (await stack.createRecipient(merchant)).uuid
  const [, , inactive, hidden] = merchant.connections
  await stack.sql(`update connection set status = 'KYC_PENDING' where uuid = ?`, [inactive!.uuid])
  await stack.sql(`update connection set is_public = false where uuid = ?`, [hidden!.uuid])
  Object.assign(ids, {
    RECIPIENT: recipient,
    SECOND: second,
    OWN: merchant.uuid,
    UNKNOWN: randomUUID(),
    FOREIGN: other.connection.uuid,
    INACTIVE: inactive!.uuid,
    HIDDEN: hidden!.uuid,
  })
})
afterAll(async () => {
  await stack.close()
})

const fine = { value: 10, type: 'PIX' }
const percent = (value: unknown, to = 'RECIPIENT') => ({
  type: 'PERCENTAGE',
  value,
  recipient_account_uuid: to,
})
const fixed = (value: unknown, to = 'RECIPIENT') => ({ type: 'FIXED', value, recipient_account_uuid: to })
const owed = { debtor: { name: 'Ana Souza', document: '52998224725' } }
const beneficiary = (name: unknown, document: unknown) => ({ ...fine, final_beneficiary: { name, document } })

/** A body with names replaced by the ids of the running stack. */
function filled<T>(body: T): T {
  return JSON.parse(JSON.stringify(body), (_, value) =>
    typeof value === 'string' && Object.hasOwn(ids, value) ? ids[value] : value,
  )
}

async function nothingIsStored(): Promise<void> {
  const rows = await stack.sql('select uuid from charge where account_uuid = ?', [merchant.uuid])
  expect(rows).toEqual([])
}

const REFUSED: [why: string, body: unknown, fields: string[]][] = [
  ['an empty body', {}, ['type', 'value']],
  ['a list', [], ['body']],
  ['null', null, ['body']],
  ['a text', 'PIX', ['body']],

  ['no value', { type: 'PIX' }, ['value']],
  ['a text as value', { ...fine, value: '10' }, ['value']],
  ['null as value', { ...fine, value: null }, ['value']],
  ['true as value', { ...fine, value: true }, ['value']],
  ['a negative value', { ...fine, value: -1 }, ['value']],
  ['a value below half a centavo', { ...fine, value: -0.001 }, ['value']],
  ['three decimals', { ...fine, value: 1.005 }, ['value']],
  ['the binary sum of 0.1 + 0.2', { ...fine, value: 0.1 + 0.2 }, ['value']],
  ['1e21', { ...fine, value: 1e21 }, ['value']],
  ['1e-7', { ...fine, value: 1e-7 }, ['value']],
  ['a centavo too many', { ...fine, value: 10_000_000_000 }, ['value']],

  ['no type', { value: 10 }, ['type']],
  ['another type', { ...fine, type: 'BOLETO' }, ['type']],
  ['a number as type', { ...fine, type: 1 }, ['type']],
  ['UNDEFINED as type, which only filters know', { ...fine, type: 'UNDEFINED' }, ['type']],

  ['a long external_ref', { ...fine, external_ref: 'x'.repeat(256) }, ['external_ref']],
  ['a number as external_ref', { ...fine, external_ref: 42 }, ['external_ref']],
  ['a NUL in external_ref', { ...fine, external_ref: 'a\0b' }, ['external_ref']],
  ['half a surrogate pair', { ...fine, external_ref: '\ud800' }, ['external_ref']],

  [
    'an empty beneficiary',
    { ...fine, final_beneficiary: {} },
    ['final_beneficiary.document', 'final_beneficiary.name'],
  ],
  [
    'a beneficiary without name',
    { ...fine, final_beneficiary: { document: '52998224725' } },
    ['final_beneficiary.name'],
  ],
  [
    'a beneficiary without document',
    { ...fine, final_beneficiary: { name: 'Ana' } },
    ['final_beneficiary.document'],
  ],
  ['a text as beneficiary', { ...fine, final_beneficiary: 'Ana' }, ['final_beneficiary']],
  ['a nameless beneficiary', beneficiary(' ', '52998224725'), ['final_beneficiary.name']],
  ['a long name', beneficiary('x'.repeat(141), '52998224725'), ['final_beneficiary.name']],
  ['wrong check digits of a CPF', beneficiary('Ana', '52998224724'), ['final_beneficiary.document']],
  ['wrong check digits of a CNPJ', beneficiary('Ana', '11222333000182'), ['final_beneficiary.document']],
  [
    'wrong check digits of an alphanumeric CNPJ',
    beneficiary('Ana', '12ABC34501DE36'),
    ['final_beneficiary.document'],
  ],
  ['one repeated digit', beneficiary('Ana', '11111111111'), ['final_beneficiary.document']],
  ['a masked CPF', beneficiary('Ana', '529.982.247-25'), ['final_beneficiary.document']],
  ['a document of digits that are no text', beneficiary('Ana', 52998224725), ['final_beneficiary.document']],

  ['no uuid as provider', { ...fine, provider_uuid: 'PROVIDER_A' }, ['provider_uuid']],
  ['an unknown provider', { ...fine, provider_uuid: 'UNKNOWN' }, ['provider_uuid']],
  ["another account's provider", { ...fine, provider_uuid: 'FOREIGN' }, ['provider_uuid']],
  ['a provider that is not active', { ...fine, provider_uuid: 'INACTIVE' }, ['provider_uuid']],
  ['a provider that is not public', { ...fine, provider_uuid: 'HIDDEN' }, ['provider_uuid']],

  ['splits that are no list', { ...fine, splits: percent(10) }, ['splits']],
  [
    'an empty split',
    { ...fine, splits: [{}] },
    ['splits.0.recipient_account_uuid', 'splits.0.type', 'splits.0.value'],
  ],
  ['another split type', { ...fine, splits: [{ ...percent(10), type: 'HALF' }] }, ['splits.0.type']],
  ['a text as split value', { ...fine, splits: [percent('10')] }, ['splits.0.value']],
  ['a negative split', { ...fine, splits: [fixed(-1)] }, ['splits.0.value']],
  ['a third decimal of a percentage', { ...fine, splits: [percent(33.333)] }, ['splits.0.value']],
  [
    'a recipient that is no uuid',
    { ...fine, splits: [percent(10, 'Maria')] },
    ['splits.0.recipient_account_uuid'],
  ],
  [
    'an unknown recipient',
    { ...fine, splits: [percent(10, 'UNKNOWN')] },
    ['splits.0.recipient_account_uuid'],
  ],
  [
    'the own account as recipient',
    { ...fine, splits: [percent(10, 'OWN')] },
    ['splits.0.recipient_account_uuid'],
  ],
  ['rule 1: a percentage above 100', { ...fine, splits: [percent(100.01)] }, ['splits', 'splits.0.value']],
  [
    'rule 2: percentages above 100 together',
    { ...fine, splits: [percent(50), percent(50.01, 'SECOND')] },
    ['splits'],
  ],
  ['rule 3: more than the value', { ...fine, splits: [fixed(10.01)] }, ['splits']],
  [
    'rule 3: more than the value together',
    { ...fine, splits: [fixed(5), percent(50.1, 'SECOND')] },
    ['splits'],
  ],
  [
    'rule 4: a pair twice',
    { ...fine, splits: [fixed(1), percent(1), fixed(2)] },
    ['splits.2.recipient_account_uuid'],
  ],
  ['a FIXED split of an open value', { ...fine, value: 0, splits: [fixed(1)] }, ['splits.0.type']],

  ['verify_sender without a debtor', { ...fine, verify_sender: true }, ['verify_sender']],
  ['a text as verify_sender', { ...fine, ...owed, verify_sender: 'true' }, ['verify_sender']],
  ['a debtor without a name', { ...fine, debtor: { document: '52998224725' } }, ['debtor.name']],
  ['a debtor without a document', { ...fine, debtor: { name: 'Ana' } }, ['debtor.document']],
  [
    'a debtor with a wrong document, who is the only payer',
    { ...fine, debtor: { name: 'Ana', document: '52998224720' }, verify_sender: true, match: 'ROOT' },
    ['debtor.document'],
  ],
  ['a debtor with a wrong e-mail', { ...fine, debtor: { ...owed.debtor, email: 'ana' } }, ['debtor.email']],
  ['another kind of payer', { ...fine, payer_kind: 'person' }, ['payer_kind']],
  [
    'another kind of payer than the only one',
    { ...fine, ...owed, verify_sender: true, payer_kind: 'COMPANY' },
    ['payer_kind'],
  ],
  ['another match', { ...fine, ...owed, verify_sender: true, match: 'HALF' }, ['match']],
  ['a match of nobody', { ...fine, ...owed, match: 'FULL' }, ['match']],
  ['the root of a CPF', { ...fine, ...owed, verify_sender: true, match: 'ROOT' }, ['match']],
  [
    'a match and a verify_sender without a debtor, and a split to the own account',
    { ...fine, verify_sender: true, splits: [percent(1, 'OWN')] },
    ['splits.0.recipient_account_uuid', 'verify_sender'],
  ],

  ['an expiry in less than a minute', { ...fine, expires_in: 59 }, ['expires_in']],
  ['an expiry in more than 30 days', { ...fine, expires_in: 2_592_001 }, ['expires_in']],
  ['half a second', { ...fine, expires_in: 60.5 }, ['expires_in']],
  ['a text as expires_in', { ...fine, expires_in: '60' }, ['expires_in']],

  [
    'every error at once',
    {
      value: 1.005,
      type: 'CARD',
      external_ref: 'x'.repeat(256),
      final_beneficiary: { name: '', document: '123' },
      provider_uuid: 'UNKNOWN',
      splits: [{ type: 'FIXED', value: 'x', recipient_account_uuid: 'x' }, percent(10, 'OWN')],
      expires_in: 1,
    },
    [
      'expires_in',
      'external_ref',
      'final_beneficiary.document',
      'final_beneficiary.name',
      'provider_uuid',
      'splits.0.recipient_account_uuid',
      'splits.0.value',
      'splits.1.recipient_account_uuid',
      'type',
      'value',
    ],
  ],
]

test.each(REFUSED)('%s: 422', async (_why, body, fields) => {
  const answer = await merchant.api.post('/api/v1/payments', filled(body))
  expect(answer.status).toBe(422)
  expect(answer.body).toEqual({
    message: expect.any(String),
    code: 'validation_failed',
    errors: expect.any(Object),
    request_id: answer.headers.get('x-request-id'),
  })
  expect(Object.keys(answer.body.errors).sort()).toEqual(fields)
  for (const messages of Object.values(answer.body.errors) as string[][]) {
    expect(messages.length).toBeGreaterThan(0)
    for (const message of messages) expect(message).toMatch(/\w/)
  }
})

test('a charge accepts at most 100 splits', async () => {
  const splits = Array.from({ length: 101 }, (_, index) => filled(index % 2 ? fixed(0.01) : percent(0.01)))
  const answer = await merchant.api.post('/api/v1/payments', { ...fine, splits })
  expect([answer.status, answer.body.errors.splits]).toEqual([422, [expect.any(String)]])
})

test('errors of splits and of the provider are reported in one response', async () => {
  const body = { ...fine, provider_uuid: 'UNKNOWN', splits: [percent(10, 'UNKNOWN'), fixed(10, 'OWN')] }
  const answer = await merchant.api.post('/api/v1/payments', filled(body))
  expect(Object.keys(answer.body.errors).sort()).toEqual([
    'provider_uuid',
    'splits',
    'splits.0.recipient_account_uuid',
    'splits.1.recipient_account_uuid',
  ])
})

const REQUESTS: [why: string, request: RequestOptions, status: number, code: string][] = [
  ['half a JSON', { raw: '{"value": 10,' }, 400, 'malformed_json'],
  ['NaN, which is no JSON', { raw: '{"value": NaN, "type": "PIX"}' }, 400, 'malformed_json'],
  ['bytes that are no UTF-8', { raw: Buffer.from([0x7b, 0xff, 0x7d]) }, 400, 'malformed_json'],
  [
    'a form',
    { raw: 'value=10', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  [
    'JSON declared as text',
    { raw: '{}', headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
  ],
  [
    'JSON in another charset',
    { raw: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    { raw: '{}', headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  [
    'more than 100 kB',
    { raw: JSON.stringify({ ...fine, more: 'x'.repeat(102_400) }) },
    413,
    'body_too_large',
  ],
  ['a body too deep', { raw: `${'{"a":'.repeat(50)}1${'}'.repeat(50)}` }, 422, 'validation_failed'],
  ['100 kB of brackets', { raw: '['.repeat(50_000) + ']'.repeat(50_000) }, 422, 'validation_failed'],
  ['a key of 256 characters', { body: fine, key: 'x'.repeat(256) }, 422, 'validation_failed'],
  ['a key that is not printable', { body: fine, key: 'a\tb' }, 422, 'validation_failed'],
]

test.each(REQUESTS)('%s: refused', async (_why, request, status, code) => {
  const answer = await merchant.api.call('POST', '/api/v1/payments', request)
  expect([answer.status, answer.body.code]).toEqual([status, code])
})

test('an unknown query parameter of a POST is named', async () => {
  const answer = await merchant.api.post('/api/v1/payments?dry_run=1', fine)
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['dry_run']])
})

const QUERIES: [query: string, field: string][] = [
  ['per_page=0', 'per_page'],
  ['per_page=101', 'per_page'],
  ['per_page=-1', 'per_page'],
  ['per_page=1.5', 'per_page'],
  ['per_page=', 'per_page'],
  ['per_page=ten', 'per_page'],
  ['per_page=1&per_page=2', 'per_page'],
  ['page=0', 'page'],
  ['page=-1', 'page'],
  ['page=1.5', 'page'],
  ['page=', 'page'],
  ['page=99999999999999999999', 'page'],
  ['uuid=42', 'uuid'],
  ['uuid=', 'uuid'],
  ['cursor=1', 'cursor'],
  ['cursor=&page=1', 'cursor'],
  ['cursor=&cursor=', 'cursor'],
  ['status=LOST', 'status'],
  ['status=PAID,LOST', 'status'],
  ['status=', 'status'],
  ['type=BOLETO', 'type'],
  ['date_from=2026-02-30', 'date_from'],
  ['date_to=20260201', 'date_to'],
  ['date_from=2026-02-01T00:00:00Z', 'date_from'],
  ['payment_date_from=yesterday', 'payment_date_from'],
  ['payment_date_to=2026-13-01', 'payment_date_to'],
  ['date_from=2026-02-01&time_zone=Brasilia', 'time_zone'],
  ['time_zone=-03:00', 'time_zone'],
  ['time_zone=', 'time_zone'],
  ['provider_uuid=PROVIDER_A', 'provider_uuid'],
  ['value_min=1.005', 'value_min'],
  ['value_max=-1', 'value_max'],
  ['value_min=ten', 'value_min'],
  ['value_min=', 'value_min'],
  [`external_ref=${'x'.repeat(256)}`, 'external_ref'],
  ['end_to_end=%00', 'end_to_end'],
  ['order=asc', 'order'],
  ['statuses=PAID', 'statuses'],
]

test.each(QUERIES)('GET /payments?%s: 422', async (query, field) => {
  const answer = await merchant.api.get(`/api/v1/payments?${query}`)
  expect(answer.status).toBe(422)
  expect(Object.keys(answer.body.errors).map(path => path.split('.')[0])).toEqual([field])
})

test('all errors of a query are named at once', async () => {
  const answer = await merchant.api.get('/api/v1/payments?page=0&per_page=101&status=X&order=asc&date_to=x')
  expect(
    Object.keys(answer.body.errors)
      .map(path => path.split('.')[0])
      .sort(),
  ).toEqual(['date_to', 'order', 'page', 'per_page', 'status'])
})

test('a request without a valid token gets 401 with the way to authenticate', async () => {
  const { uuid } = merchant
  const live = await stack.token({ accountUuid: uuid, mode: 'live' })
  const expired = await stack.token({ accountUuid: uuid, expiresAt: new Date(Date.now() - 1_000) })
  const revoked = await stack.token({ accountUuid: uuid, name: 'revoked' })
  await stack.sql(`update token set revoked_at = now() where account_uuid = ? and name = 'revoked'`, [uuid])
  const unknown = `${merchant.token.slice(0, -4)}AAAA`
  for (const token of [undefined, unknown, expired, revoked, 'x', '']) {
    const answer = await merchant.api.withToken(token).post('/api/v1/payments', fine)
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  }
  const basic = { headers: { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` } }
  expect((await merchant.api.withToken(undefined).get('/api/v1/payments', basic)).status).toBe(401)

  // A live token is valid, and still never reaches a simulator.
  const answer = await merchant.api.withToken(live).post('/api/v1/payments', fine)
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['provider_uuid']])
})

test('a revoked token stops working within a second', async () => {
  const { uuid } = await stack.createMerchant()
  const token = await stack.token({ accountUuid: uuid, name: 'short' })
  const api = merchant.api.withToken(token)
  expect((await api.get('/api/v1/payments')).status).toBe(200)
  await stack.sql(`update token set revoked_at = now() where account_uuid = ? and name = 'short'`, [uuid])
  await new Promise(resolve => setTimeout(resolve, 1_050))
  expect((await api.get('/api/v1/payments')).status).toBe(401)
})

test('an unknown or inaccessible resource is 404; a known path with another method is 405', async () => {
  await nothingIsStored()
  const theirs = await other.api.createCharge()
  const [first, , ,] = merchant.connections
  const scoped = merchant.api.withToken(merchant.connections[1]!.token)
  const ours = await merchant.api.withToken(first!.token).createCharge()

  for (const path of ['', '/qr.svg', '/qr.png']) {
    for (const [api, uuid] of [
      [merchant.api, theirs.uuid],
      [scoped, ours.uuid],
      [merchant.api, randomUUID()],
      [merchant.api, 'none'],
      [merchant.api, '%00'],
    ] as const)
      expect([path, uuid, (await api.get(`/api/v1/payments/${uuid}${path}`)).status]).toEqual([
        path,
        uuid,
        404,
      ])
  }
  for (const [api, uuid] of [
    [merchant.api, theirs.uuid],
    [scoped, ours.uuid],
    [merchant.api, randomUUID()],
  ] as const)
    expect((await api.post(`/api/v1/payments/${uuid}/cancel`)).status).toBe(404)
  expect((await merchant.api.get(`/api/v1/payments/${ours.uuid.toUpperCase()}`)).body.data.uuid).toBe(
    ours.uuid,
  )
  expect((await merchant.api.get(`/api/v1/payments?uuid=${theirs.uuid}`)).body.data).toEqual([])

  expect((await merchant.api.get('/api/v1/nothing')).status).toBe(404)
  expect((await merchant.api.get('/api/v2/payments')).status).toBe(404)
  const answer = await merchant.api.delete('/api/v1/payments')
  expect([answer.status, answer.body.code, answer.headers.get('allow')]).toEqual([
    405,
    'method_not_allowed',
    'GET, HEAD, POST',
  ])
  expect((await merchant.api.get(`/api/v1/payments/${ours.uuid}/cancel`)).status).toBe(405)
})

test.each([
  ['the smallest value', { value: 0.01 }, { value: 0.01 }],
  ['an open value', { value: 0 }, { value: 0, total_value: 0 }],
  ['the largest value', { value: 9_999_999_999.99 }, { value: 9_999_999_999.99 }],
  ['any case', { type: 'Pix', splits: [{ ...percent(10), type: 'percentage' }] }, { type: 'PIX' }],
  ['a long external_ref', { external_ref: 'é'.repeat(255) }, { external_ref: 'é'.repeat(255) }],
  [
    'a CPF',
    { final_beneficiary: { name: ' Ana ', document: '52998224725' } },
    { final_beneficiary: { name: 'Ana', document: '52998224725' } },
  ],
  ['a CNPJ', { final_beneficiary: { name: 'Ana', document: '11222333000181' } }, {}],
  [
    'an alphanumeric CNPJ',
    { final_beneficiary: { name: 'Ana', document: '12abc34501de35' } },
    { final_beneficiary: { name: 'Ana', document: '12ABC34501DE35' } },
  ],
  ['splits up to the last centavo', { splits: [fixed(5), percent(50, 'SECOND')] }, {}],
  ['percentages of 100 together', { splits: [percent(33.33), percent(66.67, 'SECOND')] }, {}],
  ['both types for one recipient', { splits: [fixed(1), percent(10)] }, {}],
  ['no splits', { splits: [] }, { splits: [] }],
  ['the shortest expiry', { expires_in: 60 }, {}],
  ['the longest expiry', { expires_in: 2_592_000 }, {}],
])('%s is accepted', async (_what, more, shown) => {
  const answer = await merchant.api.post('/api/v1/payments', filled({ ...fine, ...more }))
  expect(answer.status).toBe(201)
  expect(answer.body.data).toMatchObject(shown)
})

test('a uuid in capitals is the same uuid, for providers, recipients and filters', async () => {
  const capitals = recipient.toUpperCase()
  const provider_uuid = merchant.connection.uuid.toUpperCase()
  const charge = await merchant.api.createCharge({
    provider_uuid,
    splits: [{ type: 'FIXED', value: 1, recipient_account_uuid: capitals }],
  })
  expect(charge.splits[0].recipient_account.uuid).toBe(recipient)
  const listed = await merchant.api.get(
    `/api/v1/payments?uuid=${charge.uuid.toUpperCase()}&provider_uuid=${provider_uuid}`,
  )
  expect(listed.body.data.map((one: { uuid: string }) => one.uuid)).toEqual([charge.uuid])
  const twice = [recipient, capitals].map(uuid => ({ type: 'FIXED', value: 1, recipient_account_uuid: uuid }))
  const answer = await merchant.api.post('/api/v1/payments', { ...fine, splits: twice })
  expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([
    422,
    ['splits.1.recipient_account_uuid'],
  ])
})

test('a provider-scoped token always uses its own provider, whatever the body names', async () => {
  const [first, second] = merchant.connections
  const scoped = merchant.api.withToken(second!.token)
  for (const provider_uuid of [first!.uuid, other.connection.uuid, randomUUID()])
    expect((await scoped.createCharge({ provider_uuid })).provider.uuid).toBe(second!.uuid)
})

test('an account without an active default provider must name a provider', async () => {
  const idle = await stack.createMerchant()
  await stack.sql(`update connection set status = 'BLOCKED' where account_uuid = ?`, [idle.uuid])
  for (const api of [idle.api, idle.api.withToken(idle.connection.token)]) {
    const answer = await api.post('/api/v1/payments', fine)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['provider_uuid']])
  }
})

test('a safe request id is adopted, any other is replaced, and it is returned everywhere', async () => {
  const id = `caller-${randomUUID()}`
  const answer = await merchant.api.post('/api/v1/payments', fine, { headers: { 'x-request-id': id } })
  expect(answer.headers.get('x-request-id')).toBe(id)
  const [row] = await stack.sql<{ request_id: string }>('select request_id from charge where uuid = ?', [
    answer.body.data.uuid,
  ])
  expect(row!.request_id).toBe(id)
  const client = await stack.connectTemporal()
  const { memo } = await client.workflow.getHandle(`charge/${answer.body.data.uuid}`).describe()
  expect(memo).toEqual({ requestId: id })
  const unsafe = await merchant.api.get('/api/v1/payments', { headers: { 'x-request-id': 'a b' } })
  expect(unsafe.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})
