import { createHmac, randomUUID } from 'node:crypto'
import { type BankNotification, type BankRequest, call, ok, withinPeriod } from './bank-api.ts'
import type {
  BankCharge,
  BankDispute,
  BankRefund,
  BookedEvent,
  Books,
  ReceivedPix,
  SentPix,
} from './books.ts'

/** Woovi's API as its OpenAPI document of 2026-08-20 and its pages on payments publish it. */

const ACCOUNT_ID = '6290ccfd42831958a405debc'
const refuse = (error: string, status = 400) => ({ status, json: { error } })

export const WOOVI_CALLS = [
  call('issueCharge', 'POST', /^\/api\/v1\/charge$/, (books, { body }) => {
    const { correlationID: reference, value: cents, expiresIn: expiresInS } = body
    if (books.charges.has(reference)) return refuse('Já existe uma cobrança com este Correlação ID')
    const charge = showCharge(books, books.openCharge({ reference, cents, expiresInS }))
    return ok({ charge, correlationID: reference, brCode: charge.brCode })
  }),
  call('findCharge', 'GET', /^\/api\/v1\/charge\/(\w+)$/, (books, _, [reference = '']) => {
    const charge = books.charges.get(reference)
    const isShown = charge && charge.state !== 'removed'
    return isShown ? ok({ charge: showCharge(books, charge) }) : refuse('Cobrança não encontrada')
  }),
  call('cancelCharge', 'DELETE', /^\/api\/v1\/charge\/(\w+)$/, (books, _, [reference = '']) => {
    const charge = books.charges.get(reference)
    if (!charge || charge.state === 'removed') return refuse('Cobrança não encontrada')
    if (charge.state === 'paid') return refuse('Não é possível remover uma cobrança paga')
    charge.state = 'removed'
    return ok({ status: 'OK', id: reference })
  }),
  {
    ...call('chargePayments', 'GET', /^\/api\/v1\/transaction$/, (books, request) => {
      const reference = request.query.get('charge')
      const payments = [...books.received.values()].filter(pix => pix.reference === reference)
      return ok(
        showPage(
          'transactions',
          payments.map(pix => showReceived(books, pix)),
          request,
        ),
      )
    }),
    parameter: 'charge',
  },
  call('transactionList', 'GET', /^\/api\/v1\/transaction$/, (books, request) =>
    ok(showPage('transactions', listTransactions(books, request), request)),
  ),
  call('findPayment', 'GET', /^\/api\/v1\/transaction\/(\w+)$/, (books, _, [endToEnd = '']) => {
    const transaction = listTransactions(books).find(({ endToEndId }) => endToEndId === endToEnd)
    return transaction ? ok({ transaction }) : refuse('Transação não encontrada')
  }),
  call('refund', 'POST', /^\/api\/v1\/refund$/, (books, { body }) => {
    const { correlationID: id, transactionEndToEndId: returnOf, value: cents } = body
    if (books.refunds.has(id)) return refuse('Já existe um reembolso com o correlationID fornecido')
    if (cents > books.countReturnableCents(returnOf)) return refuse('Valor do reembolso inválido')
    return ok({ refund: showRefund(books.refund({ id, cents, returnOf })) })
  }),
  call('findRefund', 'GET', /^\/api\/v1\/refund\/(\w+)$/, (books, _, [id = '']) => {
    const refund = books.refunds.get(id)
    return refund ? ok({ pixTransactionRefund: showRefund(refund) }) : refuse('Reembolso não encontrado')
  }),
  call('refundList', 'GET', /^\/api\/v1\/refund$/, (books, request) =>
    ok(showPage('refunds', [...books.refunds.values()].map(showRefund), request)),
  ),
  call('sendTransfer', 'POST', /^\/api\/v1\/payment$/, (books, { body }) => {
    const { correlationID: id, value: cents, destinationAlias: pixKey } = body
    if (books.sent.has(id)) return refuse('Já existe um pagamento com o correlationID fornecido')
    return ok(showPayment(books.send({ id, cents, pixKey })))
  }),
  call('findTransfer', 'GET', /^\/api\/v1\/payment\/(\w+)$/, (books, _, [id = '']) => {
    const payout = books.sent.get(id)
    return payout ? ok(showPayment(payout)) : refuse('Pagamento não encontrado')
  }),
  call('paymentList', 'GET', /^\/api\/v1\/payment$/, (books, request) => {
    const listed = withinPeriod(books.sent.values(), ({ orderedAt }) => orderedAt, periodOf(request))
    return ok(showPage('payments', listed.map(showPayment), request))
  }),
  call('balance', 'GET', /^\/api\/v1\/account\/$/, (books, request) => {
    const balance = { total: books.balanceCents, blocked: 0, available: books.balanceCents }
    return ok(showPage('accounts', [{ accountId: ACCOUNT_ID, isDefault: true, balance }], request))
  }),
  call('listKeys', 'GET', /^\/api\/v1\/pix-keys$/, (books, request) => {
    const pixKeys = [...books.keys].map((key, index) => ({ key, type: 'EVP', isDefault: index === 0 }))
    return ok({ ...showPage('pixKeys', pixKeys, request), account: { accountId: ACCOUNT_ID } })
  }),
  call('createKey', 'POST', /^\/api\/v1\/pix-keys$/, (books, { body }) => {
    const key = body.key ?? randomUUID()
    if (books.keys.has(key)) return refuse('Esta chave Pix já está cadastrada')
    books.keys.add(key)
    return ok({ key, type: body.type, isDefault: false }, 201)
  }),
  call('deleteKey', 'DELETE', /^\/api\/v1\/pix-keys\/([\w-]+)$/, (books, _, [key = '']) =>
    books.keys.delete(key) ? ok({ status: 'OK' }) : refuse('Pix key not found', 404),
  ),
  call('disputeList', 'GET', /^\/api\/v1\/dispute$/, (books, request) => {
    const listed = withinPeriod(books.disputes.values(), ({ openedAt }) => openedAt, periodOf(request))
    return ok(showPage('disputes', listed.map(showDispute), request))
  }),
  call('findDispute', 'GET', /^\/api\/v1\/dispute\/([\w-]+)$/, (books, _, [id = '']) => {
    const dispute = [...books.disputes.values()].find(one => one.id === id || one.endToEnd === id)
    return dispute ? ok({ dispute: showDispute(dispute) }) : refuse('Dispute not found')
  }),
  call('replyToDispute', 'POST', /^\/api\/v1\/dispute\/([\w-]+)\/evidence$/, (books, _, [id = '']) => {
    const dispute = books.disputes.get(id)
    if (!dispute) return refuse('Dispute not found')
    dispute.state = 'defended'
    return ok({ documents: [] })
  }),
  call('findRecovery', 'GET', /^\/api\/v1\/funds-recovery\/(\w+)$/, () =>
    refuse('Your account does not have the permission to use this endpoint', 403),
  ),
] as const

