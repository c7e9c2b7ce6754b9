import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readTable } from './contract/document.ts'
import { type ApiResource, createSampleResources, type SampleResources } from './contract/sample-resources.ts'
import type { ApiResponse } from './support/client.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/**
 * The contract's rules, limits and errors, row by row: a row of the document without a probe fails, and so does a probe
 * without a row.
 */

let stack: TestStack
let resources: SampleResources
beforeAll(async () => {
  stack = await openSharedTestStack()
  resources = await createSampleResources(stack)
})
afterAll(async () => {
  if (resources) await stack.waitUntilLedgerAgrees(resources.merchant)
  await stack.close()
})

const pay = (body: object) => resources.api.post('/api/v1/payments', { value: 10, type: 'PIX', ...body })
const send = (body: object) => resources.out.send(resources.merchant, body)
const setDefaults = (provider_uuids: unknown, by = resources.api) =>
  by.put('/api/v1/providers/defaults', { payment_type: 'PIX', provider_uuids })
const split = (type: string, value: number) => ({
  type,
  value,
  recipient_account_uuid: resources.recipient.uuid,
})
/** Every attempt counts, so each probe of the keys has its own three. */
async function makeKey(body: object, by = resources.merchant): Promise<ApiResponse> {
  await stack.sql('delete from pix_key_creation_times where account_uuid = ?', [by.uuid])
  return by.api.post('/api/v1/pix-keys', body)
}
const statuses = (answers: ApiResponse[]) => [...new Set(answers.map(({ status }) => status))]
/** 422, and the field is named. */
const refusedAt = ({ status, body }: ApiResponse, field: string) =>
  status === 422 &&
  Object.keys(body.errors ?? {}).some(path => path === field || path.startsWith(`${field}.`))

/** Invalid values of each field of a body; required fields are also omitted. */
type Wrong = Record<string, (() => object)[]>

describe('POST /payments, field by field', () => {
  const WRONG: Wrong = {
    value: [
      () => ({ value: -0.01 }),
      () => ({ value: '10' }),
      () => ({ value: 1.005 }),
      () => ({ value: null }),
    ],
    type: [() => ({ type: 'BOLETO' }), () => ({ type: 1 }), () => ({ type: '' })],
    external_ref: [() => ({ external_ref: 'x'.repeat(256) }), () => ({ external_ref: 1 })],
    final_beneficiary: [
      () => ({ final_beneficiary: { name: 'Maria' } }),
      () => ({ final_beneficiary: { document: '52998224725' } }),
      () => ({ final_beneficiary: { name: 'Maria', document: '52998224724' } }),
    ],
    provider_uuid: [
      () => ({ provider_uuid: '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d' }),
      () => ({ provider_uuid: 'PROVIDER_A' }),
    ],
    splits: [
      () => ({ splits: [split('PERCENTAGE', 100.01)] }),
      () => ({
        splits: [split('PERCENTAGE', 60), { ...split('PERCENTAGE', 41), recipient_account_uuid: other() }],
      }),
      () => ({ splits: [split('FIXED', 9), split('PERCENTAGE', 11)] }),
      () => ({ splits: [split('FIXED', 10.01)] }),
      () => ({ splits: [split('FIXED', 1), split('FIXED', 2)] }),
      () => ({ splits: [split('HALF', 1)] }),
      () => ({ splits: [{ type: 'FIXED', value: 1 }] }),
    ],
  }
  fields('POST /api/v1/payments', WRONG, pay)
  const other = () => stack.local.recipient_accounts[0]!.uuid
})

describe('POST /transfers, field by field', () => {
  fields(
    'POST /api/v1/transfers',
    {
      value: [() => ({ value: 0 }), () => ({ value: 0.009 }), () => ({ value: '1' }), () => ({ value: -1 })],
      pix_key: [() => ({ pix_key: 'x'.repeat(256) }), () => ({ pix_key: 'nobody' }), () => ({ pix_key: 1 })],
      // The response calls the field `document` here (SPEC §4).
      document: [() => ({ document: '52998224724' }), () => ({ document: '529.982.247-25' })],
      external_ref: [() => ({ external_ref: 'x'.repeat(256) })],
      provider_uuid: [() => ({ provider_uuid: '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d' })],
      final_beneficiary: [
        () => ({ final_beneficiary: { name: 'Maria' } }),
        () => ({ final_beneficiary: { name: 'Maria', document: '1' } }),
      ],
    },
    send,
  )
})

