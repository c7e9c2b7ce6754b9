/**
 * Figures of a settlement report, in the order in which a merchant reads them: every line of the statement counts in
 * exactly one, so that the opening balance and all figures add up to the closing balance.
 */
export const SETTLEMENT_FIGURES = [
  'payments',
  'fees',
  'splits',
  'refunds',
  'transfers',
  'disputes',
  'holds',
  'shortfalls',
  'adjustments',
] as const
export type SettlementFigure = (typeof SETTLEMENT_FIGURES)[number]
