import { randomUUID } from 'node:crypto'
import type { Event, Movement, Reply, Shown, World } from '../world.ts'

/**
 * A small world in which everything holds: a charge paid, shared, disputed in vain and refunded in part, a transfer
 * returned in part, a deposit.
 */
export function cleanWorld(): World {
  const history = [{ status: 'PENDING' }, { status: 'PROCESSING' }]
  const charge = {
    ...{ uuid: 'charge-1', status: 'PARTIALLY_REFUNDED', updated_at: 'then' },
    history: [...history, { status: 'PAID' }, { status: 'PROCESSING' }, { status: 'PARTIALLY_REFUNDED' }],
  }
  const paid = { ...charge, status: 'PAID', history: charge.history.slice(0, 3) }
  const transfer = {
    ...{ uuid: 'transfer-1', status: 'PARTIALLY_REFUNDED' },
    history: [...history, { status: 'PAID' }, { status: 'PARTIALLY_REFUNDED' }],
  }
  const sent = { ...transfer, status: 'PAID', history: transfer.history.slice(0, 3) }
  const refund = { uuid: 'charge-1', refund: { status: 'COMPLETED' }, history: charge.history }
  const dispute = { uuid: 'med-1', status: 'REJECTED', attachments: [{ url: 'now' }] }
  const opened = { ...dispute, status: 'PENDING', attachments: [] }
  const events = [
    event('MED', 'med-1', 1, opened),
    event('MED', 'med-1', 2, { ...dispute, attachments: [{ url: 'then' }] }),
    event('PAYMENT', 'charge-1', 1, paid),
    event('PAYMENT', 'charge-1', 2, charge),
    event('REFUND', 'refund-1', 1, refund),
    event('TRANSFER', 'transfer-1', 1, sent),
    event('TRANSFER', 'transfer-1', 2, transfer),
    ...MOVEMENTS.filter(one => one.type.startsWith('EXTERNAL')).map(one =>
      event('PIX_TRANSACTION', one.uuid, 1, { status: 'SETTLED' }),
    ),
  ]
  return {
    lines: [
      line('payment', 'chargeref', 'E1', 1_000),
      { ...line('refund', 'refundref', 'D1', 400), original: 'E1' },
      line('transfer', 'transferref', 'E2', 500),
      { ...line('return', 'transferref', 'D2', 200), original: 'E2' },
      line('deposit', null, 'E3', 50),
    ],
    holdings: [{ providerAccount: 'pa', cents: 10_350 }],
    contested: [
      // Its answer was lost, so it was told again.
      {
        ...{ id: 'dispute-1', providerAccount: 'pa', status: 'disagreed' },
        replies: [told('letter'), told('letter')],
      },
    ],
    unseen: [{ attempt: 'attempt-closed', status: 'closed' }],
    charges: [
      {
        ...{ uuid: 'charge-1', account: 'shop', state: 'partially_refunded', endToEnd: 'E1' },
        ...{ valueCents: 990, feeCents: 10, receivedCents: 1_000, refundingCents: 0, refundedCents: 400 },
        disputedCents: 0,
        externalRef: 'storm-0',
        history: charge.history.map(entry => entry.status),
      },
    ],
    splits: [{ charge: 'charge-1', status: 'CREDITED', cents: 300, askedBackCents: 120 }],
    transfers: [
      {
        ...{ uuid: 'transfer-1', account: 'shop', state: 'partially_refunded', cents: 500, heldCents: 0 },
        ...{ returnedCents: 200, externalRef: 'storm-1', history: transfer.history.map(one => one.status) },
      },
    ],
    refunds: [{ uuid: 'refund-1', charge: 'charge-1', state: 'settled', cents: 400, partsCents: 400 }],
    meds: [
      {
        ...{ uuid: 'med-1', account: 'shop', providerAccount: 'pa', id: 'dispute-1', kind: 'RECEIVED_MED' },
        ...{
          state: 'rejected',
          charge: 'charge-1',
          replies: 1,
          history: ['PENDING', 'PROCESSING', 'REJECTED'],
        },
        ...{ claimedCents: 0, heldCents: 0, retainedCents: 0, returnedCents: 0 },
      },
    ],
    movements: MOVEMENTS.map(one => ({ ...one })),
    attempts: [
      attempt('attempt-1', 'issue', 'charge-1', 'accepted'),
      attempt('attempt-closed', 'issue', 'charge-1', 'closed'),
      { ...attempt('attempt-2', 'transfer', 'transfer-1', 'settled'), reference: 'transferref' },
      { ...attempt('attempt-refused', 'transfer', 'transfer-1', 'rejected'), providerAccount: 'pb' },
    ],
    oddItems: [
      { id: 'E-odd', providerAccount: 'pa', mustBeKept: true },
      { id: 'E-lost', providerAccount: 'pa', mustBeKept: false },
    ],
    kept: ['{"id":"E-odd"}'],
    unbalanced: [],
    buckets: [
      { account: 'shop', providerAccount: 'pa', bucket: 'available', cents: 10_160, foldCents: 10_160 },
      { account: 'shop', providerAccount: 'pa', bucket: 'fee', cents: 10, foldCents: 10 },
      { account: 'shop', providerAccount: 'pa', bucket: 'outside', cents: -10_350, foldCents: -10_350 },
      { account: 'friend', providerAccount: 'pa', bucket: 'available', cents: 180, foldCents: 180 },
    ],
    endpoints: [{ account: 'shop', inbox: 'shop-inbox' }],
    events,
    deliveries: events.map(({ uuid }) => ({
      ...{ uuid: `delivery-${uuid}`, event: uuid },
      inbox: 'shop-inbox',
      status: 'DELIVERED',
    })),
    heard: events.map(({ uuid, data }) => ({ inbox: 'shop-inbox', event: uuid, data: { ...data } })),
    waitingNotices: [],
    running: [],
    unreplayed: [],
    begun: [],
    asked: [
      {
        ...{ place: 0, kind: 'charge', merchant: 0, key: 'key-0', externalRef: 'storm-0', sent: 2 },
        absent: [],
        answers: [
          { status: 503, code: 'issuing', uuid: 'charge-1', body: 'same' },
          { status: 201, code: null, uuid: 'charge-1', body: 'same' },
          { status: 422, code: 'idempotency_key_reused', uuid: null, body: 'other' },
        ],
      },
      {
        ...{ place: 1, kind: 'transfer', merchant: 0, key: null, externalRef: 'storm-1', sent: 1 },
        absent: ['transfer-absent'],
        answers: [{ status: 201, code: null, uuid: 'transfer-1', body: 'same' }],
      },
    ],
    shown: new Map<string, Shown>([
      ['charge-1', { ...charge, updated_at: 'later' }],
      ['transfer-1', transfer],
      ['refund-1', refund],
      ['med-1', dispute],
    ]),
  }
}

