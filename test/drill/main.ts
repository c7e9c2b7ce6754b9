import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { parsePositive } from '../support/cli-numbers.ts'
import { runDrill } from './drill.ts'
import { FAULTS, type Fault } from './faults.ts'
import { formatTable, formatVerdict, isDrillPassed } from './report.ts'

/**
 * `npm run drill -- faults [--only names] [--seconds N] [--rate N] [--keep folder]`: plays the table of faults and prints the
 * table of docs/production.md. `npm run drill -- list`: the names.
 */

const say = (line: string) => process.stdout.write(`${line}\n`)
const program = new Command('npm run drill --').description(
  'single faults under light load: what each costs, for how long, and which alerts fire',
)
program
  .command('list')
  .description('the names of the faults')
  .action(() => FAULTS.forEach(({ name }) => void say(name)))
program
  .command('faults')
  .description('measures a minute without a fault, plays the faults, and ends with a verdict')
  .option(
    '--only <names>',
    'some of them, separated by commas; a name ending in * stands for a prefix',
    selectFaults,
  )
  .option('--seconds <number>', 'how long a fault lasts that has no time of its own', parsePositive, 12)
  .option('--rate <number>', 'requests a second, 7 at most', parseRate, 3)
  .option('--keep <folder>', 'where the logs go')
  .action(async ({ only = FAULTS, seconds, rate: perSecond, keep: kept }) => {
    const keep = async (folder: string) => {
      if (kept === undefined) return
      await mkdir(kept, { recursive: true })
      await cp(join(folder, 'logs'), join(kept, 'logs'), { recursive: true })
    }
    const over = await runDrill({ faults: only, seconds, rate: perSecond, say, beforeStop: keep })
    say(`\n${formatTable(over)}\n`)
    for (const { rule, where, detail } of over.violations) say(`VIOLATED ${rule}: ${where}: ${detail}`)
    say(formatVerdict(over))
    process.exitCode = isDrillPassed(over) ? 0 : 1
  })
await program.parseAsync()

function selectFaults(names: string): Fault[] {
  return names.split(',').flatMap(name => {
    const isIt = (fault: Fault) =>
      name.endsWith('*') ? fault.name.startsWith(name.slice(0, -1)) : fault.name === name
    const found = FAULTS.filter(isIt)
    if (found.length === 0) throw new InvalidArgumentError(`No fault is called ${name}.`)
    return found
  })
}

function parseRate(value: string): number {
  const perSecond = parsePositive(value)
  if (perSecond > 7) throw new InvalidArgumentError('More than 7 a second is no light load.')
  return perSecond
}
