import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import type { DisputeBody } from '../../../packages/simulator/control/schemas.ts'
import { createPdf, encodeForm, FILES, type SentFile } from '../../support/files.ts'
import { expectOneOriginal } from '../../support/one-original.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { type ApiResource, createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack, VIRTUAL_ACCOUNT } from '../support/test-stack.ts'

/** api-document.txt, Disputes, and SPEC §5, over the real stack: opened by a provider, replied to by the merchant, decided. */

let testStack: TestStack
let payouts: PayoutActions
const merchants: Merchant[] = []
beforeAll(async () => {
  testStack = await openSharedTestStack()
  payouts = createPayoutActions(testStack)
})
afterAll(async () => {
  await testStack.waitUntilLedgerAgrees({ connections: merchants.flatMap(({ connections }) => connections) })
  await testStack.close()
})

const MEDS = '/api/v1/meds'
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const REJECTION: [string, string][] = [
  ['accept', '0'],
  ['analysis', 'The goods were delivered.'],
]

/** Woovi notifies of disputes; Efí is only polled for them. */
async function createMerchant(): Promise<Merchant> {
  const merchant = await testStack.createMerchant({
    providers: [
      { provider: 'PROVIDER_B', dialect: 'woovi' },
      { provider: 'PROVIDER_C', dialect: 'woovi' },
    ],
  })
  merchants.push(merchant)
  return merchant
}

type Disputed = { id: string; med: ApiResource; charge: ApiResource }

/** A paid charge of 20 reais that its payer disputes. */
async function aDispute(merchant: Merchant, body: Partial<DisputeBody> = {}): Promise<Disputed> {
  const charge = await payouts.createPaidCharge(merchant, { value: 20 })
  const { end_to_end } = charge.payment.pix.transaction
  const { id } = await testStack.simulator.openDispute({ end_to_end, type: 'SCAM', ...body })
  const opened = await pollUntil(
    () => merchant.api.get(`${MEDS}?per_page=100`),
    said => said.body.data.some((one: ApiResource) => one.charge_uuid === charge.uuid),
  )
  return { id, charge, med: opened.body.data.find((one: ApiResource) => one.charge_uuid === charge.uuid) }
}

type Reply = { texts?: [string, string][]; files?: SentFile[]; headers?: Record<string, string> }

async function reply({ api }: Pick<Merchant, 'api'>, { uuid }: ApiResource, more: Reply = {}) {
  const { raw, headers } = await encodeForm(more.texts ?? REJECTION, more.files)
  return api.call('POST', `${MEDS}/${uuid}/reply`, { raw, headers: { ...headers, ...more.headers } })
}

const read = async ({ api }: Pick<Merchant, 'api'>, { uuid }: ApiResource): Promise<ApiResource> =>
  (await api.get(`${MEDS}/${uuid}`)).body.data
const waitForDispute = (
  merchant: Merchant,
  med: ApiResource,
  fits: (now: ApiResource) => boolean,
): Promise<ApiResource> => pollUntil(() => read(merchant, med), fits)
/** Centavos in each bucket of the merchant's own. */
const balances = async ({ uuid, connection }: Merchant) => {
  const { outside: _, ...ownBalances } = await testStack.readBalances(uuid, connection.providerAccountUuid)
  return ownBalances
}

/** The stored files of a dispute. */
const stored = ({ uuid }: ApiResource): Promise<string[]> =>
  readdir(join(testStack.home.files, 'meds', uuid)).catch(() => [])

/** The reply that the provider received, once. */
const repliesAt = async (id: string) => {
  const [side] = await pollUntil(
    () => testStack.simulator.findDispute(id),
    ([found]) => (found?.replies.length ?? 0) > 0,
  )
  return side!.replies
}

