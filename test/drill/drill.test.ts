import { expect, test } from '@jest/globals'
import { runDrill } from './drill.ts'
import { FAULTS } from './faults.ts'

/** The most informative ones for their time; the whole table is `npm run drill -- faults`. */
const SHORT = ['worker-host-lost', 'read-only-postgres', 'expired-certificate']

test('money is correct and every account is served again after a lost host, a read-only database and an expired certificate', async () => {
  const faults = FAULTS.filter(({ name }) => SHORT.includes(name))
  const { rows, violations, pendingWork: unrest } = await runDrill({ faults, seconds: 6 })
  expect({ violations, unrest }).toEqual({ violations: [], unrest: {} })
  expect(rows.map(({ name, observation: seen }) => ({ name, serves: seen.recoveryMs !== null }))).toEqual(
    SHORT.map(name => ({ name, serves: true })),
  )
}, 900_000)
