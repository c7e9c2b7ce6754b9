import { defineEntity } from '@mikro-orm/core'
import type {
  BatchCancelReason,
  BatchMode,
  BatchState,
  BatchStatus,
  BatchWaitReason,
  ShortBalancePolicy,
} from '../../domain/transfers/transfer-batch.ts'
import { centsColumn, historyColumn, orderAuthorColumns, timestampColumn, unionColumn } from './columns.ts'

const schema = defineEntity({
  name: 'TransferBatch',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    isSimulated: p.boolean(),
    /** The only connection it may go through. */
    connectionUuid: p.uuid().nullable(),
    /** Connections in the order of trying, as they were when it was ordered. */
    candidates: p.array<string>().columnType('uuid[]'),
    state: unionColumn<BatchState>(),
    name: p.text().nullable(),
    mode: unionColumn<BatchMode>(),
    onShortBalance: unionColumn<ShortBalancePolicy>(),
    itemCount: p.integer(),
    valueCents: centsColumn(),
    /** No item is started before. */
    scheduledFor: timestampColumn().nullable(),
    cancelReason: unionColumn<BatchCancelReason>().nullable(),
    waitReason: unionColumn<BatchWaitReason>().nullable(),
    history: historyColumn<BatchStatus>(),
    /** Counts its events, so that a receiver can order them. */
    sequence: p.integer().default(0),
    ...orderAuthorColumns(),
    requestId: p.text(),
    /** Digest of the request that created it: a repeat has the same. */
    fingerprint: p.text(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A batch of transfers: the order, and how far it is. Its items are rows without an entity (src/db/repositories/transfer-batches.ts). */
export class TransferBatch extends schema.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: BatchState
}
schema.setClass(TransferBatch)
