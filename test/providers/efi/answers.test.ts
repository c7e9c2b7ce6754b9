import { expect, test } from '@jest/globals'
import { createEfiAdapter } from '../../../src/providers/efi/adapter.ts'
import { EMPTY_BUCKET_PROBLEM, efiAnswers } from '../../../src/providers/efi/answers.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { codeDestination, keyDestination } from '../../support/transfer-destinations.ts'
import { type CallUnderTest, describeAnswers } from '../support/answer-tables.ts'
import { buildDueCallsUnderTest } from '../support/due-charges.ts'
import { cobOf, credentials, END_TO_END, NOW, openEfiFixture, REFERENCE } from '../support/efi-fixture.ts'
import { buildRecurrenceCallsUnderTest } from '../support/recurrences.ts'
import { createUndocumentedAnswers } from '../support/undocumented-answers.ts'

const ID = '8ad75c93-6150-422c-929e-822f361c7a6b'
const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const transferOrder = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com', '12345678909'),
  payerKey: 'loja@trilho.test',
}
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
const json = (status: number, body: unknown) => ({ status, body: JSON.stringify(body) })
const infraction = {
  idInfracao: ID,
  endToEndId: END_TO_END,
  valor: 12.34,
  status: 'ABERTA',
  dadosAnalise: { abertura: '2026-01-10T12:00:00Z' },
}

const calls: Record<keyof typeof efiAnswers, CallUnderTest> = {
  issueCharge: {
    make: provider =>
      provider.issueCharge({ reference: REFERENCE, totalCents: 1, expiresInSeconds: 60, collectionKey: 'k' }),
    unprovenKind: 'unknown',
    others: json(400, bodyOf('cobranca_nao_encontrada', 400)),
  },
  findCharge: { make: provider => provider.findCharge(REFERENCE), unprovenKind: 'no_answer' },
  findPayload: {
    make: provider =>
      provider.issueCharge({
        reference: REFERENCE,
        totalCents: 1234,
        expiresInSeconds: 60,
        collectionKey: 'k',
      }),
    unprovenKind: 'unknown',
    requestPath: /\/qrcode$/,
    others: json(201, cobOf({ pixCopiaECola: undefined, loc: { id: 7 } })),
    // The charge exists, whatever its payload.
    refused: () => ({ kind: 'unknown', code: 'payload_missing' }),
  },
  cancelCharge: {
    make: provider => provider.cancelCharge(REFERENCE),
    unprovenKind: 'no_answer',
    others: { status: 503, body: '' },
    // The charge's current state decides.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'charge_refused' ? { kind: 'no_answer' } : undefined,
  },
  ...buildDueCallsUnderTest(json(400, bodyOf('cobranca_nao_encontrada', 400))),
  ...buildRecurrenceCallsUnderTest(json(404, bodyOf('CobRNaoEncontrado', 404))),
  findPayment: { make: provider => provider.findPayment(END_TO_END), unprovenKind: 'no_answer' },
  refund: {
    make: provider => provider.refund(refundOrder),
    unprovenKind: 'unknown',
    others: json(400, bodyOf('devolucao_nao_encontrada', 400)),
    // It counts once the absence of the refund is proved.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'refund_refused'
        ? { kind: 'unknown', code: meaning.code }
        : undefined,
  },
  findRefund: { make: provider => provider.findRefund(refundOrder), unprovenKind: 'no_answer' },
  sendTransfer: {
    make: provider => provider.sendTransfer(transferOrder),
    unprovenKind: 'unknown',
    // It counts once the absence of the transfer is proved.
    refused: ({ name, meaning }) =>
      name === EMPTY_BUCKET_PROBLEM && meaning.kind === 'refused'
        ? { kind: 'unknown', code: meaning.code }
        : undefined,
  },
  payCode: {
    make: provider => provider.sendTransfer({ ...transferOrder, destination: codeDestination() }),
    unprovenKind: 'unknown',
    // One name stands for all refusals: it counts once the absence of the payment is proved.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code !== 'provider_denied'
        ? { kind: 'unknown', code: meaning.code }
        : undefined,
  },
  findTransfer: { make: provider => provider.findTransfer({ id: 'transfer1' }), unprovenKind: 'no_answer' },
  createKey: { make: provider => provider.createKey({ type: 'RANDOM', key: null }), unprovenKind: 'unknown' },
  deleteKey: {
    make: provider => provider.deleteKey('k'),
    unprovenKind: 'unknown',
    absent: { kind: 'not_found' },
  },
  listKeys: { make: provider => provider.listKeys(), unprovenKind: 'no_answer' },
  findReceipt: {
    make: provider => provider.findReceipt!({ kind: 'PAYMENT', endToEnd: END_TO_END }),
    unprovenKind: 'no_answer',
  },
  findLookUpBudget: { make: provider => provider.findLookUpBudget!(), unprovenKind: 'no_answer' },
  balances: { make: provider => provider.balances(), unprovenKind: 'no_answer' },
  statement: {
    make: provider => provider.statement(...range),
    unprovenKind: 'no_answer',
    // The list of received PIX: the absence is documented of sent ones.
    absent: { kind: 'no_answer' },
  },
  findReplacedUrl: {
    make: provider => provider.findReplacedUrl!('k'),
    unprovenKind: 'no_answer',
    absent: { kind: 'found' },
  },
  registerNotificationUrl: {
    make: provider => provider.registerNotificationUrl('https://t.test/n', 'k'),
    unprovenKind: 'no_answer',
  },
  listDisputes: { make: provider => provider.listDisputes(...range), unprovenKind: 'no_answer' },
  findDispute: {
    make: provider => provider.findDispute({ id: ID, endToEnd: null }),
    unprovenKind: 'no_answer',
  },
  findDisputedPix: {
    make: provider => provider.findDispute({ id: ID, endToEnd: null }),
    unprovenKind: 'no_answer',
    requestPath: /\/pix\//,
    others: json(200, { infracoes: [infraction] }),
    // Neither received nor sent here: it was received before this connection existed.
    absent: { kind: 'found' },
  },
  replyToDispute: {
    make: provider =>
      provider.replyToDispute({
        id: ID,
        endToEnd: END_TO_END,
        accept: false,
        analysis: 'x',
        attachments: [],
      }),
    unprovenKind: 'unknown',
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
    createEfiAdapter({
      ...options,
      baseUrl: 'https://efi.test',
      credentials,
      timeoutMs: 1_000,
      now: () => NOW,
    }),
  times: 2_000,
  seed: 30,
})

test('over HTTP, an undocumented answer proves nothing either', async () => {
  await using story = await openEfiFixture()
  const everywhere = Object.values(efiAnswers).flat()
  const next = createUndocumentedAnswers({
    random: createSeededRandom(31),
    own: efiAnswers.sendTransfer,
    everywhere,
    bodyOf,
  })
  for (let times = 0; times < 60; times++) {
    const { status, body } = next()
    story.scripted.scriptReplies('PUT /v3/gn/pix/transfer1', { status, text: body })
    expect([body, await story.provider.sendTransfer(transferOrder)]).toMatchObject([
      body,
      { kind: 'unknown' },
    ])
  }
  expect(story.recorded).toHaveLength(60)
})
