import { listLedger } from '../../api/ledger/find.ts'
import { listProviders } from '../../api/providers/find.ts'
import { textFromCents } from '../../domain/money.ts'
import { shownInstant } from '../../domain/time.ts'
import { ledgerQuery } from '../../wire/ledger.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { page } from '../page.ts'
import { listed } from './listing.ts'

const PATH = '/dashboard/ledger'
const LINES_AT_ONCE = 100
/** A file of more lines than this is asked for in parts, by its dates. */
const MOST_LINES = 50_000

export function ledgerPages({ get }: Door): void {
  get('merchant', PATH, async visit => {
    const { em, token } = visit
    const { data, meta, wrong } = await listed(visit, ledgerQuery, query => listLedger(em, token, query))
    const connections = (await listProviders(em.fork(), token, { page: 1, per_page: 100 })).data
    return page('ledger', { rows: data, meta, wrong, connections })
  })

  get('merchant', `${PATH}/ledger.csv`, async visit => ({
    kind: 'file',
    type: 'text/csv; charset=utf-8',
    name: 'ledger.csv',
    body: (await csvLines(visit)).join('\r\n'),
  }))
}

const COLUMNS = [
  ...['created_at', 'type', 'movement_type', 'value', 'balance', 'status', 'provider', 'end_to_end'],
  ...['reason', 'charge_uuid', 'transfer_uuid', 'refund_uuid', 'uuid'],
] as const

/** The lines of the API's `/ledger`, for a spreadsheet: its numbers with a decimal point, its moments in UTC. */
async function csvLines({ em, token, query }: Visit<'merchant'>): Promise<string[]> {
  const { page: _, per_page: __, ...filters } = query
  const asked = required(ledgerQuery, { ...filters, per_page: String(LINES_AT_ONCE) })
  const lines = [COLUMNS.join(',')]
  for (let number = 1; lines.length <= MOST_LINES; number++) {
    const { data, meta } = await listLedger(em.fork(), token, { ...asked, page: number })
    for (const line of data) {
      const sign = line.movement_type === 'OUT' ? -1 : 1
      const told: Record<string, string> = {
        ...(line as unknown as Record<string, string>),
        created_at: shownInstant(line.created_at),
        value: textFromCents(sign * line.value),
        balance: textFromCents(line.balance),
        provider: line.provider.provider,
      }
      lines.push(COLUMNS.map(column => cell(told[column])).join(','))
    }
    if (number >= meta.last_page) break
  }
  return lines
}

/** Quoted, and never a formula: nothing in it is text that anybody outside has chosen, but that may change. */
function cell(text = ''): string {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
