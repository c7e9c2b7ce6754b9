/**
 * Prints the one line that a gate can read: `N passed, N failed`, or tells it to test/all.ts, whose half this jest is. A
 * suite that could not run counts as a failure.
 */
export default class Verdict {
  onRunComplete(_contexts, results) {
    const { numPassedTests: passed, numPendingTests: skipped } = results
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    if (process.send) return void process.send({ passed, failed, skipped })
    // Jest's own summary comes after all reporters, and the gate reads the last line.
    process.once('exit', () => {
      process.stdout.write(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`)
    })
  }
}
