import { randomUUID } from 'node:crypto'
import type { DueTerms, PaidParts } from '../../../src/domain/charges/due-terms.ts'
import type {
  ApiResource,
  EventRow,
  FinalState,
  MovementRow,
  ProviderDisputeReply,
  RevisionRow,
  StatementRow,
} from '../final-state.ts'

/**
 * A small valid state: a charge paid, split, disputed without success and refunded in part, a transfer returned in
 * part, as the item of a batch that was approved, a deposit.
 */
export function buildValidFinalState(): FinalState {
  const history = [{ status: 'PENDING' }, { status: 'PROCESSING' }]
  const charge = {
    uuid: 'charge-1',
    status: 'PARTIALLY_REFUNDED',
    updated_at: 'then',
    history: [...history, { status: 'PAID' }, { status: 'PROCESSING' }, { status: 'PARTIALLY_REFUNDED' }],
    refund_uuids: ['refund-1'],
  }
  const paid = { ...charge, status: 'PAID', history: charge.history.slice(0, 3) }
  const transfer = {
    uuid: 'transfer-1',
    status: 'PARTIALLY_REFUNDED',
    history: [...history, { status: 'PAID' }, { status: 'PARTIALLY_REFUNDED' }],
  }
  const sent = { ...transfer, status: 'PAID', history: transfer.history.slice(0, 3) }
  // It failed without a change of the charge.
  const failedRefund = { uuid: 'charge-1', refund: { status: 'FAILED' }, history: charge.history }
  const refund = { uuid: 'charge-1', refund: { status: 'COMPLETED' }, history: charge.history }
  const batch = {
    uuid: 'batch-1',
    status: 'COMPLETED',
    history: [{ status: 'DRAFT' }, { status: 'PROCESSING' }, { status: 'COMPLETED' }],
    counts: {
      pending: 0,
      processing: 0,
      paid: 0,
      partially_refunded: 1,
      refunded: 0,
      failed: 0,
      cancelled: 0,
      expired: 0,
    },
  }
  const dispute = { uuid: 'med-1', status: 'REJECTED', attachments: [{ url: 'now' }] }
  const opened = { ...dispute, status: 'PENDING', attachments: [] }
  const events = [
    eventRow('MED', 'med-1', 1, opened),
    eventRow('MED', 'med-1', 2, { ...dispute, attachments: [{ url: 'then' }] }),
    eventRow('PAYMENT', 'charge-due', 1, DUE_CHARGE),
    eventRow('PAYMENT', 'charge-1', 1, paid),
    eventRow('PAYMENT', 'charge-1', 2, charge),
    eventRow('REFUND', 'refund-1', 1, refund),
    eventRow('REFUND', 'refund-2', 1, failedRefund),
    eventRow('TRANSFER', 'transfer-1', 1, sent),
    eventRow('TRANSFER', 'transfer-1', 2, transfer),
    // Its item was returned in part afterwards.
    eventRow('BATCH', 'batch-1', 1, {
      ...batch,
      counts: { ...batch.counts, paid: 1, partially_refunded: 0 },
    }),
    ...MOVEMENTS.filter(one => one.type.startsWith('EXTERNAL')).map(one =>
      eventRow('PIX_TRANSACTION', one.uuid, 1, { status: 'SETTLED' }),
    ),
  ]
  return {
    lines: [
      statementLine('payment', 'chargetxid', 'E1', 1_000),
      { ...statementLine('refund', 'refundref', 'D1', 400), original: 'E1' },
      statementLine('transfer', 'transferref', 'E2', 500),
      { ...statementLine('return', 'transferref', 'D2', 200), original: 'E2' },
      statementLine('deposit', null, 'E3', 50),
      statementLine('payment', 'duetxid', 'E4', 2_060),
    ],
    holdings: [
      { providerAccount: 'pa', mode: 'test', cents: 12_410 },
      { providerAccount: 'pb', mode: 'test', cents: 0 },
      { providerAccount: 'p-live', mode: 'live', cents: 0 },
    ],
    disputesAtProvider: [
      // Its answer was lost, so it was sent again.
      {
        id: 'dispute-1',
        providerAccount: 'pa',
        status: 'disagreed',
        replies: [disputeReply('letter'), disputeReply('letter')],
      },
    ],
    chargesAtProvider: [
      { providerAccount: 'pa', reference: 'charge-1-ref', txid: 'chargetxid', status: 'completed' },
      { providerAccount: 'pa', reference: 'charge-due-ref', txid: 'duetxid', status: 'completed' },
    ],
    dueChargesAtProvider: [
      {
        providerAccount: 'pa',
        txid: 'duetxid',
        asks: [
          { on: '2030-05-09', cents: 2_000 },
          { on: '2030-05-13', cents: 2_060 },
        ],
        payments: [{ ...PAID_PARTS, cents: 2_060 }],
      },
    ],
    undisclosedPayloads: [{ attempt: 'attempt-closed', status: 'closed' }],
    charges: [
      {
        uuid: 'charge-1',
        account: 'shop',
        mode: 'test',
        state: 'partially_refunded',
        endToEnd: 'E1',
        txid: 'chargetxid',
        valueCents: 990,
        feeCents: 10,
        receivedCents: 1_000,
        refundingCents: 0,
        refundedCents: 400,
        disputedCents: 0,
        externalRef: 'storm-0',
        totalCents: 1_000,
        due: null,
        revision: 0,
        issuedAs: null,
        paidParts: null,
        history: charge.history.map(entry => entry.status),
      },
      {
        uuid: 'charge-due',
        account: 'shop',
        mode: 'test',
        state: 'paid',
        endToEnd: 'E4',
        txid: 'duetxid',
        valueCents: 2_000,
        feeCents: 0,
        receivedCents: 2_060,
        refundingCents: 0,
        refundedCents: 0,
        disputedCents: 0,
        externalRef: 'storm-3',
        totalCents: 2_000,
        due: DUE_TERMS,
        revision: 1,
        issuedAs: { totalCents: 1_000, due: DUE_TERMS },
        paidParts: PAID_PARTS,
        history: DUE_CHARGE.history.map(entry => entry.status),
      },
    ],
    revisions: [
      revisionRow('revision-1', { number: 1, status: 'revised', totalCents: 2_000 }),
      revisionRow('revision-2', { number: 2, status: 'refused', totalCents: 3_000 }),
    ],
    splits: [{ charge: 'charge-1', status: 'CREDITED', cents: 300, returnRequestedCents: 120 }],
    transfers: [
      {
        uuid: 'transfer-1',
        account: 'shop',
        mode: 'test',
        state: 'partially_refunded',
        cents: 500,
        heldCents: 0,
        returnedCents: 200,
        externalRef: 'storm-1',
        lookup: { onMismatch: 'REFUSE', owner: { name: 'Maria Souza', document: '***982247**' } },
        batch: 'batch-1',
        createdAtMs: 2_000,
        history: transfer.history.map(one => one.status),
      },
    ],
    batches: [
      {
        uuid: 'batch-1',
        account: 'shop',
        mode: 'test',
        state: 'completed',
        name: 'storm-2',
        sendMode: 'EACH',
        cancelReason: null,
        itemCount: 1,
        valueCents: 500,
        approval: { decision: 'approved', decidedAtMs: 1_000 },
        history: batch.history.map(one => one.status),
      },
    ],
    batchItems: [
      {
        batch: 'batch-1',
        line: 1,
        transfer: 'transfer-1',
        state: 'started',
        cents: 500,
        reference: 'storm-1',
      },
    ],
    refunds: [
      { uuid: 'refund-1', charge: 'charge-1', state: 'settled', cents: 400, partsCents: 400 },
      { uuid: 'refund-2', charge: 'charge-1', state: 'failed', cents: 600, partsCents: 0 },
    ],
    depositReturns: [],
    keyLookups: ['look-up-1'],
    limitUsages: [{ counter: 'day', usedCents: 500, orderedCents: 500 }],
    callouts: [
      {
        subject: 'transfer-1',
        decision: 'approved',
        verdict: 'approve',
        isStarted: true,
        says: 'approve',
        requestCount: 1,
      },
      {
        subject: 'transfer-2',
        decision: 'rejected',
        verdict: 'reject',
        isStarted: false,
        says: 'refuse',
        requestCount: 1,
      },
    ],
    disputes: [
      {
        uuid: 'med-1',
        account: 'shop',
        mode: 'test',
        providerAccount: 'pa',
        id: 'dispute-1',
        kind: 'RECEIVED_MED',
        state: 'rejected',
        charge: 'charge-1',
        replies: 1,
        history: ['PENDING', 'PROCESSING', 'REJECTED'],
        claimedCents: 0,
        heldCents: 0,
        retainedCents: 0,
        returnedCents: 0,
      },
    ],
    movements: MOVEMENTS.map(one => ({ ...one })),
    attempts: [
      attemptRow('attempt-1', 'issue', 'charge-1', 'accepted'),
      attemptRow('attempt-due', 'issue', 'charge-due', 'accepted'),
      attemptRow('attempt-closed', 'issue', 'charge-1', 'closed'),
      { ...attemptRow('attempt-2', 'transfer', 'transfer-1', 'settled'), reference: 'transferref' },
      { ...attemptRow('attempt-refused', 'transfer', 'transfer-1', 'rejected'), providerAccount: 'pb' },
    ],
    undocumentedItems: [
      { id: 'E-odd', providerAccount: 'pa', mustBeKept: true },
      { id: 'E-lost', providerAccount: 'pa', mustBeKept: false },
    ],
    unexplainedAnswers: ['{"id":"E-odd"}'],
    unbalancedMovements: [],
    buckets: [
      { account: 'shop', providerAccount: 'pa', bucket: 'available', cents: 12_220, foldCents: 12_220 },
      { account: 'shop', providerAccount: 'pa', bucket: 'fee', cents: 10, foldCents: 10 },
      { account: 'shop', providerAccount: 'pa', bucket: 'outside', cents: -12_410, foldCents: -12_410 },
      { account: 'friend', providerAccount: 'pa', bucket: 'available', cents: 180, foldCents: 180 },
    ],
    endpoints: [
      { account: 'shop', mode: 'test', inbox: 'shop-inbox', isToldOfBatches: true },
      { account: 'shop', mode: 'live', inbox: 'live-inbox', isToldOfBatches: false },
    ],
    statements: [
      { account: 'shop', mode: 'test', rows: buildShopStatement() },
      {
        account: 'friend',
        mode: 'test',
        rows: buildRows([
          ['SPLIT', '', 300, 'charge-1'],
          ['SPLIT', '', -120, 'charge-1'],
        ]),
      },
      { account: 'shop', mode: 'live', rows: [] },
    ],
    readableInOtherMode: [],
    merchantAccounts: ['shop', 'friend'],
    events,
    deliveries: events.map(({ uuid }) => ({
      uuid: `delivery-${uuid}`,
      event: uuid,
      inbox: 'shop-inbox',
      status: 'DELIVERED',
    })),
    receivedDeliveries: events.map(({ uuid, data }) => ({
      inbox: 'shop-inbox',
      event: uuid,
      data: { ...data },
    })),
    unroutedNotifications: [],
    runningWorkflowIds: [],
    failedReplays: [],
    startedWorkflowIds: [],
    requests: [
      {
        place: 0,
        kind: 'charge',
        merchant: 0,
        mode: 'test',
        key: 'key-0',
        externalRef: 'storm-0',
        sent: 2,
        absent: [],
        answers: [
          { status: 503, code: 'issuing', uuid: 'charge-1', body: 'same' },
          { status: 201, code: null, uuid: 'charge-1', body: 'same' },
          { status: 422, code: 'idempotency_key_reused', uuid: null, body: 'other' },
        ],
      },
      {
        place: 1,
        kind: 'transfer',
        merchant: 0,
        mode: 'test',
        key: null,
        externalRef: 'storm-1',
        sent: 1,
        absent: ['transfer-absent'],
        answers: [{ status: 201, code: null, uuid: 'transfer-1', body: 'same' }],
      },
      {
        place: 2,
        kind: 'batch',
        merchant: 0,
        mode: 'test',
        key: 'key-2',
        externalRef: 'storm-2',
        sent: 1,
        absent: [],
        answers: [{ status: 202, code: null, uuid: 'batch-1', body: 'same' }],
      },
      {
        place: 1,
        kind: 'look_up',
        merchant: 0,
        mode: 'test',
        key: null,
        externalRef: null,
        sent: 1,
        absent: [],
        answers: [{ status: 200, code: null, uuid: 'look-up-1', body: 'same' }],
      },
    ],
    resources: new Map<string, ApiResource>([
      ['charge-1', { ...charge, updated_at: 'later', refund_uuids: ['refund-1', 'refund-2'] }],
      ['charge-due', DUE_CHARGE],
      ['transfer-1', transfer],
      ['batch-1', batch],
      ['refund-1', refund],
      ['refund-2', failedRefund],
      ['med-1', dispute],
    ]),
  }
}

