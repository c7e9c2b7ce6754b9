import { expect, test } from '@jest/globals'
import { wooviAnswers } from '../../src/providers/woovi/answers.ts'
import { wooviProvider } from '../../src/providers/woovi/woovi.ts'
import { seeded } from '../domain/seeded.ts'
import { type CallUnderTest, describeAnswers } from './support/answer-tables.ts'
import { undocumentedAnswers } from './support/undocumented-answers.ts'
import { credentials, END_TO_END, NOW, REFERENCE, transaction, woovi } from './support/woovi.ts'

const ID = '67e3170b38e62d5935ed4faf'
const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const transferOrder = {
  ...{ id: 'transfer1', cents: 1050, pixKey: 'maria@example.com', document: null },
  payerKey: null,
}
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
const json = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })
const silence = { status: 503, body: '' }
const created = { payment: { correlationID: 'transfer1', value: 1050, status: 'CREATED' } }
const dispute = { type: 'MED', status: 'CREATED', endToEndId: END_TO_END, id: ID }
const evidence = { uuid: 'a', name: 'a.pdf', contentType: 'application/pdf', url: 'https://files.test/a' }
const reply = { id: ID, endToEnd: END_TO_END, accept: false, analysis: 'x', attachments: [] }

const calls: Record<keyof typeof wooviAnswers, CallUnderTest> = {
  issueCharge: {
    make: provider =>
      provider.issueCharge({
        ...{ reference: REFERENCE, totalCents: 1, expiresInSeconds: 300, collectionKey: null },
      }),
    proves: 'unknown',
    others: json(400, bodyOf('Cobrança não encontrada')),
  },
  findCharge: {
    make: provider => provider.findCharge(REFERENCE),
    proves: 'no_answer',
    others: json(200, { transactions: [] }),
  },
  cancelCharge: {
    make: provider => provider.cancelCharge(REFERENCE),
    proves: 'no_answer',
    // What the charge has become decides.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'charge_refused' ? { kind: 'refused' } : undefined,
  },
  findPayment: { make: provider => provider.findPayment(END_TO_END), proves: 'no_answer' },
  refund: { make: provider => provider.refund(refundOrder), proves: 'unknown' },
  findRefund: { make: provider => provider.findRefund(refundOrder), proves: 'no_answer' },
  sendTransfer: {
    make: provider => provider.sendTransfer(transferOrder),
    proves: 'unknown',
    others: json(400, bodyOf('Pagamento não encontrado')),
  },
  approveTransfer: {
    make: provider => provider.sendTransfer(transferOrder),
    proves: 'unknown',
    asked: /\/approve$/,
    others: json(200, created),
    // The order stands.
    refused: () => ({ kind: 'awaiting_approval' }),
  },
  findTransfer: { make: provider => provider.findTransfer('transfer1'), proves: 'no_answer' },
  createKey: {
    make: provider => provider.createKey({ type: 'EMAIL', key: 'loja@example.com' }),
    proves: 'unknown',
    others: silence,
  },
  deleteKey: { make: provider => provider.deleteKey('k'), proves: 'unknown', absent: { kind: 'not_found' } },
  listKeys: { make: provider => provider.listKeys(), proves: 'no_answer' },
  identity: { make: provider => provider.identity(), proves: 'no_answer' },
  balances: { make: provider => provider.balances(), proves: 'no_answer' },
  statement: { make: provider => provider.statement(...range), proves: 'no_answer' },
  registerNotices: {
    make: provider => provider.registerNotices('https://t.test/n', null),
    proves: 'no_answer',
  },
  findNoticeKeys: {
    make: provider =>
      provider.readNotice({ body: '{}', headers: { 'x-webhook-signature': 'AAAA' }, secret: null }),
    proves: 'no_answer',
  },
  listMeds: { make: provider => provider.listMeds(...range), proves: 'no_answer' },
  findMed: { make: provider => provider.findMed({ id: ID, endToEnd: null }), proves: 'no_answer' },
  findRecovery: {
    make: provider => provider.findMed({ id: ID, endToEnd: null }),
    proves: 'no_answer',
    asked: /\/funds-recovery\//,
    others: json(200, { dispute, transaction: transaction() }),
    // The dispute is known without its recovery, which not every account may ask for.
    absent: { kind: 'found' },
    refused: () => ({ kind: 'found' }),
  },
  uploadEvidence: {
    // A file that may have been stored has answered no dispute.
    make: async provider => {
      const outcome = await provider.replyMed(reply)
      return outcome.kind === 'unreachable' ? { ...outcome, kind: 'unknown' } : outcome
    },
    proves: 'unknown',
  },
  replyMed: { make: provider => provider.replyMed({ ...reply, attachments: [evidence] }), proves: 'unknown' },
}

/** Each name in the shape in which Woovi documents it. */
function bodyOf(name: string): unknown {
  if (/^(appID inválido|Invalid appID)$/.test(name)) return { data: null, errors: [{ message: name }] }
  return /^[A-Z_]+$/.test(name) ? { error: 'so it is', errorCode: name } : { error: name }
}

describeAnswers({
  name: 'Woovi',
  answers: wooviAnswers,
  bodyOf,
  calls,
  open: options =>
    wooviProvider({
      ...options,
      baseUrl: 'https://woovi.test',
      credentials,
      timeoutMs: 1_000,
      now: () => NOW,
    }),
  times: 2_000,
  seed: 40,
})

test('a Woovi that takes the money and then answers what no document explains has refused nothing', async () => {
  await using story = await woovi()
  const everywhere = Object.values(wooviAnswers).flat()
  const making = { random: seeded(41), everywhere, bodyOf }
  const [ordering, approving] = [
    undocumentedAnswers({ ...making, own: wooviAnswers.sendTransfer }),
    undocumentedAnswers({ ...making, own: wooviAnswers.approveTransfer }),
  ]
  let taken = 0
  for (let times = 0; times < 60; times++) {
    const [order, approval] = [ordering(), approving()]
    const isApproved = times % 2 === 0
    story.far.answers(
      'POST /api/v1/payment',
      isApproved ? { status: 200, json: created } : { status: order.status, text: order.body },
    )
    story.far.answers('POST /api/v1/payment/approve', { status: approval.status, text: approval.body })
    taken += 1
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({ kind: 'unknown' })
  }
  expect(taken).toBe(story.recorded.length)
})
