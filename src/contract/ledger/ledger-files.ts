import { z } from 'zod'
import type { CsvColumns } from '../shared/csv.ts'
import { caseInsensitiveEnum, dayQueryFields, providerQuery, requireDaysInOrder } from '../shared/fields.ts'
import {
  hasFewOperations,
  ledgerFilterFields,
  OPERATION_TYPE_ISSUE,
  type ShownLedgerLine,
} from './ledger-line.ts'

/** Files of the statement (SPEC §7). */

export const ledgerCsvQuery = z
  .strictObject({
    ...ledgerFilterFields,
    decimal: caseInsensitiveEnum(['POINT', 'COMMA'])
      .default('POINT')
      .meta({ description: 'Decimal separator; a Brazilian Excel reads COMMA' }),
  })
  .refine(hasFewOperations, OPERATION_TYPE_ISSUE)
  .superRefine(requireDaysInOrder)
export type LedgerCsvQuery = z.output<typeof ledgerCsvQuery>

/** An OFX file has all lines of its period, because they add up to its balance. */
export const ledgerOfxQuery = z
  .strictObject({ provider_uuid: providerQuery, ...dayQueryFields })
  .superRefine(requireDaysInOrder)
export type LedgerOfxQuery = z.output<typeof ledgerOfxQuery>

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
