import { expect, test } from '@jest/globals'
import type { FinalState } from './final-state.ts'
import {
  assignTo,
  findBrokenRules,
  findByUuid,
  firstOf,
  type PlantedViolation,
  removeWhere,
} from './support/planted-violations.ts'

/** Tests the checker: it names every planted violation. Here of statements, modes and accounts that are shared. */

const rowsOf = ({ statements }: FinalState, account = 'shop') =>
  statements.find(one => one.account === account && one.mode === 'test')!.rows
const rowOf = (world: FinalState, endToEnd: string) => rowsOf(world).find(row => row.endToEnd === endToEnd)!

/** Changes a row and all balances after it. */
function addTo(world: FinalState, endToEnd: string, cents: number): void {
  const rows = rowsOf(world)
  const place = rows.findIndex(row => row.endToEnd === endToEnd)
  assignTo(rows[place]!, { cents: rows[place]!.cents + cents })
  for (const row of rows.slice(place)) assignTo(row, { balanceCents: row.balanceCents + cents })
}

test.each<PlantedViolation>([
  [
    'a PIX of the bank that is on no statement',
    ['bank_line_unmatched', 'statement_end_differs'],
    world => removeWhere(rowsOf(world), row => row.endToEnd === 'E3'),
  ],
  [
    'a row of a statement that the bank does not list',
    ['statement_row_unmatched'],
    world => rowsOf(world).push({ ...rowsOf(world).at(-1)!, cents: 0, endToEnd: 'E9' }),
  ],
  [
    'a PIX that is on a statement twice',
    ['statement_row_unmatched', 'statement_balance_differs'],
    world => rowsOf(world).push(rowOf(world, 'E3')),
  ],
  [
    'a row of another value than the bank\u2019s',
    ['bank_line_unmatched', 'statement_row_unmatched', 'statement_end_differs'],
    world => addTo(world, 'E3', 1),
  ],
  [
    'a row of the other direction',
    ['bank_line_unmatched', 'statement_row_unmatched', 'statement_end_differs'],
    world => addTo(world, 'D2', -400),
  ],
  [
    'a PIX without its end-to-end id',
    ['bank_line_unmatched', 'statement_row_unmatched'],
    world => assignTo(rowOf(world, 'E2'), { endToEnd: '' }),
  ],
  [
    'an end-to-end id on a row that is no PIX',
    ['statement_row_unmatched'],
    world => assignTo(rowsOf(world).find(({ type }) => type === 'FEE')!, { endToEnd: 'E1' }),
  ],
  [
    'a PIX that left, on a row of an order that never left',
    ['bank_line_unmatched'],
    world => assignTo(rowOf(world, 'E2'), { status: 'FAILED' }),
  ],
  [
    'an account that has spent more than its own',
    ['spent_more_than_own', 'statement_end_differs'],
    world => {
      for (const row of rowsOf(world, 'friend')) assignTo(row, { balanceCents: row.balanceCents - 310 })
      assignTo(firstOf(rowsOf(world, 'friend')), { cents: -10 })
    },
  ],
  [
    'a PIX on the statement of another account than its operation\u2019s',
    ['line_of_other_account', 'spent_more_than_own', 'statement_end_differs'],
    world => {
      const [row] = rowsOf(world).splice(rowsOf(world).length - 3, 1)
      const friend = rowsOf(world, 'friend')
      friend.push({ ...row!, balanceCents: friend.at(-1)!.balanceCents + row!.cents })
      for (const one of rowsOf(world).slice(-2))
        assignTo(one, { balanceCents: one.balanceCents - row!.cents })
    },
  ],
  [
    'more available than the bank has',
    ['available_above_bank', 'provider_differs'],
    ({ buckets }) => buckets.push({ ...firstOf(buckets), cents: 11, foldCents: 11 }),
  ],
  [
    'a charge that is attempted in the other mode',
    ['moved_in_other_mode', 'charge_not_at_provider'],
    ({ attempts }) => assignTo(findByUuid(attempts, 'attempt-1'), { providerAccount: 'p-live' }),
  ],
  [
    'a transfer of the other mode than its money',
    ['moved_in_other_mode', 'created_in_other_mode', 'announced_in_other_mode', 'not_sent'],
    ({ transfers, events }) => {
      assignTo(firstOf(transfers), { mode: 'live' })
      for (const event of events.filter(one => one.subject === 'transfer-1'))
        assignTo(event, { mode: 'live' })
    },
  ],
  [
    'money of one mode on the statement of the other',
    ['shown_in_other_mode'],
    ({ statements }) => {
      const live = statements.find(({ mode }) => mode === 'live')!
      live.rows.push(...statements.find(({ account }) => account === 'friend')!.rows.splice(0))
      assignTo(live, { account: 'friend' })
    },
  ],
  [
    'an operation that the other mode\u2019s token reads',
    ['readable_in_other_mode'],
    ({ readableInOtherMode }) => readableInOtherMode.push('charge-1'),
  ],
])('the checker finds %s', (_, rules, plant) => {
  expect(findBrokenRules(plant)).toEqual(rules.toSorted())
})
