import { randomInt, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { FaultBody } from '../../../packages/simulator/control/schemas.ts'
import type { CodeMessage } from '../../../src/db/entities/pix-key.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { expectOneOriginal } from '../../support/one-original.ts'
import type { ApiResponse, RequestOptions } from '../support/client.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { readOutboxCode } from '../support/outbox.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** Keys from the code to the removal over the real stack: Efí's random ones, Woovi's of every type (SPEC §9). */

const PATH = '/api/v1/pix-keys'

let testStack: TestStack
beforeAll(async () => {
  testStack = await openSharedTestStack()
})
afterAll(() => testStack.close())

const byEfi = () => testStack.createMerchant()
const byWoovi = (document = aCnpj()) =>
  testStack.createMerchant({
    document,
    providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', sendsNotifications: false }],
  })

async function create(merchant: Merchant, body: object, request: RequestOptions = {}): Promise<ApiResponse> {
  await testStack.sql('delete from pix_key_creation_times where account_uuid = ?', [merchant.uuid])
  return merchant.api.post(PATH, body, request)
}
/** An e-mail address of this test only, and its code as the holder reads it. */
const anAddress = () => `maria.${randomUUID().slice(0, 13)}@example.com`
async function proved(merchant: Merchant, key: string, type = 'EMAIL') {
  const { status, body } = await merchant.api.post(`${PATH}/auth-code`, { type, key })
  expect(status).toBe(201)
  const { auth_code_id } = body.data
  const [row] = await testStack.sql<{ sealed_message: string }>('select * from auth_code where uuid = ?', [
    auth_code_id,
  ])
  return { type, auth_code_id, auth_code: testStack.seal.open<CodeMessage>(row!.sealed_message).code }
}
const list = async (merchant: Merchant) =>
  (await merchant.api.get(PATH)).body.data.map((one: { key: string }) => one.key).sort()
const atProvider = async ({ connection }: Merchant): Promise<string[]> =>
  (await testStack.simulator.findAccount(connection.account)).keys.slice(1)
const fault = (
  { connection }: Merchant,
  operation: FaultBody['operation'],
  kind: FaultBody['fault'],
  times = 1,
) =>
  testStack.simulator.addFault({
    provider: connection.provider,
    account: connection.account,
    operation,
    fault: kind,
    times,
    delay_ms: 6_000,
  })

describe('a PIX key', () => {
  test('of type e-mail gets its code, is created, listed and removed', async () => {
    const merchant = await byWoovi()
    const key = anAddress()
    const asked = await merchant.api.post(`${PATH}/auth-code`, { type: 'email', key: key.toUpperCase() })
    expect([asked.status, Object.keys(asked.body)]).toEqual([201, ['message', 'data']])
    expect(Object.keys(asked.body.data)).toEqual(['auth_code_id', 'expires_at'])
    const left = Date.parse(asked.body.data.expires_at) - Date.now()
    expect(left).toBeGreaterThan(9 * 60_000)
    expect(left).toBeLessThanOrEqual(10 * 60_000 + 1_000)

    const code = await readOutboxCode(testStack, key)
    const proof = { type: 'EMAIL', auth_code_id: asked.body.data.auth_code_id, auth_code: code }
    const wrong = await create(merchant, { ...proof, auth_code: code === '000000' ? '000001' : '000000' })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['auth_code']])
    const made = await create(merchant, proof)
    expect([made.status, made.body]).toEqual([
      201,
      {
        message: expect.any(String),
        data: {
          key,
          type: 'EMAIL',
          is_active: true,
          created_at: expect.any(String),
          provider: { uuid: merchant.connection.uuid, provider: 'PROVIDER_B' },
        },
      },
    ])
    expect((await merchant.api.get(`${PATH}/${encodeURIComponent(key)}`)).body.data).toEqual(made.body.data)
    expect((await merchant.api.get(`${PATH}?type=EMAIL`)).body.data).toEqual([made.body.data])
    expect(await atProvider(merchant)).toEqual([key])

    const again = await create(merchant, proof)
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ['auth_code_id']])
    await merchant.api.carryOut('DELETE', `${PATH}/${encodeURIComponent(key)}`)
    expect([await list(merchant), await atProvider(merchant)]).toEqual([[], []])
    expect((await merchant.api.delete(`${PATH}/${encodeURIComponent(key)}`)).status).toBe(404)
  })

  test('of a phone or of the account’s document cannot be registered twice', async () => {
    const document = aCnpj()
    const merchant = await byWoovi(document)
    const phone = aPhone()
    const made = await create(merchant, await proved(merchant, phone, 'PHONE'))
    expect([made.status, made.body.data?.key]).toEqual([201, phone])
    const owned = await create(merchant, { type: 'DOCUMENT' })
    expect([owned.status, owned.body.data?.key]).toEqual([201, document])
    expect(await list(merchant)).toEqual([phone, document].sort())
    const twin = await byWoovi(document)
    for (const other of [merchant, twin]) {
      const { status, body } = await create(other, { type: 'DOCUMENT' })
      expect([status, body.code]).toEqual([409, 'pix_key_already_registered'])
    }
    await merchant.api.carryOut('DELETE', `${PATH}/${encodeURIComponent(phone)}`)
  })

  test('is answered again for the same Idempotency-Key, however often, and the repeats are no attempts', async () => {
    const merchant = await byEfi()
    const request = { key: randomUUID() }
    const [first, ...repeats] = [
      await create(merchant, { type: 'RANDOM' }, request),
      await merchant.api.post(PATH, { type: 'RANDOM' }, request),
      await merchant.api.post(PATH, { type: 'RANDOM' }, request),
      await merchant.api.post(PATH, { type: 'RANDOM' }, request),
    ]
    for (const { status, body } of repeats) expect([status, body.data]).toEqual([201, first!.body.data])
    expect(await atProvider(merchant)).toEqual([first!.body.data.key])
  })

  test('generated by the provider is limited to three, however many concurrent requests there are', async () => {
    const merchant = await byEfi()
    expect((await create(merchant, { type: 'RANDOM' })).status).toBe(201)
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(merchant, { type: 'random' })))
    const made = answers.filter(({ status }) => status === 201)
    for (const { status, body } of answers)
      if (status !== 201) expect(['pix_key_limit', 'too_many_attempts']).toContain(body.code)
    expect(made.length).toBeLessThanOrEqual(2)
    while ((await list(merchant)).length < 3)
      expect((await create(merchant, { type: 'RANDOM' })).status).toBe(201)
    const fourth = await create(merchant, { type: 'RANDOM' })
    expect([fourth.status, fourth.body.code]).toEqual([422, 'pix_key_limit'])
    expect((await atProvider(merchant)).sort()).toEqual(await list(merchant))
    const [first] = await list(merchant)
    await merchant.api.carryOut('DELETE', `${PATH}/${first}`)
    expect((await create(merchant, { type: 'RANDOM' })).status).toBe(201)
  })

  test('that is registered elsewhere is 409, and its place is free again', async () => {
    const [merchant, key] = [await byWoovi(), anAddress()]
    const other = await byWoovi()
    expect((await create(other, await proved(other, key))).status).toBe(201)
    // As if it were registered at an institution that is not ours.
    await testStack.sql(`update pix_key set state = 'removed' where key = ?`, [key])
    const refused = await create(merchant, await proved(merchant, key))
    expect([refused.status, refused.body.code]).toEqual([409, 'pix_key_already_registered'])
    expect(await list(merchant)).toEqual([])
  })

  test('that its provider refuses temporarily is 400, and may be requested again', async () => {
    const merchant = await byEfi()
    await fault(merchant, 'createKey', 'refused')
    const refused = await create(merchant, { type: 'RANDOM' })
    expect([refused.status, refused.body.code, refused.body.data.error.provider]).toEqual([
      ...[400, 'provider_rejected', 'PROVIDER_A'],
    ])
    expect((await create(merchant, { type: 'RANDOM' })).status).toBe(201)
  })

  test('of one provider cannot be listed, read or removed by another provider’s token', async () => {
    const merchant = await testStack.createMerchant({
      document: aCnpj(),
      providers: [{}, { provider: 'PROVIDER_B', dialect: 'woovi', sendsNotifications: false }],
    })
    const [efi, woovi] = merchant.connections.map(({ uuid, token }) => ({
      uuid,
      api: merchant.api.withToken(token),
    }))
    // The token's provider is used: at the other one there could be no DOCUMENT key.
    const made = await woovi!.api.post(PATH, { type: 'DOCUMENT', provider_uuid: efi!.uuid })
    expect([made.status, made.body.data.provider.uuid]).toEqual([201, woovi!.uuid])
    const path = `${PATH}/${made.body.data.key}`
    expect((await efi!.api.get(PATH)).body.data).toEqual([])
    expect([(await efi!.api.get(path)).status, (await efi!.api.delete(path)).status]).toEqual([404, 404])
    expect((await woovi!.api.get(PATH)).body.data).toEqual([made.body.data])
    await woovi!.api.carryOut('DELETE', path)
  })

  test('that receives charges is not removed', async () => {
    const merchant = await byEfi()
    const answer = await merchant.api.delete(`${PATH}/${merchant.connection.collectionKey}`)
    expect([answer.status, answer.body.code]).toEqual([409, 'key_in_use'])
    // Created here, and configured to receive charges afterwards.
    const { key } = (await create(merchant, { type: 'RANDOM' })).body.data
    await testStack.sql('update connection set collection_key = ? where uuid = ?', [
      key,
      merchant.connection.uuid,
    ])
    expect((await merchant.api.delete(`${PATH}/${key}`)).body.code).toBe('key_in_use')
  })
})

