import { expect, test } from '@jest/globals'
import { createSicoobAdapter } from '../../../src/providers/sicoob/adapter.ts'
import { sicoobAnswers } from '../../../src/providers/sicoob/answers.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { openContract } from '../../support/openapi-contract.ts'
import { findSourceViolations } from '../support/answer-sources.ts'
import { type CallUnderTest, describeAnswers } from '../support/answer-tables.ts'
import { buildDueCallsUnderTest } from '../support/due-charges.ts'
import {
  buildProblem,
  credentials,
  END_TO_END,
  HANDLE,
  NOW,
  openSicoobFixture,
  PAYMENTS,
  REFERENCE,
  transferOrder,
} from '../support/sicoob-fixture.ts'
import { createUndocumentedAnswers } from '../support/undocumented-answers.ts'

const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
const json = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })

/** Each name in the shape in which Sicoob documents it. */
function bodyOf(name: string, status: number): unknown {
  const [type, field] = name.split(' ')
  return buildProblem(type!, status, field && `pix.devolucao.${field}`)
}

// Sicoob has no location codes: `a charge without its payload is unknown` has that call.
const { findPayload: _, ...answers } = sicoobAnswers

const calls: Record<keyof typeof answers, CallUnderTest> = {
  issueCharge: {
    make: provider =>
      provider.issueCharge({ reference: REFERENCE, totalCents: 1, expiresInSeconds: 60, collectionKey: 'k' }),
    unprovenKind: 'unknown',
    others: json(404, bodyOf('NaoEncontrado', 404)),
  },
  findCharge: { make: provider => provider.findCharge(REFERENCE), unprovenKind: 'no_answer' },
  cancelCharge: {
    make: provider => provider.cancelCharge(REFERENCE),
    unprovenKind: 'no_answer',
    others: { status: 503, body: '' },
    // The charge's current state decides.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'charge_refused' ? { kind: 'no_answer' } : undefined,
  },
  ...buildDueCallsUnderTest(json(404, bodyOf('NaoEncontrado', 404))),
  findPayment: { make: provider => provider.findPayment(END_TO_END), unprovenKind: 'no_answer' },
  refund: {
    make: provider => provider.refund(refundOrder),
    unprovenKind: 'unknown',
    others: json(404, bodyOf('NaoEncontrado', 404)),
    // It counts once the absence of the refund is proved.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'refund_refused'
        ? { kind: 'unknown', code: meaning.code }
        : undefined,
  },
  findRefund: { make: provider => provider.findRefund(refundOrder), unprovenKind: 'no_answer' },
  prepareTransfer: {
    make: provider => provider.prepareTransfer!(transferOrder),
    unprovenKind: 'no_answer',
  },
  sendTransfer: {
    make: provider => provider.sendTransfer(transferOrder, HANDLE),
    unprovenKind: 'unknown',
    // It counts once the absence of the payment is proved.
    refused: ({ meaning }) => ({
      kind: 'unknown',
      ...(meaning.kind === 'refused' && { code: meaning.code }),
    }),
  },
  findTransfer: {
    make: provider => provider.findTransfer({ id: 'transfer1', handle: HANDLE }),
    unprovenKind: 'no_answer',
  },
  lookUpKey: { make: provider => provider.lookUpKey!('maria@example.com'), unprovenKind: 'no_answer' },
  balances: { make: provider => provider.balances(), unprovenKind: 'no_answer' },
  statement: { make: provider => provider.statement(...range), unprovenKind: 'no_answer' },
  findReplacedUrl: {
    make: provider => provider.findReplacedUrl!('k'),
    unprovenKind: 'no_answer',
    absent: { kind: 'found' },
  },
  registerNotificationUrl: {
    make: provider => provider.registerNotificationUrl('https://t.test/n', 'k'),
    unprovenKind: 'no_answer',
  },
}

describeAnswers({
  name: 'Sicoob',
  answers,
  bodyOf,
  calls,
  open: options =>
    createSicoobAdapter({
      ...options,
      baseUrl: 'https://sicoob.test',
      credentials,
      timeoutMs: 1_000,
      now: () => NOW,
    }),
  times: 2_000,
  seed: 32,
})

test('over HTTP, an undocumented answer proves nothing either', async () => {
  await using story = await openSicoobFixture()
  const everywhere = Object.values(answers).flat()
  const next = createUndocumentedAnswers({
    random: createSeededRandom(33),
    own: answers.sendTransfer,
    everywhere,
    bodyOf,
  })
  for (let times = 0; times < 60; times++) {
    const { status, body } = next()
    story.scripted.scriptReplies(`POST ${PAYMENTS}/confirmacao`, { status, text: body })
    const outcome = await story.provider.sendTransfer(transferOrder, HANDLE)
    expect([body, outcome]).toMatchObject([body, { kind: 'unknown' }])
  }
  expect(story.recorded).toHaveLength(60)
})

test('each line is an answer of its operation in the documents, and each error has its shape', () => {
  const documents = [
    { name: 'Sicoob, API PIX 2.0.23.28', contract: openContract('sicoob-pix.yaml') },
    { name: 'Sicoob, Pagamentos PIX 2.0.24.6', contract: openContract('sicoob-pagamentos-pix.yaml') },
  ]
  expect(findSourceViolations(answers, { documents, bodyOf })).toEqual([])
})