/** One test per row of a body's table; a refusal names the row's field. */
function fields(title: string, wrong: Wrong, ask: (body: object) => Promise<ApiResponse>): void {
  const rows = readTable(title).map(
    row => ({ ...row, Field: row.Field!.replace('recipient ', '') }) as ApiResource,
  )
  test('every field of the document’s table has a probe, and there is no other probe', () => {
    expect(Object.keys(wrong).sort()).toEqual(rows.map(({ Field }) => Field).sort())
  })
  test.each(rows.map(({ Field, Required }) => [Field, Required] as [string, string]))(
    '%s',
    async (field, required) => {
      for (const body of wrong[field]!.map(make => make()))
        expect([body, refusedAt(await ask(body), field)]).toEqual([body, true])
      const without = refusedAt(await ask({ [field]: undefined }), field)
      expect(without).toBe(required === 'yes')
    },
  )
}

describe('the limits', () => {
  const LIMITS: Record<string, () => Promise<void>> = {
    async per_page() {
      for (const noun of ['payments', 'transfers', 'pix-keys', 'providers', 'meds', 'webhooks']) {
        const asked = (perPage: string) => resources.api.get(`/api/v1/${noun}?per_page=${perPage}`)
        const wrong = await Promise.all(['0', '101', '1.5', 'ten', '-1'].map(asked))
        expect([noun, statuses(wrong)]).toEqual([noun, [422]])
        expect([noun, statuses(await Promise.all(['1', '100'].map(asked)))]).toEqual([noun, [200]])
      }
    },
    async 'PIX keys per type per account'() {
      const merchant = await stack.createMerchant()
      for (const _ of [1, 2, 3]) expect((await makeKey({ type: 'RANDOM' }, merchant)).status).toBe(201)
      const fourth = await makeKey({ type: 'RANDOM' }, merchant)
      expect([fourth.status, fourth.body.code]).toEqual([422, 'pix_key_limit'])
    },
    async 'PIX key creation attempts'() {
      const { api } = await stack.createMerchant()
      const tried = () => api.post('/api/v1/pix-keys', { type: 'OTHER' })
      expect(statuses([await tried(), await tried(), await tried()])).toEqual([422])
      const fourth = await tried()
      expect(fourth.status).toBe(429)
      expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
    },
    async 'auth code length'() {
      for (const auth_code of ['12345', '1234567', 'abcdef']) {
        const body = { type: 'EMAIL', auth_code_id: '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d', auth_code }
        expect([auth_code, refusedAt(await makeKey(body), 'auth_code')]).toEqual([auth_code, true])
      }
    },
    async 'provider_uuids length'() {
      const all = resources.merchant.connections.map(({ uuid }) => uuid)
      const eleven = Array.from({ length: 11 }, () => all[0])
      for (const wrong of [[], eleven, [all[0], all[0]]])
        expect(refusedAt(await setDefaults(wrong), 'provider_uuids')).toBe(true)
      expect(statuses([await setDefaults([all[1]]), await setDefaults(all)])).toEqual([200])
    },
    async 'pix_key length'() {
      const long = `${'a'.repeat(250)}@example.com`
      expect(refusedAt(await send({ pix_key: long }), 'pix_key')).toBe(true)
    },
    async 'transfer value'() {
      expect(refusedAt(await send({ value: 0 }), 'value')).toBe(true)
      expect((await send({ value: 0.01 })).status).toBe(201)
    },
    async 'charge value'() {
      expect(refusedAt(await pay({ value: -0.01 }), 'value')).toBe(true)
      expect((await pay({ value: 0.01 })).status).toBe(201)
      // The payer chooses the amount (SPEC §2).
      expect((await pay({ value: 0 })).status).toBe(201)
    },
    async 'percentage split'() {
      expect(refusedAt(await pay({ splits: [split('PERCENTAGE', 100.01)] }), 'splits')).toBe(true)
      expect((await pay({ splits: [split('PERCENTAGE', 100)] })).status).toBe(201)
    },
    async 'refund value'() {
      const charge = resources.charge.partly
      for (const value of [-1, 0, charge.total_value, charge.total_value + 0.01, 'all'])
        expect([
          value,
          refusedAt(await resources.out.requestRefund(resources.merchant, charge, { value }), 'value'),
        ]).toEqual([value, true])
    },
  }
  test('every row has its probe', () => {
    expect(readTable('Limits').map(row => row.Limit!)).toEqual(Object.keys(LIMITS))
  })
  test.each(Object.keys(LIMITS))('%s', name => LIMITS[name]!())
})

