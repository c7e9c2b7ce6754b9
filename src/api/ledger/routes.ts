import { ledgerBalancesQuery, ledgerBalancesSchema } from '../../contract/ledger/ledger-balances.ts'
import {
  ledgerCsvQuery,
  ledgerLineSchema,
  ledgerOfxQuery,
  ledgerQuery,
} from '../../contract/ledger/ledger-line.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { createLedgerFiles, listLedgerLines, readLedgerBalances } from '../operations/ledger.ts'

/** Registers the routes of the ledger: an account's statement, page by page and as files, and its balances (SPEC §7). */
export const ledgerRoutes: RouteRegistrar = router => {
  const files = createLedgerFiles()

  registerRoute(router, 'get', '/api/v1/ledger', {
    operationId: 'listLedgerLines',
    scope: 'read',
    summary: 'List what changed the available balance, with the balance after each line',
    description:
      'Newest first. Each PIX is one line, in its whole value and with its `end_to_end`; fees, shares, holds, reversals and shortfalls have lines of their own.',
    query: ledgerQuery,
    responses: { 200: pageResponse(ledgerLineSchema) },
    handle: async ({ em, token, query }) => ({ body: await listLedgerLines(em, token, query) }),
  })

  registerRoute(router, 'get', '/api/v1/ledger/balances', {
    operationId: 'getLedgerBalances',
    scope: 'read',
    summary: 'Read the opening and closing balance of a period, and what its lines add and take, by provider',
    description: 'The opening balance and the lines add up to the closing balance.',
    query: ledgerBalancesQuery,
    responses: { 200: dataResponse(ledgerBalancesSchema) },
    handle: async ({ em, token, query }) => ({ body: { data: await readLedgerBalances(em, token, query) } }),
  })

  registerRoute(router, 'get', '/api/v1/ledger.csv', {
    operationId: 'exportLedgerCsv',
    scope: 'read',
    summary: 'Export the lines as CSV, the oldest first',
    description:
      'UTF-8 with a byte order mark, semicolons, CRLF. Amounts have their sign, times are those of `time_zone`. All lines of the filters are in one file.',
    query: ledgerCsvQuery,
    responses: { 200: 'text/csv' },
    handle: async request => ({ body: await files.openCsv(request), headers: downloadHeaders('csv') }),
  })

  registerRoute(router, 'get', '/api/v1/ledger.ofx', {
    operationId: 'exportLedgerOfx',
    scope: 'read',
    summary: 'Export the lines as OFX 1.02, the oldest first',
    description:
      'One statement per provider account, with its closing balance. `FITID` is the `line_uuid`, dates have no time. Orders that never left, and those of today that may still fail, are left out.',
    query: ledgerOfxQuery,
    responses: { 200: 'application/x-ofx' },
    handle: async request => ({ body: await files.openOfx(request), headers: downloadHeaders('ofx') }),
  })
}

function downloadHeaders(extension: string) {
  return {
    'Content-Disposition': `attachment; filename="ledger.${extension}"`,
    'Cache-Control': 'private, no-store',
  }
}
