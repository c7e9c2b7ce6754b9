import { expect, test } from '@jest/globals'
import type { UnexplainedAnswer } from '../../../src/providers/adapter/unexplained-answers.ts'
import { createEfiNotifications } from '../../../src/providers/efi/notifications.ts'
import {
  credentials,
  devolucaoOf,
  END_TO_END,
  NOTIFICATION_SECRET,
  pixOf,
  REFERENCE,
} from '../support/efi-fixture.ts'

const { readNotification } = createEfiNotifications(credentials)
const read = (body: unknown, secret: string | null = NOTIFICATION_SECRET) =>
  readNotification({ body: typeof body === 'string' ? body : JSON.stringify(body), headers: {}, secret })

test.each([null, '', 'another', `${NOTIFICATION_SECRET}x`, NOTIFICATION_SECRET.slice(1)])(
  'the secret %p is forged',
  async secret => {
    expect(await read({ pix: [pixOf()] }, secret)).toEqual({ kind: 'forged' })
    expect(await read('not even JSON', secret)).toEqual({ kind: 'forged' })
  },
)

test.each(['{', '[]', 'null', '{}', '{"pix":{}}', '{"pix":["E1"]}', '{"pix":[{"txid":7}]}'])(
  '%s is unreadable',
  async body => {
    expect(await read(body)).toEqual({ kind: 'unreadable' })
  },
)

test.each(['', ' \n'])('an empty request to a new URL has no content', async body => {
  expect(await read(body)).toEqual({ kind: 'items', items: [] })
  expect(await read(body, 'another')).toEqual({ kind: 'forged' })
})

test('Efí’s test of a new URL has no content', async () => {
  expect(await read({ evento: 'teste_webhook', data_criacao: '2026-01-10T12:00:00Z' })).toEqual({
    kind: 'items',
    items: [],
  })
})

test('a notification is parsed: payments, their refunds, returns of disputes, transfers', async () => {
  const paid = pixOf()
  const settledDevolucao = devolucaoOf({ status: 'DEVOLVIDO' })
  const byEfi = devolucaoOf({ id: 'theirs', natureza: 'MED_FRAUDE' })
  const refunded = pixOf({
    txid: undefined,
    devolucoes: [settledDevolucao, devolucaoOf({ id: 'refund2' }), byEfi],
  })
  const sentPix = {
    endToEndId: 'E9',
    tipo: 'SOLICITACAO',
    status: 'REALIZADO',
    horario: null,
    gnExtras: { idEnvio: 'send1' },
    devolucoes: [{ rtrId: 'D1' }],
  }
  const item = (kind: string, reference: string | null, endToEnd: string, raw: unknown) => ({
    kind,
    reference,
    endToEnd,
    raw: JSON.stringify(raw),
  })
  expect(await read({ pix: [paid, refunded, sentPix] })).toEqual({
    kind: 'items',
    items: [
      item('payment', REFERENCE, END_TO_END, paid),
      item('payment', null, END_TO_END, refunded),
      item('refund', 'refund1', END_TO_END, settledDevolucao),
      item('refund', 'refund2', END_TO_END, devolucaoOf({ id: 'refund2' })),
      item('dispute', null, END_TO_END, byEfi),
      item('transfer', 'send1', 'E9', sentPix),
    ],
  })
})

test('an unreadable item hides no other, and an undocumented one is recorded', async () => {
  const unexplainedAnswers: UnexplainedAnswer[] = []
  const strict = createEfiNotifications(credentials, async answer => void unexplainedAnswers.push(answer))
  const parsed = (body: object) =>
    strict.readNotification({ body: JSON.stringify(body), headers: {}, secret: NOTIFICATION_SECRET })
  const mixed = await parsed({ pix: ['E1', pixOf(), { txid: 7 }] })
  expect(mixed.kind === 'items' && mixed.items.map(item => item.endToEnd)).toEqual([END_TO_END])
  expect(await parsed({ evento: 'novo_evento' })).toEqual({ kind: 'items', items: [] })
  expect(await parsed({ evento: 'teste_webhook' })).toEqual({ kind: 'items', items: [] })
  const about = { operation: 'readNotification', reference: null, status: null }
  expect(unexplainedAnswers).toEqual([
    { ...about, kind: 'unreadable_item', name: '', body: '"E1"' },
    { ...about, kind: 'unreadable_item', name: '', body: '{"txid":7}' },
    { ...about, kind: 'unlisted_value', name: 'novo_evento', body: '{"evento":"novo_evento"}' },
  ])
})
