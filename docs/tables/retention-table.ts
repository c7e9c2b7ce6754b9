import { type Kept, RETENTION, type TableRetention } from '../../src/db/retention.ts'
import { renderTable, replaceMadeTables } from './made-tables.ts'

/** The table of retention in docs/retention.md, made from the data by which maintenance deletes. */

/** Replaces the table between the markers of the page. */
export function updateRetentionTable(page: string): string {
  const rows = Object.entries(RETENTION).map(([table, retention]: [string, TableRetention]) => [
    `\`${table}\``,
    retention.holds,
    retention.growsWith ?? '–',
    retention.personal?.map(column => `\`${column}\``).join(', ') ?? '–',
    ...describeKept(retention.kept),
  ])
  const head = ['table', 'a row is', 'grows with', 'personal data', 'kept', 'deleted by']
  return replaceMadeTables(page, { retention: renderTable(head, rows) })
}

/** Returns how long rows are kept, and who deletes them. */
function describeKept(kept: Kept): [string, string] {
  if ('why' in kept) return [`always: ${kept.why}`, '–']
  if ('by' in kept) return [kept.until, `\`${kept.by}\``]
  const { days, after, only } = kept
  const rule = `${days} ${days === 1 ? 'day' : 'days'} after \`${after}\``
  return [only ? `${rule}; longer: ${only.exception}` : rule, 'maintenance']
}
