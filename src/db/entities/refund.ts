import { defineEntity } from '@mikro-orm/core'
import type { RefundState } from '../../domain/refunds/refund.ts'
import { centsColumn, idColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'
import { Movement } from './movement.ts'
import type { OperationFailure } from './transfer.ts'

/** Part of a refund that one account pays, owner or split recipient. `requestedCents` is what the split owed. */
export type RefundPart = {
  accountUuid: string
  splitUuid: string | null
  cents: number
  requestedCents: number
}

const schema = defineEntity({
  name: 'Refund',
  properties: p => ({
    uuid: idColumn(),
    chargeUuid: uuidColumn(),
    /** Dispute whose return the provider sent by itself. */
    disputeUuid: uuidColumn().nullable(),
    accountUuid: uuidColumn(),
    connectionUuid: uuidColumn(),
    providerAccountUuid: uuidColumn(),
    state: unionColumn<RefundState>(),
    valueCents: centsColumn(),
    feeCents: centsColumn().default(0),
    parts: p.json<RefundPart[]>(),
    movement: () => p.manyToOne(Movement).nullable(),
    endToEnd: textColumn().nullable(),
    failure: p.json<OperationFailure>().nullable(),
    /** When its POST reports it as accepted: the provider accepted it, or the request stopped waiting. */
    acceptedAt: timestampColumn().nullable(),
    sequence: p.integer().default(0),
    /** Deadline for sending, as in `Transfer`. */
    acceptBefore: timestampColumn().nullable(),
    requestId: textColumn(),
    fingerprint: textColumn(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A refund (devolução) of a charge's PIX, full or partial. */
export class Refund extends schema.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: RefundState
}
schema.setClass(Refund)
