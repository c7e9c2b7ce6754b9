import { defineEntity } from '@mikro-orm/core'
import type { AttachmentType } from '../../domain/attachment.ts'
import type { DisputeType, MedKind, MedState, MedStatus } from '../../domain/med.ts'
import { cents, key, moment, oneOf, text, uuid } from '../columns.ts'
import type { HistoryEntry } from './charge.ts'
import { Connection } from './connection.ts'
import { Movement } from './movement.ts'

const med = defineEntity({
  name: 'Med',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    /** Of the disputed PIX. */
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuid(),
    /** The provider's own id of it. */
    providerMedId: text(),
    kind: oneOf<MedKind>(),
    disputeType: oneOf<DisputeType>(),
    state: oneOf<MedState>(),
    /** The disputed PIX. */
    endToEnd: text(),
    movement: () => p.manyToOne(Movement).name('movement_uuid'),
    /** The charge that the disputed PIX paid, where it paid one. */
    chargeUuid: uuid().nullable(),
    /** The transfer that a REQUESTED_MED is about. */
    transferUuid: uuid().nullable(),
    /** What the payer wants back. */
    valueCents: cents(),
    /** What of it is kept from refunds while the dispute is open: never more than the remainder. */
    claimedCents: cents().default(0),
    /** What of the claim is blocked, and what later inflows have added. */
    heldCents: cents().default(0),
    retainedCents: cents().default(0),
    returnedCents: cents().default(0),
    openedAt: moment(),
    dueAt: moment(),
    /** The hours before `dueAt` of which the merchant was warned last. */
    warnedHours: p.integer().nullable(),
    details: text().default(''),
    /** The provider's reasoning; ours is `analysis`. */
    providerAnalysis: text().default(''),
    /** Our reply: we agree, and the money goes back. Null while there is none. */
    accept: p.boolean().nullable(),
    analysis: text().nullable(),
    repliedAt: moment().nullable(),
    /** `wanted` until the provider has it. */
    replyState: oneOf<'wanted' | 'sent'>().nullable(),
    /** A call that tells the reply may be under way until then, even if nobody waits for it any more. */
    replyingUntil: moment().nullable(),
    /** The request that brought the reply: repeated, it is the same one. */
    replyRequestId: text().nullable(),
    /** How many replies there were: a refused one makes room for another. */
    replies: p.integer().default(0),
    replyFailure: p.json<{ code: string; message: string }>().nullable(),
    history: p.json<HistoryEntry<MedStatus>[]>(),
    sequence: p.integer().default(0),
    requestId: text(),
    createdAt: moment(),
    updatedAt: moment(),
  }),
})

/** A dispute (MED): about money we received, or about a transfer of ours. */
export class Med extends med.class {}
med.setClass(Med)

const attachment = defineEntity({
  name: 'Attachment',
  properties: p => ({
    uuid: key(),
    medUuid: uuid(),
    /** Which reply it came with, from 1. */
    reply: p.integer(),
    position: p.integer(),
    name: text(),
    contentType: oneOf<AttachmentType>(),
    bytes: p.integer(),
    /** Where the file store keeps it. */
    storageKey: text(),
    createdAt: moment(),
  }),
})

/** A proof that came with a reply. */
export class Attachment extends attachment.class {}
attachment.setClass(Attachment)

/** The order in which proofs are shown. */
export const ATTACHED = { reply: 'asc', position: 'asc' } as const
