import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import Koa from 'koa'
import { z } from 'zod'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { registerRoute } from '../../../src/api/http/route.ts'
import { pixKeyRoutes } from '../../../src/api/pix-keys/routes.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { splitBody } from '../../../src/contract/charges/split.ts'
import { createRefundBody } from '../../../src/contract/refunds/refund.ts'
import { createTransferBody, transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import { updateWebhookBody } from '../../../src/contract/webhooks/webhook.ts'
import { suggestField } from '../../../src/http/field-suggestion.ts'
import { startServer } from '../../../src/http/server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

describe('malformed request', () => {
  /** SPEC §1: input that cannot be parsed as a request is answered in the contract's shape, with a request id. */

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([sampleRoutes])
  })
  afterAll(() => fixture?.close())

  /** Everything received over one connection until it is closed. */
  async function exchangeRawBytes(port: number, requestText: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    socket.write(requestText)
    return Buffer.concat(await socket.toArray()).toString()
  }

  const LONG = 'x'.repeat(17_000)

  test.each([
    ['a URL that is too long', `GET /${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'headers_too_large'],
    [
      'headers that are too long',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${LONG}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['bytes that are not HTTP', 'HELO trilho\r\n\r\n', 400, 'malformed_request'],
    [
      'two hosts',
      'GET /healthz HTTP/1.1\r\nConnection: close\r\nHost: a\r\nHOST: a\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
  ])('%s', async (name, requestText, status, code) => {
    const [head, body] = (await exchangeRawBytes(fixture.server.port, requestText)).split('\r\n\r\n') as [
      string,
      string,
    ]
    const headers = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map(line => line.split(': ') as [string, string]),
    )
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(body)).toEqual({
      message: expect.any(String),
      code,
      ...(name === 'two hosts' && { errors: { Host: ['must be sent once'] } }),
      request_id: headers.get('x-request-id'),
    })
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(body))
    expect([headers.get('content-type'), headers.get('connection')]).toEqual([
      'application/json; charset=utf-8',
      'close',
    ])
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY'])
  })

  test('ordinary HTTP clients receive the error response, too', async () => {
    const answer = await fixture.call('GET', `/api/v1/whoami?${LONG}`)
    expect([answer.status, answer.body.code]).toEqual([431, 'headers_too_large'])
  })

  test('behind a request that was read, it does not change that request’s response', async () => {
    const app = new Koa()
    app.use(async ctx => {
      ctx.body = new PassThrough()
      if (ctx.path === '/begun') ctx.flushHeaders()
      await pause(100)
      ctx.body.end('done')
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    for (const path of ['/', '/begun']) {
      const request = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`
      const text = await exchangeRawBytes(server.port, `${request}HELO trilho\r\n\r\n`)
      expect([path, text.match(/HTTP\/1\.1 \d+/g), text.includes('done')]).toEqual([
        path,
        ['HTTP/1.1 200'],
        true,
      ])
    }
    await server.stop()
  })

  test('within a request it ends that request, and the server does not wait for the body', async () => {
    const { promise: became, resolve } = Promise.withResolvers<unknown>()
    const app = new Koa()
    app.silent = true
    app.use(async ctx => {
      resolve(await ctx.req.toArray().catch(({ code }) => code))
    })
    const server = await startServer(app, { host: '127.0.0.1', port: 0 })
    const request = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    expect(await exchangeRawBytes(server.port, `${request}no length\r\n`)).toContain('malformed_request')
    expect(await became).toBe('ECONNRESET')
    await server.stop()
  })
})

