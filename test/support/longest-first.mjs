import Sequencer from '@jest/test-sequencer'

/** Expected seconds of a suite that keeps a whole Trilho busy, however small its file is; and of any other. */
const USUAL_SECONDS = { local: 15, browser: 40, api: 18, workflows: 20 }
const DEFAULT_SECONDS = 4

/** The same of single suites that take much longer than others of their project, with two cores to themselves. */
const LONG_SECONDS = {
  'local/restored-database': 170,
  'chaos/storm': 110,
  'odd-bank/odd-bank': 80,
  'api/payouts/undocumented-answers': 77,
  'api/refunds/refund': 70,
  'browser/dashboard-jobs': 66,
  'api/charges/received-payments': 64,
  'browser/dashboard': 63,
  'timed/outage': 62,
  'timed/lost-providers': 60,
  'docs/commands': 60,
  'local/startup': 60,
  'api/webhooks/listen': 58,
  'workflows/shared/worker-builds': 51,
  'api/transfers/scheduled-transfer': 50,
  'api/transfers/provider-fallback': 47,
  'browser/documentation': 47,
  'api/webhooks/delivery': 45,
  'timed/lost-database': 45,
  'browser/dashboard-safety': 45,
  'api/schemathesis': 45,
  'replay/replay': 45,
  'api/charges/provider-fallback': 44,
  'pages/accessibility': 44,
  'api/commands': 40,
  'workflows/shared/timed-out-tasks': 40,
  'docs/generated-clients': 40,
  'api/disputes/dispute-money': 38,
  'api/transfers/transfer': 38,
  'http/providers/one-account': 35,
  'http/dashboard/form-authors': 35,
  'timed/frozen-database': 35,
  'timed/request-deadline': 32,
  'chaos/killed-worker': 32,
  'api/pause': 31,
  'api/code-samples': 30,
  'docs/jest-commands': 25,
  'pages/users-story': 25,
  'chaos/first-attempt': 25,
  'chaos/regressions/failing-workflows': 25,
  'chaos/regressions/overlapping-refunds': 25,
  'api/python-sdk': 25,
  'providers/woovi/answers': 25,
  'http/ledger/statement': 23,
  'http/server/api-processes': 23,
  'docs/new-dialect': 20,
  'http/requests/multipart': 19,
  'browser/dashboard-resources': 19,
  'local/start': 19,
  'http/providers/provider-watch': 18,
  'local/commands': 15,
  'http/webhooks/delivery-attempts': 13,
  'http/dashboard/sign-in': 13,
  'architecture/architecture': 13,
  'chaos/regressions/refunds': 11,
  'chaos/regressions/transfers': 11,
}

/** The longest start first, so that none that started last delays the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => expectedSecondsOf(other) - expectedSecondsOf(one))
  }
}

/** Without the duration of an earlier run these apply; measured durations are in order already. */
function expectedSecondsOf(test) {
  return test.duration === undefined ? usualSecondsOf(test) : 0
}

function usualSecondsOf({ path, context }) {
  const name = path.match(/\/test\/(.+)\.test\.ts$/)?.[1]
  return LONG_SECONDS[name] ?? USUAL_SECONDS[context.config.displayName?.name] ?? DEFAULT_SECONDS
}
