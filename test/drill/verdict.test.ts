import { expect, test } from '@jest/globals'
import { formatTable } from './report.ts'
import {
  type Expectation,
  findMissedTargets,
  measureSlowness,
  type Observation,
  scaleTargets,
} from './verdict.ts'

const CLEAN: Observation = {
  isEffective: true,
  answers: [
    { method: 'GET', path: '/api/v1/payments', status: 200, ms: 40 },
    { method: 'POST', path: '/api/v1/payments', status: 503, ms: 5_100 },
  ],
  lines: [
    { message: 'request', status: 503, code: 'unavailable', cause: 'database_timeout' },
    { message: 'a provider call failed', code: 'ECONNRESET', ms: 12 },
  ],
  firedAlerts: ['DatabaseDown'],
  recoveryMs: 2_000,
  slowestTransferMs: 4_000,
}

const IDLE_LIMITS = scaleTargets(measureSlowness(CLEAN))

test('a row that meets every target passes', () => {
  const expectation = {
    failsProviderCalls: true,
    operationMs: 30_000,
    unavailableShare: 0.5,
    firesAlerts: ['DatabaseDown'],
  }
  expect(findMissedTargets(expectation, CLEAN, IDLE_LIMITS)).toEqual([])
})

const get = { method: 'GET', path: '/api/v1/payments', status: 200 }
const post = { method: 'POST', path: '/api/v1/payments', status: 503 }
test.each<[name: string, expectation: Expectation, seen: Partial<Observation>, failure: RegExp]>([
  ['a fault without an effect', {}, { isEffective: false }, /nothing was injected/],
  ['a 503 that no line mentions', {}, { lines: [] }, /1 answers 503 without/],
  ['a late 503', {}, { answers: [{ ...post, ms: 5_300 }] }, /a 503 after 5\.3 s/],
  ['a slow read', {}, { answers: [{ ...get, ms: 1_100 }] }, /a read after 1\.1 s/],
  [
    'a 503 without a cause',
    {},
    { lines: [{ message: '', status: 503, code: 'unavailable' }] },
    /without a code and a cause/,
  ],
  ['a failed call without a line', { failsProviderCalls: true }, { answers: [], lines: [] }, /no log line/],
  [
    'too many requests not served',
    { unavailableShare: 0.05 },
    { answers: [{ ...get, status: null, ms: 1 }] },
    /100\.0 % of the requests/,
  ],
  ['a slow transfer', { operationMs: 30_000 }, { slowestTransferMs: 31_000 }, /a transfer took 31\.0 s/],
  ['no recovery', {}, { recoveryMs: null }, /not all accounts serve again/],
  ['a late recovery', {}, { recoveryMs: 31_000 }, /all accounts serve after 31\.0 s/],
  ['an alert that does not fire', { firesAlerts: ['NoWorkers'] }, {}, /did not ring: NoWorkers/],
])('%s fails the row', (_, expectation, seen, failure) => {
  expect(findMissedTargets(expectation, { ...CLEAN, ...seen }, IDLE_LIMITS)).toEqual([
    expect.stringMatching(failure),
  ])
})

test('every response may be late where a row says why its callers are slow', () => {
  const late = [
    { ...get, ms: 3_000 },
    { ...post, ms: 9_000 },
  ]
  const seen = { ...CLEAN, answers: late }
  expect(
    findMissedTargets({ callersMayBeSlow: 'other processes take the machine' }, seen, IDLE_LIMITS),
  ).toEqual([])
  expect(findMissedTargets({}, seen, IDLE_LIMITS)).toHaveLength(2)
})

test('reads may be slow where a row says why', () => {
  const seen = { ...CLEAN, answers: [{ ...get, ms: 3_000 }] }
  expect(findMissedTargets({ readsMayBeSlow: 'the API is stopped' }, seen, IDLE_LIMITS)).toEqual([])
})

/** The limits of a machine whose worst read and whose serving took so long without a fault. */
const limitsOf = (readMs: number, recoveryMs: number | null) =>
  scaleTargets(measureSlowness({ answers: [{ ...get, ms: readMs }], recoveryMs }))
const slowRow: Partial<Observation> = {
  answers: [
    { ...get, ms: 1_900 },
    { ...post, ms: 5_300 },
  ],
  recoveryMs: 50_000,
  slowestTransferMs: 45_000,
}

test.each<[name: string, readMs: number, recoveryMs: number | null, failures: RegExp[]]>([
  ['an idle machine', 40, 1_800, [/a 503/, /a read/, /a transfer/, /all accounts/]],
  ['a machine that reads half as fast', 400, 1_800, [/a transfer/, /all accounts/]],
  ['a machine that serves half as fast', 40, 4_000, [/a 503/, /a read/]],
  ['a machine that does both half as fast', 400, 4_000, []],
  ['a machine that did not serve undisturbed', 400, null, []],
])('the times of a row are judged by those of %s without a fault', (_, readMs, recoveryMs, failures) => {
  const found = findMissedTargets(
    { operationMs: 30_000 },
    { ...CLEAN, ...slowRow },
    limitsOf(readMs, recoveryMs),
  )
  expect(found).toEqual(failures.map(failure => expect.stringMatching(failure)))
})

test('limits are whole milliseconds; on a very slow machine they are threefold, and what the fault itself costs still fails', () => {
  expect(limitsOf(311.117, 2_000)).toEqual({ unavailableMs: 5_311, readMs: 1_556, serving: 1 })
  expect(limitsOf(20_000, 100_000)).toEqual({ unavailableMs: 5_600, readMs: 3_000, serving: 3 })
  const seen = { ...CLEAN, answers: [{ ...get, ms: 3_100 }], recoveryMs: 91_000 }
  expect(findMissedTargets({}, seen, limitsOf(20_000, null))).toEqual([
    expect.stringMatching(/a read/),
    expect.stringMatching(/all accounts/),
  ])
  expect(
    findMissedTargets(
      { unavailableShare: 0.05 },
      { ...CLEAN, answers: [{ ...get, status: null, ms: 1 }] },
      limitsOf(20_000, null),
    ),
  ).toHaveLength(1)
})

test('the table shows each time beside that of the undisturbed stack', () => {
  const undisturbed = { ...CLEAN, answers: [{ ...get, ms: 400 }], recoveryMs: 4_000 }
  const row = { ...CLEAN, answers: [{ ...get, ms: 1_000 }], recoveryMs: 6_000 }
  const lines = formatTable({
    undisturbed,
    rows: [{ name: 'kill-api', observation: row, failures: [] }],
  }).split('\n')
  expect(lines.slice(2)).toEqual([
    '| `undisturbed` | 0.4 s | 1.0 | – | 0 % | 4.0 s | 1.0 | DatabaseDown | 2.0 and 2.0 times as slow as two idle cores |',
    '| `kill-api` | 1.0 s | 2.5 | – | 0 % | 6.0 s | 1.5 | DatabaseDown | holds |',
  ])
})