describe('the errors', () => {
  const unknownUuid = '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d'
  const scoped = () => resources.api.withToken(resources.merchant.connection.token)
  const REPLY: [string, string][] = [
    ['accept', '0'],
    ['analysis', 'It was delivered.'],
  ]
  /** By the operation and the beginning of the condition. */
  const ERRORS: Record<string, () => Promise<void>> = {
    async 'any token invalid or missing'() {
      for (const token of [undefined, 'trl_test_unknown']) {
        const caller = resources.api.withToken(token)
        for (const path of [
          'payments',
          'transfers',
          'pix-keys',
          'meds',
          'providers',
          'webhooks',
          'ledger',
          'events',
        ])
          expect([path, (await caller.get(`/api/v1/${path}`)).status]).toEqual([path, 401])
      }
    },
    async 'GET /meds/{medUuid}, POST /meds/{medUuid}/reply dispute not found'() {
      const { uuid } = await resources.med
      const asked = [
        await resources.api.get(`/api/v1/meds/${unknownUuid}`),
        await resources.otherMerchantApi.get(`/api/v1/meds/${uuid}`),
        await resources.replyToDispute(unknownUuid, REPLY),
        await resources.replyToDispute(uuid, REPLY, resources.otherMerchantApi),
        await resources.replyToDispute(
          uuid,
          REPLY,
          resources.api.withToken(resources.merchant.connections[1]!.token),
        ),
      ]
      expect(statuses(asked)).toEqual([404])
    },
    async 'POST /meds/{medUuid}/reply validation error'() {
      const { uuid } = await resources.med
      const [accept, analysis] = REPLY as [[string, string], [string, string]]
      expect(refusedAt(await resources.replyToDispute(uuid, [accept]), 'analysis')).toBe(true)
      expect(refusedAt(await resources.replyToDispute(uuid, [analysis]), 'accept')).toBe(true)
      expect(refusedAt(await resources.replyToDispute(uuid, [['accept', 'maybe'], analysis]), 'accept')).toBe(
        true,
      )
    },
    async 'POST /meds/{medUuid}/reply dispute already answered'() {
      const { uuid } = await resources.med
      const answered = await resources.replyToDispute(uuid, REPLY)
      expect([answered.status, answered.body.data?.status]).toEqual([200, 'PROCESSING'])
      const again = await resources.replyToDispute(uuid, REPLY)
      expect([again.status, again.body.code]).toEqual([409, 'med_already_answered'])
    },
    async 'POST /payments validation error'() {
      expect((await pay({ type: 'BOLETO', value: -1 })).body.errors).toMatchObject({
        type: expect.anything(),
        value: expect.anything(),
      })
      const { uuid } = resources.merchant.connections[1]!
      await stack.sql(`update connection set status = 'INACTIVE' where uuid = ?`, [uuid])
      expect(refusedAt(await pay({ provider_uuid: uuid }), 'provider_uuid')).toBe(true)
      expect(refusedAt(await setDefaults([uuid]), 'provider_uuids')).toBe(true)
      await stack.sql(`update connection set status = 'ACTIVE' where uuid = ?`, [uuid])
    },
    async 'POST /payments/{paymentUuid}/refund charge not in a refundable status'() {
      const open = await resources.api.createCharge()
      expect((await resources.out.requestRefund(resources.merchant, open)).status).toBe(409)
    },
    async 'POST /transfers provider rejects'() {
      const { status, body } = resources.transfer.rejected
      expect([status, body.data.status]).toEqual([400, 'FAILED'])
      const later = await resources.out.transfer(resources.merchant, body.data.uuid)
      expect(later).toMatchObject({ status: 'FAILED', error: body.data.error })
    },
    async 'POST /pix-keys missing'() {
      for (const type of ['EMAIL', 'PHONE']) {
        const answer = await makeKey({ type })
        expect([type, refusedAt(answer, 'auth_code'), refusedAt(answer, 'auth_code_id')]).toEqual([
          type,
          true,
          true,
        ])
      }
      expect(refusedAt(await makeKey({ type: 'RANDOM', provider_uuid: unknownUuid }), 'provider_uuid')).toBe(
        true,
      )
      await stack.sql(`update connection set type = 'POOL' where uuid = ?`, [
        resources.merchant.connection.uuid,
      ])
      expect(refusedAt(await makeKey({ type: 'RANDOM' }), 'provider_uuid')).toBe(true)
      await stack.sql(`update connection set type = 'NOMINAL' where uuid = ?`, [
        resources.merchant.connection.uuid,
      ])
    },
    async 'PUT /providers/defaults list size'() {
      const foreign = (await stack.createMerchant()).connection.uuid
      for (const wrong of [[], [foreign], [unknownUuid], 'all'])
        expect([wrong, refusedAt(await setDefaults(wrong), 'provider_uuids')]).toEqual([wrong, true])
      const bound = await setDefaults([resources.merchant.connection.uuid], scoped())
      expect(bound.status).toBe(403)
    },
    async 'GET /providers/{providerUuid} provider-scoped token'() {
      const [own, other] = resources.merchant.connections as [ApiResource, ApiResource]
      expect((await scoped().get(`/api/v1/providers/${own.uuid}`)).status).toBe(200)
      expect((await scoped().get(`/api/v1/providers/${other.uuid}`)).status).toBe(404)
    },
    async 'webhooks, PUT /providers/defaults provider-scoped token'() {
      const by = scoped()
      const url = `${stack.local.inbox_url}/scoped`
      const path = `/api/v1/webhooks/${resources.webhook.uuid}`
      const asked = [
        await by.get('/api/v1/webhooks'),
        await by.post('/api/v1/webhooks', { url }),
        await by.get(path),
        await by.delete(path),
        await setDefaults([resources.merchant.connection.uuid], by),
      ]
      expect(statuses(asked)).toEqual([403])
      for (const { body } of asked) expect(body.message).toMatch(/not allowed for provider-scoped tokens/)
    },
  }

  test('every row has its probe', () => {
    const rows = readTable('Errors').map(row => `${row.Operation} ${row.Condition}`.replaceAll('`', ''))
    const unanswered = rows.filter(row => !Object.keys(ERRORS).some(name => row.startsWith(name)))
    const unasked = Object.keys(ERRORS).filter(name => !rows.some(row => row.startsWith(name)))
    expect({ unanswered, unasked }).toEqual({ unanswered: [], unasked: [] })
  })
  // Sequential, because some of them change what others read.
  test.each(Object.keys(ERRORS))('%s', name => ERRORS[name]!())
})

