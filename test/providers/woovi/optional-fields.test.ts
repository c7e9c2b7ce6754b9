import type { ProviderChargeRequest } from '../../../src/domain/providers/provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { createWooviAdapter } from '../../../src/providers/woovi/adapter.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type DocumentedAnswerExample, describeOptionalFields } from '../support/optional-fields.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'
import {
  ACCOUNT_ID,
  credentials,
  END_TO_END,
  NOW,
  pageOf,
  REFERENCE,
  RETURN_ID,
  SETTLED_AT,
  TRANSFER_END_TO_END,
  transactionOf,
} from '../support/woovi-fixture.ts'
import published from './support/published-answers.json' with { type: 'json' }

/**
 * Every answer of Woovi's OpenAPI document (2026-08-20) that an operation reads, with all fields of its schema and its
 * example. The document requires no field of an answer, so what is needed here is what the operation proves with it.
 */

const ID = '67e3170b38e62d5935ed4faf'
const range = ['2026-01-01T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const

type Json = { [field: string]: unknown }

/** Replaces fields of a published answer; of a list, those of its one item. */
function withValues(answer: unknown, values: unknown): Json {
  if (Array.isArray(answer)) return [withValues(answer[0], (values as unknown[])[0])] as unknown as Json
  if (!isObject(answer) || !isObject(values)) return values as Json
  const replaced = Object.entries(values).map(([field, value]) => [field, withValues(answer[field], value)])
  return { ...answer, ...Object.fromEntries(replaced) }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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
    const options = { openPool, credentials, baseUrl: 'https://woovi.test', timeoutMs: 1_000, now: () => NOW }
    const provider = createWooviAdapter(options)
    try {
      return await make(provider)
    } finally {
      await provider.close()
    }
  }
}

/** Without what only optional fields say: names, times of a look-up, codes of rejections. */
type LookedUp = { kind: string; code?: string; payout?: { status: string } }
const payoutOf = ({ kind, code, payout }: LookedUp) => ({ kind, code, status: payout?.status })

const listFields = (list: string, ...fields: string[]) => [list, ...fields.map(field => `${list}[].${field}`)]
const nestFields = (object: string, ...fields: string[]) => [
  object,
  ...fields.map(field => `${object}.${field}`),
]

const chargeValues = {
  correlationID: REFERENCE,
  value: 1234,
  status: 'ACTIVE',
  brCode: '00020101021226...',
  createdAt: '2026-01-10T11:59:00.000Z',
  expiresDate: '2026-01-10T12:59:00.000Z',
  expiresIn: 3600,
}
const CHARGE_NEEDED = nestFields('charge', 'correlationID', 'value', 'status')
const chargeOrder = { reference: REFERENCE, totalCents: 1234, expiresInSeconds: 3600, collectionKey: null }
const dueChargeValues = {
  ...chargeValues,
  type: 'OVERDUE',
  dueDate: '2026-01-21T02:59:59.999Z',
  interestsSettings: { fines: { value: 0 }, interests: { value: 0 } },
  discountSettings: { discountFixedDate: [{ data: '2026-01-15', value: 100 }] },
}
const dueChargeOrder = {
  ...chargeOrder,
  debtor: {
    name: 'Ana Souza',
    document: '52998224725',
    address: { street: 'Rua A', city: 'Belo Horizonte', state: 'MG', zipCode: '30421322' },
  },
  due: {
    on: '2026-01-20',
    payableDaysAfter: 30,
    fine: null,
    interest: null,
    abatement: null,
    discount: { kind: 'until', steps: [{ type: 'FIXED', cents: 100, on: '2026-01-15' }] },
  },
} satisfies ProviderChargeRequest

const receivedValues = { ...transactionOf(), endToEndID: END_TO_END }
const sentValues = { ...receivedValues, endToEndId: TRANSFER_END_TO_END, type: 'WITHDRAW', value: 1050 }
/** A transaction without a status has settled, so the status may be absent, and must be one of the list otherwise. */
const TRANSACTION_NEEDED = ['value', 'time', 'type', 'status', 'endToEndId', 'endToEndID']

