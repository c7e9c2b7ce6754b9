import Sequencer from '@jest/test-sequencer'

/** What keeps a whole Trilho busy takes longest, however small its file is. */
const LONGEST = ['storm', 'local', 'browser', 'api']

/** Where no run before tells how long a suite takes, the longest still begin first: nothing waits for one that began last. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ duration, context }) {
  const rank = LONGEST.indexOf(context.config.displayName?.name)
  return duration !== undefined || rank === -1 ? LONGEST.length : rank
}
