import { defineEntity } from '@mikro-orm/core'
import { orderAuthorColumns, requestedRowColumns, timestampColumn } from './columns.ts'
import type { OperationFailure } from './transfer.ts'

const schema = defineEntity({
  name: 'DepositReturn',
  properties: p => ({
    ...requestedRowColumns(),
    connectionUuid: p.uuid(),
    /** The deposit, whose disposition says how far its return is. */
    movementUuid: p.uuid(),
    /** When the money was held for the return; null where the order was refused. */
    heldAt: timestampColumn().nullable(),
    /** Why the deposit was not returned by this order. */
    failure: p.json<OperationFailure>().nullable(),
    /** Deadline for sending, as in `Transfer`. */
    acceptBefore: timestampColumn().nullable(),
    ...orderAuthorColumns(),
    /** Digest of the request that created it: a repeat has the same. */
    fingerprint: p.text(),
  }),
})

/** The order of an account to return a deposit to its payer. */
export class DepositReturn extends schema.class {}
schema.setClass(DepositReturn)
