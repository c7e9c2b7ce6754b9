import { defineEntity } from '@mikro-orm/core'
import type { AttachmentType } from '../../domain/disputes/attachment.ts'
import type { DisputeKind, DisputeState, DisputeStatus, DisputeType } from '../../domain/disputes/dispute.ts'
import type { HistoryEntry } from './charge.ts'
import {
  centsColumn,
  primaryKeyColumn,
  textColumn,
  timestampColumn,
  unionColumn,
  uuidColumn,
} from './columns.ts'
import { Connection } from './connection.ts'
import { Movement } from './movement.ts'

const dispute = defineEntity({
  name: 'Med',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    /** Of the disputed PIX. */
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuidColumn(),
    /** The provider's own id of it. */
    providerMedId: textColumn(),
    kind: unionColumn<DisputeKind>(),
    disputeType: unionColumn<DisputeType>(),
    state: unionColumn<DisputeState>(),
    /** The disputed PIX. */
    endToEnd: textColumn(),
    movement: () => p.manyToOne(Movement).name('movement_uuid'),
    /** The charge that the disputed PIX paid, where it paid one. */
    chargeUuid: uuidColumn().nullable(),
    /** The transfer that a REQUESTED_MED is about. */
    transferUuid: uuidColumn().nullable(),
    /** What the payer wants back. */
    valueCents: centsColumn(),
    /** What of it is kept from refunds while the dispute is open: never more than the remainder. */
    claimedCents: centsColumn().default(0),
    /** What of the claim is blocked, and what later inflows have added. */
    heldCents: centsColumn().default(0),
    retainedCents: centsColumn().default(0),
    returnedCents: centsColumn().default(0),
    openedAt: timestampColumn(),
    dueAt: timestampColumn(),
    /** The hours before `dueAt` of which the merchant was warned last. */
    warnedHours: p.integer().nullable(),
    details: textColumn().default(''),
    /** The provider's reasoning; ours is `analysis`. */
    providerAnalysis: textColumn().default(''),
    /** Our reply: we agree, and the money goes back. Null while there is none. */
    accept: p.boolean().nullable(),
    analysis: textColumn().nullable(),
    repliedAt: timestampColumn().nullable(),
    /** `wanted` until the provider has it. */
    replyState: unionColumn<'wanted' | 'sent'>().nullable(),
    /** A call that tells the reply may be under way until then, even if nobody waits for it any more. */
    replyingUntil: timestampColumn().nullable(),
    /** The request that brought the reply: repeated, it is the same one. */
    replyRequestId: textColumn().nullable(),
    /** How many replies there were: a refused one makes room for another. */
    replies: p.integer().default(0),
    replyFailure: p.json<{ code: string; message: string }>().nullable(),
    history: p.json<HistoryEntry<DisputeStatus>[]>(),
    sequence: p.integer().default(0),
    requestId: textColumn(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A dispute (MED): about money we received, or about a transfer of ours. */
export class Dispute extends dispute.class {}
dispute.setClass(Dispute)

const attachment = defineEntity({
  name: 'Attachment',
  properties: p => ({
    uuid: primaryKeyColumn(),
    medUuid: uuidColumn(),
    /** Which reply it came with, from 1. */
    reply: p.integer(),
    position: p.integer(),
    name: textColumn(),
    contentType: unionColumn<AttachmentType>(),
    bytes: p.integer(),
    /** Where the file store keeps it. */
    storageKey: textColumn(),
    createdAt: timestampColumn(),
  }),
})

/** A proof that came with a reply. */
export class Attachment extends attachment.class {}
attachment.setClass(Attachment)

/** The order in which proofs are shown. */
export const ATTACHMENT_ORDER = { reply: 'asc', position: 'asc' } as const
