import { expect, test } from '@jest/globals'
import { createWooviAdapter } from '../../../src/providers/woovi/adapter.ts'
import { wooviAnswers } from '../../../src/providers/woovi/answers.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type CallUnderTest, describeAnswers } from '../support/answer-tables.ts'
import { createUndocumentedAnswers } from '../support/undocumented-answers.ts'
import {
  ACCOUNT_ID,
  credentials,
  END_TO_END,
  NOW,
  openPayingWooviFixture,
  REFERENCE,
  transactionOf,
} from '../support/woovi-fixture.ts'
import { debit, RAIL_ID, subscriptionOf, subscriptionOrder } from '../support/woovi-recurrences.ts'

const ID = '67e3170b38e62d5935ed4faf'
const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const transferOrder = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: null,
}
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
const json = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })
const unavailableAnswer = { status: 503, body: '' }
const accounts = [{ accountId: ACCOUNT_ID }]
const created = { payment: { correlationID: 'transfer1', value: 1050, status: 'CREATED' } }
const dispute = { type: 'MED', status: 'CREATED', endToEndId: END_TO_END, id: ID }
const recovery = { rootTransactionId: END_TO_END, dictId: ID, status: 'TRACKED', direction: 'SENT' }
const evidence = { uuid: 'a', name: 'a.pdf', contentType: 'application/pdf', url: 'https://files.test/a' }
const reply = { id: ID, endToEnd: END_TO_END, accept: false, analysis: 'x', attachments: [] }

