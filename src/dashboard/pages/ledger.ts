import { refuseField } from '../../api/errors.ts'
import { listLedger } from '../../api/ledger/find.ts'
import { turns } from '../../api/turns.ts'
import { inSnapshot } from '../../db/orm.ts'
import { textFromCents } from '../../domain/money.ts'
import { shownInstant } from '../../domain/time.ts'
import { ledgerQuery } from '../../wire/ledger.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { page } from '../page.ts'
import { connectionsOf } from './connections.ts'
import { listed } from './listing.ts'
import { ofOneMode } from './mode.ts'

const PATH = '/dashboard/ledger'
const LINES_AT_ONCE = 1_000
/** Of one account: each takes a connection for as long as it is written. */
const FILES_AT_ONCE = 1
/** A file of more lines than this is asked for in parts, by its dates. */
const MOST_LINES = 50_000

export function ledgerPages({ get }: Door): void {
  const files = turns(FILES_AT_ONCE)

  get('merchant', PATH, async visit => {
    const { em } = visit
    const { token, modes } = await ofOneMode(visit)
    const { data, meta, wrong } = await listed(visit, ledgerQuery, query => listLedger(em, token, query))
    const connections = await connectionsOf(em, token)
    return page('ledger', { rows: data, meta, wrong, connections, mode: token.mode, modes })
  })

  get('merchant', `${PATH}/ledger.csv`, async visit => {
    const { token } = await ofOneMode(visit)
    await using ends = new AsyncDisposableStack()
    ends.defer(await files.take(token.accountUuid))
    return {
      kind: 'file',
      type: 'text/csv; charset=utf-8',
      name: token.mode === 'test' ? 'ledger-test.csv' : 'ledger.csv',
      body: (await csvLines({ ...visit, token })).join('\r\n'),
    }
  })
}

const COLUMNS = [
  ...['created_at', 'type', 'movement_type', 'value', 'balance', 'status', 'provider', 'end_to_end'],
  ...['reason', 'charge_uuid', 'transfer_uuid', 'refund_uuid', 'uuid'],
] as const

/** The lines of the API's `/ledger`, for a spreadsheet, each once: they are of one moment, whatever moves meanwhile. */
function csvLines({ em, token, query }: Visit<'merchant'>): Promise<string[]> {
  const { page: _, per_page: __, mode: ___, ...filters } = query
  const asked = { ...required(ledgerQuery, filters), per_page: LINES_AT_ONCE }
  return inSnapshot(em, async tx => {
    const lines = [COLUMNS.join(',')]
    for (let page = 1; ; page++) {
      const { data, meta } = await listLedger(tx, token, { ...asked, page })
      if (meta.total > MOST_LINES) refuseField('date_from', `must leave at most ${MOST_LINES} lines`)
      lines.push(...data.map(csvLine))
      if (page >= meta.last_page) return lines
    }
  })
}

type Line = Awaited<ReturnType<typeof listLedger>>['data'][number]

/** Its numbers with a decimal point, its moments in UTC. */
function csvLine(line: Line): string {
  const sign = line.movement_type === 'OUT' ? -1 : 1
  const told: Record<string, string> = {
    ...(line as unknown as Record<string, string>),
    created_at: shownInstant(line.created_at),
    value: textFromCents(sign * line.value),
    balance: textFromCents(line.balance),
    provider: line.provider.provider,
  }
  return COLUMNS.map(column => cell(told[column])).join(',')
}

/** Quoted, and never a formula: nothing in it is text that anybody outside has chosen, but that may change. */
function cell(text = ''): string {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
