import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { starkAnswers } from '../../../src/providers/stark/answers.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type CallUnderTest, describeAnswers } from '../support/answer-tables.ts'
import {
  ACCOUNT_ID,
  brcodeOf,
  CHARGE_REFERENCE,
  DEPOSIT_ID,
  debitInvoiceOf,
  dictKeyOf,
  INVOICE_ID,
  invoiceOf,
  NOW,
  SUBSCRIPTION_ID,
  starkCredentials,
  starkPageOf,
  subscriptionOf,
  TRANSFER_ID,
} from '../support/stark-fixture.ts'

const json = (body: unknown) => ({ status: 200, body: JSON.stringify(body) })
const depositName = `deposit/${DEPOSIT_ID}`
const invoiceName = `invoice/${INVOICE_ID}`
const chargeOrder = { reference: CHARGE_REFERENCE, totalCents: 1, expiresInSeconds: 300, collectionKey: null }
const dueTerms = {
  on: '2026-01-20',
  payableDaysAfter: 30,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
}
const refundOrder = { id: 'refund1', endToEnd: depositName, cents: 234 }
const refundHandle = { ref: `deposit/${DEPOSIT_ID}/1234/1000/1` }
const transferOrder = {
  id: TRANSFER_ID,
  cents: 1050,
  destination: keyDestination('arya.stark@starkbank.com'),
  payerKey: null,
}
const debtor = { name: 'Arya Stark', document: '52998224725' }
const recurrenceOrder = {
  reference: CHARGE_REFERENCE,
  debtor,
  frequency: 'MONTHLY',
  startsOn: '2026-01-20',
  valueCents: 5000,
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  collectionKey: null,
} as const
const sentRecurrence = {
  reference: CHARGE_REFERENCE,
  debtor,
  railId: SUBSCRIPTION_ID,
  orderedAt: '2026-01-10T12:00:00.000Z',
}
const debitOrder = {
  ...chargeOrder,
  totalCents: 5000,
  debtor,
  debit: { railId: SUBSCRIPTION_ID, recurrenceReference: CHARGE_REFERENCE, dueOn: '2026-01-20' },
}
const IS_DEBIT = { isDue: false, isDebit: true }
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const

