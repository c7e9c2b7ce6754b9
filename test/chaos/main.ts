import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { parsePositive, parseWhole } from '../support/cli-numbers.ts'
import { runStorm, type StormOptions, type StormResult, TIME_SCALE } from './storm.ts'

/**
 * `npm run chaos -- --seed N --operations N [--time-scale N] [--twofold] [--keep folder]`: a storm, its figures, its
 * verdict.
 */

const {
  seed,
  operations,
  timeScale,
  twofold,
  keep: folderKept,
} = new Command('npm run chaos --')
  .description('random operations under every fault, and whether all that must hold has held')
  .option('--seed <number>', 'the same one draws the same operations', parseWhole, 1)
  .option('--operations <number>', 'how many', parseWhole, 1_000)
  .option('--time-scale <number>', 'divides every wait', parsePositive, TIME_SCALE)
  .option('--twofold', 'a second API and a second worker over the same servers', false)
  .option('--keep <folder>', 'where the logs and all that was seen go when something does not hold')
  .allowExcessArguments(false)
  .parse()
  .opts<{ seed: number; operations: number; timeScale: number; twofold: boolean; keep?: string }>()

const say = (line: string) => process.stdout.write(`${line}\n`)
say(`storm of ${operations} operations, seed ${seed}, waits divided by ${timeScale}`)
const stormResult = await runStorm({
  seed,
  operations,
  timeScale,
  hasSecondProcesses: twofold,
  say,
  beforeStop: saveArtifacts,
})
printReport(stormResult)
const count = stormResult.violations.length
say(`storm seed=${seed} operations=${operations}: ${count === 0 ? 'HOLDS' : `BROKEN (${count} violations)`}`)
process.exitCode = count === 0 ? 0 : 1

function printReport({ counts, seconds, pendingWork: unrest, violations }: StormResult): void {
  for (const [what, each] of Object.entries(counts)) {
    say(`\n${what}:`)
    for (const [name, many] of Object.entries(each)) say(`  ${String(many).padStart(7)}  ${name}`)
  }
  const perSecond = (operations / seconds.acting).toFixed(1)
  say(
    `\n${seconds.acting.toFixed(1)} s of operations, ${perSecond} a second; ${seconds.settling.toFixed(1)} s until rest`,
  )
  if (Object.keys(unrest).length > 0) say(`never at rest: ${JSON.stringify(unrest)}`)
  for (const { rule, where, detail } of violations) say(`VIOLATED ${rule}: ${where}: ${detail}`)
  say('')
}

async function saveArtifacts({
  folder,
  world,
  violations,
  histories,
}: Parameters<NonNullable<StormOptions['beforeStop']>>[0]): Promise<void> {
  if (folderKept === undefined || violations.length === 0) return
  const here = join(folderKept, `storm-${seed}-${operations}`)
  await mkdir(here, { recursive: true })
  await cp(join(folder, 'logs'), join(here, 'logs'), { recursive: true })
  const shown = Object.fromEntries(world.resources)
  await writeFile(join(here, 'world.json'), JSON.stringify({ ...world, shown, violations }, null, 1))
  for (const [id, history] of histories)
    await writeFile(join(here, `${id.replaceAll('/', '-')}.json`), history)
  say(`kept in ${here}`)
}
