import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { registerRoute } from '../../../src/api/http/route.ts'
import { createChargeBody, splitBody } from '../../../src/contract/charges/charge.ts'
import { createRefundBody } from '../../../src/contract/refunds/refund.ts'
import { createTransferBody, transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import { updateWebhookBody } from '../../../src/contract/webhooks/webhook.ts'
import { suggestField } from '../../../src/http/field-suggestion.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

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
      expect([answer.status, answer.body.errors]).toEqual([422, { provider_uuid: ['is not a known field'] }])
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
