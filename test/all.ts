import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { printVerdict, type Verdict } from './support/verdict.ts'

/**
 * `npm test`: first all suites without time limits, with as many workers as the machine carries, then those that
 * measure durations, then a short drill, each alone on the machine. Ends with the verdict of all runs
 * (support/verdict.ts).
 */

const ROOT = join(import.meta.dirname, '..')
/** Our programs that suites start by the hundred are stripped of their types and compiled once. */
const COMPILE_CACHE_ENV = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/trilho/compiled') }
/** V8's compilation cache would hold every suite's modules, and all that they reference, until its process ends. */
const NO_COMPILATION_CACHE = '--no-compilation-cache'
/**
 * A suite takes most of a core, with the processes it starts; more than four would only wait for the stack they share.
 * Three on two cores end a minute or two sooner, but then a loaded machine answers some requests too late.
 */
const MAX_WORKERS = Math.min(4, Math.max(2, availableParallelism() - 1))
const JEST_RUNS = [
  ['--ignoreProjects', 'timed', 'drill', `--maxWorkers=${MAX_WORKERS}`],
  ['--selectProjects', 'timed', '--maxWorkers=2'],
  ['--selectProjects', 'drill', '--maxWorkers=1'],
]

let jest: ChildProcess | undefined
let isAborted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isAborted = true
    jest?.kill(signal) // A signal from a terminal reaches the whole process group; any other must be passed on.
  })

const verdicts: Verdict[] = []
for (const run of JEST_RUNS) if (!isAborted) verdicts.push(await runJest(run))
const sum = (name: keyof Verdict) => verdicts.reduce((all, verdict) => all + verdict[name], 0)
const all: Verdict = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
printVerdict(all)
process.exitCode = all.failed > 0 || all.passed === 0 ? 1 : 0

/** Runs jest once; an exit without a verdict, or against it, counts as a failure too. */
async function runJest(run: string[]): Promise<Verdict> {
  jest = fork(
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    [...run, '--ci', '--passWithNoTests', ...process.argv.slice(2)],
    {
      env: { ...process.env, ...COMPILE_CACHE_ENV },
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', NO_COMPILATION_CACHE],
    },
  )
  let verdict: Verdict = { passed: 0, failed: 0, skipped: 0 }
  jest.on('message', (received: Verdict) => {
    verdict = received
  })
  const [code] = await once(jest, 'exit')
  return code === 0 || verdict.failed > 0 ? verdict : { ...verdict, failed: 1 }
}
