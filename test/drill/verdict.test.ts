import { expect, test } from '@jest/globals'
import { type Expectation, findMissedTargets, type Observation } from './verdict.ts'

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

test('a row that meets every target passes', () => {
  const expectation = {
    failsProviderCalls: true,
    operationMs: 30_000,
    unavailableShare: 0.5,
    firesAlerts: ['DatabaseDown'],
  }
  expect(findMissedTargets(expectation, CLEAN)).toEqual([])
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
  expect(findMissedTargets(expectation, { ...CLEAN, ...seen })).toEqual([expect.stringMatching(failure)])
})

test('reads may be slow where a row says why', () => {
  const seen = { ...CLEAN, answers: [{ ...get, ms: 3_000 }] }
  expect(findMissedTargets({ readsMayBeSlow: 'the API is stopped' }, seen)).toEqual([])
})