describe('with an Idempotency-Key', () => {
  test('a key and a code are created once, and repeats receive the same response; another body is refused', async () => {
    const merchant = await byEfi()
    const [first, again] = [
      await create(merchant, { type: 'RANDOM' }, { key: 'k' }),
      await create(merchant, { type: 'RANDOM' }, { key: 'k' }),
    ]
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await create(merchant, { type: 'EMAIL' }, { key: 'k' })).status).toBe(422)
    expect(await atProvider(merchant)).toEqual([first.body.data.key])
    await merchant.api.carryOut('DELETE', `${PATH}/${first.body.data.key}`)
    expect((await create(merchant, { type: 'RANDOM' }, { key: 'k' })).body).toEqual(first.body)

    const shop = await byWoovi()
    const ask = () =>
      shop.api.post(`${PATH}/auth-code`, { type: 'EMAIL', key: 'once@example.com' }, { key: 'k' })
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    expect(new Set(answers.map(({ body }) => body.data.auth_code_id)).size).toBe(1)
    expectOneOriginal(answers)
    expect(
      await testStack.sql('select uuid from auth_code where account_uuid = ?', [shop.uuid]),
    ).toHaveLength(1)
  })
})

/** Lost answers: each waits for a provider that does not answer, so they wait concurrently. */
describe('after a lost answer', () =>
  runConcurrentTests({
    'a named key is found in the provider’s list': async () => {
      const [merchant, key] = [await byWoovi(), anAddress()]
      const proof = await proved(merchant, key)
      await fault(merchant, 'createKey', 'timeout_then_done')
      const made = await create(merchant, proof)
      expect([made.status, made.body.data?.key]).toEqual([201, key])
      expect(await atProvider(merchant)).toEqual([key])
    },

    'a random key is found as the new one in the provider’s list': async () => {
      const merchant = await byEfi()
      const { key: earlier } = (await create(merchant, { type: 'RANDOM' })).body.data
      await fault(merchant, 'createKey', 'timeout_then_done')
      const made = await create(merchant, { type: 'RANDOM' })
      expect(made.status).toBe(201)
      expect((await atProvider(merchant)).sort()).toEqual([earlier, made.body.data.key].sort())
      expect(await list(merchant)).toEqual([earlier, made.body.data.key].sort())
    },

    'two concurrent random keys are each assigned one of the new keys in the list': async () => {
      const merchant = await byEfi()
      await fault(merchant, 'createKey', 'timeout_then_done', 2)
      const made = await Promise.all([1, 2].map(() => create(merchant, { type: 'RANDOM' })))
      expect(made.map(({ status }) => status)).toEqual([201, 201])
      const keys = made.map(({ body }) => body.data.key).sort()
      expect(new Set(keys).size).toBe(2)
      expect([(await atProvider(merchant)).sort(), await list(merchant)]).toEqual([keys, keys])
    },

    'a key that never arrived is known to be absent after the settle window, and nothing is created twice':
      async () => {
        const merchant = await byEfi()
        await fault(merchant, 'createKey', 'timeout_then_absent')
        const request = { key: 'lost', limitMs: 30_000 }
        await create(merchant, { type: 'RANDOM' }, request)
        const ended = await pollUntil(
          () => create(merchant, { type: 'RANDOM' }, request),
          ({ body }) => body.code !== 'pix_key_unknown',
          { everyMs: 500 },
        )
        expect([ended.status, ended.body.code]).toEqual([503, 'no_provider_available'])
        expect([await list(merchant), await atProvider(merchant)]).toEqual([[], []])
        expect((await create(merchant, { type: 'RANDOM' })).status).toBe(201)
      },

    'a removal is confirmed by the provider’s list': async () => {
      const merchant = await byEfi()
      const { key } = (await create(merchant, { type: 'RANDOM' })).body.data
      await fault(merchant, 'deleteKey', 'timeout_then_done')
      await merchant.api.carryOut('DELETE', `${PATH}/${key}`)
      expect([await list(merchant), await atProvider(merchant)]).toEqual([[], []])
    },

    'a removal that never arrived is repeated': async () => {
      const merchant = await byEfi()
      const { key } = (await create(merchant, { type: 'RANDOM' })).body.data
      await fault(merchant, 'deleteKey', 'timeout_then_absent')
      await merchant.api.carryOut('DELETE', `${PATH}/${key}`)
      expect([await list(merchant), await atProvider(merchant)]).toEqual([[], []])
    },
  }))

