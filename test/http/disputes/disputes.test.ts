import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { documentationRoutes } from '../../../src/api/docs/routes.ts'
import { openStorage } from '../../../src/storage/storage.ts'
import { encodeForm, FILES, type SentFile } from '../../support/files.ts'
import { createTemporaryFolder } from '../../support/servers.ts'
import { type ApiFixture, type ApiResponse, openApiFixture } from '../support/api-fixture.ts'
import { type DisputeRow, insertDispute } from '../support/dispute-rows.ts'

const MEDS = '/api/v1/meds'
const TEXTS: [string, string][] = [
  ['accept', '0'],
  ['analysis', 'It was delivered.'],
]

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let fixture: ApiFixture
let account: { uuid: string; a: string; b: string; token: string; tokenA: string; tokenB: string }
let stranger: string
beforeAll(async () => {
  folder = await createTemporaryFolder()
  fixture = await openApiFixture([disputeRoutes, documentationRoutes], { TRILHO_STORAGE_FOLDER: folder.path })
  const uuid = await fixture.insertAccount()
  const a = await fixture.insertConnection(uuid)
  const b = await fixture.insertConnection(uuid, { provider: 'PROVIDER_B' })
  const token = await fixture.insertToken({ accountUuid: uuid })
  const tokenA = await fixture.insertToken({ accountUuid: uuid, connectionUuid: a })
  const tokenB = await fixture.insertToken({ accountUuid: uuid, connectionUuid: b })
  account = { uuid, a, b, token, tokenA, tokenB }
  stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(async () => {
  await fixture?.close()
  await folder?.remove()
})

const dispute = (row: Partial<DisputeRow> = {}) => insertDispute(fixture, { connection: account.a, ...row })

const get = (path: string, token = account.token) => fixture.call('GET', MEDS + path, { token })
const uuids = (answer: ApiResponse): string[] => answer.body.data.map((med: { uuid: string }) => med.uuid)

async function reply(uuid: string, { token = account.token, texts = TEXTS, files = [] as SentFile[] } = {}) {
  return fixture.call('POST', `${MEDS}/${uuid}/reply`, { token, ...(await encodeForm(texts, files)) })
}

describe('a list of disputes', () => {
  let all: Record<string, string>
  let mine: { token: string; a: string; b: string }
  beforeAll(async () => {
    const uuid = await fixture.insertAccount()
    const a = await fixture.insertConnection(uuid)
    const b = await fixture.insertConnection(uuid, { provider: 'PROVIDER_B' })
    mine = { a, b, token: await fixture.insertToken({ accountUuid: uuid }) }
    all = {
      open: await dispute({ connection: a, createdAt: '2026-03-01T00:00:00Z' }),
      answered: await dispute({
        connection: a,
        state: 'analysing',
        type: 'COERCION_CRIME',
        createdAt: '2026-03-01T23:59:59.999Z',
        hasReply: true,
      }),
      agreed: await dispute({
        connection: a,
        state: 'accepted',
        type: 'UNDEFINED',
        createdAt: '2026-03-02T00:00:00Z',
      }),
      returned: await dispute({ connection: b, state: 'resolved', createdAt: '2026-03-03T00:00:00Z' }),
      rejected: await dispute({
        connection: b,
        state: 'rejected',
        type: 'UNAUTHORIZED_ACCESS',
        createdAt: '2026-03-04T00:00:00Z',
      }),
      withdrawn: await dispute({
        connection: b,
        state: 'cancelled',
        type: 'WRONG_TRANSACTION',
        createdAt: '2026-03-05T00:00:00Z',
      }),
      ours: await dispute({ connection: b, kind: 'REQUESTED_MED', createdAt: '2026-03-06T00:00:00Z' }),
      lapsed: await dispute({ connection: b, state: 'lapsed', createdAt: '2026-02-28T00:00:00Z' }),
    }
  })

  test.each<[string, string[]]>([
    ['', ['ours', 'withdrawn', 'rejected', 'returned', 'agreed', 'answered', 'open', 'lapsed']],
    ['status=PENDING', ['ours', 'open']],
    ['status=processing', ['answered', 'lapsed']],
    ['status=ACCEPTED', ['returned', 'agreed']],
    ['status=REJECTED,CANCELLED', ['withdrawn', 'rejected']],
    ['status=REJECTED&status=CANCELLED', ['withdrawn', 'rejected']],
    ['status=UNDEFINED', []],
    ['med_type=REQUESTED_MED', ['ours']],
    ['med_type=received_med&status=PENDING', ['open']],
    ['dispute_type=COERCION_CRIME', ['answered']],
    ['dispute_type=UNDEFINED', ['agreed']],
    ['dispute_type=UNAUTHORIZED_ACCESS,WRONG_TRANSACTION', ['withdrawn', 'rejected']],
    ['resolved=true', ['withdrawn', 'rejected', 'returned', 'lapsed']],
    ['resolved=0', ['ours', 'agreed', 'answered', 'open']],
    ['open=1', ['ours', 'answered', 'open']],
    ['open=false', ['withdrawn', 'rejected', 'returned', 'agreed', 'lapsed']],
    ['open=true&resolved=true', []],
    ['open=false&resolved=false', ['agreed']],
    ['date_from=2026-03-04', ['ours', 'withdrawn', 'rejected']],
    ['date_to=2026-03-01', ['answered', 'open', 'lapsed']],
    ['date_from=2026-03-02&date_to=2026-03-03', ['returned', 'agreed']],
    ['date_from=2026-03-02&date_to=2026-03-03&time_zone=America/Sao_Paulo', ['rejected', 'returned']],
    ['status=ACCEPTED&dispute_type=SCAM&resolved=true&open=false&med_type=RECEIVED_MED', ['returned']],
  ])('filtered by %s', async (query, names) => {
    const answer = await get(`?${query}`, mine.token)
    expect(answer.status).toBe(200)
    expect(uuids(answer)).toEqual(names.map(name => all[name]))
  })

  test('by uuid, in capitals too', async () => {
    expect(uuids(await get(`?uuid=${all.agreed?.toUpperCase()}`, mine.token))).toEqual([all.agreed])
    expect(uuids(await get(`?uuid=${randomUUID()}`, mine.token))).toEqual([])
  })

  test('in pages', async () => {
    const answer = await get('?per_page=3&page=2', mine.token)
    expect(uuids(answer)).toEqual([all.returned, all.agreed, all.answered])
    expect(answer.body.meta).toEqual({
      current_page: 2,
      from: 4,
      last_page: 3,
      per_page: 3,
      to: 6,
      total: 8,
      next_cursor: expect.any(String),
    })
    expect((await get('?page=9', mine.token)).body).toMatchObject({
      data: [],
      meta: { from: 0, to: 0, last_page: 1, total: 8 },
    })
  })

  test('a token that is bound to a provider lists that provider’s only', async () => {
    const [{ account_uuid: accountUuid }] = await fixture.orm.em.execute<[{ account_uuid: string }]>(
      'select account_uuid from connection where uuid = ?',
      [mine.a],
    )
    const token = await fixture.insertToken({ accountUuid, connectionUuid: mine.a })
    expect(uuids(await get('', token))).toEqual([all.agreed, all.answered, all.open])
    expect(uuids(await get(`?uuid=${all.returned}`, token))).toEqual([])
  })

  test('shows no dispute of another account', async () => {
    expect((await get('', stranger)).body).toMatchObject({ data: [], meta: { total: 0 } })
    expect(uuids(await get(`?uuid=${all.open}`, stranger))).toEqual([])
  })

  test.each([
    ['status=LOST', 'status'],
    ['status=', 'status'],
    ['med_type=SENT', 'med_type'],
    ['dispute_type=FRAUD', 'dispute_type'],
    ['resolved=maybe', 'resolved'],
    ['open=', 'open'],
    ['date_from=01/03/2026', 'date_from'],
    ['date_to=2026-02-30', 'date_to'],
    ['uuid=1', 'uuid'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['page=0', 'page'],
    ['resolved=1&resolved=0', 'resolved'],
    ['sort=value', 'sort'],
  ])('with %s is 422 and names it', async (query, field) => {
    const answer = await get(`?${query}`)
    // In a list of names the invalid one is named: `status.0`.
    const named = Object.keys(answer.body.errors).map(path => path.split('.')[0])
    expect([answer.status, named]).toEqual([422, [field]])
  })
})

describe('one dispute', () => {
  test('is read by its account and its provider’s token only', async () => {
    const uuid = await dispute({ connection: account.a })
    for (const token of [account.token, account.tokenA])
      expect((await get(`/${uuid}`, token)).body.data.uuid).toBe(uuid)
    for (const token of [account.tokenB, stranger])
      expect([(await get(`/${uuid}`, token)).status, (await get(`/${uuid}`, token)).body.code]).toEqual([
        404,
        'not_found',
      ])
    expect((await fixture.call('GET', `${MEDS}/${uuid}`)).status).toBe(401)
  })

  test.each([randomUUID(), 'x', '1'])('%s is 404', async uuid => {
    expect((await get(`/${uuid}`)).status).toBe(404)
  })

  test('has the contract’s fields, its proofs with working links', async () => {
    const uuid = await dispute()
    const { data } = (await get(`/${uuid}`)).body
    expect(Object.keys(data)).toEqual(
      expect.arrayContaining(
        'uuid pix_in_transaction attachments med_type dispute_type status details analysis resolved created_at updated_at'.split(
          ' ',
        ),
      ),
    )
    expect(data).toMatchObject({
      attachments: [],
      med_type: 'RECEIVED_MED',
      dispute_type: 'SCAM',
      status: 'PENDING',
      resolved: false,
      value: 10,
      pix_in_transaction: {
        value: '10.50',
        movement_type: 'IN',
        status: 'SETTLED',
        initiation: { value: '10.50' },
      },
    })
  })
})

test('a dispute with an attachment keeps its ETag while nothing changes', async () => {
  const clock = { nowMs: Date.parse('2026-03-01T10:00:00Z') }
  const storage = await openStorage({ ...fixture.config, now: () => clock.nowMs })
  jest.spyOn(fixture.dependencies.storage, 'createLink').mockImplementation(storage.createLink)
  try {
    const uuid = await dispute({ state: 'analysing', hasReply: true })
    await fixture.orm.em.execute(
      `insert into attachment (uuid, dispute_uuid, reply, position, name, content_type, bytes, storage_key, created_at)
       values (?, ?, 1, 0, 'a.pdf', 'application/pdf', 9, ?, now())`,
      [randomUUID(), uuid, `meds/${uuid}/a.pdf`],
    )
    const first = await get(`/${uuid}`)
    expect(first.body.data.attachments).toHaveLength(1)
    clock.nowMs += 60_000
    const headers = { 'If-None-Match': first.headers.get('etag')! }
    const second = await fixture.call('GET', `${MEDS}/${uuid}`, { token: account.token, headers })
    expect(second.status).toBe(304)
  } finally {
    jest.restoreAllMocks()
  }
})

test('a token of the other mode reads and changes no dispute: simulated money is not real money', async () => {
  const accountUuid = await fixture.insertAccount()
  const connections = {
    test: await fixture.insertConnection(accountUuid),
    live: await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', isSimulated: false }),
  }
  for (const [mode, other] of [
    ['test', 'live'],
    ['live', 'test'],
  ] as const) {
    const [own, theirs] = [
      await dispute({ connection: connections[mode] }),
      await dispute({ connection: connections[other] }),
    ]
    const token = await fixture.insertToken({ accountUuid, mode })
    const seen = uuids(await get('?per_page=100', token))
    expect([seen.includes(own), seen.includes(theirs)]).toEqual([true, false])
    expect((await get(`/${own}`, token)).status).toBe(200)
    expect((await get(`/${theirs}`, token)).status).toBe(404)
    expect((await reply(theirs, { token })).status).toBe(404)
  }
})

describe('a reply', () => {
  const stored = async () =>
    (await readdir(folder.path, { recursive: true })).filter(name => /\.\w+$/.test(name))

  test.each<[string, Partial<DisputeRow>, string]>([
    ['a dispute that was answered', { state: 'analysing', hasReply: true }, 'med_already_answered'],
    ['one whose deadline has passed', { state: 'analysing' }, 'med_not_answerable'],
    ['one that was accepted', { state: 'accepted' }, 'med_not_answerable'],
    ['one that was replied to and rejected', { state: 'rejected', hasReply: true }, 'med_already_answered'],
    ['one that was withdrawn', { state: 'cancelled' }, 'med_not_answerable'],
    ['one that we opened', { kind: 'REQUESTED_MED' }, 'med_not_answerable'],
  ])('to %s is 409', async (_, row, code) => {
    const answer = await reply(await dispute(row), { files: [{ bytes: FILES.pdf }] })
    expect([answer.status, answer.body.code]).toEqual([409, code])
    expect(await stored()).toEqual([])
  })

  test('to an unknown dispute, or one of another account or provider, is 404', async () => {
    const uuid = await dispute({ connection: account.a })
    for (const [to, token] of [
      [randomUUID(), account.token],
      ['x', account.token],
      [uuid, stranger],
      [uuid, account.tokenB],
    ] as const) {
      const answer = await reply(to, { token, files: [{ bytes: FILES.pdf }] })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
    expect(await stored()).toEqual([])
  })

  test('with errors is 422 with all of them, and stores nothing', async () => {
    const answer = await reply(await dispute(), {
      texts: [],
      files: [{ bytes: FILES.pdf }, { bytes: FILES.exe }],
    })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors).sort()).toEqual(['accept', 'analysis', 'attachments.1.file'])
    expect(await stored()).toEqual([])
  })

  const errorsOf = async (uuid: string, analysis: string, files: SentFile[] = [], accept = '0') => {
    const texts: [string, string][] = [
      ['accept', accept],
      ['analysis', analysis],
    ]
    const { status, body } = await reply(uuid, { texts, files })
    return [status, body.errors]
  }

  test('that its provider would not accept whole is 422, with the number of characters left', async () => {
    const uuid = await dispute()
    expect(await errorsOf(uuid, 'x'.repeat(1_001))).toEqual([
      422,
      { analysis: ['is too long: PROVIDER_A accepts at most 1000 characters'] },
    ])
    const files = [{ bytes: FILES.png }, { bytes: FILES.pdf }]
    const [status, errors] = await errorsOf(uuid, 'x'.repeat(900), files)
    const [, left] = /links to the files \(2\), which leave (\d+) here$/.exec(errors.analysis[0])!
    expect([status, Number(left)]).toEqual([422, expect.any(Number)])
    expect((await errorsOf(uuid, 'x'.repeat(Number(left) + 1), files))[0]).toBe(422)
    expect((await errorsOf(uuid, 'x'.repeat(Number(left)), files))[0]).toBe(503) // No Temporal here: it is valid.
    expect(await errorsOf(uuid, 'x', Array(6).fill(files[0]))).toEqual([
      422,
      {
        attachments: [
          'must be fewer: PROVIDER_A accepts at most 1000 characters with the links to the files (6), which leave none for analysis',
        ],
      },
    ])
    expect(await stored()).toEqual([])
  })

  test('of 2,000 characters is valid where it accepts, or where the provider accepts files', async () => {
    expect((await errorsOf(await dispute(), 'x'.repeat(2_000), [{ bytes: FILES.pdf }], '1'))[0]).toBe(503)
    const woovi = await fixture.insertConnection(account.uuid, { provider: 'PROVIDER_C', dialect: 'woovi' })
    const files = Array(10).fill({ bytes: FILES.pdf })
    expect((await errorsOf(await dispute({ connection: woovi }), 'x'.repeat(2_000), files))[0]).toBe(503)
  })

  test('with characters that a document of its provider does not show is 422 without an attachment', async () => {
    const woovi = await fixture.insertConnection(account.uuid, { provider: 'PROVIDER_C', dialect: 'woovi' })
    const disputed = await dispute({ connection: woovi })
    const odd = 'Entregue → “ok” 😀 ação 😀'
    expect(await errorsOf(disputed, odd)).toEqual([
      422,
      { analysis: ['has characters that PROVIDER_C does not show without an attachment: → 😀'] },
    ])
    expect((await errorsOf(disputed, odd, [{ bytes: FILES.pdf }]))[0]).toBe(503)
    expect((await errorsOf(disputed, 'Entregue — “ok” ’…•€™ ação'))[0]).toBe(503)
    expect(await stored()).toEqual([])
  })

  test('without Temporal is 503 and stores nothing', async () => {
    const answer = await reply(await dispute(), { files: [{ bytes: FILES.pdf }] })
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '5',
    ])
    expect(await stored()).toEqual([])
  })
})

test('OpenAPI describes list, read and reply', async () => {
  const { body: document } = await fixture.call('GET', '/openapi.json')
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  const { [MEDS]: list, [`${MEDS}/{uuid}`]: read, [`${MEDS}/{uuid}/reply`]: answering } = document.paths
  expect(
    list.get.parameters
      .filter((one: { in: string }) => one.in === 'query')
      .map((one: { name: string }) => one.name)
      .sort(),
  ).toEqual(
    'contestable cursor date_from date_to dispute_type med_type open page per_page resolved status time_zone uuid'.split(
      ' ',
    ),
  )
  expect(Object.keys(read.get.responses)).toEqual([
    '200',
    '304',
    '401',
    '403',
    '404',
    '422',
    '429',
    '500',
    '503',
  ])
  expect(Object.keys(answering.post.responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
  ])
  expect(
    answering.post.requestBody.content['multipart/form-data'].schema.properties.attachments.maxItems,
  ).toBe(10)
})
