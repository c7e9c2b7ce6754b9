import { defineEntity } from '@mikro-orm/core'
import type { RefundState } from '../../domain/refund.ts'
import { cents, key, moment, oneOf, text, uuid } from '../columns.ts'
import { Movement } from './movement.ts'
import type { Failure } from './transfer.ts'

/** Who pays a part of a refund: the owner, or a split that is taken back. `asked` is what the split owed. */
export type RefundPart = { account_uuid: string; split_uuid: string | null; cents: number; asked: number }

const schema = defineEntity({
  name: 'Refund',
  properties: p => ({
    uuid: key(),
    chargeUuid: uuid(),
    /** The dispute whose return the provider sent: nobody here sent it. */
    medUuid: uuid().nullable(),
    accountUuid: uuid(),
    connectionUuid: uuid(),
    providerAccountUuid: uuid(),
    state: oneOf<RefundState>(),
    valueCents: cents(),
    feeCents: cents().default(0),
    parts: p.json<RefundPart[]>(),
    movement: () => p.manyToOne(Movement).name('movement_uuid').nullable(),
    endToEnd: text().nullable(),
    failure: p.json<Failure>().nullable(),
    /** From when on its POST says that it was accepted: its provider's word, or that it was not waited for any longer. */
    acceptedAt: moment().nullable(),
    sequence: p.integer().default(0),
    /** As of a transfer: until it is certain that the row was visible by then, nothing is sent after this moment. */
    takeBefore: moment().nullable(),
    requestId: text(),
    fingerprint: text(),
    createdAt: moment(),
    updatedAt: moment(),
  }),
})

/** A devolução of a charge's PIX, whole or in part. */
export class Refund extends schema.class {}
schema.setClass(Refund)
