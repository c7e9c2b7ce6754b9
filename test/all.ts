import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sayVerdict, type Verdict } from './support/verdict.ts'

/**
 * `npm test` in two halves that take equally long: the suites over the one shared stack, whose files must come one after
 * the other and mostly wait, with the documents; and all others. Ends with the verdict of both (test/support/verdict.ts).
 */

const WAITING = ['api', 'browser', 'docs']
const ROOT = join(import.meta.dirname, '..')
/** The programs of ours that suites start by the hundred are stripped of their types and compiled once. */
const COMPILED_ONCE = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/trilho/compiled') }
const HALVES = [
  ['--selectProjects', ...WAITING, '--runInBand'],
  ['--ignoreProjects', ...WAITING],
]

const verdicts: Verdict[] = []
// On two cores the halves would take each other's time, and some stories must be over within seconds.
if (availableParallelism() > 2) verdicts.push(...(await Promise.all(HALVES.map(half => verdictOf(half)))))
else for (const half of HALVES) verdicts.push(await verdictOf(half))
const sum = (name: keyof Verdict) => verdicts.reduce((all, verdict) => all + verdict[name], 0)
const all: Verdict = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
sayVerdict(all)
process.exitCode = all.failed > 0 || all.passed === 0 ? 1 : 0

/** One jest of its own; where it ends without a verdict, or against it, that is a failure too. */
async function verdictOf(half: string[]): Promise<Verdict> {
  const jest = fork(
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    [...half, '--ci', '--passWithNoTests', ...process.argv.slice(2)],
    {
      env: { ...process.env, ...COMPILED_ONCE },
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    },
  )
  // Ended by its name, not by the terminal's group, it takes the other two with it.
  process.on('SIGTERM', () => jest.kill('SIGTERM'))
  let verdict: Verdict = { passed: 0, failed: 0, skipped: 0 }
  jest.on('message', (told: Verdict) => {
    verdict = told
  })
  const [code] = await once(jest, 'exit')
  return code === 0 || verdict.failed > 0 ? verdict : { ...verdict, failed: 1 }
}
