import Sequencer from '@jest/test-sequencer'

/** How many seconds a suite takes that keeps a whole Trilho busy, however small its file is; and any other. */
const USUAL_SECONDS = { local: 15, browser: 40, api: 18 }
const DEFAULT_SECONDS = 4

/** Suites that mostly wait, for lives that last a minute or for programs that start, and how many seconds each takes. */
const WAITING_SECONDS = {
  'chaos/storm': 130,
  'local/restored-database': 80,
  'api/charges/received-payments': 65,
  'api/webhooks/delivery': 60,
  'api/charges/provider-fallback': 45,
  'api/transfers/scheduled-transfer': 45,
  'local/start': 40,
  'api/commands': 40,
  'api/transfers/provider-fallback': 35,
  'api/pause': 35,
}

/**
 * The longest begin first: nothing waits for one that began last. Two that mostly wait are kept apart, as far as can be
 * foretold for two at once, or the machine would rest while everything else is still to be done.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const longestFirst = super
      .sort(tests)
      .sort((one, other) => expectedSecondsOf(other) - expectedSecondsOf(one))
    const left = Map.groupBy(longestFirst, test => waitSecondsOf(test) !== undefined)
    const [waiting, working] = [left.get(true) ?? [], left.get(false) ?? []]
    const lanes = [
      { until: 0, waits: false },
      { until: 0, waits: false },
    ]
    return longestFirst.map(() => {
      const [next, beside] = lanes.sort((one, other) => one.until - other.until)
      const waits = working.length === 0 || (waiting.length > 0 && !beside.waits)
      const test = (waits ? waiting : working).shift()
      Object.assign(next, { until: next.until + secondsOf(test), waits })
      return test
    })
  }
}

/** Where no run before tells how long it takes, these do; what runs told is in order already. */
function expectedSecondsOf(test) {
  return test.duration === undefined ? usualSecondsOf(test) : 0
}

function secondsOf(test) {
  return test.duration === undefined ? usualSecondsOf(test) : test.duration / 1_000
}

function usualSecondsOf(test) {
  return waitSecondsOf(test) ?? USUAL_SECONDS[test.context.config.displayName?.name] ?? DEFAULT_SECONDS
}

function waitSecondsOf({ path }) {
  return WAITING_SECONDS[path.match(/\/test\/(.+)\.test\.ts$/)?.[1]]
}