const calls: Record<keyof typeof starkAnswers, CallUnderTest> = {
  issueCharge: { make: provider => provider.issueCharge(chargeOrder), unprovenKind: 'unknown' },
  issueInvoice: {
    make: provider =>
      provider.issueCharge({
        ...chargeOrder,
        debtor: { name: 'Arya Stark', document: '52998224725' },
      }),
    unprovenKind: 'unknown',
  },
  findCharge: {
    make: provider => provider.findCharge(CHARGE_REFERENCE),
    unprovenKind: 'no_answer',
    requestPath: /\/deposit$/,
    others: json(starkPageOf('brcodes', [brcodeOf()])),
  },
  cancelCharge: { make: provider => provider.cancelCharge(CHARGE_REFERENCE), unprovenKind: 'no_answer' },
  reviseCharge: {
    make: provider => provider.reviseCharge!({ reference: CHARGE_REFERENCE, due: dueTerms }),
    unprovenKind: 'no_answer',
    requestPath: /\/invoice\/\d+$/,
    others: json(starkPageOf('invoices', [invoiceOf()])),
  },
  findPayment: { make: provider => provider.findPayment(depositName), unprovenKind: 'no_answer' },
  findInvoice: { make: provider => provider.findPayment(invoiceName), unprovenKind: 'no_answer' },
  findInvoicePayment: {
    make: provider => provider.findPayment(invoiceName),
    unprovenKind: 'no_answer',
    requestPath: /\/payment$/,
    others: json({ invoice: invoiceOf({ status: 'paid' }) }),
  },
  prepareRefund: { make: provider => provider.prepareRefund!(refundOrder), unprovenKind: 'no_answer' },
  refund: { make: provider => provider.refund(refundOrder, refundHandle), unprovenKind: 'unknown' },
  findRefund: {
    make: provider => provider.findRefund({ ...refundOrder, handle: refundHandle }),
    unprovenKind: 'no_answer',
  },
  prepareTransfer: {
    make: provider => provider.prepareTransfer!(transferOrder),
    unprovenKind: 'no_answer',
    requestPath: /\/dict-key\//,
    others: json({ ...starkPageOf('accounts', []), key: dictKeyOf() }),
    // Nothing has moved, so that a refusal is one at once.
    refused: ({ meaning }) =>
      meaning.kind === 'refused'
        ? { kind: 'rejected', code: meaning.code, finality: meaning.finality }
        : undefined,
  },
  sendTransfer: {
    make: provider => provider.sendTransfer(transferOrder, { ref: ACCOUNT_ID }),
    unprovenKind: 'unknown',
  },
  findTransfer: {
    make: provider => provider.findTransfer({ id: TRANSFER_ID, handle: { ref: ACCOUNT_ID } }),
    unprovenKind: 'no_answer',
  },
  createRecurrence: {
    make: provider => provider.createRecurrence!(recurrenceOrder),
    unprovenKind: 'unknown',
  },
  findRecurrence: {
    make: provider => provider.findRecurrence!(sentRecurrence),
    unprovenKind: 'no_answer',
  },
  cancelRecurrence: {
    make: provider => provider.cancelRecurrence!({ reference: CHARGE_REFERENCE, railId: SUBSCRIPTION_ID }),
    unprovenKind: 'no_answer',
    requestPath: /^DELETE/,
    others: json({ subscription: subscriptionOf({ status: 'active' }) }),
  },
  requestDebit: {
    make: provider => provider.issueCharge(debitOrder),
    unprovenKind: 'unknown',
    requestPath: /^POST/,
    others: json({ ...starkPageOf('requests', []), invoices: [debitInvoiceOf()] }),
  },
  findDebit: {
    make: provider => provider.findCharge(CHARGE_REFERENCE, IS_DEBIT),
    unprovenKind: 'no_answer',
  },
  cancelDebit: {
    make: provider => provider.cancelCharge(CHARGE_REFERENCE, IS_DEBIT),
    unprovenKind: 'no_answer',
  },
  retryDebit: {
    make: provider => provider.reviseCharge!({ reference: CHARGE_REFERENCE, retryOn: '2026-01-22' }),
    unprovenKind: 'no_answer',
  },
  identity: { make: provider => provider.identity(), unprovenKind: 'no_answer' },
  lookUpKey: { make: provider => provider.lookUpKey!('maria@example.com'), unprovenKind: 'no_answer' },
  balances: { make: provider => provider.balances(), unprovenKind: 'no_answer' },
  statement: { make: provider => provider.statement(...range), unprovenKind: 'no_answer' },
  registerNotificationUrl: {
    make: provider => provider.registerNotificationUrl('https://t.test/n', null),
    unprovenKind: 'no_answer',
  },
  findNotificationKeys: {
    make: provider =>
      provider.readNotification({ body: '{}', headers: { 'digital-signature': 'AAAA' }, secret: null }),
    unprovenKind: 'no_answer',
  },
}

const api = {
  answers: starkAnswers,
  bodyOf: (name: string) => ({ errors: [{ code: name, message: 'so it is' }] }),
  open: (options: Pick<Parameters<typeof createStarkAdapter>[0], 'openPool' | 'recordUnexplained'>) =>
    createStarkAdapter({
      ...options,
      baseUrl: 'https://stark.test',
      credentials: starkCredentials,
      timeoutMs: 1_000,
      now: () => NOW,
    }),
  times: 2_000,
  seed: 20_261_129,
}

describeAnswers({ name: 'Stark Bank', ...api, calls })

// The same answers to the first request of a preparation, by which an account that exists is found.
describeAnswers({
  name: 'Stark Bank, existing accounts',
  ...api,
  answers: { prepareTransfer: starkAnswers.prepareTransfer },
  calls: {
    prepareTransfer: {
      make: provider => provider.prepareTransfer!(transferOrder),
      unprovenKind: 'no_answer',
      requestPath: /\/verified-account$/,
      others: json({ key: dictKeyOf() }),
    },
  },
})
