import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { webhookRoutes } from '../../../src/api/webhooks/routes.ts'
import {
  type CertificateAuthority,
  createAuthority,
  startMerchantServer,
} from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

const PATH = '/api/v1/webhooks'

let fixture: ApiFixture
let ca: CertificateAuthority
let shop: Awaited<ReturnType<typeof startMerchantServer>>
let url: string
beforeAll(async () => {
  ca = await createAuthority()
  shop = await startMerchantServer(ca, { names: ['127.0.0.1', 'localhost'] }, (_, response) => response.end())
  url = `https://127.0.0.1:${shop.port}/pix?a=b`
  fixture = await openApiFixture([webhookRoutes({ ca: [ca.pem], handshakeTimeoutMs: 30_000 })], {
    TRILHO_LOOPBACK_WEBHOOKS: 'true',
  })
})
afterAll(() => Promise.all([fixture?.close(), shop?.close()]))

let accountUuid: string
let token: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
  token = await fixture.insertToken({ accountUuid })
})

const create = (body: object = {}, key?: string, by = token) =>
  fixture.call('POST', PATH, {
    token: by,
    body: { url, ...body },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })
const list = async () => (await fixture.call('GET', PATH, { token })).body
const count = async () => (await list()).meta.total

describe('webhooks', () => {
  test('are listed newest first, in pages, with masked secrets', async () => {
    const made: string[] = []
    for (let index = 0; index < 3; index += 1)
      made.unshift((await create({ token: 'unmasked' })).body.data.uuid)
    const first = (await fixture.call('GET', `${PATH}?per_page=2`, { token })).body
    const second = (await fixture.call('GET', `${PATH}?per_page=2&page=2`, { token })).body
    expect([...first.data, ...second.data].map((one: { uuid: string }) => one.uuid)).toEqual(made)
    expect(second.meta).toEqual({ current_page: 2, from: 3, last_page: 2, per_page: 2, to: 3, total: 3 })
    expect(JSON.stringify([first, second])).not.toContain('unmasked')
  })

  test('of another account are 404', async () => {
    const { uuid } = (await create()).body.data
    const stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    for (const method of ['GET', 'DELETE']) {
      expect((await fixture.call(method, `${PATH}/${uuid}`, { token: stranger })).status).toBe(404)
    }
    expect(await count()).toBe(1)
  })

  test('show why they are disabled', async () => {
    const { uuid } = (await create()).body.data
    await fixture.orm.em.execute(
      `update webhook set status = 'DISABLED', disabled_reason = 'gone' where uuid = ?`,
      [uuid],
    )
    expect((await list()).data[0]).toMatchObject({ status: 'DISABLED', disabled_reason: 'gone' })
  })

  test('are gone once removed, and with them their pending deliveries', async () => {
    const [webhook, other] = [(await create()).body.data.uuid, (await create()).body.data.uuid]
    const pending = await delivery(webhook, 'PENDING')
    const delivered = await delivery(webhook, 'DELIVERED')
    const others = await delivery(other, 'PENDING')

    const answer = await fixture.call('DELETE', `${PATH}/${webhook}`, { token })
    expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String) }])
    expect(await statuses([pending, delivered, others])).toEqual(['CANCELLED', 'DELIVERED', 'PENDING'])
    expect((await fixture.call('GET', `${PATH}/${webhook}`, { token })).status).toBe(404)
    expect((await fixture.call('DELETE', `${PATH}/${webhook}`, { token })).status).toBe(404)
    expect(await count()).toBe(1)
  })

  test('are forbidden for bound tokens', async () => {
    const { uuid } = (await create()).body.data
    const bound = await fixture.insertToken({
      accountUuid,
      connectionUuid: await fixture.insertConnection(accountUuid),
    })
    const calls = [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/${uuid}`],
      ['DELETE', `${PATH}/${uuid}`],
      ['GET', `${PATH}/${randomUUID()}`],
      ['GET', `${PATH}/abc`],
    ] as const
    for (const [method, path] of calls) {
      const answer = await fixture.call(method, path, { token: bound })
      expect([method, path, answer.status, answer.body.code]).toEqual([
        method,
        path,
        403,
        'token_bound_to_provider',
      ])
    }
    expect(await count()).toBe(1)
  })
})

async function delivery(webhookUuid: string, status: string): Promise<string> {
  const [uuid, event] = [randomUUID(), randomUUID()]
  await fixture.orm.em.execute(
    `insert into event (uuid, account_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
     values (?, ?, 'PAYMENT', ?, 1, '{}', ?, 'r', now())`,
    [event, accountUuid, event, event],
  )
  await fixture.orm.em.execute(
    `insert into delivery (uuid, webhook_uuid, event_uuid, status, created_at, updated_at) values (?, ?, ?, ?, now(), now())`,
    [uuid, webhookUuid, event, status],
  )
  return uuid
}

async function statuses(uuids: string[]): Promise<(string | undefined)[]> {
  const rows = await fixture.orm.em.execute<{ uuid: string; status: string }[]>(
    'select uuid, status from delivery',
  )
  return uuids.map(uuid => rows.find(row => row.uuid === uuid)?.status)
}
