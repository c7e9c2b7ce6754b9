import { expect, test } from '@jest/globals'
import { notices } from '../../src/providers/efi/notice.ts'
import type { UnexplainedAnswer } from '../../src/providers/unexplained.ts'
import { credentials, devolucao, END_TO_END, NOTICE_SECRET, pix, REFERENCE } from './support/efi.ts'

const { readNotice } = notices(credentials)
const read = (body: unknown, secret: string | null = NOTICE_SECRET) =>
  readNotice({ body: typeof body === 'string' ? body : JSON.stringify(body), headers: {}, secret })

test.each([null, '', 'another', `${NOTICE_SECRET}x`, NOTICE_SECRET.slice(1)])(
  'the secret %p is forged',
  async secret => {
    expect(await read({ pix: [pix()] }, secret)).toEqual({ kind: 'forged' })
    expect(await read('not even JSON', secret)).toEqual({ kind: 'forged' })
  },
)

test.each(['{', '[]', 'null', '{}', '{"pix":{}}', '{"pix":["E1"]}', '{"pix":[{"txid":7}]}'])(
  '%s is unreadable',
  async body => {
    expect(await read(body)).toEqual({ kind: 'unreadable' })
  },
)

test.each(['', ' \n'])('an empty request to a new URL is about nothing', async body => {
  expect(await read(body)).toEqual({ kind: 'items', items: [] })
  expect(await read(body, 'another')).toEqual({ kind: 'forged' })
})

test('Efí’s test of a new URL is about nothing', async () => {
  expect(await read({ evento: 'teste_webhook', data_criacao: '2026-01-10T12:00:00Z' })).toEqual({
    kind: 'items',
    items: [],
  })
})

test('a notice is taken apart: payments, refunds on them, returns of disputes, transfers', async () => {
  const paid = pix()
  const returned = devolucao({ status: 'DEVOLVIDO' })
  const byEfi = devolucao({ id: 'theirs', natureza: 'MED_FRAUDE' })
  const refunded = pix({ txid: undefined, devolucoes: [returned, devolucao({ id: 'refund2' }), byEfi] })
  const sent = {
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
  expect(await read({ pix: [paid, refunded, sent] })).toEqual({
    kind: 'items',
    items: [
      item('payment', REFERENCE, END_TO_END, paid),
      item('payment', null, END_TO_END, refunded),
      item('refund', 'refund1', END_TO_END, returned),
      item('refund', 'refund2', END_TO_END, devolucao({ id: 'refund2' })),
      item('med', null, END_TO_END, byEfi),
      item('transfer', 'send1', 'E9', sent),
    ],
  })
})

test('an odd item hides no other, and what no document explains is recorded', async () => {
  const recorded: UnexplainedAnswer[] = []
  const strict = notices(credentials, async answer => void recorded.push(answer))
  const told = (body: object) =>
    strict.readNotice({ body: JSON.stringify(body), headers: {}, secret: NOTICE_SECRET })
  const mixed = await told({ pix: ['E1', pix(), { txid: 7 }] })
  expect(mixed.kind === 'items' && mixed.items.map(item => item.endToEnd)).toEqual([END_TO_END])
  expect(await told({ evento: 'novo_evento' })).toEqual({ kind: 'items', items: [] })
  expect(await told({ evento: 'teste_webhook' })).toEqual({ kind: 'items', items: [] })
  const about = { operation: 'readNotice', reference: null, status: null }
  expect(recorded).toEqual([
    { ...about, kind: 'unreadable_item', name: '', body: '"E1"' },
    { ...about, kind: 'unreadable_item', name: '', body: '{"txid":7}' },
    { ...about, kind: 'unlisted_value', name: 'novo_evento', body: '{"evento":"novo_evento"}' },
  ])
})