test('no history and no log shows a key, an address or a code', async () => {
  const merchant = await byWoovi()
  const key = anAddress()
  const proof = await proved(merchant, key)
  expect((await create(merchant, proof)).status).toBe(201)
  const [row] = await testStack.sql<{ uuid: string }>('select uuid from pix_key where key = ?', [key])
  const { workflow } = await testStack.connectTemporal()
  const logTexts: string[] = []
  for (const id of [WORKFLOWS.auth_code.idOf(proof.auth_code_id), WORKFLOWS.pix_key.idOf(row!.uuid)]) {
    const handle = workflow.getHandle(id)
    await handle.result()
    const history = historyToJSON(await handle.fetchHistory())
    logTexts.push(history, ...[...history.matchAll(/"data": ?"([^"]*)"/g)].map(([, data]) => atob(data!)))
    logTexts.push(JSON.stringify((await handle.describe()).memo))
  }
  const logs = join(testStack.home.folder, 'logs')
  for (const file of await readdir(logs)) logTexts.push(await readFile(join(logs, file), 'utf8'))
  expect(logTexts.join('\n').length).toBeGreaterThan(1_000)
  for (const secret of [key, encodeURIComponent(key), `"${proof.auth_code}"`])
    expect(logTexts.filter(text => text.includes(secret))).toEqual([])
})

function aPhone(): string {
  return `+55119${String(randomInt(100_000_000)).padStart(8, '0')}`
}

/** A random valid CNPJ: the weights of its check digits are 2 to 9 from the right, repeated. */
function aCnpj(): string {
  const root = `${String(randomInt(100_000_000)).padStart(8, '0')}0001`
  const digit = (text: string) => {
    const sum = [...text].reverse().reduce((total, one, index) => total + Number(one) * (2 + (index % 8)), 0)
    return sum % 11 < 2 ? 0 : 11 - (sum % 11)
  }
  const first = `${root}${digit(root)}`
  return `${first}${digit(first)}`
}
