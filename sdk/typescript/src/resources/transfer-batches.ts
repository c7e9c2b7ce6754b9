import type { Body, Call, CallOptions, Filters, KeyedCallOptions } from '../call.ts'
import type { TransferBatch, TransferBatchItem } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Batches of transfers. */
export const createTransferBatches = (call: Call) => ({
  /** Sends money to many PIX keys. Returns when the batch is stored; its BATCH event tells when it is COMPLETED. */
  create: (body: Body<'createTransferBatch'>, options?: KeyedCallOptions): Promise<TransferBatch> =>
    call('createTransferBatch', { body }, options),
  /** Lists batches with the counts of their items, a page of them. */
  list: defineList<'listTransferBatches', TransferBatch>((query, options) =>
    call('listTransferBatches', { query }, options),
  ),
  /** Iterates over all batches that match. */
  listAll: (query?: Filters<'listTransferBatches'>, options?: CallOptions): AsyncGenerator<TransferBatch> =>
    iterateList(query, page => call('listTransferBatches', { query: page }, options)),
  /** Reads a batch with the counts of its items. */
  get: (uuid: string, options?: CallOptions): Promise<TransferBatch> =>
    call('getTransferBatch', { path: { batch: uuid } }, options),
  /** Lists the items of a batch in their order, a page of them. */
  listItems: defineList<'listTransferBatchItems', TransferBatchItem, [uuid: string]>((uuid, query, options) =>
    call('listTransferBatchItems', { path: { batch: uuid }, query }, options),
  ),
  /** Iterates over all items of a batch that match. */
  listAllItems: (
    uuid: string,
    query?: Filters<'listTransferBatchItems'>,
    options?: CallOptions,
  ): AsyncGenerator<TransferBatchItem> =>
    iterateList(query, page =>
      call('listTransferBatchItems', { path: { batch: uuid }, query: page }, options),
    ),
  /** Approves a DRAFT batch, by a person who has not ordered it. */
  approve: (uuid: string, options?: CallOptions): Promise<TransferBatch> =>
    call('approveTransferBatch', { path: { batch: uuid } }, options),
  /** Rejects a DRAFT batch, by a person who has not ordered it. */
  reject: (uuid: string, body: Body<'rejectTransferBatch'>, options?: CallOptions): Promise<TransferBatch> =>
    call('rejectTransferBatch', { path: { batch: uuid }, body }, options),
  /** Cancels a batch that has not ended: items that were started go on. */
  cancel: (uuid: string, options?: CallOptions): Promise<TransferBatch> =>
    call('cancelTransferBatch', { path: { batch: uuid } }, options),
})
export type TransferBatches = ReturnType<typeof createTransferBatches>