describe('a token that is bound to a provider', () => {
  test('reads that provider’s records only, and the provider itself among the defaults', async () => {
    const [first, second, disputed] = resources.merchant.connections as [
      ApiResource,
      ApiResource,
      ApiResource,
    ]
    const two = resources.api.withToken(second.token)
    for (const [noun, { token }] of [
      ['payments', first],
      ['transfers', first],
      ['meds', disputed],
      ['pix-keys', first],
    ]) {
      const { body } = await resources.api.withToken(token).get(`/api/v1/${noun}`)
      expect([noun, body.data.length > 0]).toEqual([noun, true])
      const theirs = (await two.get(`/api/v1/${noun}`)).body.data
      expect([noun, theirs.filter(({ provider }: ApiResource) => provider.uuid !== second.uuid)]).toEqual([
        noun,
        [],
      ])
    }
    const uuids = async (path: string) => (await two.get(path)).body
    expect((await uuids('/api/v1/providers')).data.map(({ uuid }: ApiResource) => uuid)).toEqual([
      second.uuid,
    ])
    expect((await uuids('/api/v1/providers/defaults')).data.PIX.map(({ uuid }: ApiResource) => uuid)).toEqual(
      [second.uuid],
    )
    await setDefaults([first.uuid])
    expect((await uuids('/api/v1/providers/defaults')).data).toEqual({ PIX: [] })
    await setDefaults([first.uuid, second.uuid, disputed.uuid])
  })

  test('takes precedence over the provider that the request names', async () => {
    const [first, second] = resources.merchant.connections as [ApiResource, ApiResource]
    const api = resources.api.withToken(second.token)
    const named = { provider_uuid: first.uuid }
    const charge = await api.createCharge(named)
    const { body } = await resources.out.send({ api }, named)
    expect([charge.provider.uuid, body.data.provider.uuid]).toEqual([second.uuid, second.uuid])
  })
})
