import type { Provider } from '../../../src/providers/port.ts'
import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type DocumentedAnswerExample, describeOptionalFields } from '../support/optional-fields.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'
import {
  ACCOUNT_ID,
  brcodeOf,
  CHARGE_REFERENCE,
  CREDIT_ID,
  DEPOSIT_ID,
  depositOf,
  dictKeyOf,
  INVOICE_ID,
  invoiceOf,
  invoicePaymentOf,
  NOW,
  SENT_ID,
  starkCredentials,
  starkPageOf,
  TRANSFER_ID,
  transactionOf,
  transferOf,
  verifiedAccountOf,
} from '../support/stark-fixture.ts'

/**
 * Every answer of Stark Bank that an operation reads, with all fields that npm `starkbank` 2.42.0 documents. What is needed here
 * is what the operation proves with it: the ids, amounts and statuses.
 */

type AnsweredCall = { requestPath?: RegExp; others?: unknown }

/** Makes a call whose answer is the example; `others` answers its other requests. */
function answering(
  make: (provider: Provider) => Promise<unknown>,
  { requestPath, others }: AnsweredCall = {},
): DocumentedAnswerExample['call'] {
  return async answer => {
    const toAnswer = (json: unknown) => ({ status: 200, body: JSON.stringify(json) })
    const openPool = createScriptedPool({
      answer: toAnswer(answer),
      requestPath,
      ...(others === undefined ? {} : { others: toAnswer(others) }),
    })
    const provider = createStarkAdapter({
      openPool,
      credentials: starkCredentials,
      baseUrl: 'https://stark.test',
      timeoutMs: 1_000,
      now: () => NOW,
    })
    try {
      return await make(provider)
    } finally {
      await provider.close()
    }
  }
}

const listFields = (list: string, ...fields: string[]) => [list, ...fields.map(field => `${list}[].${field}`)]
const nestFields = (object: string, ...fields: string[]) => [
  object,
  ...fields.map(field => `${object}.${field}`),
]
/** Tags name our id, and a list of anything but texts names nothing. */
const TAGS = ['tags']
const CODE_NEEDED = ['id', 'uuid', 'amount', 'expiration', 'created', ...TAGS]
const DEPOSIT_NEEDED = ['id', 'amount', 'type', 'created', 'tags', 'transactionIds']
const INVOICE_NEEDED = [
  'id',
  'amount',
  'brcode',
  'due',
  'expiration',
  'status',
  'created',
  'tags',
  'transactionIds',
]
const TRANSACTION_NEEDED = ['id', 'amount', 'fee', 'source', 'created', 'tags']
const TRANSFER_NEEDED = ['id', 'amount', 'accountId', 'externalId', 'status', ...TAGS, 'transactionIds']
const ACCOUNT_NEEDED = ['id', 'taxId', 'keyId', 'status', ...TAGS]

const chargeOrder = {
  reference: CHARGE_REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: null,
}
const refundOrder = { id: 'refund1', endToEnd: `deposit/${DEPOSIT_ID}`, cents: 234 }
const transferOrder = {
  id: TRANSFER_ID,
  cents: 1050,
  destination: keyDestination('arya.stark@starkbank.com'),
  payerKey: null,
}
const prepare = (call: AnsweredCall) =>
  answering(async provider => {
    const outcome = await provider.prepareTransfer!(transferOrder)
    return outcome.kind === 'prepared' ? outcome.handle.ref : outcome
  }, call)
const findCharge = (call: AnsweredCall) =>
  answering(async provider => {
    const outcome = await provider.findCharge(CHARGE_REFERENCE)
    return outcome.kind === 'found'
      ? [outcome.status, outcome.payments.map(({ endToEnd, cents, status }) => [endToEnd, cents, status])]
      : outcome
  }, call)
const readStatement = (call: AnsweredCall) =>
  answering(async provider => {
    const list = await provider.statement('2026-01-10T00:00:00.000Z', '2026-01-10T23:59:59.999Z')
    return list.kind === 'found'
      ? list.entries.map(({ endToEnd, cents, direction }) => [endToEnd, cents, direction])
      : list
  }, call)
const found = {
  ...starkPageOf('brcodes', [brcodeOf()]),
  deposits: [depositOf()],
  transactions: [transactionOf()],
}

const dueInvoiceValues = { due: '2026-01-21T02:59:59.999999+00:00', expiration: 2_592_000 }
const dueTerms = {
  on: '2026-01-20',
  payableDaysAfter: 30,
  fine: null,
  interest: null,
  abatement: null,
  discount: null,
}
const paidInvoice = invoiceOf({ status: 'paid', transactionIds: [CREDIT_ID] })
const foundInvoice = {
  ...starkPageOf('invoices', [paidInvoice]),
  brcodes: [],
  deposits: [],
  invoice: paidInvoice,
  payment: invoicePaymentOf(),
  transactions: [transactionOf()],
}