function showCharge(books: Books, charge: BankCharge) {
  const { reference: correlationID, cents: value, createdAt, expiresInS: expiresIn } = charge
  const identifier = correlationID.slice(0, 25)
  return {
    status: charge.state === 'paid' ? 'COMPLETED' : 'ACTIVE',
    value,
    correlationID,
    transactionID: identifier,
    identifier,
    expiresIn,
    expiresDate: new Date(Date.parse(createdAt) + expiresIn * 1_000).toISOString(),
    createdAt,
    updatedAt: createdAt,
    brCode: `00020101021226580014br.gov.bcb.pix2536api.woovi.com/${correlationID}5802BR6304ABCD`,
    pixKey: books.key,
    paymentMethods: { pix: { method: 'PIX_COB', txId: identifier, value, status: 'ACTIVE' } },
  }
}

const party = { name: 'Dan', taxID: { taxID: '31324227036', type: 'BR:CPF' } }

function showReceived(books: Books, pix: ReceivedPix) {
  const { endToEnd: endToEndId, reference, cents: value, at: time } = pix
  const refunds = [...books.refunds.values()].filter(({ returnOf }) => returnOf === endToEndId)
  return {
    customer: party,
    payer: party,
    ...(reference && { charge: { status: 'COMPLETED', correlationID: reference } }),
    type: 'PAYMENT',
    status: 'CONFIRMED',
    value,
    time,
    endToEndId,
    transactionID: endToEndId.slice(-25),
    globalID: endToEndId,
    creditParty: { pixKey: { pixKey: books.key, type: 'RANDOM' } },
    ...(refunds.length > 0 && { refunds: refunds.map(showRefund) }),
  }
}