const calls: Record<keyof typeof wooviAnswers, CallUnderTest> = {
  issueCharge: {
    make: provider =>
      provider.issueCharge({
        reference: REFERENCE,
        totalCents: 1,
        expiresInSeconds: 300,
        collectionKey: null,
      }),
    unprovenKind: 'unknown',
    others: json(400, bodyOf('Cobrança não encontrada')),
  },
  findCharge: {
    make: provider => provider.findCharge(REFERENCE),
    unprovenKind: 'no_answer',
    others: json(200, { transactions: [] }),
  },
  cancelCharge: {
    make: provider => provider.cancelCharge(REFERENCE),
    unprovenKind: 'no_answer',
    // The charge's current state decides.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'charge_refused' ? { kind: 'refused' } : undefined,
  },
  createRecurrence: {
    make: provider => provider.createRecurrence!(subscriptionOrder),
    unprovenKind: 'unknown',
    requestPath: /\/subscriptions$/,
    others: unavailableAnswer,
  },
  findRecurrence: {
    make: provider => provider.findRecurrence!({ ...subscriptionOrder, railId: RAIL_ID, orderedAt: '' }),
    unprovenKind: 'no_answer',
  },
  cancelRecurrence: {
    make: provider => provider.cancelRecurrence!({ railId: RAIL_ID, reference: REFERENCE }),
    unprovenKind: 'no_answer',
    requestPath: /\/cancel$/,
    others: json(200, subscriptionOf()),
  },
  listInstallments: {
    make: provider => provider.findCharge(REFERENCE, { isDue: false, isDebit: true, debit }),
    unprovenKind: 'no_answer',
    requestPath: /\/installments/,
    others: json(200, subscriptionOf()),
  },
  findPayment: { make: provider => provider.findPayment(END_TO_END), unprovenKind: 'no_answer' },
  refund: { make: provider => provider.refund(refundOrder), unprovenKind: 'unknown' },
  findRefund: { make: provider => provider.findRefund(refundOrder), unprovenKind: 'no_answer' },
  sendTransfer: {
    make: provider => provider.sendTransfer(transferOrder),
    unprovenKind: 'unknown',
    requestPath: /\/payment$/,
    others: json(200, { accounts }),
    // Only the unknown AppID proves at once that there is no order.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'provider_denied' ? undefined : { kind: 'unknown' },
  },
  approveTransfer: {
    make: provider => provider.sendTransfer(transferOrder),
    unprovenKind: 'unknown',
    requestPath: /\/approve$/,
    others: json(200, { ...created, accounts }),
    // The payment exists.
    refused: () => ({ kind: 'awaiting_approval' }),
  },
  findTransfer: { make: provider => provider.findTransfer({ id: 'transfer1' }), unprovenKind: 'no_answer' },
  createKey: {
    make: provider => provider.createKey({ type: 'EMAIL', key: 'loja@example.com' }),
    unprovenKind: 'unknown',
    others: unavailableAnswer,
  },
  deleteKey: {
    make: provider => provider.deleteKey('k'),
    unprovenKind: 'unknown',
    absent: { kind: 'not_found' },
  },
  listKeys: { make: provider => provider.listKeys(), unprovenKind: 'no_answer' },
  identity: { make: provider => provider.identity(), unprovenKind: 'no_answer' },
  lookUpKey: {
    make: provider => provider.lookUpKey!('maria@example.com'),
    unprovenKind: 'no_answer',
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'key_blocked_for_fraud'
        ? { kind: 'refused', code: 'key_blocked_for_fraud' }
        : undefined,
  },
  findReceipt: {
    make: provider => provider.findReceipt!({ kind: 'PAYMENT', endToEnd: END_TO_END }),
    unprovenKind: 'no_answer',
  },
  findLookUpBudget: { make: provider => provider.findLookUpBudget!(), unprovenKind: 'no_answer' },
  balances: { make: provider => provider.balances(), unprovenKind: 'no_answer' },
  statement: { make: provider => provider.statement(...range), unprovenKind: 'no_answer' },
  registerNotificationUrl: {
    make: provider => provider.registerNotificationUrl('https://t.test/n', null),
    unprovenKind: 'no_answer',
  },
  findNotificationKeys: {
    make: provider =>
      provider.readNotification({ body: '{}', headers: { 'x-webhook-signature': 'AAAA' }, secret: null }),
    unprovenKind: 'no_answer',
  },
  listDisputes: { make: provider => provider.listDisputes(...range), unprovenKind: 'no_answer' },
  findDispute: {
    make: provider => provider.findDispute({ id: ID, endToEnd: null }),
    unprovenKind: 'no_answer',
  },
  findRecovery: {
    make: provider => provider.findDispute({ id: ID, endToEnd: null }),
    // The dispute is known without its recovery, which not every account may read.
    unprovenKind: 'found',
    requestPath: /\/funds-recovery\//,
    others: json(200, { dispute, transaction: transactionOf() }),
    absent: { kind: 'found' },
    refused: () => ({ kind: 'found' }),
  },
  requestDispute: {
    make: provider =>
      provider.requestDispute!({ endToEnd: END_TO_END, situation: 'SCAM', details: 'Loja falsa.' }),
    unprovenKind: 'unknown',
    requestPath: /\/funds-recovery$/,
    // Of its refusals not all sentences are published: the look-up afterwards decides.
    others: unavailableAnswer,
  },
  cancelDispute: {
    // What shows the dispute as it goes on has not cancelled it.
    make: async provider => {
      const outcome = await provider.cancelDispute!({ id: END_TO_END, endToEnd: END_TO_END })
      return outcome.kind === 'found' && outcome.dispute.status !== 'withdrawn'
        ? { kind: 'no_answer' }
        : outcome
    },
    unprovenKind: 'no_answer',
    requestPath: /\/cancel$/,
    others: json(200, recovery),
    // The recovery was looked up before.
    absent: { kind: 'no_answer' },
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'dispute_ended' ? { kind: 'no_answer' } : undefined,
  },
  uploadEvidence: {
    // A file that may have been stored has not replied to a dispute.
    make: async provider => {
      const outcome = await provider.replyToDispute(reply)
      return outcome.kind === 'unreachable' ? { ...outcome, kind: 'unknown' } : outcome
    },
    unprovenKind: 'unknown',
  },
  replyToDispute: {
    make: provider => provider.replyToDispute({ ...reply, attachments: [evidence] }),
    unprovenKind: 'unknown',
  },
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
    createWooviAdapter({
      ...options,
      baseUrl: 'https://woovi.test',
      credentials,
      timeoutMs: 1_000,
      now: () => NOW,
    }),
  times: 2_000,
  seed: 40,
})

test('an undocumented answer of a Woovi that carried the payment out is no refusal', async () => {
  await using story = await openPayingWooviFixture()
  const everywhere = Object.values(wooviAnswers).flat()
  const making = { random: createSeededRandom(41), everywhere, bodyOf }
  const [ordering, approving] = [
    createUndocumentedAnswers({ ...making, own: wooviAnswers.sendTransfer }),
    createUndocumentedAnswers({ ...making, own: wooviAnswers.approveTransfer }),
  ]
  let answerCount = 0
  for (let times = 0; times < 60; times++) {
    const [order, approval] = [ordering(), approving()]
    const isApproved = times % 2 === 0
    story.scripted.scriptReplies(
      'POST /api/v1/payment',
      isApproved ? { status: 200, json: created } : { status: order.status, text: order.body },
    )
    story.scripted.scriptReplies('POST /api/v1/payment/approve', {
      status: approval.status,
      text: approval.body,
    })
    answerCount += 1
    expect(await story.provider.sendTransfer(transferOrder)).toMatchObject({ kind: 'unknown' })
  }
  expect(answerCount).toBe(story.recorded.length)
})
