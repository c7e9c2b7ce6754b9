import { expect, test } from '@jest/globals'
import { createInterAdapter } from '../../../src/providers/inter/adapter.ts'
import { END_TO_END, REFERENCE } from '../support/efi-fixture.ts'
import { credentials, NOTIFICATION_SECRET, PAYMENT_CODE, SENT_ID } from '../support/inter-fixture.ts'

const recorded: { kind: string; body: string }[] = []
const provider = createInterAdapter({
  baseUrl: 'https://inter.test',
  credentials,
  timeoutMs: 1_000,
  recordUnexplained: async answer => void recorded.push(answer),
})
const read = (body: unknown, secret: string | null = NOTIFICATION_SECRET) =>
  provider.readNotification({
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {},
    secret,
  })

const devolucao = { id: 'refund1', rtrId: 'D1', valor: '10.00', status: 'DEVOLVIDO' }
const pix = { endToEndId: END_TO_END, txid: REFERENCE, valor: '110.00', horario: '2026-01-10T12:00:00Z' }
const payment = {
  codigoSolicitacao: PAYMENT_CODE,
  chave: 'maria@example.com',
  endToEnd: SENT_ID,
  status: 'EFETIVADO',
  tipoMovimentacao: 'PAGAMENTO',
  valor: '0.01',
}

test.each([null, '', 'another'])('the secret %s is forged', async secret => {
  expect(await read([payment], secret)).toEqual({ kind: 'forged' })
})

test.each([
  ['under `pix`, as its document describes it', { pix: [pix] }],
  ['as a bare list, as its examples show it', [pix]],
])('a received PIX comes %s', async (_, body) => {
  expect(await read(body)).toEqual({
    kind: 'items',
    items: [{ kind: 'payment', reference: REFERENCE, endToEnd: END_TO_END, raw: JSON.stringify(pix) }],
  })
})

test.each([
  ['in a list', [devolucao]],
  ['alone', devolucao],
])('its devolução comes %s', async (_, devolucoes) => {
  expect(await read([{ ...pix, devolucoes }])).toMatchObject({
    items: [
      { kind: 'payment', reference: REFERENCE },
      { kind: 'refund', reference: 'refund1', endToEnd: END_TO_END, raw: JSON.stringify(devolucao) },
    ],
  })
})

test.each(['EFETIVADO', 'ERRO', 'REPROVADO', 'APROVACAO_EXPIRADA', 'CANCELADO', 'PROCESSADO'])(
  "a sent payment is named by Inter's id of it, whatever its status: %s",
  async status => {
    const item = { ...payment, status }
    expect(await read([item])).toEqual({
      kind: 'items',
      items: [{ kind: 'transfer', reference: PAYMENT_CODE, endToEnd: SENT_ID, raw: JSON.stringify(item) }],
    })
  },
)

test('a sent payment also comes alone', async () => {
  expect(await read(payment)).toMatchObject({ items: [{ kind: 'transfer', reference: PAYMENT_CODE }] })
})

test('a sent payment may have no end-to-end id', async () => {
  const { endToEnd: _, ...refused } = payment
  expect(await read([refused])).toMatchObject({ items: [{ reference: PAYMENT_CODE, endToEnd: null }] })
})

test('an unreadable part is recorded and hides no other', async () => {
  recorded.length = 0
  expect(await read([{ codigoSolicitacao: 7 }, payment])).toMatchObject({
    items: [{ reference: PAYMENT_CODE }],
  })
  expect(await read({ pix: [{ txid: 7 }, pix] })).toMatchObject({ items: [{ reference: REFERENCE }] })
  expect(recorded).toMatchObject([
    { kind: 'unreadable_item', body: '{"codigoSolicitacao":7}' },
    { kind: 'unreadable_item', body: '{"txid":7}' },
  ])
})

test.each(['{}', 'true', '{"pix":7}', '<html>'])('%s is unreadable and recorded', async body => {
  recorded.length = 0
  expect(await read(body)).toEqual({ kind: 'unreadable' })
  expect(recorded).toMatchObject([{ kind: 'unreadable_answer', body }])
})

test('an empty body or list has no items', async () => {
  expect(await read('')).toEqual({ kind: 'items', items: [] })
  expect(await read([])).toEqual({ kind: 'items', items: [] })
})