describe('validation errors', () => {
  /** SPEC §1: all errors of a body are reported at once, those that only the database knows beside those of its format. */

  let fixture: ApiFixture
  let token: string
  const ids: Record<string, string> = { UNKNOWN: randomUUID() }
  beforeAll(async () => {
    fixture = await openApiFixture([chargeRoutes, transferRoutes, pixKeyRoutes], { TRILHO_OUTBOX: 'true' })
    const accountUuid = await fixture.insertAccount()
    token = await fixture.insertToken({ accountUuid })
    ids.OWN = accountUuid
    ids.RECIPIENT = await fixture.insertAccount()
    ids.SECOND = await fixture.insertAccount()
    ids.BLOCKED = await fixture.insertAccount('BLOCKED')
    ids.EFI = await fixture.insertConnection(accountUuid)
    ids.WOOVI = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
    ids.INTER = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', dialect: 'inter' })
    ids.POOL = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_C', type: 'POOL' })
    ids.DEAR = await fixture.insertConnection(accountUuid, {
      provider: 'PROVIDER_D',
      chargeFee: { fixedCents: 1, hundredthsOfPercent: 0 },
    })
    await fixture.replaceDefaultProviders(accountUuid, [ids.EFI, ids.WOOVI])
  })
  afterAll(() => fixture?.close())

  const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString()
  const order = { value: 1, pix_key: 'maria@example.com' }
  const charged = { value: 10, type: 'PIX' }
  const percent = (value: unknown, to = 'RECIPIENT') => ({
    type: 'PERCENTAGE',
    value,
    recipient_account_uuid: to,
  })
  const fixed = (value: unknown, to = 'RECIPIENT') => ({ ...percent(value, to), type: 'FIXED' })
  const half = { ...percent(1, 'SECOND'), type: 'HALF' }

  test.each([
    ['transfers', { provider_uuid: 'UNKNOWN' }, ['pix_key', 'provider_uuid', 'value']],
    ['transfers', { ...order, value: '1', provider_uuid: 'UNKNOWN' }, ['provider_uuid', 'value']],
    [
      'transfers',
      { ...order, provider_uuid: 'no uuid', scheduled_for: YESTERDAY },
      ['provider_uuid', 'scheduled_for'],
    ],
    [
      'transfers',
      { ...order, provider_uuid: 'UNKNOWN', scheduled_for: YESTERDAY },
      ['provider_uuid', 'scheduled_for'],
    ],
    [
      'transfers',
      { ...order, value: 0, provider_uuid: 'INTER', document: '52998224725', scheduled_for: YESTERDAY },
      ['document', 'scheduled_for', 'value'],
    ],
    ['transfers', { ...order, value: 0, provider_uuid: 'EFI', document: '1' }, ['document', 'value']],
    ['pix-keys', { provider_uuid: 'UNKNOWN' }, ['provider_uuid', 'type']],
    ['pix-keys', { type: 'EMAIL', provider_uuid: 'UNKNOWN' }, ['auth_code', 'auth_code_id', 'provider_uuid']],
    ['pix-keys/auth-code', { type: 'EMAIL', key: 'no', provider_uuid: 'UNKNOWN' }, ['key', 'provider_uuid']],
    ['pix-keys/auth-code', { type: 'EMAIL', key: 'no' }, ['key']],
    ['pix-keys/auth-code', { type: 'EMAIL', key: 'no', provider_uuid: 'POOL' }, ['key', 'provider_uuid']],
    ['pix-keys/auth-code', { key: 'no', provider_uuid: 'POOL' }, ['provider_uuid', 'type']],
    [
      'pix-keys',
      { type: 'EMAIL', auth_code_id: randomUUID(), auth_code: '1', provider_uuid: 'POOL' },
      ['auth_code', 'provider_uuid'],
    ],
    ['pix-keys', { type: 'EMAIL', auth_code: 123456 }, ['auth_code', 'auth_code_id']],
    ['pix-keys', { type: 'EMAIL', auth_code_id: 5 }, ['auth_code', 'auth_code_id']],
    ['pix-keys', { type: 'phone', provider_uuid: 5 }, ['auth_code', 'auth_code_id', 'provider_uuid']],
    ['pix-keys', { type: 'RANDOM', auth_code: 5 }, ['auth_code']],
    ['pix-keys', null, ['body']],
    ['pix-keys/auth-code', { type: 'EMAIL', key: 'no', provider_uuid: 5 }, ['key', 'provider_uuid']],
    ['pix-keys/auth-code', { type: 'EMAIL', key: 5, provider_uuid: 5 }, ['key', 'provider_uuid']],
    ['pix-keys/auth-code', null, ['body']],
    ['payments', { ...charged, splits: [percent(150), half] }, ['splits', 'splits.0.value', 'splits.1.type']],
    ['payments', { ...charged, splits: [half, fixed(11)] }, ['splits', 'splits.0.type']],
    [
      'payments',
      { ...charged, splits: [5, fixed(1), fixed('x')] },
      ['splits.0', 'splits.2.recipient_account_uuid', 'splits.2.value'],
    ],
    [
      'payments',
      { ...charged, splits: [percent(101, 'nobody')] },
      ['splits', 'splits.0.recipient_account_uuid', 'splits.0.value'],
    ],
    [
      'payments',
      { ...charged, value: '10', splits: [percent(60), percent(60, 'SECOND')] },
      ['splits', 'value'],
    ],
    [
      'payments',
      { value: 0, type: 'CARD', splits: [fixed(1, 'OWN')] },
      ['splits.0.recipient_account_uuid', 'splits.0.type', 'type', 'value'],
    ],
    ['payments', { value: 9_999_999_999.99, type: 'CARD', provider_uuid: 'DEAR' }, ['type', 'value']],
    ['payments', { value: -1, type: 'PIX', external_ref: 'a\0' }, ['external_ref', 'value']],
  ])('POST /%s reports every error of %j', async (path, body, fields) => {
    await fixture.orm.em.fork().execute('delete from pix_key_creation_times')
    const answer = await post(path, body)
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    expect(Object.keys(answer.body.errors).sort()).toEqual(fields)
  })

  test('a charge of value 0 is refused for its value where no provider has a key that collects', async () => {
    const { status, body } = await post('payments', { ...charged, value: 0 })
    expect([status, body.errors]).toEqual([
      422,
      { value: ['must be above 0: no provider of this charge has a PIX key that collects an open value'] },
    ])
  })

  test('a split that names a blocked account is refused as one that names an unknown account', async () => {
    const refused = (name: string) => post('payments', { ...charged, splits: [fixed(1, name)] })
    const [blocked, unknown] = [await refused('BLOCKED'), await refused('UNKNOWN')]
    expect([blocked.status, blocked.body.code]).toEqual([422, 'validation_failed'])
    expect(blocked.body.errors).toEqual({
      'splits.0.recipient_account_uuid': ['must be an existing account'],
    })
    expect(blocked.body.errors).toEqual(unknown.body.errors)
  })

  function post(path: string, body: unknown) {
    const named = JSON.parse(JSON.stringify(body), (_, value) => ids[value] ?? value)
    return fixture.call('POST', `/api/v1/${path}`, { token, body: named })
  }

  test('a filter by a PIX key that is none is refused', async () => {
    for (const key of ['123', 'maria', '***982247**']) {
      const path = `/api/v1/transfers?pix_key=${encodeURIComponent(key)}`
      const { status, body } = await fixture.call('GET', path, { token })
      expect([key, status, Object.keys(body.errors ?? {})]).toEqual([key, 422, ['pix_key']])
    }
    expect((await fixture.call('GET', '/api/v1/transfers?pix_key=maria@example.com', { token })).status).toBe(
      200,
    )
  })
})

