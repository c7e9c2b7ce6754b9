/** Prints the one line that a gate can read: `N passed, N failed`. A suite that could not run counts as a failure. */
export default class Verdict {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const skipped = results.numPendingTests ? `, ${results.numPendingTests} skipped` : ''
    // Jest's own summary comes after all reporters, and the gate reads the last line.
    process.once('exit', () => {
      process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${skipped}\n`)
    })
  }
}
