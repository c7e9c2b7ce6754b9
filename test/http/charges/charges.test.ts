import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { decode as decodePng } from 'fast-png'
import { failIssuing } from '../../../src/activities/charges/issue-charge.ts'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { deriveOperationUuid, fingerprintRequest } from '../../../src/api/operations/idempotency.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

describe('failed charge', () => {
  /** The error of a charge that no provider has issued. */

  let fixture: ApiFixture

  beforeAll(async () => {
    fixture = await openApiFixture([chargeRoutes, eventRoutes])
  })
  afterAll(() => fixture.close())

  type Outcome = { state: 'rejected' | 'unreachable'; code: string; message: string; providerCode?: string }

  const REFUSED_BY_A: Outcome = { state: 'rejected', code: 'provider_limit', message: 'the limit is reached' }
  const REFUSED_BY_B: Outcome = {
    state: 'rejected',
    code: 'provider_validation',
    message: 'the value is too low',
    providerCode: 'VALUE_LOW',
  }
  const UNREACHABLE: Outcome = {
    state: 'unreachable',
    code: 'ECONNREFUSED',
    message: 'connect to pix.internal',
  }

  /** Fails a charge whose attempts at PROVIDER_A and PROVIDER_B had these outcomes. */
  async function failCharge(atA: Outcome, atB: Outcome) {
    const em = fixture.orm.em.fork()
    const accountUuid = await fixture.insertAccount()
    const a = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_A' })
    const b = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
    const uuid = await fixture.insertCharge(a, em)
    for (const [position, connection, { state, code, message, providerCode = null }] of [
      [0, a, atA],
      [1, b, atB],
    ] as const)
      await em.execute(
        `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, code,
         message, provider_code, created_at, updated_at)
       select ?, 'issue', ?, uuid, provider_account_uuid, ?, ?, ?, ?, ?, now(), now() from connection where uuid = ?`,
        [randomUUID(), uuid, position, state, code, message, providerCode, connection],
      )
    await runInTransaction(fixture.orm, tx => failIssuing(tx, uuid))
    return {
      async readErrors(connectionUuid?: string) {
        const token = await fixture.insertToken({ accountUuid, ...(connectionUuid && { connectionUuid }) })
        const read = async (path: string) =>
          (await fixture.call('GET', `/api/v1/${path}`, { token })).body.data
        const { error } = await read(`payments/${uuid}`)
        const [event] = await read('events?type=PAYMENT')
        expect(event.data.error).toEqual(error)
        return error
      },
      /** Repeats the request of the charge by its key. */
      async repeat() {
        const [path, body, key] = ['/api/v1/payments', { value: 1, type: 'PIX' }, randomUUID()]
        const owner = { accountUuid, mode: 'test' } as const
        await em.execute('update charge set uuid = ?, fingerprint = ? where uuid = ?', [
          deriveOperationUuid({ owner, method: 'POST', path, key }),
          fingerprintRequest({
            body: { ...createChargeBody.parse(body), expires_in: 86_400 },
            connectionUuid: null,
          }),
          uuid,
        ])
        const token = await fixture.insertToken({ accountUuid })
        return fixture.call('POST', path, { token, body, headers: { 'idempotency-key': key } })
      },
      bound: a,
    }
  }

  test('has code and message of the last refusal, and its provider’s name and code', async () => {
    const { readErrors } = await failCharge(REFUSED_BY_A, REFUSED_BY_B)
    expect(await readErrors()).toEqual({
      code: 'provider_validation',
      message: 'the value is too low',
      provider_code: 'VALUE_LOW',
      provider: 'PROVIDER_B',
      attempts: [
        { provider: 'PROVIDER_A', outcome: 'rejected', code: 'provider_limit' },
        { provider: 'PROVIDER_B', outcome: 'rejected', code: 'provider_validation' },
      ],
    })
  })

  test('hides the provider’s name and code from a token of another connection', async () => {
    const { readErrors, bound } = await failCharge(REFUSED_BY_A, REFUSED_BY_B)
    expect(await readErrors(bound)).toEqual({
      code: 'provider_validation',
      message: 'the value is too low',
      attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'provider_limit' }],
    })
  })

  test('says that no provider was available where one could not be reached, without its host', async () => {
    for (const outcomes of [
      [REFUSED_BY_A, UNREACHABLE],
      [UNREACHABLE, REFUSED_BY_B],
    ] as const) {
      const { readErrors } = await failCharge(...outcomes)
      const { attempts, ...error } = await readErrors()
      expect(attempts).toHaveLength(2)
      expect(error).toEqual({
        code: 'no_provider_available',
        message: 'No provider could be reached; send a new request after Retry-After.',
      })
    }
  })

  test.each([
    ['every refusal', REFUSED_BY_B, 400, 'provider_rejected'],
    ['an unreachable provider', UNREACHABLE, 503, 'no_provider_available'],
  ] as const)('of %s is answered with its own status', async (_, atB, status, code) => {
    const { repeat } = await failCharge(REFUSED_BY_A, atB)
    const answer = await repeat()
    expect([answer.status, answer.body.code, answer.body.data.status]).toEqual([status, code, 'FAILED'])
  })
})

describe('qr code', () => {
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
})
