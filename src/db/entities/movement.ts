import { defineEntity } from '@mikro-orm/core'
import type { Disposition, MovementReason, MovementType } from '../../domain/movement.ts'
import type { Party } from '../../domain/provider.ts'
import { cents, key, moment, oneOf, text, uuid } from '../columns.ts'

/** A ledger record: one fact that moved money, whose postings add up to zero. */
const schema = defineEntity({
  name: 'Movement',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    providerAccountUuid: uuid(),
    connectionUuid: uuid().nullable(),
    type: oneOf<MovementType>(),
    movementType: oneOf<'IN' | 'OUT'>(),
    valueCents: cents(),
    status: oneOf<'PENDING' | 'SETTLED' | 'FAILED'>(),
    endToEnd: text().nullable(),
    txid: text().nullable(),
    pixKey: text().nullable(),
    sender: p.json<Party>().nullable(),
    receiver: p.json<Party>().nullable(),
    chargeUuid: uuid().nullable(),
    transferUuid: uuid().nullable(),
    refundUuid: uuid().nullable(),
    /** The dispute that holds, releases or returns this money. */
    medUuid: uuid().nullable(),
    /** The PIX that this one returns. */
    originalUuid: uuid().nullable(),
    /** Of a return that its provider listed: the end-to-end id of what it returns, and the provider's id of the return. */
    returnOf: text().nullable(),
    returnId: text().nullable(),
    reason: oneOf<MovementReason>().nullable(),
    /** Of what is no PIX: the provider's own name of the entry, or the proposal of an adjustment (src/domain/account-entry.ts). */
    entryName: text().nullable(),
    disposition: oneOf<Disposition>().nullable(),
    sequence: p.integer().default(0),
    settledAt: moment().nullable(),
    createdAt: moment(),
    updatedAt: moment(),
  }),
})

export class Movement extends schema.class {}
schema.setClass(Movement)