const refundValues = {
  correlationID: 'refund1',
  value: 500,
  status: 'REFUNDED',
  time: SETTLED_AT,
  returnIdentification: RETURN_ID,
}
const refundOrder = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }

const paymentValues = {
  payment: { correlationID: 'transfer1', value: 1050, status: 'CONFIRMED' },
  transaction: { endToEndId: TRANSFER_END_TO_END, time: SETTLED_AT, value: 1050 },
}
const PAYMENT_NEEDED = nestFields('payment', 'correlationID', 'value', 'status')
const transferOrder = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: null,
}
const accounts = [{ accountId: ACCOUNT_ID, balance: { available: 10_000, blocked: 350 } }]
const sendTransfer = (requestPath: RegExp) =>
  answering(async provider => (await provider.sendTransfer(transferOrder)).kind, {
    requestPath,
    others: { accounts, payment: { ...paymentValues.payment, status: 'CREATED' } },
  })
const findTransfer = answering(async provider => payoutOf(await provider.findTransfer({ id: 'transfer1' })), {
  requestPath: /\/payment\//,
  others: { transaction: sentValues },
})

const readStatement = (requestPath: RegExp) =>
  answering(
    async provider => {
      const list = await provider.statement(...range)
      if (list.kind !== 'found') return list
      return list.entries.map(({ endToEnd, cents, direction }) => [endToEnd, cents, direction])
    },
    { requestPath, others: { ...pageOf('transactions', [sentValues]), payments: [], refunds: [] } },
  )

const disputeValues = { type: 'MED', status: 'ACCEPTED', endToEndId: END_TO_END, value: 1000 }
const disputeReference = { id: ID, endToEnd: END_TO_END }
const recoveryAnswers = {
  disputes: [{ ...disputeValues, id: ID, sentOrReceived: 'RECEIVED', situationType: 'SCAM' }],
  refundSolicitations: [],
  transaction: receivedValues,
}
const findDispute = (requestPath: RegExp, others: unknown) =>
  answering(
    async provider => {
      const outcome = await provider.findDispute(disputeReference)
      return outcome.kind === 'found'
        ? [outcome.dispute.id, outcome.dispute.kind, outcome.dispute.status]
        : outcome
    },
    { requestPath, others },
  )

