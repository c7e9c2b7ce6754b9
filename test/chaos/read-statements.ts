import { runInBatches } from './batches.ts'
import type { AccountStatement, StatementRow } from './final-state.ts'
import { PIX_TYPES } from './invariants/account-statements.ts'
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
  const named = await sql<{ uuid: string; name: string }>(
    `select uuid, end_to_end as name from movement where end_to_end like '%/%'`,
  )
  const pixNames = new Map(named.map(({ uuid, name }) => [uuid, name]))
  return runInBatches(listStatementTokens(cast), async ({ account, mode, token }) => {
    const csv = await getText(api, { path: '/api/v1/ledger.csv', token })
    return { account, mode, rows: parseRows(csv, { providerAccounts, pixNames }) }
  })
}

function listStatementTokens({ merchants, recipients }: Participants): StatementToken[] {
  return [
    ...merchants.map(({ uuid, mode, token }) => ({ account: uuid, mode, token })),
    ...recipients.flatMap(recipient => recipient.tokens),
  ]
}

type RowNames = {
  /** Names of the provider accounts, by connection. */
  providerAccounts: Map<string, string>
  /** The providers' own names of PIX whose end-to-end ids they do not report, by movement: no statement shows them. */
  pixNames: Map<string, string>
}

/** Fields whose values are names, numbers and ids, so that no value before them contains a separator. */
function parseRows(csv: string, { providerAccounts, pixNames }: RowNames): StatementRow[] {
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
    const type = fieldOf('type')
    const pixName = PIX_TYPES.has(type) ? pixNames.get(fieldOf('uuid')) : undefined
    return {
      providerAccount: providerAccounts.get(fieldOf('provider_uuid'))!,
      type,
      status: fieldOf('status'),
      endToEnd: fieldOf('end_to_end') || (pixName ?? ''),
      cents: toCents(fieldOf('value')),
      balanceCents: toCents(fieldOf('balance_after')),
      operation: fieldOf('operation_uuid'),
    }
  })
}

function toCents(reais: string): number {
  return Math.round(Number(reais) * 100)
}
