import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOKEN_SCOPES, type TokenScope } from '../../src/domain/tokens/token-scope.ts'
import { renderTable, replaceMadeTables } from './made-tables.ts'

/** The table of token scopes in docs/specification.md, made from `openapi.json`, whose operations list the scopes that allow them. */

const REASONS: Record<TokenScope, string> = {
  read: 'Allows every GET. Alone it allows the ledger and its reports, which concern all money of the account',
  charges: 'Includes PIX keys: they are where payers send the money of charges',
  transfers:
    'Includes providers and their order: the order decides from which balance money leaves, and a transfer needs to see balances',
  refunds: 'Includes disputes: a reply decides whether received money is returned',
  webhooks: 'Includes events: a webhook receives the same',
}

type Operation = { operationId: string; 'x-token-scopes'?: TokenScope[] }

/** Replaces the table between the markers of the page. */
export function updateScopeTable(page: string): string {
  return replaceMadeTables(page, { scopes: renderScopeTable() })
}

function renderScopeTable(): string {
  const operations = readOperations()
  const rows = TOKEN_SCOPES.map(scope => {
    const own = operations.filter(({ 'x-token-scopes': allowing }) => allowing?.at(-1) === scope)
    const changes = own.filter(({ 'x-token-scopes': allowing }) => scope !== 'read' && allowing?.length === 1)
    const reads = own.filter(operation => !changes.includes(operation))
    return [`\`${scope}\``, listNames(changes), listNames(reads), REASONS[scope]]
  })
  return renderTable(['scope', 'operations that change', 'operations that read', 'why'], rows)
}

function readOperations(): Operation[] {
  const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')
  const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(text)
  return Object.values(paths).flatMap(methods => Object.values(methods))
}

function listNames(operations: Operation[]): string {
  return operations.map(({ operationId }) => `\`${operationId}\``).join(', ') || '–'
}