describeOptionalFields('Woovi', {
  'issueCharge: a created charge': {
    answer: withValues(published['POST /api/v1/charge'], { charge: chargeValues }),
    needed: CHARGE_NEEDED,
    call: answering(async provider => {
      const issued = await provider.issueCharge(chargeOrder)
      return issued.kind === 'accepted' ? issued.charge.payload : issued
    }),
  },
  'issueCharge: a created charge with a due date': {
    answer: withValues(published['POST /api/v1/charge'], { charge: dueChargeValues }),
    needed: CHARGE_NEEDED,
    call: answering(async provider => {
      const issued = await provider.issueCharge(dueChargeOrder)
      return issued.kind === 'accepted' ? [issued.charge.payload, issued.charge.expiresAt] : issued
    }),
  },
  'findCharge: an active charge with a due date': {
    answer: withValues(published['GET /api/v1/charge/{id}'], { charge: dueChargeValues }),
    needed: CHARGE_NEEDED,
    call: answering(
      async provider => {
        const outcome = await provider.findCharge(REFERENCE, { isDue: true })
        return outcome.kind === 'found' ? [outcome.status, outcome.payments.length] : outcome
      },
      { requestPath: /\/charge\//, others: pageOf('transactions', []) },
    ),
  },
  'findCharge: an active charge': {
    answer: withValues(published['GET /api/v1/charge/{id}'], { charge: chargeValues }),
    needed: CHARGE_NEEDED,
    call: answering(
      async provider => {
        const outcome = await provider.findCharge(REFERENCE)
        return outcome.kind === 'found' ? [outcome.status, outcome.payments.length] : outcome
      },
      { requestPath: /\/charge\//, others: pageOf('transactions', []) },
    ),
  },
  'findCharge: the payments of a charge': {
    answer: withValues(published['GET /api/v1/transaction'], { transactions: [receivedValues] }),
    // The charge's id tells a payment of this charge from any other.
    needed: [
      ...listFields('transactions', ...TRANSACTION_NEEDED),
      ...['transactions[].charge', 'transactions[].charge.correlationID'],
    ],
    call: answering(
      async provider => {
        const outcome = await provider.findCharge(REFERENCE)
        return outcome.kind === 'found'
          ? [outcome.status, outcome.payments.map(({ endToEnd, cents }) => [endToEnd, cents])]
          : outcome
      },
      { requestPath: /\/transaction$/, others: { charge: { ...chargeValues, status: 'COMPLETED' } } },
    ),
  },
  'cancelCharge: a deleted charge': {
    answer: published['DELETE /api/v1/charge/{id}'],
    needed: ['status'],
    call: answering(async provider => (await provider.cancelCharge(REFERENCE)).kind),
  },
  'findPayment: a received PIX': {
    answer: withValues(published['GET /api/v1/transaction/{id}'], { transaction: receivedValues }),
    needed: nestFields('transaction', ...TRANSACTION_NEEDED),
    call: answering(async provider => {
      const outcome = await provider.findPayment(END_TO_END)
      return outcome.kind === 'found'
        ? [outcome.payment.endToEnd, outcome.payment.cents, outcome.payment.at]
        : outcome
    }),
  },
  'refund: a refund in process': {
    answer: withValues(published['POST /api/v1/refund'], {
      refund: { ...refundValues, status: 'IN_PROCESSING' },
    }),
    needed: nestFields('refund', 'correlationID', 'value', 'status'),
    call: answering(async provider => payoutOf((await provider.refund(refundOrder)) as LookedUp)),
  },
  'findRefund: a settled refund': {
    answer: withValues(published['GET /api/v1/refund/{id}'], { pixTransactionRefund: refundValues }),
    needed: nestFields('pixTransactionRefund', 'correlationID', 'value', 'status'),
    call: answering(async provider => payoutOf(await provider.findRefund(refundOrder))),
  },
  'sendTransfer: a payment that is approved at once': {
    answer: withValues(published['POST /api/v1/payment'], paymentValues),
    needed: PAYMENT_NEEDED,
    call: sendTransfer(/\/payment$/),
  },
  'sendTransfer: an approval': {
    answer: withValues(published['POST /api/v1/payment/approve'], paymentValues),
    needed: PAYMENT_NEEDED,
    call: sendTransfer(/\/approve$/),
  },
  'sendTransfer: the account that pays': {
    answer: withValues(published['GET /api/v1/account/'], { accounts }),
    needed: listFields('accounts', 'accountId'),
    call: answering(async provider => (await provider.sendTransfer(transferOrder)).kind, {
      requestPath: /\/account\/$/,
      others: paymentValues,
    }),
  },
  'findTransfer: a settled payment': {
    answer: withValues(published['GET /api/v1/payment/{id}'], paymentValues),
    needed: PAYMENT_NEEDED,
    call: findTransfer,
  },
  'findTransfer: a failed payment': {
    answer: withValues(published['GET /api/v1/payment/{id}'], {
      payment: { ...paymentValues.payment, status: 'FAILED' },
      transaction: { providerRejectedReason: 'AC03 - Conta inexistente' },
      error: { code: 'PAY_PIX_KEY_ERROR', description: 'Falha ao Pagar Chave Pix' },
    }),
    needed: PAYMENT_NEEDED,
    call: findTransfer,
  },
  'findTransfer: the returns of a payment': {
    answer: withValues(published['GET /api/v1/transaction/{id}'], { transaction: sentValues }),
    needed: [],
    call: answering(async provider => payoutOf(await provider.findTransfer({ id: 'transfer1' })), {
      requestPath: /\/transaction\//,
      others: paymentValues,
    }),
  },
  'identity: the only account': {
    answer: withValues(published['GET /api/v1/account/'], { accounts }),
    needed: listFields('accounts', 'accountId'),
    call: answering(provider => provider.identity()),
  },
  'identity: the account of the keys': {
    answer: withValues(published['GET /api/v1/pix-keys'], { account: { accountId: ACCOUNT_ID } }),
    needed: nestFields('account', 'accountId'),
    call: answering(provider => provider.identity(), {
      requestPath: /\/pix-keys$/,
      others: { accounts: [{ accountId: 'a1' }, { accountId: ACCOUNT_ID }] },
    }),
  },
  'balances: the only account': {
    answer: withValues(published['GET /api/v1/account/'], { accounts }),
    needed: [
      ...listFields('accounts', 'accountId', 'balance'),
      ...['accounts[].balance.available', 'accounts[].balance.blocked'],
    ],
    call: answering(provider => provider.balances()),
  },
  'listKeys: the account’s keys': {
    answer: withValues(published['GET /api/v1/pix-keys'], { pixKeys: [{ key: ID, type: 'EVP' }] }),
    needed: listFields('pixKeys', 'key', 'type'),
    call: answering(provider => provider.listKeys()),
  },
  'createKey: a random key': {
    answer: withValues(published['POST /api/v1/pix-keys'], { key: ID, type: 'EVP' }),
    needed: ['key', 'type'],
    call: answering(provider => provider.createKey({ type: 'RANDOM', key: null })),
  },
  'statement: transactions': {
    answer: withValues(published['GET /api/v1/transaction'], { transactions: [receivedValues] }),
    needed: listFields('transactions', ...TRANSACTION_NEEDED),
    call: readStatement(/\/transaction$/),
  },
  'statement: payments': {
    answer: withValues(published['GET /api/v1/payment'], { payments: [paymentValues] }),
    needed: ['payments'],
    call: readStatement(/\/payment$/),
  },
  'statement: refunds': {
    answer: withValues(published['GET /api/v1/refund'], { refunds: [refundValues] }),
    needed: ['refunds', 'refunds[].correlationID', 'refunds[].returnIdentification'],
    call: answering(
      async provider => {
        const list = await provider.statement(...range)
        return list.kind === 'found'
          ? list.entries.map(({ endToEnd, direction }) => [endToEnd, direction])
          : list
      },
      {
        requestPath: /\/refund$/,
        others: {
          ...pageOf('transactions', [transactionOf({ type: 'REFUND', endToEndId: RETURN_ID, charge: null })]),
          payments: [],
        },
      },
    ),
  },
  'registerNotificationUrl: the existing webhooks': {
    answer: withValues(published['GET /api/v1/webhook'], {
      webhooks: [{ event: 'OPENPIX:MOVEMENT_FAILED', url: 'https://t.test/n' }],
    }),
    needed: ['webhooks'],
    call: answering(
      async provider => (await provider.registerNotificationUrl('https://t.test/n', null)).kind,
    ),
  },
  'listDisputes: a dispute': {
    answer: withValues(published['GET /api/v1/dispute'], { disputes: [disputeValues] }),
    needed: listFields('disputes', 'status', 'endToEndId'),
    call: answering(
      async provider => {
        const list = await provider.listDisputes(...range)
        return list.kind === 'found' ? list.disputes.map(({ id, kind, status }) => [id, kind, status]) : list
      },
      { requestPath: /\/dispute$/, others: { ...recoveryAnswers, dispute: { ...disputeValues, id: ID } } },
    ),
  },
  'findDispute: a dispute': {
    answer: withValues(published['GET /api/v1/dispute/{id}'], { dispute: disputeValues }),
    needed: nestFields('dispute', 'status', 'endToEndId'),
    call: findDispute(/\/dispute\//, recoveryAnswers),
  },
  'findDispute: the dispute’s funds recovery': {
    answer: recoveryAnswers,
    needed: [],
    call: findDispute(/\/funds-recovery\//, { dispute: disputeValues, transaction: receivedValues }),
  },
  'replyToDispute: evidence': {
    answer: published['POST /api/v1/dispute/:id/evidence'],
    needed: ['documents'],
    call: answering(provider =>
      provider.replyToDispute({
        ...disputeReference,
        accept: false,
        analysis: 'x',
        attachments: [{ uuid: 'a', name: 'a.pdf', contentType: 'application/pdf', url: 'https://f.test/a' }],
      }),
    ),
  },
})
