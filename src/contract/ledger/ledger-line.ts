import { z } from 'zod'
import type { LedgerLine } from '../../db/repositories/ledger-lines.ts'
import {
  LEDGER_LINE_TYPES,
  LEDGER_OPERATION_TYPES,
  MOVEMENT_REASONS,
  MOVEMENT_STATUSES,
} from '../../domain/ledger/movement.ts'
import { maskDocument } from '../../domain/pix/document.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import type { CsvColumns } from '../shared/csv.ts'
import {
  caseInsensitiveEnum,
  dayQueryFields,
  endToEndQuery,
  instantSchema,
  namesQuery,
  pageQueryFields,
  providerQuery,
  providerReference,
  reaisOutput,
  reaisText,
  requireDaysInOrder,
  signedReais,
  uuidQuery,
  uuidSchema,
} from '../shared/fields.ts'

/** Account statement (SPEC §7): one line per change of the available balance. */

/** Filters of the statement, which the list and its files share. */
const ledgerFilterFields = {
  provider_uuid: providerQuery,
  type: namesQuery(LEDGER_LINE_TYPES, 'Lines of these types: what changed the balance'),
  operation_uuid: uuidQuery(
    'The operation of the line, or the charge, transfer, refund or dispute that it names',
  ),
  end_to_end: endToEndQuery(
    'Lines of the PIX with this end-to-end id: its own, and what was held, shared or repaid with it',
  ),
  operation_type: namesQuery(
    LEDGER_OPERATION_TYPES,
    'Lines of operations of these types. Without `operation_uuid`, `date_from` is at most 31 days before `date_to`',
  ),
  ...dayQueryFields,
}

/** Most days of a query by `operation_type` alone: its total counts the lines one by one. */
const MAX_OPERATION_TYPE_DAYS = 31

type OperationTypeDays = {
  operation_type?: unknown
  operation_uuid?: unknown
  date_from?: string
  date_to?: string
}

/** Tests whether a query by the type of operations names one operation, or few enough days. */
function hasFewOperations(query: OperationTypeDays): boolean {
  const { operation_type, operation_uuid, date_from, date_to } = query
  if (operation_type === undefined || operation_uuid !== undefined) return true
  if (date_from === undefined) return false
  const end = date_to === undefined ? Date.now() : Date.parse(date_to)
  return end - Date.parse(date_from) <= MAX_OPERATION_TYPE_DAYS * DAY
}

/** The issue of a query whose `operation_type` selects from too many lines. */
const OPERATION_TYPE_ISSUE = {
  path: ['date_from'],
  message: 'must be at most 31 days before date_to, where operation_type is sent without operation_uuid',
}

export const ledgerQuery = z
  .strictObject({ ...pageQueryFields, ...ledgerFilterFields })
  .refine(hasFewOperations, OPERATION_TYPE_ISSUE)
  .superRefine(requireDaysInOrder)
export type LedgerQuery = z.output<typeof ledgerQuery>

/** Query of the statement as CSV (SPEC §7). */
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

const ledgerCounterparty = z
  .object({ name: z.string(), document: z.string().meta({ description: 'Masked' }) })
  .meta({ id: 'LedgerCounterparty', description: 'Who paid or was paid; unknown texts are empty' })

export const ledgerLineSchema = z
  .object({
    uuid: uuidSchema.meta({ description: 'The movement; a movement may have several lines' }),
    line_uuid: uuidSchema.meta({ description: 'This line' }),
    type: z.enum(LEDGER_LINE_TYPES).meta({
      description:
        'EXTERNAL_TRANSFER and EXTERNAL_REFUND: the PIX itself, one line in its whole value. REVERSAL: the order never left. SPLIT, FEE, HOLD and SHORTFALL (what the service advanced or was repaid) are lines of their own',
    }),
    movement_type: z.enum(['IN', 'OUT']).meta({ description: 'Whether this line adds or takes' }),
    value: reaisOutput.meta({ description: 'What this line adds or takes, never negative' }),
    balance: reaisText.meta({
      description:
        'The available balance at this provider after this line, as text; `balance_after` is a number',
    }),
    balance_after: signedReais.meta({
      description: 'The available balance at this provider after this line',
    }),
    status: z.enum(MOVEMENT_STATUSES).meta({
      description:
        'Of the movement. A line REVERSAL of a FAILED movement gives back what its line OUT had held',
    }),
    end_to_end: z.string().meta({
      description: 'Of the PIX, on its own line; empty on all others, and until its provider reports it',
    }),
    external_ref: z.string().optional().meta({ description: "Of the caller's own charge or transfer" }),
    counterparty: ledgerCounterparty.nullable().meta({
      description:
        'Null for fees, holds, shortfalls and adjustments, for a share taken back from several accounts, and where the provider names no party',
    }),
    operation_type: z.enum(LEDGER_OPERATION_TYPES),
    operation_uuid: uuidSchema.meta({
      description: 'The charge, transfer, refund or dispute; of a SPLIT its charge; otherwise the movement',
    }),
    reason: z.enum(MOVEMENT_REASONS).optional(),
    charge_uuid: uuidSchema.optional(),
    transfer_uuid: uuidSchema.optional(),
    refund_uuid: uuidSchema.optional(),
    dispute_uuid: uuidSchema.optional(),
    provider: providerReference,
    settled_at: instantSchema.nullable(),
    created_at: instantSchema,
  })
  .meta({ id: 'LedgerLine' })
export type ShownLedgerLine = z.output<typeof ledgerLineSchema>

/** Presents a line of the statement. */
export function showLedgerLine(row: LedgerLine): ShownLedgerLine {
  return {
    uuid: row.uuid,
    line_uuid: row.line_uuid,
    type: row.type,
    movement_type: row.cents > 0 ? 'IN' : 'OUT',
    value: Math.abs(row.cents),
    balance: row.balance_cents,
    balance_after: row.balance_cents,
    status: row.status,
    end_to_end: showEndToEndId(row.end_to_end),
    ...(row.external_ref !== null && { external_ref: row.external_ref }),
    counterparty: showCounterparty(row.counterparty),
    operation_type: row.operation_type,
    operation_uuid: row.operation_uuid,
    ...(row.reason && { reason: row.reason }),
    ...(row.charge_uuid && { charge_uuid: row.charge_uuid }),
    ...(row.transfer_uuid && { transfer_uuid: row.transfer_uuid }),
    ...(row.refund_uuid && { refund_uuid: row.refund_uuid }),
    ...(row.dispute_uuid && { dispute_uuid: row.dispute_uuid }),
    provider: { uuid: row.connection_uuid, provider: row.provider },
    settled_at: row.settled_at && new Date(row.settled_at),
    created_at: new Date(row.created_at),
  }
}

/** Presents the lines of a statement as they are read. */
export async function* showLedgerLines(
  rows: AsyncIterable<LedgerLine> | Iterable<LedgerLine>,
): AsyncGenerator<ShownLedgerLine> {
  for await (const row of rows) yield showLedgerLine(row)
}

function showCounterparty(party: LedgerLine['counterparty']): ShownLedgerLine['counterparty'] {
  const { name, document } = party ?? {}
  return name || document ? { name: name ?? '', document: maskDocument(document ?? '') } : null
}

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
