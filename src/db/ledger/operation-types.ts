import type { LedgerOperationType } from '../../domain/ledger/movement.ts'

/**
 * The operation of a movement `m`: the first of these that applies, so the most specific of those that it names. The code
 * is what a posting stores of it.
 */
const OPERATION_TYPES: readonly [type: LedgerOperationType, code: string, condition: string][] = [
  ['SPLIT', 'S', `m.type = 'SPLIT'`],
  ['TRANSFER', 'T', 'm.transfer_uuid is not null'],
  ['REFUND', 'R', 'm.refund_uuid is not null'],
  ['DISPUTE', 'M', 'm.dispute_uuid is not null'],
  ['CHARGE', 'C', 'm.charge_uuid is not null'],
  ['ADJUSTMENT', 'A', `m.type = 'ADJUSTMENT'`],
  ['PROVIDER_ENTRY', 'P', `m.reason like 'provider%' or m.reason like 'panel%'`],
  ['RETURN', 'B', `m.type = 'EXTERNAL_REFUND'`],
  ['DEPOSIT', 'D', 'true'],
]

const buildOperationCase = (show: (entry: (typeof OPERATION_TYPES)[number]) => string) =>
  `case ${OPERATION_TYPES.map(entry => `when ${entry[2]} then '${show(entry)}'`).join(' ')} end`

export const OPERATION_TYPE_SQL = buildOperationCase(([type]) => type)
export const OPERATION_CODE_SQL = buildOperationCase(([, code]) => code)
export const OPERATION_CODES = Object.fromEntries(
  OPERATION_TYPES.map(([type, code]) => [type, code]),
) as Record<LedgerOperationType, string>
