import { expect, test } from '@jest/globals'
import { createInterAdapter } from '../../../src/providers/inter/adapter.ts'
import { type InterCall, interAnswers } from '../../../src/providers/inter/answers.ts'
import { BACEN_CONTRACT } from '../../simulator/support/recurrences.ts'
import { findSourceViolations } from '../support/answer-sources.ts'
import { type CallUnderTest, describeAnswers } from '../support/answer-tables.ts'
import { buildDueCallsUnderTest } from '../support/due-charges.ts'
import { END_TO_END, REFERENCE } from '../support/efi-fixture.ts'
import { contract, credentials, NOW, PAYMENT_CODE, transferOrder } from '../support/inter-fixture.ts'
import { buildRecurrenceCallsUnderTest } from '../support/recurrences.ts'

const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const range = ['2026-01-09T00:00:00.000Z', '2026-01-10T12:00:00.000Z'] as const
const absent = { status: 404, body: JSON.stringify(bodyOf('NaoEncontrado', 404)) }
const unavailable = { status: 503, body: '' }

/** Left out: the payload of a charge has no call of its own. */
const { findPayload: _, ...answers } = interAnswers

const calls: Record<Exclude<InterCall, 'findPayload'>, CallUnderTest> = {
  issueCharge: {
    make: provider =>
      provider.issueCharge({ reference: REFERENCE, totalCents: 1, expiresInSeconds: 60, collectionKey: 'k' }),
    unprovenKind: 'unknown',
    others: absent,
  },
  findCharge: { make: provider => provider.findCharge(REFERENCE), unprovenKind: 'no_answer' },
  cancelCharge: {
    make: provider => provider.cancelCharge(REFERENCE),
    unprovenKind: 'no_answer',
    others: unavailable,
    // The charge's current state decides.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'charge_refused' ? { kind: 'no_answer' } : undefined,
  },
  ...buildDueCallsUnderTest(absent),
  ...buildRecurrenceCallsUnderTest(absent),
  findPayment: {
    make: provider => provider.findPayment(END_TO_END),
    unprovenKind: 'no_answer',
    // The statement decides then.
    others: { status: 200, body: '{"transacoes":[],"ultimaPagina":true,"totalElementos":0}' },
  },
  findListedPayment: {
    make: provider => provider.findPayment(END_TO_END),
    unprovenKind: 'no_answer',
    requestPath: /\/extrato/,
    others: absent,
  },
  refund: {
    make: provider => provider.refund(refundOrder),
    unprovenKind: 'unknown',
    others: absent,
    // It counts once the absence of the refund is proved.
    refused: ({ meaning }) =>
      meaning.kind === 'refused' && meaning.code === 'refund_refused'
        ? { kind: 'unknown', code: meaning.code }
        : undefined,
  },
  findRefund: { make: provider => provider.findRefund(refundOrder), unprovenKind: 'no_answer' },
  sendTransfer: { make: provider => provider.sendTransfer(transferOrder), unprovenKind: 'unknown' },
  repeatTransfer: {
    make: provider => provider.findTransfer({ id: transferOrder.id, order: transferOrder }),
    unprovenKind: 'no_answer',
  },
  findTransfer: {
    make: provider => provider.findTransfer({ id: transferOrder.id, handle: { ref: PAYMENT_CODE } }),
    unprovenKind: 'no_answer',
  },
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

/** Each name in the shape in which Inter documents it: those of Banking are sentences, the Central Bank's one word. */
function bodyOf(name: string, status: number): Record<string, unknown> {
  const [type = '', ...fields] = name.split(' ')
  const isOfCentralBank =
    /^(PixDevolucaoInvalida|\w+OperacaoInvalida|RecConsultaInvalida|AcessoNegado|\w*NaoEncontrad[oa])$/.test(
      type,
    )
  if (!isOfCentralBank) return { title: name, status: String(status), detail: 'so it is' }
  const violacoes = fields.map(field => ({ razao: 'so it is', propriedade: `pix.devolucao.${field}` }))
  const problem = { title: type, status, detail: 'so it is', violacoes }
  return { type: `https://pix.bcb.gov.br/api/v2/error/${type}`, ...problem }
}

describeAnswers({
  name: 'Inter',
  answers,
  bodyOf,
  calls,
  open: options =>
    createInterAdapter({
      ...options,
      baseUrl: 'https://inter.test',
      credentials,
      timeoutMs: 1_000,
      now: () => NOW,
    }),
  times: 2_000,
  seed: 32,
})

test('each line is an answer of its operation in the document, and each error has its shape', () => {
  const name = 'Inter Empresas, OpenAPI 1.0.0'
  const documents = [
    ...['/pix/v2', '/banking/v2'].map(path => ({ name: `${name}, ${path}`, path, contract })),
    { name: 'Central Bank, pix-api 2.9.0', contract: BACEN_CONTRACT },
  ]
  const otherSources = [`${name}: example RequisicaoInvalidaDevolucaoExample1`]
  // The status of a problem of Banking is a number by its schema, and a text in the examples.
  const describedBodyOf = (...[type, status]: Parameters<typeof bodyOf>) => ({
    ...bodyOf(type, status),
    status,
  })
  expect(findSourceViolations(answers, { documents, otherSources, bodyOf: describedBodyOf })).toEqual([])
})
