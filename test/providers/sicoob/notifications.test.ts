import { expect, test } from '@jest/globals'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createSicoobAdapter } from '../../../src/providers/sicoob/adapter.ts'
import { openContract } from '../../support/openapi-contract.ts'
import {
  credentials,
  devolucaoOf,
  END_TO_END,
  NOTIFICATION_SECRET,
  pixOf,
  REFERENCE,
} from '../support/sicoob-fixture.ts'

const unexplained: UnexplainedAnswer[] = []
const { readNotification } = createSicoobAdapter({
  baseUrl: 'https://sicoob.test',
  credentials,
  timeoutMs: 1_000,
  recordUnexplained: async answer => void unexplained.push(answer),
})
const read = (body: unknown, secret: string | null = NOTIFICATION_SECRET) =>
  readNotification({ body: typeof body === 'string' ? body : JSON.stringify(body), headers: {}, secret })

const payment = { id: END_TO_END, estado: 'FINALIZADO_SUCESSO', valor: '10.50' }

test('a received PIX and its refund are parsed as the Central Bank’s', async () => {
  const pix = pixOf({ devolucoes: [devolucaoOf()] })
  const body = { pix: [pix] }
  expect(
    openContract('sicoob-pix.yaml').validateCallback({ method: 'PUT', path: '/webhook/k', body }),
  ).toEqual([])
  expect(await read(body)).toMatchObject({
    kind: 'items',
    items: [
      { kind: 'payment', reference: REFERENCE, endToEnd: END_TO_END },
      { kind: 'refund', reference: 'refund1', endToEnd: END_TO_END },
    ],
  })
})

test.each<[string, object]>([
  ['as its callback is described', { payload: payment }],
  ['as its examples are', payment],
  ['as its examples name the state', { id: END_TO_END, status: 'FINALIZADO_REJEICAO', valor: '10.50' }],
])('a sent payment, %s, is known by its end-to-end id', async (_, body) => {
  expect(await read(body)).toEqual({
    kind: 'items',
    items: [{ kind: 'transfer', reference: null, endToEnd: END_TO_END, raw: JSON.stringify(body) }],
  })
})

test('the described callback satisfies the published description', () => {
  const contract = openContract('sicoob-pagamentos-pix.yaml')
  const path = '/pagamentos/webhook'
  expect(contract.validateCallback({ method: 'PUT', path, body: { payload: payment } })).toEqual([])
})

test.each([null, '', 'another', `${NOTIFICATION_SECRET}x`])('the secret %p is forged', async secret => {
  expect(await read({ payload: payment }, secret)).toEqual({ kind: 'forged' })
  expect(await read({ pix: [pixOf()] }, secret)).toEqual({ kind: 'forged' })
})

test.each(['{', '[]', 'null', '{}', '{"payload":{}}', '{"payload":{"id":"E1"}}', '{"id":7}', '{"pix":{}}'])(
  '%s is unreadable, and recorded',
  async body => {
    unexplained.length = 0
    expect(await read(body)).toEqual({ kind: 'unreadable' })
    expect(unexplained).toMatchObject([{ operation: 'readNotification', body }])
  },
)

test('an empty request to a new URL has no content', async () => {
  expect(await read('')).toEqual({ kind: 'items', items: [] })
})