describe('unknown fields', () => {
  /** A misspelled field was meant to have an effect: the request is refused rather than executed without it. */

  const BODIES = {
    payments: createChargeBody,
    transfers: createTransferBody,
    refunds: createRefundBody,
    webhooks: updateWebhookBody,
  }
  const echo = z.object({ data: z.unknown() })

  let fixture: ApiFixture
  let token: string
  let bound: string
  beforeAll(async () => {
    fixture = await openApiFixture([
      router => {
        for (const [name, body] of Object.entries(BODIES))
          registerRoute(router, 'post', `/${name}`, {
            operationId: null,
            summary: name,
            tokens: 'any',
            scope: 'read',
            body,
            responses: { 200: echo },
            handle: async ({ body }) => ({ body: { data: body } }),
          })
        registerRoute(router, 'post', '/cancel', {
          operationId: null,
          summary: 'no body',
          tokens: 'any',
          scope: 'read',
          responses: { 200: echo },
          handle: async () => ({ body: { data: 'done' } }),
        })
      },
    ])
    const accountUuid = await fixture.insertAccount()
    token = await fixture.insertToken({ accountUuid })
    const connectionUuid = await fixture.insertConnection(accountUuid)
    bound = await fixture.insertToken({ accountUuid, connectionUuid })
  })
  afterAll(() => fixture?.close())

  const send = (path: string, body: unknown, by = token) => fixture.call('POST', path, { token: by, body })
  const charge = { value: 10, type: 'PIX' }
  const split = { type: 'FIXED', value: 1, recipient_account_uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }

  describe('an unknown field is 422 and names the field that was meant', () => {
    test.each([
      ['/refunds', { amount: 5 }, 'amount', 'value'],
      ['/refunds', { Value: 5 }, 'Value', 'value'],
      [
        '/transfers',
        { value: 1, pix_key: '52998224725', scheduledFor: '2030-01-01T00:00:00Z' },
        'scheduledFor',
        'scheduled_for',
      ],
      ['/transfers', { value: 1, pixkey: '52998224725' }, 'pixkey', 'pix_key'],
      ['/payments', { ...charge, external_reff: 'x' }, 'external_reff', 'external_ref'],
      [
        '/payments',
        { ...charge, splits: [{ ...split, recipient_acount_uuid: 'x' }] },
        'splits.0.recipient_acount_uuid',
        'recipient_account_uuid',
      ],
      [
        '/payments',
        { ...charge, final_beneficiary: { name: 'A', document: '52998224725', cpf: '' } },
        'final_beneficiary.cpf',
        'document',
      ],
      ['/webhooks', { event: ['PAYMENT'] }, 'event', 'events'],
    ])('%s %j', async (path, body, field, meant) => {
      const answer = await send(path, body)
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
      expect(answer.body.errors[field]).toEqual([`is not a known field; did you mean ${meant}?`])
    })

    test.each([
      [createChargeBody, 'external_reference', 'external_ref'],
      [createChargeBody, 'orderId', 'external_ref'],
      [createChargeBody, 'beneficiary', 'final_beneficiary'],
      [createChargeBody, 'amount_cents', 'value, in reais'],
      [createChargeBody, 'valorEmCentavos', 'value, in reais'],
      [splitBody, 'percentage', 'value'],
      [splitBody, 'percent', 'value'],
      [splitBody, 'accountId', 'recipient_account_uuid'],
      [createRefundBody, 'refundAmount', 'value'],
      [createRefundBody, 'valor_devolvido', 'value'],
      [createTransferBody, 'recipient_document', 'document'],
      [createTransferBody, 'cpf_cnpj', 'document'],
      [createTransferBody, 'chavePix', 'pix_key'],
      [createTransferBody, 'destination', 'pix_key'],
      [createTransferBody, 'scheduled_at', 'scheduled_for'],
      [updateWebhookBody, 'event_types', 'events'],
      [updateWebhookBody, 'signingSecret', 'token'],
      [updateWebhookBody, 'callback_url', 'url'],
      [updateWebhookBody, 'enabled', 'status'],
      [transfersQuery, 'limit', 'per_page'],
      [transfersQuery, 'since', 'date_from'],
      [transfersQuery, 'end_date', 'date_to'],
      [transfersQuery, 'starting_after', 'cursor'],
      [transfersQuery, 'transfer_uuid', undefined],
      [createTransferBody, 'constructor', undefined],
      [createTransferBody, '', undefined],
      [createTransferBody, 'description', undefined],
    ])('in the words of other APIs: %#, %s', (schema, name, meant) => {
      expect(suggestField(schema, [], name)).toBe(meant)
    })

    test('an unknown field without a similar one is reported with all other errors', async () => {
      const answer = await send('/payments', { type: 'PIX', surprise: true })
      expect(answer.body.errors).toEqual({ value: ['is required'], surprise: ['is not a known field'] })
    })

    test('a provider named by a token that is bound to one: ignored where the body has the field, else 422', async () => {
      const provider_uuid = 'any'
      const named = await send('/payments', { ...charge, provider_uuid }, bound)
      expect([named.status, named.body.data.provider_uuid]).toEqual([200, undefined])
      for (const path of ['/refunds', '/cancel']) {
        const answer = await send(path, { provider_uuid }, bound)
        expect([answer.status, answer.body.errors]).toEqual([
          422,
          { provider_uuid: ['is not a known field'] },
        ])
      }
    })

    test('a request that its path fully describes accepts no body field', async () => {
      expect((await send('/cancel', {})).status).toBe(200)
      expect((await fixture.call('POST', '/cancel', { token })).status).toBe(200)
      const answer = await send('/cancel', { value: 5 })
      expect([answer.status, answer.body.errors]).toEqual([422, { value: ['is not a known field'] }])
    })
  })

  test.each([
    ['at the top', '{"value": 5, "value": 500}', ['value']],
    ['spelled in two ways', '{"value": 5, "\\u0076alue": 500}', ['value']],
    ['in a list', '{"value": 5, "splits": [{"value": 1}, {"value": 1, "value": 2}]}', ['splits.1.value']],
    [
      'in several objects',
      '{"final_beneficiary": {"name": "A", "name": "B"}, "type": "PIX", "type": "PIX", "type": "PIX"}',
      ['final_beneficiary.name', 'type'],
    ],
  ])('a name given twice %s is 400 and names it', async (_, raw, names) => {
    const answer = await fixture.call('POST', '/payments', {
      token,
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json'])
    expect(answer.body.errors).toEqual(Object.fromEntries(names.map(name => [name, ['must be sent once']])))
  })

  test('null for an optional field is the same as absent, for a required one it is not', async () => {
    const body = { ...charge, external_ref: null, splits: null, expires_in: null, provider_uuid: null }
    expect((await send('/payments', body)).body).toEqual((await send('/payments', charge)).body)
    const answer = await send('/payments', { ...charge, value: null })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual(['value'])
  })
})