function attempt(uuid: string, operation: string, subject: string, state: string): World['attempts'][number] {
  return { uuid, operation, subject, state, providerAccount: 'pa', reference: `${subject}-ref` }
}

const NOBODY = {
  ...{ charge: null, transfer: null, refund: null, original: null, med: null },
  ...{ reason: null, disposition: null },
}

function movement(uuid: string, more: Partial<Movement>): Movement {
  return {
    ...{ uuid, account: 'shop', providerAccount: 'pa', type: 'EXTERNAL_TRANSFER', direction: 'IN', cents: 0 },
    ...{ status: 'SETTLED', endToEnd: null },
    ...NOBODY,
    ...more,
  }
}

const MOVEMENTS: readonly Movement[] = [
  movement('m-opening', { type: 'ADJUSTMENT', cents: 10_000 }),
  movement('m-payment', { cents: 1_000, endToEnd: 'E1', charge: 'charge-1' }),
  movement('m-fee', { type: 'FEE', direction: 'OUT', cents: 10, charge: 'charge-1', original: 'm-payment' }),
  movement('m-split', {
    type: 'SPLIT',
    direction: 'OUT',
    cents: 300,
    charge: 'charge-1',
    original: 'm-payment',
  }),
  movement('m-refund', {
    ...{ type: 'EXTERNAL_REFUND', direction: 'OUT', cents: 400, endToEnd: 'D1' },
    ...{ charge: 'charge-1', refund: 'refund-1', original: 'm-payment' },
  }),
  movement('m-hold', { type: 'HOLD', direction: 'OUT', cents: 100, charge: 'charge-1', med: 'med-1' }),
  movement('m-freed', { type: 'HOLD', cents: 100, charge: 'charge-1', med: 'med-1' }),
  movement('m-transfer', { direction: 'OUT', cents: 500, endToEnd: 'E2', transfer: 'transfer-1' }),
  movement('m-return', {
    ...{ type: 'EXTERNAL_REFUND', cents: 200, endToEnd: 'D2' },
    ...{ transfer: 'transfer-1', original: 'm-transfer' },
  }),
  movement('m-deposit', { cents: 50, endToEnd: 'E3', reason: 'deposit' }),
]

function line(kind: World['lines'][number]['kind'], id: string | null, endToEnd: string, cents: number) {
  return { providerAccount: 'pa', kind, id, endToEnd, original: null, cents }
}

function event(type: Event['type'], subject: string, sequence: number, data: Shown): Event {
  const uuid = `event-${subject}-${sequence}`
  return { uuid, account: 'shop', type, subject, sequence, data: { ...data, sequence } }
}

/** A reply as it reaches Woovi: its document is uploaded anew each time, under an id of ours. */
export function told(text: string): Reply {
  const documents = [{ fileId: randomUUID(), description: text, correlationID: text }]
  return { accept: null, text, documents, at: '2026-01-01T00:00:00.000Z' }
}