/** A charge of R$ 10.00 that was revised to R$ 20.00, and paid late with a fine. */
const DUE_CHARGE = {
  uuid: 'charge-due',
  status: 'PAID',
  updated_at: 'then',
  history: [{ status: 'PENDING' }, { status: 'PROCESSING' }, { status: 'PAID' }],
  refund_uuids: [],
}
const DUE_TERMS: DueTerms = {
  on: '2030-05-09',
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 300 },
  interest: null,
  abatement: null,
  discount: null,
}
const PAID_PARTS: PaidParts = {
  originalCents: 2_000,
  fineCents: 60,
  interestCents: 0,
  discountCents: 0,
  abatementCents: 0,
}

function revisionRow(uuid: string, more: Pick<RevisionRow, 'number' | 'status' | 'totalCents'>): RevisionRow {
  return { uuid, charge: 'charge-due', due: DUE_TERMS, isEndedWithCharge: more.status === 'refused', ...more }
}

type RowValues = [type: string, endToEnd: string, cents: number, operation: string, status?: string]

function buildRows(values: RowValues[]): StatementRow[] {
  let balanceCents = 0
  return values.map(([type, endToEnd, cents, operation, status = 'SETTLED']) => {
    balanceCents += cents
    return { providerAccount: 'pa', type, status, endToEnd, cents, balanceCents, operation }
  })
}