function showRefund({
  id: correlationID,
  endToEnd: returnIdentification,
  cents: value,
  state,
  orderedAt,
}: BankRefund) {
  const states = { processing: 'IN_PROCESSING', settled: 'CONFIRMED', failed: 'REJECTED' }
  const refundId = correlationID.replaceAll('-', '')
  return { status: states[state], value, correlationID, refundId, time: orderedAt, returnIdentification }
}

function showPayment({
  id: correlationID,
  endToEnd: endToEndId,
  cents: value,
  pixKey,
  state,
  settledAt,
}: SentPix) {
  const payment = {
    type: 'PIX_KEY',
    value,
    destinationAlias: pixKey,
    destinationAliasType: 'EMAIL',
    correlationID,
  }
  if (state === 'processing')
    return { payment: { ...payment, status: 'APPROVED' }, transaction: { value, endToEndId } }
  if (state === 'failed')
    return {
      payment: { ...payment, status: 'FAILED' },
      transaction: { value, endToEndId, providerRejectedReason: 'AC03 - Conta inexistente', time: settledAt },
    }
  return {
    payment: { ...payment, status: 'CONFIRMED' },
    transaction: { value, endToEndId, time: settledAt },
    destination: {
      name: 'Dan',
      taxID: '31324227036',
      pixKey,
      bank: 'A Bank',
      branch: '1',
      account: '123456',
    },
  }
}

function showDispute({ id, endToEnd: endToEndId, cents: value, state, openedAt: createdAt }: BankDispute) {
  const status = state === 'rejected' ? 'REJECTED' : 'IN_REVIEW'
  const disputeReason = 'Dispute reason test'
  return { id, status, value, disputeReason, endToEndId, type: 'MED', createdAt, updatedAt: createdAt }
}

/** Received PIX, sent PIX and returns, within the requested period. */
function listTransactions(books: Books, request?: BankRequest) {
  const move = ({ endToEnd: endToEndId, cents: value, settledAt }: SentPix | BankRefund, type: string) => ({
    type,
    status: 'CONFIRMED',
    value,
    time: settledAt ?? '',
    endToEndId,
    transactionID: endToEndId.slice(-25),
    globalID: endToEndId,
  })
  const isSettled = ({ state }: SentPix | BankRefund) => state === 'settled'
  const all = [
    ...[...books.received.values()].map(pix => showReceived(books, pix)),
    ...[...books.sent.values()].filter(isSettled).map(payout => move(payout, 'WITHDRAW')),
    ...[...books.refunds.values()].filter(isSettled).map(payout => move(payout, 'REFUND')),
  ]
  return withinPeriod(all, ({ time }) => time, request ? periodOf(request) : [null, null])
}

const periodOf = ({ query }: BankRequest): [string | null, string | null] => [
  query.get('start'),
  query.get('end'),
]

function showPage(field: string, items: unknown[], { query }: BankRequest) {
  const [skip, limit] = [Number(query.get('skip') ?? 0), Number(query.get('limit') ?? 100)]
  const hasNextPage = skip + limit < items.length
  const pageInfo = { skip, limit, hasPreviousPage: skip > 0, hasNextPage, totalCount: items.length }
  return { pageInfo, [field]: items.slice(skip, skip + limit) }
}

/** Woovi posts to the registered URL, signed with the secret of the webhook. */
export function notifyAsWoovi(books: Books, event: BookedEvent, secret: string): BankNotification {
  const body = JSON.stringify(buildEvent(books, event))
  const signature = createHmac('sha1', secret).update(body).digest('base64')
  return { path: '', body, headers: { 'x-openpix-signature': signature } }
}

function buildEvent(books: Books, event: BookedEvent) {
  switch (event.kind) {
    case 'received': {
      const charge = event.pix.reference ? { correlationID: event.pix.reference } : null
      return { event: 'OPENPIX:TRANSACTION_RECEIVED', charge, pix: showReceived(books, event.pix) }
    }
    case 'sent': {
      const name = event.payout.state === 'failed' ? 'FAILED' : 'CONFIRMED'
      return { event: `OPENPIX:MOVEMENT_${name}`, ...showPayment(event.payout) }
    }
    case 'refunded':
      return {
        event: 'PIX_TRANSACTION_REFUND_SENT_CONFIRMED',
        originalTransaction: { endToEndId: event.payout.returnOf },
      }
  }
}
