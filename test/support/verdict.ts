import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** How many tests passed, failed and were skipped; a suite that could not run counts as a failure. */
export type Verdict = Record<'passed' | 'failed' | 'skipped', number> & {
  /** A text for each failure: its suite, its test and the first lines of its message. */
  failures: string[]
}

export const EMPTY_VERDICT: Verdict = { passed: 0, failed: 0, skipped: 0, failures: [] }

const MAX_FAILURES = 20
const MAX_MESSAGE_LINES = 12

/**
 * Prints the failures and then the line that a gate reads: `N passed, N failed`. A log of which only the end is kept
 * shows both.
 */
export function printVerdict({ passed, failed, skipped, failures }: Verdict): void {
  const shown = failures.slice(0, MAX_FAILURES)
  if (failures.length > shown.length) shown.push(`and ${failures.length - shown.length} more`)
  const list = shown.length > 0 ? `\nFailed:\n${shown.join('\n')}\n` : ''
  process.stdout.write(
    `${list}\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`,
  )
}

/** The part of jest's results that the verdict needs. */
type JestResults = Record<
  'numPassedTests' | 'numPendingTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites',
  number
> & { testResults: SuiteResult[] }
type SuiteResult = {
  testFilePath: string
  /** Why the suite could not run. */
  testExecError?: { message?: string; stack?: string | null }
  testResults: { status: string; fullName: string; failureMessages: string[] }[]
}

/** Prints the verdict at the end, or sends it to test/all.ts, which started this jest. */
export default class VerdictReporter {
  onRunComplete(_contexts: unknown, results: JestResults): void {
    const { numPassedTests: passed, numPendingTests: skipped } = results
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const verdict = { passed, failed, skipped, failures: results.testResults.flatMap(describeFailures) }
    // Jest's own summary comes after all reporters, and the gate reads the last line.
    if (process.send) process.send(verdict)
    else process.once('exit', () => printVerdict(verdict))
  }
}

function describeFailures({ testFilePath, testExecError, testResults }: SuiteResult): string[] {
  const file = relative(process.cwd(), testFilePath)
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => describeFailure(`${file} › ${fullName}`, failureMessages[0]))
  if (testExecError) failures.unshift(describeFailure(file, testExecError.stack || testExecError.message))
  return failures
}

function describeFailure(name: string, message = ''): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter(line => line.trim() !== '' && !/^\s+at /.test(line))
  return [`- ${name}`, ...lines.slice(0, MAX_MESSAGE_LINES).map(line => `    ${line}`)].join('\n')
}
