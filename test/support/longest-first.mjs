import Sequencer from '@jest/test-sequencer'

/** Expected seconds of a suite that keeps a whole Trilho busy, however small its file is; and of any other. */
const USUAL_SECONDS = { local: 15, browser: 40, api: 18 }
const DEFAULT_SECONDS = 4

/** The same of single suites that take much longer than others of their project. */
const LONG_SECONDS = {
  'drill/drill': 110,
  'api/payouts/undocumented-answers': 70,
  'browser/dashboard': 70,
  'timed/lost-database': 68,
  'timed/outage': 68,
  'browser/documentation': 65,
  'timed/lost-providers': 65,
  'local/startup': 60,
  'workflows/shared/worker-builds': 55,
  'browser/dashboard-safety': 50,
  'api/schemathesis': 45,
  'api/refunds/refund': 40,
  'timed/frozen-database': 36,
  'api/webhooks/listen': 34,
  'timed/request-deadline': 32,
  'chaos/regressions/restored-states': 30,
  'api/disputes/dispute-money': 28,
  'docs/documents': 28,
  'api/transfers/transfer': 26,
  'browser/dashboard-jobs': 26,
  'chaos/regressions/credentials': 26,
  'providers/woovi/answers': 24,
  'architecture/architecture': 23,
  'workflows/transfers/transfer': 23,
  'http/server/api-processes': 22,
  'chaos/regressions/returns': 20,
  'api/python-sdk': 19,
  'architecture/circles': 19,
  'browser/dashboard-resources': 18,
  'replay/replay': 18,
}

/** Suites that mostly wait, for minutes of workflow time or for programs that start, with their expected seconds. */
const WAITING_SECONDS = {
  'chaos/storm': 160,
  'docs/commands': 100,
  'local/restored-database': 120,
  'api/transfers/scheduled-transfer': 75,
  'api/charges/received-payments': 65,
  'api/webhooks/delivery': 50,
  'api/charges/provider-fallback': 46,
  'api/transfers/provider-fallback': 46,
  'api/commands': 40,
  'api/pause': 32,
  'local/start': 18,
}

/**
 * The longest start first, so that none that started last delays the end. Two that mostly wait are kept apart, as far
 * as can be predicted for two workers, or the machine would idle while everything else is still to be done.
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

/** Without the duration of an earlier run these apply; measured durations are in order already. */
function expectedSecondsOf(test) {
  return test.duration === undefined ? usualSecondsOf(test) : 0
}

function secondsOf(test) {
  return test.duration === undefined ? usualSecondsOf(test) : test.duration / 1_000
}

function usualSecondsOf(test) {
  return (
    waitSecondsOf(test) ??
    LONG_SECONDS[nameOf(test)] ??
    USUAL_SECONDS[test.context.config.displayName?.name] ??
    DEFAULT_SECONDS
  )
}

function waitSecondsOf(test) {
  return WAITING_SECONDS[nameOf(test)]
}

function nameOf({ path }) {
  return path.match(/\/test\/(.+)\.test\.ts$/)?.[1]
}
