import { defineEntity } from '@mikro-orm/core'
import type { AttachmentType } from '../../domain/disputes/attachment.ts'
import type { ContestState } from '../../domain/disputes/contest.ts'
import type { DisputeKind, DisputeState, DisputeStatus, DisputeType } from '../../domain/disputes/dispute.ts'
import type { DisputeRecovery } from '../../domain/disputes/provider-dispute.ts'
import {
  centsColumn,
  historyColumn,
  orderAuthorColumns,
  requestedRowColumns,
  timestampColumn,
  unionColumn,
} from './columns.ts'
import { Connection } from './connection.ts'
import { Movement } from './movement.ts'

/** What a split's recipient owes of an open claim, and what its balance covered of that. Centavos. */
export type DisputedSplitPart = {
  splitUuid: string
  accountUuid: string
  requestedCents: number
  cents: number
}

const dispute = defineEntity({
  name: 'Dispute',
  properties: p => ({
    ...requestedRowColumns(),
    connection: () => p.manyToOne(Connection),
    /** Null of one that we request, until its provider has accepted it. */
    providerDisputeId: p.text().nullable(),
    kind: unionColumn<DisputeKind>(),
    disputeType: unionColumn<DisputeType>(),
    state: unionColumn<DisputeState>(),
    /** End-to-end id of the disputed PIX. */
    endToEnd: p.text(),
    movement: () => p.manyToOne(Movement),
    /** Charge that the disputed PIX paid, if any. */
    chargeUuid: p.uuid().nullable(),
    /** Transfer that a REQUESTED_MED disputes. */
    transferUuid: p.uuid().nullable(),
    /** Value that the payer claims back. */
    valueCents: centsColumn(),
    /** Part of the value that refunds may not use while the dispute is open; never more than the remainder. */
    claimedCents: centsColumn().default(0),
    /** Blocked part of the claim, later inflows included. */
    heldCents: centsColumn().default(0),
    retainedCents: centsColumn().default(0),
    returnedCents: centsColumn().default(0),
    /** Settlement of the latest return by a dispute about money received; null where nothing was returned. */
    returnedAt: timestampColumn().nullable(),
    /** Part of the claim that the recipients of splits have paid to the owner of the charge. */
    reclaimedCents: centsColumn().default(0),
    splitParts: p.json<DisputedSplitPart[]>(),
    openedAt: timestampColumn(),
    dueAt: timestampColumn(),
    /** The last deadline warning sent to the merchant, in hours before `dueAt`. */
    warnedHours: p.integer().nullable(),
    /** The provider's codes; of one that we request, the account's text. */
    details: p.text().default(''),
    /** The provider's reasoning; `analysis` is the merchant's. */
    providerAnalysis: p.text().default(''),
    /** The merchant's reply: true agrees, and the money goes back. Null without a reply. */
    accept: p.boolean().nullable(),
    analysis: p.text().nullable(),
    repliedAt: timestampColumn().nullable(),
    /** `pending` until the provider has received it. */
    replyState: unionColumn<'pending' | 'sent'>().nullable(),
    /** A call that sends the reply may be in flight until then, even if its activity has ended. */
    replyingUntil: timestampColumn().nullable(),
    /** Request id of the reply; a repeated request is the same reply. */
    replyRequestId: p.text().nullable(),
    /** X-Request-Id of the request whose reply was accepted: parallel repeats of it share `replyRequestId`. */
    replySentBy: p.text().nullable(),
    /** Number of replies; after a refused one the merchant may send another. */
    replies: p.integer().default(0),
    /** Why the provider has refused the last reply, or the request. */
    failure: p.json<{ code: string; message: string }>().nullable(),
    /** Of one that we requested: how far the rail has come with it. */
    recovery: p.json<DisputeRecovery>().nullable(),
    /** First call of the request: from then on it may be at the provider. */
    requestedAt: timestampColumn().nullable(),
    /** The account has cancelled its request, which the provider has not confirmed yet. */
    cancelRequestedAt: timestampColumn().nullable(),
    /** Digest of the request that ordered it; null where a provider reported it. */
    fingerprint: p.text().nullable(),
    ...orderAuthorColumns(),
    history: historyColumn<DisputeStatus>(),
    sequence: p.integer().default(0),
  }),
})

/** A dispute (MED): about money we received, or about a transfer of ours. */
export class Dispute extends dispute.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: DisputeState
}
dispute.setClass(Dispute)

const attachment = defineEntity({
  name: 'Attachment',
  properties: p => ({
    uuid: p.uuid().primary(),
    disputeUuid: p.uuid(),
    /** Number of its reply, from 1; null of one that came with the contest. */
    reply: p.integer().nullable(),
    position: p.integer(),
    name: p.text(),
    contentType: unionColumn<AttachmentType>(),
    bytes: p.integer(),
    /** Key of the file in the file storage. */
    storageKey: p.text(),
    createdAt: timestampColumn(),
  }),
})

/** A proof that came with a reply or with the contest. */
export class Attachment extends attachment.class {}
attachment.setClass(Attachment)

/** Order in which proofs are shown. */
export const ATTACHMENT_ORDER = { reply: 'asc', position: 'asc' } as const

const contest = defineEntity({
  name: 'Contest',
  properties: p => ({
    disputeUuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    state: unionColumn<ContestState>(),
    analysis: p.text(),
    /** The provider's reference of what an operator has handed in; null until then. */
    protocol: p.text().nullable(),
    /** What came back by it, and the movement that has credited it; null unless it was accepted. Centavos. */
    valueCents: centsColumn().nullable(),
    movementUuid: p.uuid().nullable(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    /** Id of the order, by its Idempotency-Key, and digest of its request: a repeat has both. */
    orderUuid: p.uuid(),
    fingerprint: p.text(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
    sentAt: timestampColumn().nullable(),
    decidedAt: timestampColumn().nullable(),
  }),
})

/** Contest of what was returned by a dispute: the account wants it back. */
export class Contest extends contest.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: ContestState
}
contest.setClass(Contest)
