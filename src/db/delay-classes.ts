/**
 * Classes of the delay between a row's creation and its payment or settlement. Lists are in the order of creation: of a
 * range of days of payment, the rows of one class were created within a range as well, and PostgreSQL scans that range
 * only. The expression is part of indexes (src/db/migrations/initial).
 */

/** Columns of times that follow creation; of each table one. */
export type DelayedColumn = 'paid_at' | 'settled_at'

const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
/** The lowest delay of each class but the first, in seconds. A clock difference or a correction makes a delay negative. */
const CLASS_BOUNDS_S = [0, HOUR_S, DAY_S, 8 * DAY_S, 64 * DAY_S]

/** The class of most rows; the indexes of delayed rows leave it out. */
export const PROMPT_CLASS = 1

/** The classes with their delays: at least `fromS`, below `belowS`, in seconds; undefined for no bound. */
export const DELAY_CLASSES = [undefined, ...CLASS_BOUNDS_S].map((fromS, number) => ({
  number,
  fromS,
  belowS: CLASS_BOUNDS_S[number],
}))

/**
 * Builds the condition of a class: what PostgreSQL computes fastest for the prompt rows, which no index names, else the
 * expression of the index.
 */
export function buildDelayClassCondition(
  column: DelayedColumn,
  { number, belowS }: Pick<(typeof DELAY_CLASSES)[number], 'number' | 'belowS'>,
): string {
  return number === PROMPT_CLASS
    ? `${column} >= created_at and ${column} < created_at + interval '${belowS} s'`
    : `${buildDelayClassSql(column)} = ${number}`
}

/** Builds the expression of a row's class. */
export function buildDelayClassSql(column: DelayedColumn): string {
  return `width_bucket(extract(epoch from ${column} - created_at), '{${CLASS_BOUNDS_S.join(',')}}'::numeric[])`
}
