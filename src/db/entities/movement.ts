import { defineEntity } from '@mikro-orm/core'
import type { MovementReason, MovementType, UnmatchedDisposition } from '../../domain/ledger/movement.ts'
import type { Party } from '../../domain/providers/provider.ts'
import { centsColumn, idColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

/** A ledger record: one movement of money, whose postings sum to zero. */
const schema = defineEntity({
  name: 'Movement',
  properties: p => ({
    uuid: idColumn(),
    accountUuid: uuidColumn(),
    providerAccountUuid: uuidColumn(),
    connectionUuid: uuidColumn().nullable(),
    type: unionColumn<MovementType>(),
    movementType: unionColumn<'IN' | 'OUT'>(),
    valueCents: centsColumn(),
    status: unionColumn<'PENDING' | 'SETTLED' | 'FAILED'>(),
    endToEnd: textColumn().nullable(),
    txid: textColumn().nullable(),
    pixKey: textColumn().nullable(),
    sender: p.json<Party>().nullable(),
    receiver: p.json<Party>().nullable(),
    chargeUuid: uuidColumn().nullable(),
    transferUuid: uuidColumn().nullable(),
    refundUuid: uuidColumn().nullable(),
    /** Dispute that holds, releases or returns this money. */
    disputeUuid: uuidColumn().nullable(),
    /** PIX that this one returns. */
    originalUuid: uuidColumn().nullable(),
    /** Of a listed return: end-to-end id of the returned PIX, and the provider's id of the return. */
    returnOf: textColumn().nullable(),
    returnId: textColumn().nullable(),
    reason: unionColumn<MovementReason>().nullable(),
    /**
     * For entries that are not PIX: the provider's name of the entry, or the proposal of an adjustment
     * (src/domain/reconciliation/account-entry.ts).
     */
    entryName: textColumn().nullable(),
    disposition: unionColumn<UnmatchedDisposition>().nullable(),
    sequence: p.integer().default(0),
    settledAt: timestampColumn().nullable(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

export class Movement extends schema.class {}
schema.setClass(Movement)
