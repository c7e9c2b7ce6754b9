import { defineEntity } from '@mikro-orm/core'
import type {
  MovementReason,
  MovementStatus,
  MovementType,
  UnmatchedDisposition,
} from '../../domain/ledger/movement.ts'
import { accountRowColumns, centsColumn, timestampColumn, unionColumn } from './columns.ts'
import { PartyType } from './party.ts'

/** A ledger record: one movement of money, whose postings sum to zero. */
const schema = defineEntity({
  name: 'Movement',
  properties: p => ({
    ...accountRowColumns(),
    connectionUuid: p.uuid().nullable(),
    type: unionColumn<MovementType>(),
    movementType: unionColumn<'IN' | 'OUT'>(),
    valueCents: centsColumn(),
    status: unionColumn<MovementStatus>(),
    endToEnd: p.text().nullable(),
    txid: p.text().nullable(),
    pixKey: p.text().nullable(),
    sender: p.type(PartyType).nullable(),
    receiver: p.type(PartyType).nullable(),
    chargeUuid: p.uuid().nullable(),
    transferUuid: p.uuid().nullable(),
    refundUuid: p.uuid().nullable(),
    /** Dispute that holds, releases or returns this money. */
    disputeUuid: p.uuid().nullable(),
    /** PIX that this one returns. */
    originalUuid: p.uuid().nullable(),
    /** Of a listed return: end-to-end id of the returned PIX, and the provider's id of the return. */
    returnOf: p.text().nullable(),
    returnId: p.text().nullable(),
    reason: unionColumn<MovementReason>().nullable(),
    /**
     * For entries that are not PIX: the provider's name of the entry, or the proposal of an adjustment
     * (src/domain/reconciliation/account-entry.ts).
     */
    entryName: p.text().nullable(),
    disposition: unionColumn<UnmatchedDisposition>().nullable(),
    sequence: p.integer().default(0),
    settledAt: timestampColumn().nullable(),
  }),
})

export class Movement extends schema.class {
  /** Written by `transitionStatus` alone (src/activities/shared/transition.ts). */
  declare readonly status: MovementStatus
}
schema.setClass(Movement)
