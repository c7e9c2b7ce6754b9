import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { decode as decodePng } from 'fast-png'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** The QR pictures of a charge, which never change once they exist. */

let fixture: ApiFixture
let connection: string
let token: string

beforeAll(async () => {
  fixture = await openApiFixture([chargeRoutes])
  const accountUuid = await fixture.insertAccount()
  connection = await fixture.insertConnection(accountUuid)
  token = await fixture.insertToken({ accountUuid })
})
afterAll(() => fixture.close())

async function insertCharge({ isIssued }: { isIssued: boolean }) {
  const uuid = await fixture.insertCharge(connection)
  if (isIssued)
    await fixture.orm.em.execute(
      `update charge set state = 'pending', payload = ?, txid = 'txid', receiver = '{}', expires_at = now() + interval '1 hour'
       where uuid = ?`,
      ['00020126850014br.gov.bcb.pix2563'.padEnd(180, '7'), uuid],
    )
  return uuid
}

const read = (uuid: string, name: string, headers: Record<string, string> = {}) =>
  fetch(`${fixture.server.url}/api/v1/payments/${uuid}/qr.${name}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })

test.each(['png', 'svg'])('the %s is kept by the caller’s own cache, and has an ETag', async name => {
  const uuid = await insertCharge({ isIssued: true })
  const first = await read(uuid, name)
  expect(first.status).toBe(200)
  expect(first.headers.get('cache-control')).toBe('private, max-age=86400, immutable')
  expect(first.headers.get('vary')).toContain('Authorization')
  const etag = first.headers.get('etag')!
  expect(etag).toMatch(/^W\/"[\w-]{43}"$/)
  const again = await read(uuid, name, { 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const other = await read(await insertCharge({ isIssued: true }), name, { 'if-none-match': '"other"' })
  expect(other.status).toBe(200)
})

test('the PNG has one bit per pixel', async () => {
  const answer = await read(await insertCharge({ isIssued: true }), 'png')
  const picture = decodePng(new Uint8Array(await answer.arrayBuffer()))
  expect(picture).toMatchObject({ depth: 1, channels: 1, height: picture.width })
})

test('no cache keeps that a charge has no picture yet', async () => {
  const answer = await read(await insertCharge({ isIssued: false }), 'png')
  expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual([
    ...[404, 'no-store', null],
  ])
})
