import { z } from 'zod'
import { caseInsensitiveEnum, dayQueryFields, providerQuery, requireDaysInOrder } from '../shared/fields.ts'
import { hasFewOperations, ledgerFilterFields, OPERATION_TYPE_ISSUE } from './ledger-line.ts'

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
