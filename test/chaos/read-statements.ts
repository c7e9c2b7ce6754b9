import { runInBatches } from './batches.ts'
import type { AccountStatement, StatementRow } from './final-state.ts'
import { getText } from './merchant-requests.ts'
import type { Participants, StatementToken } from './participants.ts'
import type { StackClients } from './stack-clients.ts'

/** Reads the exported statement of every merchant and recipient, in each mode. */
export async function readStatements(
  { nextApiUrl: api, sql }: StackClients,
  cast: Participants,
): Promise<AccountStatement[]> {
  const connections = await sql<{ uuid: string; name: string }>(
    'select c.uuid, p.name from connection c join provider_account p on p.uuid = c.provider_account_uuid',
  )
  const providerAccounts = new Map(connections.map(({ uuid, name }) => [uuid, name]))
  return runInBatches(listStatementTokens(cast), async ({ account, mode, token }) => {
    const csv = await getText(api, { path: '/api/v1/ledger.csv', token })
    return { account, mode, rows: parseRows(csv, providerAccounts) }
  })
}

function listStatementTokens({ merchants, recipients }: Participants): StatementToken[] {
  return [
    ...merchants.map(({ uuid, mode, token }) => ({ account: uuid, mode, token })),
    ...recipients.flatMap(recipient => recipient.tokens),
  ]
}

/** Fields whose values are names, numbers and ids, so that no value before them contains a separator. */
function parseRows(csv: string, providerAccounts: Map<string, string>): StatementRow[] {
  const [header, ...rows] = csv
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
  const columns = header!.split(';')
  const placeOf = (name: string) => columns.indexOf(name)
  return rows.map(row => {
    const fields = row.split(';')
    if (fields.length !== columns.length) throw new Error(`row of another shape: ${row}`)
    const fieldOf = (name: string) => fields[placeOf(name)]!
    return {
      providerAccount: providerAccounts.get(fieldOf('provider_uuid'))!,
      type: fieldOf('type'),
      status: fieldOf('status'),
      endToEnd: fieldOf('end_to_end'),
      cents: toCents(fieldOf('value')),
      balanceCents: toCents(fieldOf('balance_after')),
      operation: fieldOf('operation_uuid'),
    }
  })
}

function toCents(reais: string): number {
  return Math.round(Number(reais) * 100)
}
