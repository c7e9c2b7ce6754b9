import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { EMPTY_VERDICT, printVerdict, type Verdict } from './support/verdict.ts'

/**
 * `npm test`: first the suites without time limits, in two concurrent runs that end at about the same time, so that no
 * core is idle; then those that measure durations, which mostly wait, with those that only compute in the time they
 * leave. Ends with the verdict of all runs (support/verdict.ts).
 */

const ROOT = join(import.meta.dirname, '..')
/** Our programs that suites start by the hundred are stripped of their types and compiled once. */
const COMPILE_CACHE_ENV = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/trilho/compiled') }
/**
 * V8's compilation cache would hold every suite's modules, and all that they reference, until its process ends. Modules
 * are what a suite allocates: with more room for new objects, and one thread to collect them, that takes less time.
 */
const V8_FLAGS = ['--no-compilation-cache', '--max-semi-space-size=64', '--v8-pool-size=1']
/**
 * A suite takes most of a core, with the processes it starts; more than four would only wait for the stack they share.
 * Three on two cores end a minute or two sooner, but then a loaded machine answers some requests too late.
 */
const MAX_WORKERS = Math.min(4, Math.max(2, availableParallelism() - 1))
/** They share no stack with others: at a lower priority they take the time that the suites with a stack leave. */
const LEISURELY_PROJECTS = [
  'chaos',
  'docs',
  'http',
  'messengers',
  'odd-bank',
  'providers',
  'simulator',
  'storm',
  'webhooks',
]
const LEISURELY_NICENESS = 5
const LEISURELY_WORKERS = 2
/** They start no stack and wait for little: the time of a processor that the timed suites leave is enough for them. */
const PURE_PROJECTS = ['architecture', 'domain', 'replay', 'sdk']
const LOWEST_PRIORITY = 19
/** The drill has no time limits, but mostly waits: it runs beside those that have. */
const TIMED_PROJECTS = ['timed', 'drill']
/** Each keeps a stack of its own nearly idle, and waits for faults to end. */
const TIMED_WORKERS = 4
/** The runs of a group are concurrent; the groups follow one another. */
const JEST_RUNS: JestRun[][] = [
  [
    {
      args: [
        ...['--ignoreProjects', ...LEISURELY_PROJECTS, ...TIMED_PROJECTS, ...PURE_PROJECTS],
        `--maxWorkers=${MAX_WORKERS}`,
      ],
    },
    {
      args: ['--selectProjects', ...LEISURELY_PROJECTS, `--maxWorkers=${LEISURELY_WORKERS}`],
      niceness: LEISURELY_NICENESS,
    },
  ],
  [
    { args: ['--selectProjects', ...TIMED_PROJECTS, `--maxWorkers=${TIMED_WORKERS}`] },
    { args: ['--selectProjects', ...PURE_PROJECTS, '--maxWorkers=1'], niceness: LOWEST_PRIORITY },
  ],
]
type JestRun = { args: string[]; niceness?: number }

const running = new Set<ChildProcess>()
let isAborted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isAborted = true
    // A signal from a terminal reaches the whole process group; any other must be passed on.
    for (const jest of running) jest.kill(signal)
  })

const verdicts: Verdict[] = []
for (const group of JEST_RUNS) if (!isAborted) verdicts.push(...(await Promise.all(group.map(runJest))))
const all = verdicts.reduce(addVerdicts, EMPTY_VERDICT)
printVerdict(all)
process.exitCode = all.failed > 0 || all.passed === 0 ? 1 : 0

/** Runs jest once; an exit without a verdict, or against it, counts as a failure too. */
async function runJest({ args, niceness }: JestRun): Promise<Verdict> {
  const jest = fork(
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    [...args, '--ci', '--passWithNoTests', ...process.argv.slice(2)],
    {
      env: { ...process.env, ...COMPILE_CACHE_ENV },
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', ...V8_FLAGS],
    },
  )
  if (niceness) setPriority(jest.pid!, Math.min(getPriority() + niceness, 19)) // Of what it starts, too.
  running.add(jest)
  let verdict = EMPTY_VERDICT
  jest.on('message', (received: Verdict) => {
    verdict = received
  })
  const [code] = await once(jest, 'exit')
  running.delete(jest)
  if (code === 0 || verdict.failed > 0) return verdict
  return { ...verdict, failed: 1, failures: [`- jest ${args.join(' ')}: it ended with ${code}`] }
}

function addVerdicts(one: Verdict, other: Verdict): Verdict {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
  }
}
