/** How many tests passed, failed and were skipped; a suite that could not run counts as a failure. */
export type Verdict = { passed: number; failed: number; skipped: number }

/** The one line that a gate can read: `N passed, N failed`. */
export function printVerdict({ passed, failed, skipped }: Verdict): void {
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`)
}

/** What jest tells its reporters in the end, as far as it is looked at. */
type JestResults = Record<
  'numPassedTests' | 'numPendingTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites',
  number
>

/** Says the verdict at the end, or tells it to test/all.ts, of whose runs this jest is one. */
export default class VerdictReporter {
  onRunComplete(_contexts: unknown, results: JestResults): void {
    const { numPassedTests: passed, numPendingTests: skipped } = results
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const verdict = { passed, failed, skipped }
    // Jest's own summary comes after all reporters, and the gate reads the last line.
    if (process.send) process.send(verdict)
    else process.once('exit', () => printVerdict(verdict))
  }
}
