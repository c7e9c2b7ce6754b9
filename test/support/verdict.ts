/** How many tests passed, failed and were skipped; a suite that could not run counts as a failure. */
export type Verdict = { passed: number; failed: number; skipped: number }

/** The line that a gate reads: `N passed, N failed`. */
export function printVerdict({ passed, failed, skipped }: Verdict): void {
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`)
}

/** The part of jest's results that the verdict needs. */
type JestResults = Record<
  'numPassedTests' | 'numPendingTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites',
  number
>

/** Prints the verdict at the end, or sends it to test/all.ts, which started this jest. */
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