/** With an order that never left, whose id its provider had reported. */
function buildShopStatement(): StatementRow[] {
  return buildRows([
    ['ADJUSTMENT', '', 10_000, 'm-opening'],
    ['EXTERNAL_TRANSFER', 'E1', 1_000, 'charge-1'],
    ['FEE', '', -10, 'charge-1'],
    ['SPLIT', '', -300, 'charge-1'],
    ['HOLD', '', -100, 'med-1'],
    ['HOLD', '', 100, 'med-1'],
    ['EXTERNAL_TRANSFER', 'E-failed', -70, 'transfer-2', 'FAILED'],
    ['REVERSAL', '', 70, 'transfer-2', 'FAILED'],
    ['SPLIT', '', 120, 'charge-1'],
    ['EXTERNAL_REFUND', 'D1', -400, 'refund-1'],
    ['EXTERNAL_TRANSFER', 'E4', 2_060, 'charge-due'],
    ['EXTERNAL_TRANSFER', 'E2', -500, 'transfer-1'],
    ['EXTERNAL_REFUND', 'D2', 200, 'transfer-1'],
    ['EXTERNAL_TRANSFER', 'E3', 50, 'm-deposit'],
  ])
}

function attemptRow(
  uuid: string,
  operation: string,
  subject: string,
  state: string,
): FinalState['attempts'][number] {
  return { uuid, operation, subject, state, providerAccount: 'pa', reference: `${subject}-ref` }
}

