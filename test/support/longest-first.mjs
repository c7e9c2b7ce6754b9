import Sequencer from '@jest/test-sequencer'

/** Expected seconds of a suite that keeps a whole Trilho busy, however small its file is; and of any other. */
const USUAL_SECONDS = { local: 15, browser: 40, api: 18 }
const DEFAULT_SECONDS = 4

/** The same of single suites that take much longer than others of their project. */
const LONG_SECONDS = {
  'drill/drill': 95,
  'api/payouts/undocumented-answers': 77,
  'browser/dashboard-jobs': 66,
  'browser/dashboard': 63,
  'timed/outage': 62,
  'local/startup': 61,
  'timed/lost-providers': 60,
  'api/webhooks/listen': 58,
  'workflows/shared/worker-builds': 51,
  'browser/documentation': 47,
  'timed/lost-database': 45,
  'browser/dashboard-safety': 45,
  'api/schemathesis': 45,
  'replay/replay': 45,
  'http/dashboard/accessibility': 44,
  'api/disputes/dispute-money': 38,
  'api/refunds/refund': 36,
  'timed/frozen-database': 35,
  'timed/request-deadline': 32,
  'chaos/killed-worker': 32,
  'chaos/first-attempt': 25,
  'http/dashboard/users-story': 25,
  'http/server/api-processes': 23,
  'http/requests/multipart': 19,
  'browser/dashboard-resources': 19,
  'http/providers/provider-watch': 18,
  'api/python-sdk': 17,
  'workflows/shared/local-activities': 16,
  'local/commands': 15,
  'http/dashboard/sign-in': 13,
  'architecture/architecture': 13,
  'workflows/transfers/transfer': 12,
  'chaos/regressions/refunds': 11,
  'api/transfers/transfer': 11,
}

/** Suites that mostly wait, for minutes of workflow time or for programs that start, with their expected seconds. */
const WAITING_SECONDS = {
  'local/restored-database': 170,
  'chaos/storm': 132,
  'api/charges/received-payments': 64,
  'docs/commands': 60,
  'api/transfers/scheduled-transfer': 50,
  'api/transfers/provider-fallback': 47,
  'api/webhooks/delivery': 45,
  'api/charges/provider-fallback': 44,
  'api/commands': 40,
  'api/pause': 31,
  'local/start': 19,
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
