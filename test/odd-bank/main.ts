import { Command, Option } from 'commander'
import { parsePositive, parseWhole } from '../support/cli-numbers.ts'
import type { BankApiName } from './bank-server.ts'
import { listOddCases } from './cases.ts'
import { findFaults, runOddCases } from './run.ts'

/** `npm run chaos:bank -- --provider efi --seed N`: the whole engine against a bank whose answers are odd. */

type Options = { provider: BankApiName; seed: number; cases: number; concurrency: number; only?: string }
const { provider, seed, cases, concurrency, only } = new Command('npm run chaos:bank --')
  .description('the whole engine against a bank whose answers are odd, judged by the books of the bank')
  .addOption(
    new Option('--provider <name>', 'whose API is odd').choices(['efi', 'woovi']).makeOptionMandatory(),
  )
  .option('--seed <number>', 'the same one draws the same cases', parseWhole, 1)
  .option('--cases <number>', 'at most so many', parseWhole, 10_000)
  .option('--concurrency <number>', 'cases at a time', parsePositive, 24)
  .option('--only <text>', 'cases whose name contains it')
  .allowExcessArguments(false)
  .parse()
  .opts<Options>()

const countAnswered = (cases: { oddAnswers: number }[]) =>
  cases.filter(({ oddAnswers }) => oddAnswers > 0).length
const say = (line: string) => process.stdout.write(`${line}\n`)
const chosen = listOddCases(provider, seed)
  .filter(({ name }) => name.includes(only ?? ''))
  .slice(0, cases)
say(`${chosen.length} cases of ${provider}, seed ${seed}`)
const result = await runOddCases({ cases: chosen, concurrency, say })
const faults = findFaults(result)
for (const fault of faults) say(`VIOLATED ${fault}`)
const owned = result.cases.filter(({ verdict }) => verdict.owned.length > 0)
for (const { name, verdict } of owned) say(`with an operator: ${name}: ${verdict.owned.join('; ')}`)
const idle = result.cases.filter(({ oddAnswers }) => oddAnswers === 0)
for (const { name, wasArmed } of idle)
  say(`not answered oddly: ${name}: ${wasArmed ? 'the call was not made' : 'its step was not reached'}`)
for (const [operation, cases] of Map.groupBy(result.cases, one => one.operation))
  say(`${operation}: ${countAnswered(cases)} of ${cases.length} cases were answered oddly`)
say(
  `${countAnswered(result.cases)} of ${result.cases.length} cases were answered oddly, ${owned.length} are with an operator`,
)
say(
  `odd bank provider=${provider} seed=${seed}: ${faults.length === 0 ? 'HOLDS' : `BROKEN (${faults.length} faults)`}`,
)
process.exitCode = faults.length === 0 ? 0 : 1
