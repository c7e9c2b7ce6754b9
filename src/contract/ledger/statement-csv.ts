import type { CsvColumns } from '../shared/csv.ts'
import type { ShownLedgerLine } from './ledger-line.ts'

/** Columns of the statement as CSV, one line per ledger line: amounts with their sign. */
export const STATEMENT_COLUMNS: CsvColumns<ShownLedgerLine> = {
  created_at: line => line.created_at,
  settled_at: line => line.settled_at,
  type: line => line.type,
  movement_type: line => line.movement_type,
  value: line => (line.movement_type === 'OUT' ? -line.value : line.value),
  balance_after: line => line.balance_after,
  status: line => line.status,
  provider: line => line.provider.provider,
  provider_uuid: line => line.provider.uuid,
  operation_type: line => line.operation_type,
  operation_uuid: line => line.operation_uuid,
  counterparty_name: line => line.counterparty?.name,
  counterparty_document: line => line.counterparty?.document,
  external_ref: line => line.external_ref,
  end_to_end: line => line.end_to_end,
  reason: line => line.reason,
  charge_uuid: line => line.charge_uuid,
  transfer_uuid: line => line.transfer_uuid,
  refund_uuid: line => line.refund_uuid,
  dispute_uuid: line => line.dispute_uuid,
  uuid: line => line.uuid,
  line_uuid: line => line.line_uuid,
}