describeOptionalFields('Stark Bank', {
  'issueCharge: a created invoice': {
    answer: { invoices: [invoiceOf({ transactionIds: [] })] },
    needed: listFields('invoices', ...INVOICE_NEEDED),
    call: answering(async provider => {
      const debtor = { name: 'Arya Stark', document: '52998224725' }
      const issued = await provider.issueCharge({ ...chargeOrder, debtor })
      return issued.kind === 'accepted' ? issued.charge.payload : issued
    }),
  },
  'issueCharge: an invoice with a due date that exists': {
    answer: starkPageOf('invoices', [invoiceOf(dueInvoiceValues)]),
    // What the charge costs on a day is ordered as much as its value.
    needed: [...listFields('invoices', ...INVOICE_NEEDED, 'fine', 'interest'), 'cursor'],
    call: answering(async provider => {
      const debtor = { name: 'Arya Stark', document: '52998224725' }
      const issued = await provider.issueCharge({ ...chargeOrder, debtor, due: dueTerms })
      return issued.kind === 'accepted' ? issued.charge.payload : issued
    }),
  },
  'reviseCharge: a changed invoice': {
    answer: { invoice: invoiceOf(dueInvoiceValues) },
    needed: nestFields('invoice', ...INVOICE_NEEDED),
    call: answering(
      async provider => {
        const revised = await provider.reviseCharge!({ reference: CHARGE_REFERENCE, due: dueTerms })
        return revised.kind === 'revised' ? revised.charge.expiresAt : revised
      },
      { requestPath: /\/invoice\/\d+$/, others: starkPageOf('invoices', [invoiceOf(dueInvoiceValues)]) },
    ),
  },
  'findCharge: the invoice': {
    answer: starkPageOf('invoices', [paidInvoice]),
    needed: [...listFields('invoices', ...INVOICE_NEEDED), 'cursor'],
    call: findCharge({ requestPath: /\/invoice$/, others: foundInvoice }),
  },
  'findCharge: the payment of the invoice': {
    answer: { payment: invoicePaymentOf() },
    needed: nestFields('payment', 'amount', 'endToEndId'),
    call: findCharge({ requestPath: /\/payment$/, others: foundInvoice }),
  },
  'findPayment: an invoice': {
    answer: { invoice: paidInvoice },
    needed: nestFields('invoice', ...INVOICE_NEEDED),
    call: answering(
      async provider => {
        const outcome = await provider.findPayment(`invoice/${INVOICE_ID}`)
        return outcome.kind === 'found' ? [outcome.payment.endToEnd, outcome.payment.cents] : outcome
      },
      { requestPath: /\/invoice\/\d+$/, others: foundInvoice },
    ),
  },
  'issueCharge: a created code': {
    answer: { brcodes: [brcodeOf()] },
    needed: listFields('brcodes', 'id', 'uuid', 'amount', 'expiration', 'created', ...TAGS),
    call: answering(async provider => {
      const issued = await provider.issueCharge(chargeOrder)
      return issued.kind === 'accepted' ? issued.charge.payload : issued
    }),
  },
  'findCharge: the code': {
    answer: starkPageOf('brcodes', [brcodeOf()]),
    needed: [...listFields('brcodes', ...CODE_NEEDED), 'cursor'],
    call: findCharge({ requestPath: /\/dynamic-brcode$/, others: found }),
  },
  'findCharge: its deposit': {
    answer: starkPageOf('deposits', [depositOf()]),
    needed: [...listFields('deposits', ...DEPOSIT_NEEDED), 'cursor'],
    call: findCharge({ requestPath: /\/deposit$/, others: found }),
  },
  'findCharge: the credit of its deposit': {
    answer: starkPageOf('transactions', [transactionOf()]),
    needed: [...listFields('transactions', ...TRANSACTION_NEEDED), 'cursor'],
    call: findCharge({ requestPath: /\/transaction$/, others: found }),
  },
  'findPayment: a deposit': {
    answer: { deposit: depositOf() },
    needed: nestFields('deposit', ...DEPOSIT_NEEDED),
    call: answering(
      async provider => {
        const outcome = await provider.findPayment(`deposit/${DEPOSIT_ID}`)
        return outcome.kind === 'found' ? [outcome.payment.endToEnd, outcome.payment.cents] : outcome
      },
      { requestPath: /\/deposit\//, others: found },
    ),
  },
  'prepareRefund: the deposit': {
    answer: { deposit: depositOf({ tags: [], transactionIds: [] }) },
    needed: nestFields('deposit', 'id', 'amount', 'type', 'created', 'tags', 'transactionIds'),
    call: answering(async provider => {
      const outcome = await provider.prepareRefund!(refundOrder)
      return outcome.kind === 'prepared' ? outcome.handle.ref : outcome
    }),
  },
  'refund: the changed deposit': {
    answer: { deposit: depositOf({ amount: 1000, tags: [], transactionIds: [] }) },
    needed: nestFields('deposit', 'id', 'amount', 'type', 'created', 'tags', 'transactionIds'),
    call: answering(
      async provider =>
        (await provider.refund(refundOrder, { ref: `deposit/${DEPOSIT_ID}/1234/1000/1` })).kind,
    ),
  },
  'findRefund: the log of the reversal': {
    answer: starkPageOf('logs', [
      {
        id: '1',
        type: 'reversed',
        errors: [],
        created: '2026-01-10T12:01:00+00:00',
        deposit: depositOf({ amount: 1000, tags: [], transactionIds: [CREDIT_ID, '7'] }),
      },
    ]),
    needed: [
      ...listFields('logs', 'id', 'type', 'created', 'deposit'),
      ...['id', 'amount', 'type', 'created', 'tags', 'transactionIds'].map(
        field => `logs[].deposit.${field}`,
      ),
      'cursor',
    ],
    call: answering(
      async provider => {
        const outcome = await provider.findRefund({
          id: 'refund1',
          endToEnd: `deposit/${DEPOSIT_ID}`,
          handle: { ref: `deposit/${DEPOSIT_ID}/1234/1000/1` },
        })
        return outcome.kind === 'found' ? [outcome.payout.status, outcome.payout.endToEnd] : outcome
      },
      {
        requestPath: /\/log$/,
        others: {
          deposit: depositOf({ amount: 1000 }),
          ...starkPageOf('transactions', [transactionOf({ id: '7', amount: -234 })]),
        },
      },
    ),
  },
  'prepareTransfer: the key': {
    answer: { key: dictKeyOf() },
    needed: ['key', 'key.taxId'],
    call: prepare({
      requestPath: /\/dict-key\//,
      others: { accounts: [verifiedAccountOf({ id: ACCOUNT_ID, tags: [] })], cursor: null },
    }),
  },
  'prepareTransfer: an account that exists': {
    answer: starkPageOf('accounts', [verifiedAccountOf()]),
    needed: [...listFields('accounts', ...ACCOUNT_NEEDED), 'cursor'],
    call: prepare({ requestPath: /\/verified-account$/, others: { key: dictKeyOf({ taxId: '1' }) } }),
  },
  'sendTransfer: a transfer': {
    answer: { transfers: [transferOf()] },
    needed: listFields('transfers', ...TRANSFER_NEEDED),
    call: answering(async provider => (await provider.sendTransfer(transferOrder, { ref: ACCOUNT_ID })).kind),
  },
  'findTransfer: a transfer that succeeded': {
    answer: starkPageOf('transfers', [transferOf()]),
    needed: [...listFields('transfers', ...TRANSFER_NEEDED), 'cursor'],
    call: answering(async provider => {
      const outcome = await provider.findTransfer({ id: TRANSFER_ID })
      return outcome.kind === 'found' ? [outcome.payout.status, outcome.payout.endToEnd] : outcome
    }),
  },
  'identity: the workspace': {
    answer: starkPageOf('workspaces', [{ id: '4', name: 'Stark', username: 'stark', status: 'active' }]),
    needed: [...listFields('workspaces', 'id'), 'cursor'],
    call: answering(provider => provider.identity()),
  },
  'balances: the balance': {
    answer: { balances: [{ id: '4', amount: 5, currency: 'BRL', updated: '2026-01-10T12:00:00+00:00' }] },
    needed: listFields('balances', 'amount'),
    call: answering(provider => provider.balances()),
  },
  'statement: transactions': {
    answer: starkPageOf('transactions', [transactionOf()]),
    needed: [...listFields('transactions', ...TRANSACTION_NEEDED), 'cursor'],
    call: readStatement({ requestPath: /\/transaction$/, others: found }),
  },
  'statement: the deposits of its transactions': {
    answer: starkPageOf('deposits', [depositOf()]),
    needed: [...listFields('deposits', ...DEPOSIT_NEEDED), 'cursor'],
    call: readStatement({ requestPath: /\/deposit$/, others: found }),
  },
  'statement: the transfers of its transactions': {
    answer: starkPageOf('transfers', [transferOf()]),
    needed: [...listFields('transfers', ...TRANSFER_NEEDED), 'cursor'],
    call: readStatement({
      requestPath: /\/transfer$/,
      others: starkPageOf('transactions', [transactionOf({ source: `transfer/${SENT_ID}`, amount: -1050 })]),
    }),
  },
  'registerNotificationUrl: the existing webhooks': {
    answer: starkPageOf('webhooks', [
      { id: '1', url: 'https://t.test/n', subscriptions: ['deposit', 'transfer'] },
    ]),
    needed: [...listFields('webhooks', 'id', 'url', 'subscriptions'), 'cursor'],
    call: answering(
      async provider => (await provider.registerNotificationUrl('https://t.test/n', null)).kind,
      { requestPath: /\/webhook$/ },
    ),
  },
})
