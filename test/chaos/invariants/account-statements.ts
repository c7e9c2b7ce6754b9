import { countByName } from '../count-by-name.ts'
import type { FinalState, StatementRow, Violation } from '../final-state.ts'
import { INCOMING_KINDS } from './statement.ts'
import { violationIf } from './violations.ts'

/** SPEC §7: the exported statements of all accounts are the banks' lists, and their balances are the ledger's. */
export function checkAccountStatements(world: FinalState): Violation[] {
  return [...findUnmatchedLines(world), ...findBalanceDifferences(world)]
}

/** Matches each PIX of each bank with the lines of all accounts there, by end-to-end id and signed value, both ways. */
function findUnmatchedLines({ lines, statements }: FinalState): Violation[] {
  const listed = countByName(
    lines
      .filter(line => line.endToEnd !== null)
      .map(({ providerAccount, endToEnd, kind, cents }) =>
        nameLine({ providerAccount, endToEnd: endToEnd!, cents: INCOMING_KINDS.has(kind) ? cents : -cents }),
      ),
  )
  const exported = countByName(statements.flatMap(({ rows }) => rows.filter(isMovedPix).map(nameLine)))
  return [...new Set([...Object.keys(listed), ...Object.keys(exported)])].flatMap(line => {
    const [theirs, ours] = [listed[line] ?? 0, exported[line] ?? 0]
    const detail = `${theirs} in the bank's list, ${ours} in statements`
    return [
      ...violationIf(theirs > ours, 'bank_line_unmatched', line, detail),
      ...violationIf(ours > theirs, 'statement_row_unmatched', line, detail),
    ]
  })
}

/** The types of the rows that are a PIX. */
export const PIX_TYPES: ReadonlySet<string> = new Set(['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND'])

/** FAILED: an order that never left. A row of another type has no end-to-end id, so that one is a difference too. */
function isMovedPix({ type, status, endToEnd }: StatementRow): boolean {
  return status !== 'FAILED' && (PIX_TYPES.has(type) || endToEnd !== '')
}

function nameLine({
  providerAccount,
  endToEnd,
  cents,
}: Pick<StatementRow, 'providerAccount' | 'endToEnd' | 'cents'>): string {
  return `${providerAccount} ${endToEnd} ${cents}`
}

/** Each row adds to the balance before it, none spends more than there is, and the last one has the ledger's balance. */
function findBalanceDifferences({ statements, buckets }: FinalState): Violation[] {
  return statements.flatMap(({ account, rows }) => {
    const ofProviderAccount = Map.groupBy(rows, row => row.providerAccount)
    return [...ofProviderAccount].flatMap(([providerAccount, own]) => {
      const where = `${account} ${providerAccount}`
      const held = buckets.find(
        one =>
          one.account === account && one.providerAccount === providerAccount && one.bucket === 'available',
      )
      const lastCents = own.at(-1)!.balanceCents
      return [
        ...own.flatMap(({ cents, balanceCents }, place) => {
          const expectedCents = (own[place - 1]?.balanceCents ?? 0) + cents
          return [
            ...violationIf(
              balanceCents !== expectedCents,
              'statement_balance_differs',
              where,
              `row ${place} has ${balanceCents}, and adds up to ${expectedCents}`,
            ),
            ...violationIf(balanceCents < 0, 'spent_more_than_own', where, `row ${place}: ${balanceCents}`),
          ]
        }),
        ...violationIf(
          lastCents !== (held?.cents ?? 0),
          'statement_end_differs',
          where,
          `${lastCents}, the ledger has ${held?.cents ?? 0}`,
        ),
      ]
    })
  })
}
