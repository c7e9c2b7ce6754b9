import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { getPriority, setPriority } from 'node:os'
import { join } from 'node:path'
import { JEST_RUNS, type JestRun } from './runs.ts'
import { EMPTY_VERDICT, printVerdict, type Verdict } from './support/verdict.ts'

/** `npm test`: the runs of jest that test/runs.ts lists, and the verdict of all of them (support/verdict.ts). */

const ROOT = join(import.meta.dirname, '..')
/** Our programs that suites start by the hundred are stripped of their types and compiled once. */
const COMPILE_CACHE_ENV = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/trilho/compiled') }
/**
 * V8's compilation cache would hold every suite's modules, and all that they reference, until its process ends. Modules
 * are what a suite allocates: with more room for new objects, and one thread to collect them, that takes less time.
 */
const V8_FLAGS = ['--no-compilation-cache', '--max-semi-space-size=64', '--v8-pool-size=1']

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
async function runJest({ projects, workers, niceness }: JestRun): Promise<Verdict> {
  const args = ['--selectProjects', ...projects, `--maxWorkers=${workers}`]
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
