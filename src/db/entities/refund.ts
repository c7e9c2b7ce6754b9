import { defineEntity } from '@mikro-orm/core'
import type { RefundState } from '../../domain/refunds/refund.ts'
import {
  centsColumn,
  primaryKeyColumn,
  textColumn,
  timestampColumn,
  unionColumn,
  uuidColumn,
} from './columns.ts'
import { Movement } from './movement.ts'
import type { OperationFailure } from './transfer.ts'

/** Who pays a part of a refund: the owner, or a split that is taken back. `asked` is what the split owed. */
export type RefundPart = { account_uuid: string; split_uuid: string | null; cents: number; asked: number }

const schema = defineEntity({
  name: 'Refund',
  properties: p => ({
    uuid: primaryKeyColumn(),
    chargeUuid: uuidColumn(),
    /** The dispute whose return the provider sent: nobody here sent it. */
    medUuid: uuidColumn().nullable(),
    accountUuid: uuidColumn(),
    connectionUuid: uuidColumn(),
    providerAccountUuid: uuidColumn(),
    state: unionColumn<RefundState>(),
    valueCents: centsColumn(),
    feeCents: centsColumn().default(0),
    parts: p.json<RefundPart[]>(),
    movement: () => p.manyToOne(Movement).name('movement_uuid').nullable(),
    endToEnd: textColumn().nullable(),
    failure: p.json<OperationFailure>().nullable(),
    /** From when on its POST says that it was accepted: its provider's word, or that it was not waited for any longer. */
    acceptedAt: timestampColumn().nullable(),
    sequence: p.integer().default(0),
    /** As of a transfer: until it is certain that the row was visible by then, nothing is sent after this moment. */
    takeBefore: timestampColumn().nullable(),
    requestId: textColumn(),
    fingerprint: textColumn(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A devolução of a charge's PIX, whole or in part. */
export class Refund extends schema.class {}
schema.setClass(Refund)
