import { expect, test } from '@jest/globals'
import { notices } from '../../src/providers/efi/notice.ts'
import { credentials, devolucao, END_TO_END, NOTICE_SECRET, pix, REFERENCE } from './support/efi.ts'

const { readNotice } = notices(credentials)
const read = (body: unknown, secret: string | null = NOTICE_SECRET) =>
  readNotice({ body: typeof body === 'string' ? body : JSON.stringify(body), headers: {}, secret })

test.each([null, '', 'another', `${NOTICE_SECRET}x`, NOTICE_SECRET.slice(1)])(
  'the secret %p is forged',
  secret => {
    expect(read({ pix: [pix()] }, secret)).toEqual({ kind: 'forged' })
    expect(read('not even JSON', secret)).toEqual({ kind: 'forged' })
  },
)

test.each(['', '{', '[]', 'null', '{}', '{"pix":{}}', '{"pix":["E1"]}', '{"pix":[{"txid":7}]}'])(
  '%s is unreadable',
  body => {
    expect(read(body)).toEqual({ kind: 'unreadable' })
  },
)

test('Efí’s test of a new URL is about nothing', () => {
  expect(read({ evento: 'teste_webhook', data_criacao: '2026-01-10T12:00:00Z' })).toEqual({
    kind: 'items',
    items: [],
  })
})

test('a notice is taken apart: payments, refunds on them, returns of disputes, transfers', () => {
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
  expect(read({ pix: [paid, refunded, sent] })).toEqual({
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
