import { expect, test } from '@jest/globals'
import { efiAnswers } from '../../src/providers/efi/answers.ts'
import { efiProvider } from '../../src/providers/efi/efi.ts'
import { seeded } from '../domain/seeded.ts'
import { type CallUnderTest, describeAnswers } from './support/answer-tables.ts'
import { credentials, END_TO_END, efi, NOW, REFERENCE } from './support/efi.ts'
import { undocumentedAnswers } from './support/undocumented-answers.ts'

const ID = '8ad75c93-6150-422c-929e-822f361c7a6b'
const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const transferOrder = {
  ...{ id: 'transfer1', cents: 1050, pixKey: 'maria@example.com', document: '12345678909' },
  payerKey: 'loja@trilho.test',
}
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
const json = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })
const infraction = {
  ...{ idInfracao: ID, endToEndId: END_TO_END, valor: 12.34, status: 'ABERTA' },
  dadosAnalise: { abertura: '2026-01-10T12:00:00Z' },
}

const calls: Record<keyof typeof efiAnswers, CallUnderTest> = {
  issueCharge: {
    make: provider =>
      provider.issueCharge({ reference: REFERENCE, totalCents: 1, expiresInSeconds: 60, collectionKey: 'k' }),
    proves: 'unknown',
    others: json(400, bodyOf('cobranca_nao_encontrada', 400)),
  },
  findCharge: { make: provider => provider.findCharge(REFERENCE), proves: 'no_answer' },
  cancelCharge: {
    make: provider => provider.cancelCharge(REFERENCE),
    proves: 'no_answer',
    others: { status: 503, body: '' },
    // What the charge has become decides.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'charge_refused' ? { kind: 'no_answer' } : undefined,
  },
  findPayment: { make: provider => provider.findPayment(END_TO_END), proves: 'no_answer' },
  refund: {
    make: provider => provider.refund(refundOrder),
    proves: 'unknown',
    others: json(400, bodyOf('devolucao_nao_encontrada', 400)),
  },
  findRefund: { make: provider => provider.findRefund(refundOrder), proves: 'no_answer' },
  sendTransfer: { make: provider => provider.sendTransfer(transferOrder), proves: 'unknown' },
  findTransfer: { make: provider => provider.findTransfer('transfer1'), proves: 'no_answer' },
  createKey: { make: provider => provider.createKey({ type: 'RANDOM', key: null }), proves: 'unknown' },
  deleteKey: { make: provider => provider.deleteKey('k'), proves: 'unknown', absent: { kind: 'not_found' } },
  listKeys: { make: provider => provider.listKeys(), proves: 'no_answer' },
  balances: { make: provider => provider.balances(), proves: 'no_answer' },
  statement: { make: provider => provider.statement(...range), proves: 'no_answer' },
  registerNotices: {
    make: provider => provider.registerNotices('https://t.test/n', 'k'),
    proves: 'no_answer',
  },
  listMeds: { make: provider => provider.listMeds(...range), proves: 'no_answer' },
  findMed: { make: provider => provider.findMed({ id: ID, endToEnd: null }), proves: 'no_answer' },
  findDisputedPix: {
    make: provider => provider.findMed({ id: ID, endToEnd: null }),
    proves: 'no_answer',
    asked: /\/pix\//,
    others: json(200, { infracoes: [infraction] }),
    // Neither received nor sent here: it was received before this connection could tell.
    absent: { kind: 'found' },
  },
  replyMed: {
    make: provider =>
      provider.replyMed({ id: ID, endToEnd: END_TO_END, accept: false, analysis: 'x', attachments: [] }),
    proves: 'unknown',
    others: { status: 503, body: '' },
  },
}

/** Each name in the shape in which Efí documents it. */
function bodyOf(name: string, status: number): unknown {
  if (/^(invalid_token|insufficient_scope)$/.test(name)) return { error: name, error_description: 'so it is' }
  if (!/^[A-Z]/.test(name)) return { nome: name, mensagem: 'so it is' }
  const [type, ...fields] = name.split(' ')
  const violacoes = fields.map(field => ({ razao: 'so it is', propriedade: `pix.devolucao.${field}` }))
  return {
    type: `https://pix.bcb.gov.br/api/v2/error/${type}`,
    title: type,
    status,
    detail: 'so it is',
    violacoes,
  }
}

describeAnswers({
  name: 'Efí',
  answers: efiAnswers,
  bodyOf,
  calls,
  open: options =>
    efiProvider({ ...options, baseUrl: 'https://efi.test', credentials, timeoutMs: 1_000, now: () => NOW }),
  times: 2_000,
  seed: 30,
})

test('over HTTP, what no document explains proves nothing either', async () => {
  await using story = await efi()
  const everywhere = Object.values(efiAnswers).flat()
  const next = undocumentedAnswers({ random: seeded(31), own: efiAnswers.sendTransfer, everywhere, bodyOf })
  for (let times = 0; times < 60; times++) {
    const { status, body } = next()
    story.far.answers('PUT /v3/gn/pix/transfer1', { status, text: body })
    expect([body, await story.provider.sendTransfer(transferOrder)]).toMatchObject([
      body,
      { kind: 'unknown' },
    ])
  }
  expect(story.recorded).toHaveLength(60)
})
