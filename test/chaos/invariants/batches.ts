import { PAYMENT_STATUSES } from '../../../src/domain/shared/payment-status.ts'
import { transferMachine } from '../../../src/domain/transfers/transfer.ts'
import type { BatchItemState } from '../../../src/domain/transfers/transfer-batch.ts'
import type { FinalState, Violation } from '../final-state.ts'
import { sumCents, violationIf } from './violations.ts'

type BatchRow = FinalState['batches'][number]
type ItemRow = FinalState['batchItems'][number]
type TransferRow = FinalState['transfers'][number]
/** A batch with its items, and the transfers that name it. */
type Batch = { row: BatchRow; items: ItemRow[]; transfers: TransferRow[] }

/**
 * SPEC §4, "Batches": each item is at most one transfer, as it was ordered; the counts are those of the items; a batch has ended as its
 * items have; and nothing was started that was not approved.
 */
export function checkBatches(world: FinalState): Violation[] {
  const itemsByBatch = Map.groupBy(world.batchItems, one => one.batch)
  const transfersByBatch = Map.groupBy(
    world.transfers.filter(one => one.batch !== null),
    one => one.batch!,
  )
  const batches = world.batches.map(row => ({
    row,
    items: itemsByBatch.get(row.uuid) ?? [],
    transfers: transfersByBatch.get(row.uuid) ?? [],
  }))
  const known = new Set(world.batches.map(({ uuid }) => uuid))
  return [
    ...[...transfersByBatch.keys()]
      .filter(uuid => !known.has(uuid))
      .map(uuid => ({
        rule: 'item_without_batch',
        where: `batch ${uuid}`,
        detail: 'has transfers and no row',
      })),
    ...batches.flatMap(batch => [
      ...findItemDifferences(batch),
      ...findWrongTransfers(batch),
      ...findWrongCounts(batch, world),
      ...findWrongEnd(batch),
      ...findUnapprovedStarts(batch),
    ]),
  ]
}

/** The items are those that were ordered, by number and sum. */
function findItemDifferences({ row, items }: Batch): Violation[] {
  const cents = sumCents(items.map(one => one.cents))
  return violationIf(
    items.length !== row.itemCount || cents !== row.valueCents,
    'batch_items_differ',
    `batch ${row.uuid}`,
    `${items.length} items of ${cents}, ordered ${row.itemCount} of ${row.valueCents}`,
  )
}

/** Each started item has one transfer, which is what the item orders; no other item has any. */
function findWrongTransfers({ row, items, transfers }: Batch): Violation[] {
  const byItem = Map.groupBy(transfers, one => items.find(item => item.reference === one.externalRef)?.line)
  return [
    ...(byItem.get(undefined) ?? []).map(({ uuid }) => ({
      rule: 'item_without_batch',
      where: `transfer ${uuid}`,
      detail: `is no item of batch ${row.uuid}`,
    })),
    ...items.flatMap(({ line, state, transfer, cents }) => {
      const own = byItem.get(line) ?? []
      const where = `item ${line} of batch ${row.uuid}`
      const [first] = own
      return [
        ...violationIf(own.length > 1, 'item_sent_twice', where, own.map(one => one.uuid).join(', ')),
        ...violationIf(
          state === 'started' && own.length === 0,
          'item_lost',
          where,
          'is started and has no transfer',
        ),
        ...violationIf(
          state === 'cancelled' && own.length > 0,
          'cancelled_item_sent',
          where,
          `transfer ${first?.uuid}`,
        ),
        ...violationIf(state === 'pending' || state === 'starting', 'item_left', where, `is ${state}`),
        ...violationIf(
          first !== undefined &&
            (first.uuid !== transfer ||
              first.cents !== cents ||
              first.account !== row.account ||
              first.mode !== row.mode),
          'item_sent_otherwise',
          where,
          `transfer ${first?.uuid} of ${first?.cents} is ordered as ${transfer} of ${cents}`,
        ),
      ]
    }),
  ]
}

/** Statuses of an item without a transfer. */
const UNSENT_STATUSES: Record<BatchItemState, string> = {
  pending: 'PENDING',
  starting: 'PROCESSING',
  started: 'PROCESSING',
  cancelled: 'CANCELLED',
}

/** GET shows the counts that the rows of items and transfers have. */
function findWrongCounts({ row, items, transfers }: Batch, { resources }: FinalState): Violation[] {
  const states = new Map(transfers.map(({ uuid, state }) => [uuid, state]))
  const counts: Record<string, number> = {}
  for (const status of PAYMENT_STATUSES) if (status !== 'UNDEFINED') counts[status.toLowerCase()] = 0
  for (const { transfer, state } of items) {
    const sent = states.get(transfer)
    const status = sent === undefined ? UNSENT_STATUSES[state] : transferMachine.statusOf(sent)
    counts[status.toLowerCase()]! += 1
  }
  const shown: Record<string, number> = resources.get(row.uuid)?.counts ?? {}
  const different = Object.keys({ ...counts, ...shown }).filter(name => shown[name] !== counts[name])
  return violationIf(
    different.length > 0,
    'batch_counts_differ',
    `batch ${row.uuid}`,
    different.map(name => `${name}: shown ${shown[name]}, are ${counts[name]}`).join('; '),
  )
}

/** COMPLETED means that each item was sent and has ended; `item_failed` that one has failed, of a batch in which all must be valid. */
function findWrongEnd({ row, items, transfers }: Batch): Violation[] {
  const { uuid, state, sendMode, cancelReason } = row
  const where = `batch ${uuid}`
  const isAnyUnended =
    items.some(one => one.state !== 'started') || transfers.some(one => !transferMachine.isFinal(one.state))
  const hasFailed = transfers.some(one => one.state === 'failed')
  return [
    ...violationIf(
      state === 'completed' && isAnyUnended,
      'completed_with_items_left',
      where,
      'has items that have not ended',
    ),
    ...violationIf(
      cancelReason === 'item_failed' && (sendMode !== 'ALL_VALID' || !hasFailed),
      'cancelled_without_failure',
      where,
      `${sendMode} has ${hasFailed ? 'a failed item' : 'no failed item'}`,
    ),
  ]
}

/** A batch that had to be approved has started nothing before that, and nothing at all where it was not. */
function findUnapprovedStarts({ row: { uuid, approval }, transfers }: Batch): Violation[] {
  if (!approval) return []
  return transfers.flatMap(one =>
    violationIf(
      approval.decision !== 'approved' || one.createdAtMs < approval.decidedAtMs!,
      'started_before_approval',
      `batch ${uuid}`,
      `transfer ${one.uuid}, ${approval.decision}`,
    ),
  )
}
