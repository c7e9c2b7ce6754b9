import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sayVerdict, type Verdict } from './support/verdict.ts'

/**
 * `npm test`: first all suites that wait as long as it takes, as many at once as the machine carries, then those that
 * measure how long something takes, then a short drill, with the machine to themselves. Ends with the verdict of all
 * (support/verdict.ts).
 */

const ROOT = join(import.meta.dirname, '..')
/** The programs of ours that suites start by the hundred are stripped of their types and compiled once. */
const COMPILED_ONCE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/trilho/compiled') }
/** V8's cache of compilations holds every suite's modules, and all that they hold, until its process ends. */
const FORGETTING = '--no-compilation-cache'
/**
 * A suite takes most of a core, with what it starts; more than four would only wait for the stack they share. Three on
 * two cores are done a minute or two sooner, and then a loaded machine answers some of them too late.
 */
const AT_ONCE = Math.min(4, Math.max(2, availableParallelism() - 1))
const RUNS = [
  ['--ignoreProjects', 'timed', 'drill', `--maxWorkers=${AT_ONCE}`],
  ['--selectProjects', 'timed', '--maxWorkers=2'],
  ['--selectProjects', 'drill', '--maxWorkers=1'],
]

let jest: ChildProcess | undefined
let isCalledOff = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isCalledOff = true
    jest?.kill(signal) // Where it is not the terminal that tells all of its group.
  })

const verdicts: Verdict[] = []
for (const run of RUNS) if (!isCalledOff) verdicts.push(await verdictOf(run))
const sum = (name: keyof Verdict) => verdicts.reduce((all, verdict) => all + verdict[name], 0)
const all: Verdict = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
sayVerdict(all)
process.exitCode = all.failed > 0 || all.passed === 0 ? 1 : 0

/** One jest of its own; where it ends without a verdict, or against it, that is a failure too. */
async function verdictOf(run: string[]): Promise<Verdict> {
  jest = fork(
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    [...run, '--ci', '--passWithNoTests', ...process.argv.slice(2)],
    {
      env: { ...process.env, ...COMPILED_ONCE },
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', FORGETTING],
    },
  )
  let verdict: Verdict = { passed: 0, failed: 0, skipped: 0 }
  jest.on('message', (told: Verdict) => {
    verdict = told
  })
  const [code] = await once(jest, 'exit')
  return code === 0 || verdict.failed > 0 ? verdict : { ...verdict, failed: 1 }
}
