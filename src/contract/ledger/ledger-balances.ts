import { z } from 'zod'
import type { LedgerPeriod } from '../../db/repositories/ledger-balances.ts'
import { LEDGER_LINE_TYPES } from '../../domain/ledger/movement.ts'
import {
  day,
  dayQueryFields,
  providerQuery,
  providerReference,
  reaisOutput,
  requireDaysInOrder,
  signedReais,
} from '../shared/fields.ts'

/** Opening and closing balances of a period (SPEC §7). */

export const ledgerBalancesQuery = z
  .strictObject({
    provider_uuid: providerQuery,
    ...dayQueryFields,
  })
  .superRefine(requireDaysInOrder)
export type LedgerBalancesQuery = z.output<typeof ledgerBalancesQuery>

const movedFields = {
  in: reaisOutput.meta({ description: 'What the lines IN add' }),
  out: reaisOutput.meta({ description: 'What the lines OUT take, never negative' }),
  lines: z.int().min(0),
}

const providerBalance = z
  .object({
    provider: providerReference,
    opening_balance: signedReais.meta({
      description:
        'The lines before the period. Below zero only where the period begins between two that overlap',
    }),
    closing_balance: signedReais.meta({ description: 'The opening balance and the lines of the period' }),
    ...movedFields,
    totals: z.array(z.object({ type: z.enum(LEDGER_LINE_TYPES), ...movedFields })),
  })
  .meta({ id: 'LedgerPeriodBalance' })

export const ledgerBalancesSchema = z
  .object({
    date_from: day.nullable().meta({ description: 'Null: from the first line on' }),
    date_to: day.nullable().meta({ description: 'Null: up to now' }),
    time_zone: z.string(),
    balances: z.array(providerBalance).meta({ description: 'One per provider account' }),
  })
  .meta({ id: 'LedgerBalances' })
export type ShownLedgerBalances = z.output<typeof ledgerBalancesSchema>

/** Presents a period at one provider account. */
export function showLedgerPeriod(period: LedgerPeriod): z.output<typeof providerBalance> {
  const totals = period.totals.map(({ type, inCents, outCents, count }) => ({
    type,
    in: inCents,
    out: outCents,
    lines: count,
  }))
  const [inCents, outCents, lines] = (['in', 'out', 'lines'] as const).map(name =>
    totals.reduce((sum, total) => sum + total[name], 0),
  ) as [number, number, number]
  return {
    provider: { uuid: period.connection_uuid, provider: period.provider },
    opening_balance: period.opening_cents,
    closing_balance: period.opening_cents + inCents - outCents,
    in: inCents,
    out: outCents,
    lines,
    totals,
  }
}
