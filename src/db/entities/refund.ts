import { defineEntity } from '@mikro-orm/core'
import type { UsageWindow } from '../../domain/limits/usage-window.ts'
import type { RefundState } from '../../domain/refunds/refund.ts'
import { timestampColumn, unionColumn } from './columns.ts'
import { orderColumns } from './order.ts'
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
    ...orderColumns(),
    chargeUuid: p.uuid(),
    /** Dispute whose return the provider sent by itself. */
    disputeUuid: p.uuid().nullable(),
    connectionUuid: p.uuid(),
    state: unionColumn<RefundState>(),
    /** Text for the payer, which the provider gets with the refund. */
    description: p.text().nullable(),
    parts: p.json<RefundPart[]>(),
    failure: p.json<OperationFailure>().nullable(),
    /** As in `Transfer`. */
    limitWindows: p.json<UsageWindow[]>().nullable(),
    /** When its POST reports it as accepted: the provider accepted it, or the request stopped waiting. */
    acceptedAt: timestampColumn().nullable(),
    /** Deadline for sending, as in `Transfer`. */
    acceptBefore: timestampColumn().nullable(),
  }),
})

/** A refund (devolução) of a charge's PIX, full or partial. */
export class Refund extends schema.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: RefundState
}
schema.setClass(Refund)