runConcurrentTests({
  'a dispute is shown in the contract’s shape, replied to with proofs that reach the provider, and rejected':
    async () => {
      const merchant = await createMerchant()
      const { id, med, charge } = await aDispute(merchant, { value: 15 })
      const { transaction } = charge.payment.pix
      const party = {
        ...VIRTUAL_ACCOUNT,
        bank: expect.any(Object),
        name: expect.any(String),
        document: expect.any(String),
      }
      const sender = {
        ...party,
        account_number: expect.any(String),
        account_agency: expect.any(String),
        account_type: expect.any(String),
      }
      const shape = {
        uuid: UUID,
        pix_in_transaction: {
          uuid: transaction.uuid,
          initiation: {
            sender,
            receiver: party,
            txid: charge.payment.pix.txid,
            value: '20.00',
            type: 'QR_DYNAMIC',
            pix_key: expect.any(String),
            additional_info: [],
            status: 'COMPLETED',
            expires_at: null,
            created_at: INSTANT,
            updated_at: INSTANT,
          },
          value: '20.00',
          movement_type: 'IN',
          type: 'EXTERNAL_TRANSFER',
          status: 'SETTLED',
          end_to_end: transaction.end_to_end,
          settled_at: transaction.settled_at,
          created_at: INSTANT,
          updated_at: INSTANT,
        },
        attachments: [],
        med_type: 'RECEIVED_MED',
        dispute_type: expect.any(String),
        status: 'PENDING',
        details: expect.any(String),
        analysis: expect.any(String),
        resolved: false,
        due_at: INSTANT,
        value: 15,
        blocked_value: 15,
        charge_uuid: charge.uuid,
        provider: { uuid: merchant.connection.uuid, provider: 'PROVIDER_B' },
        created_at: INSTANT,
        updated_at: INSTANT,
      }
      expect(med).toEqual(shape)
      expect(await read(merchant, med)).toEqual(med)
      expect(await balances(merchant)).toEqual({ available: 500, blocked: 1_500 })

      const files = [
        { bytes: FILES.png, name: 'Entrega ação.png' },
        { bytes: createPdf(1024 * 1024), name: 'a.pdf' },
      ]
      const answer = await reply(merchant, med, { files })
      expect([answer.status, answer.body.message]).toEqual([200, undefined])
      const { attachments } = answer.body.data
      const link = {
        uuid: UUID,
        url: expect.stringContaining(`${testStack.local.api_url}/files/meds/${med.uuid}/`),
      }
      expect(answer.body.data).toEqual({
        ...shape,
        status: 'PROCESSING',
        analysis: 'The goods were delivered.',
        attachments: [link, link],
      })
      for (const [index, { url }] of attachments.entries()) {
        const file = await fetch(url)
        expect([file.status, file.headers.get('content-type')]).toEqual([
          200,
          ['image/png', 'application/pdf'][index],
        ])
        expect(Buffer.from(await file.arrayBuffer()).equals(files[index]!.bytes)).toBe(true)
      }
      expect((await stored(med)).length).toBe(2)

      const [received, ...more] = await repliesAt(id)
      expect(more).toEqual([])
      expect(JSON.stringify(received)).toContain('The goods were delivered.')
      for (const { uuid } of attachments) expect(JSON.stringify(received)).toContain(uuid)
      const urls = JSON.stringify(received).match(/http[^"\\\s]+\/files\/[^"\\\s]+/g) ?? []
      expect(await Promise.all(urls.map(async url => (await fetch(url)).status))).toEqual([200, 200])
      // As long as an analysis may take.
      const untilS = Number(new URL(urls[0]!).searchParams.get('expires'))
      expect(untilS - Date.now() / 1_000).toBeGreaterThan(6.9 * 86_400)
      const now = await read(merchant, med)
      expect([now.status, now.attachments.map(({ uuid }: ApiResource) => uuid)]).toEqual([
        'PROCESSING',
        attachments.map(({ uuid }: ApiResource) => uuid),
      ])

      await testStack.simulator.decideDispute(id, 'disagreed')
      const over = await waitForDispute(merchant, med, ({ resolved }) => resolved)
      expect([over.status, over.blocked_value]).toEqual(['REJECTED', 0])
      expect(await balances(merchant)).toEqual({ available: 2_000 })
      const late = await reply(merchant, med, { files })
      expect([late.status, late.body.code]).toEqual([409, 'med_already_answered'])
      expect((await stored(med)).length).toBe(2)

      const events = await payouts.listEvents(med, 'MED')
      expect(events.map(({ status }) => status)).toEqual(expect.arrayContaining(['PENDING', 'REJECTED']))
      expect(
        Object.keys(events.at(-1))
          .filter(field => field !== 'sequence')
          .sort(),
      ).toEqual(Object.keys(over).sort())
    },

  'an accepted dispute is returned by the provider, and its charge shows it': async () => {
    const merchant = await createMerchant()
    const { id, med, charge } = await aDispute(merchant, { value: 5, type: 'COERCION_CRIME' })
    const answer = await reply(merchant, med, {
      texts: [
        ['accept', 'true'],
        ['analysis', 'It was a mistake.'],
      ],
    })
    expect([answer.status, answer.body.data.status, answer.body.data.attachments]).toEqual([
      200,
      'PROCESSING',
      [],
    ])
    await repliesAt(id)
    await testStack.simulator.decideDispute(id, 'agreed')
    const over = await waitForDispute(merchant, med, ({ resolved }) => resolved)
    expect([over.status, over.blocked_value]).toEqual(['ACCEPTED', 0])
    expect((await merchant.api.readCharge(charge.uuid)).status).toBe('PARTIALLY_REFUNDED')
    expect(await balances(merchant)).toEqual({ available: 1_500 })
  },

  'of many concurrent replies one is accepted, and only its files are stored': async () => {
    const merchant = await createMerchant()
    const { id, med } = await aDispute(merchant)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        reply(merchant, med, {
          texts: [
            ['accept', '0'],
            ['analysis', `Reply ${index}`],
          ],
          files: Array.from({ length: index + 1 }, () => ({ bytes: FILES.png })),
          headers: { 'x-request-id': 'the-same' },
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    for (const { status, body } of answers) if (status === 409) expect(body.code).toBe('med_already_answered')
    const won = answers.findIndex(({ status }) => status === 200)
    const now = await read(merchant, med)
    expect([now.analysis, now.attachments.length]).toEqual([`Reply ${won}`, won + 1])
    expect((await stored(med)).length).toBe(won + 1)
    const replies = await repliesAt(id)
    expect([replies.length, JSON.stringify(replies)]).toEqual([1, expect.stringContaining(`Reply ${won}`)])
  },

  'a reply repeated with its key returns the first response, whatever became of it': async () => {
    const merchant = await createMerchant()
    const { id, med } = await aDispute(merchant)
    const files = [{ bytes: FILES.png }, { bytes: FILES.pdf }]
    const keyed = (key: string, more: Reply = {}) =>
      reply(merchant, med, { files, headers: { 'idempotency-key': key }, ...more })
    const atOnce = await Promise.all([1, 2, 3].map(() => keyed('first')))
    expect(atOnce.map(({ status }) => status)).toEqual([200, 200, 200])
    const isReplay = ({ headers }: ApiResource) => headers.get('idempotent-replayed') === 'true'
    expectOneOriginal(atOnce)
    // A client that repeats a request whole also repeats its X-Request-Id.
    const original = atOnce.find(answer => !isReplay(answer)) ?? atOnce[0]!
    const requestId = original.headers.get('x-request-id')
    const again = await keyed('first', {
      headers: { 'idempotency-key': 'first', 'x-request-id': requestId! },
    })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    const names = ({ body }: ApiResource) => body.data.attachments.map(({ uuid }: ApiResource) => uuid)
    for (const one of atOnce) expect(names(one)).toEqual(names(again))
    expect((await stored(med)).length).toBe(2)

    const otherwise = await keyed('first', {
      texts: [
        ['accept', '1'],
        ['analysis', 'No.'],
      ],
    })
    expect([otherwise.status, otherwise.body.code]).toEqual([422, 'idempotency_key_reused'])
    const fewer = await keyed('first', { files: [{ bytes: FILES.png }, { bytes: FILES.jpeg }] })
    expect([fewer.status, fewer.body.code]).toEqual([422, 'idempotency_key_reused'])
    const second = await keyed('second')
    expect([second.status, second.body.code]).toEqual([409, 'med_already_answered'])
    expect((await stored(med)).length).toBe(2)
    expect((await repliesAt(id)).length).toBe(1)
  },

  'a dispute that was decided without a reply accepts none': async () => {
    const merchant = await createMerchant()
    const { id, med } = await aDispute(merchant)
    await testStack.simulator.decideDispute(id, 'cancelled')
    await waitForDispute(merchant, med, ({ status }) => status === 'CANCELLED')
    const answer = await reply(merchant, med, { files: [{ bytes: FILES.png }] })
    expect([answer.status, answer.body.code]).toEqual([409, 'med_not_answerable'])
    expect(await stored(med)).toEqual([])
  },

  'an invalid reply is refused with every error, nothing of it is stored, and the dispute can still be replied to':
    async () => {
      const merchant = await createMerchant()
      const { id, med } = await aDispute(merchant)
      const path = `${MEDS}/${med.uuid}/reply`
      const whole = await encodeForm(REJECTION, [{ bytes: FILES.pdf }, { bytes: createPdf(200_000) }])
      const file = (bytes: Buffer, name = 'proof.pdf') => ({ files: [{ bytes: FILES.png }, { bytes, name }] })
      const wrong: [Promise<ApiResource>, number, string[]][] = [
        [reply(merchant, med, { texts: [] }), 422, ['accept', 'analysis']],
        [
          reply(merchant, med, {
            texts: [
              ['accept', 'perhaps'],
              ['analysis', 'a'.repeat(2_001)],
            ],
          }),
          422,
          ['accept', 'analysis'],
        ],
        [reply(merchant, med, file(FILES.exe)), 422, ['attachments.1.file']],
        [reply(merchant, med, file(FILES.nothing)), 422, ['attachments.1.file']],
        [reply(merchant, med, file(createPdf(11 * 1024 * 1024))), 422, ['attachments.1.file']],
        [
          reply(merchant, med, { files: Array.from({ length: 11 }, () => ({ bytes: FILES.png })) }),
          422,
          ['attachments.10.file'],
        ],
        [
          merchant.api.call('POST', path, { raw: whole.raw.subarray(0, -100_000), headers: whole.headers }),
          400,
          [],
        ],
        [merchant.api.call('POST', path, { body: { accept: true, analysis: 'x' } }), 415, []],
        [reply({ api: testStack.api }, med, file(FILES.pdf)), 404, []],
        [
          reply({ api: merchant.api.withToken(merchant.connections[1]!.token) }, med, file(FILES.pdf)),
          404,
          [],
        ],
        [reply({ api: merchant.api.withToken(undefined) }, med), 401, []],
      ]
      for (const [answering, status, fields] of wrong) {
        const answer = await answering
        expect([answer.status, Object.keys(answer.body.errors ?? {}).sort()]).toEqual([status, fields])
      }
      expect(await stored(med)).toEqual([])
      expect(await read(merchant, med)).toEqual(med)
      const scoped = merchant.api.withToken(merchant.connection.token)
      expect((await reply({ api: scoped }, med, file(FILES.pdf))).status).toBe(200)
      expect((await repliesAt(id)).length).toBe(1)
    },

  'a token that is bound to a provider reads only its disputes in every list and resource': async () => {
    const merchant = await createMerchant()
    const { med, charge } = await aDispute(merchant)
    const ownBalances = merchant.api.withToken(merchant.connection.token)
    const other = merchant.api.withToken(merchant.connections[1]!.token)
    const foreign = testStack.api
    const announced = (await ownBalances.get('/api/v1/events?type=MED&per_page=100')).body.data
    const event = announced.find(({ data }: ApiResource) => data.uuid === med.uuid)
    expect(event).toMatchObject({ type: 'MED', data: { uuid: med.uuid, status: 'PENDING' } })
    for (const { api, sees } of [
      { api: ownBalances, sees: true },
      { api: other, sees: false },
      { api: foreign, sees: false },
    ]) {
      const list = (await api.get(`${MEDS}?per_page=100`)).body.data.map(({ uuid }: ApiResource) => uuid)
      expect(list.includes(med.uuid)).toBe(sees)
      expect((await api.get(`${MEDS}?uuid=${med.uuid}`)).body.meta.total).toBe(sees ? 1 : 0)
      expect((await api.get(`${MEDS}/${med.uuid}`)).status).toBe(sees ? 200 : 404)
      expect((await api.get(`/api/v1/payments/${charge.uuid}`)).status).toBe(sees ? 200 : 404)
      expect((await api.get(`/api/v1/events/${event.id}`)).status).toBe(sees ? 200 : 404)
      const lines = (await api.get('/api/v1/ledger?per_page=100')).body.data
      const { end_to_end } = med.pix_in_transaction
      expect(lines.some((line: ApiResource) => line.end_to_end === end_to_end)).toBe(sees)
    }
    expect((await ownBalances.get(`${MEDS}?provider_uuid=${merchant.connection.uuid}`)).status).toBe(422)
  },

  'a dispute about a transfer that we sent accepts no reply': async () => {
    const merchant = await testStack.createMerchant({
      providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 50 }],
    })
    merchants.push(merchant)
    const transfer = await payouts.sendAndSettle(merchant)
    await testStack.simulator.openDispute({ end_to_end: transfer.transfer.end_to_end, type: 'SCAM' })
    const { body } = await pollUntil(
      () => merchant.api.get(`${MEDS}?med_type=REQUESTED_MED`),
      said => said.body.data.length === 1,
    )
    const [med] = body.data
    expect([med.transfer_uuid, med.pix_in_transaction.movement_type, med.blocked_value]).toEqual([
      transfer.uuid,
      'OUT',
      0,
    ])
    const answer = await reply(merchant, med, { files: [{ bytes: FILES.png }] })
    expect([answer.status, answer.body.code]).toEqual([409, 'med_not_answerable'])
    expect(await stored(med)).toEqual([])
  },
})
