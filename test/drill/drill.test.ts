import { afterAll, expect, test } from '@jest/globals'
import { type DrillResult, runDrill } from './drill.ts'
import { FAULTS } from './faults.ts'

/** The most informative ones for their time; the whole table is `npm run drill -- faults`. */
const SHORT = ['worker-host-lost', 'read-only-postgres', 'expired-certificate']

/** Jest reports a test that exceeds its time limit and leaves what it has started. */
const ending = new AbortController()
let drill: Promise<DrillResult> | undefined
afterAll(async () => {
  ending.abort()
  await drill?.catch(() => {})
})

test('money is correct and every account is served again after a lost host, a read-only database and an expired certificate', async () => {
  const faults = FAULTS.filter(({ name }) => SHORT.includes(name))
  drill = runDrill({ faults, seconds: 6, undisturbedSeconds: 6, signal: ending.signal })
  const { rows, violations, pendingWork: unrest } = await drill
  expect({ violations, unrest }).toEqual({ violations: [], unrest: {} })
  expect(rows.map(({ name, observation: seen }) => ({ name, serves: seen.recoveryMs !== null }))).toEqual(
    SHORT.map(name => ({ name, serves: true })),
  )
})