const NO_SUBJECT = {
  charge: null,
  transfer: null,
  refund: null,
  original: null,
  med: null,
  reason: null,
  disposition: null,
}

function movementRow(uuid: string, more: Partial<MovementRow>): MovementRow {
  return {
    uuid,
    account: 'shop',
    providerAccount: 'pa',
    type: 'EXTERNAL_TRANSFER',
    direction: 'IN',
    cents: 0,
    status: 'SETTLED',
    endToEnd: null,
    ...NO_SUBJECT,
    ...more,
  }
}

const MOVEMENTS: readonly MovementRow[] = [
  movementRow('m-opening', { type: 'ADJUSTMENT', cents: 10_000 }),
  movementRow('m-payment', { cents: 1_000, endToEnd: 'E1', charge: 'charge-1' }),
  movementRow('m-fee', {
    type: 'FEE',
    direction: 'OUT',
    cents: 10,
    charge: 'charge-1',
    original: 'm-payment',
  }),
  movementRow('m-split', {
    type: 'SPLIT',
    direction: 'OUT',
    cents: 300,
    charge: 'charge-1',
    original: 'm-payment',
  }),
  movementRow('m-refund', {
    type: 'EXTERNAL_REFUND',
    direction: 'OUT',
    cents: 400,
    endToEnd: 'D1',
    charge: 'charge-1',
    refund: 'refund-1',
    original: 'm-payment',
  }),
  movementRow('m-hold', { type: 'HOLD', direction: 'OUT', cents: 100, charge: 'charge-1', med: 'med-1' }),
  movementRow('m-freed', { type: 'HOLD', cents: 100, charge: 'charge-1', med: 'med-1' }),
  movementRow('m-transfer', { direction: 'OUT', cents: 500, endToEnd: 'E2', transfer: 'transfer-1' }),
  movementRow('m-return', {
    type: 'EXTERNAL_REFUND',
    cents: 200,
    endToEnd: 'D2',
    transfer: 'transfer-1',
    original: 'm-transfer',
  }),
  movementRow('m-due', { cents: 2_060, endToEnd: 'E4', charge: 'charge-due' }),
  movementRow('m-deposit', { cents: 50, endToEnd: 'E3', reason: 'deposit' }),
]

function statementLine(
  kind: FinalState['lines'][number]['kind'],
  id: string | null,
  endToEnd: string,
  cents: number,
) {
  const receiver = kind === 'transfer' ? { name: 'Maria de Souza', document: '52998224725' } : null
  return { providerAccount: 'pa', kind, id, endToEnd, original: null, cents, receiver }
}

function eventRow(type: EventRow['type'], subject: string, sequence: number, data: ApiResource): EventRow {
  const uuid = `event-${subject}-${sequence}`
  return { uuid, account: 'shop', mode: 'test', type, subject, sequence, data: { ...data, sequence } }
}

/** A reply as it reaches Woovi: its document is uploaded anew each time, under an id of ours. */
export function disputeReply(text: string): ProviderDisputeReply {
  const documents = [{ fileId: randomUUID(), description: text, correlationID: text }]
  return { accept: null, text, documents, at: '2026-01-01T00:00:00.000Z' }
}
