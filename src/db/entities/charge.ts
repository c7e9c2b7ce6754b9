import { defineEntity } from '@mikro-orm/core'
import type { ChargeState, ChargeStatus } from '../../domain/charge.ts'
import type { Party } from '../../domain/provider.ts'
import type { SplitStatus, SplitType } from '../../domain/split.ts'
import { cents, key, moment, oneOf, text, uuid } from '../columns.ts'
import { Account } from './account.ts'
import { Connection } from './connection.ts'
import { Movement } from './movement.ts'

/** One entry of a resource's history, as it is shown. */
export type HistoryEntry<Status extends string> = { status: Status; created_at: string }

/** Why nobody could issue: the code of the catalogue, and each provider's word. */
export type ChargeFailure = {
  code: 'no_provider_available' | 'provider_rejected' | 'not_found_after_restore'
  attempts: { provider: string; outcome: string; code: string }[]
}

const charge = defineEntity({
  name: 'Charge',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuid(),
    state: oneOf<ChargeState>(),
    valueCents: cents(),
    feeCents: cents().default(0),
    totalCents: cents(),
    externalRef: text().nullable(),
    beneficiaryName: text().nullable(),
    beneficiaryDocument: text().nullable(),
    paymentUuid: uuid(),
    payload: text().nullable(),
    txid: text().nullable(),
    pixKey: text().nullable(),
    receiver: p.json<Party>().nullable(),
    expiresInSeconds: p.integer(),
    expiresAt: moment().nullable(),
    cancelRequestedAt: moment().nullable(),
    /** A request to cancel may have removed the payload without our hearing of it. */
    cancelUnanswered: p.boolean().default(false),
    /** The incoming PIX that paid it. */
    movement: () => p.manyToOne(Movement).name('movement_uuid').nullable(),
    endToEnd: text().nullable(),
    paidAt: moment().nullable(),
    receivedCents: cents().default(0),
    refundingCents: cents().default(0),
    refundedCents: cents().default(0),
    disputedCents: cents().default(0),
    failure: p.json<ChargeFailure>().nullable(),
    history: p.json<HistoryEntry<ChargeStatus>[]>(),
    /** Counts its events, so that a receiver can put them in order. */
    sequence: p.integer().default(0),
    requestId: text(),
    fingerprint: text(),
    createdAt: moment(),
    updatedAt: moment(),
    splits: () => p.oneToMany(Split).mappedBy('charge').orderBy({ position: 'asc' }),
  }),
})

/** A PIX In: the order, its payload, who paid it, and where its life stands. */
export class Charge extends charge.class {}
charge.setClass(Charge)

const split = defineEntity({
  name: 'Split',
  properties: p => ({
    uuid: key(),
    charge: () => p.manyToOne(Charge).name('charge_uuid'),
    position: p.integer(),
    type: oneOf<SplitType>(),
    /** Hundredths of a percent, or centavos where FIXED. */
    amount: cents(),
    recipient: () => p.manyToOne(Account).name('recipient_account_uuid'),
    status: oneOf<SplitStatus>().default('PENDING'),
    creditedCents: cents().default(0),
    /** What settled refunds have asked back of it; the recipient may have lacked some of it. */
    askedBackCents: cents().default(0),
  }),
})

/** A part of a charge that goes to another account when it is paid. */
export class Split extends split.class {}
split.setClass(Split)
