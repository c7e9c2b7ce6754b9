import { writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { rejectOnAbort } from '../../packages/dev/os/waits.ts'
import { parsePositive } from '../support/cli-numbers.ts'
import { type Baseline, openBaseline } from './baseline/open.ts'
import { batches } from './batches.ts'
import { type BenchStack, openBenchStack, TEMPORAL_STORES } from './bench-stack.ts'
import { formatBusyEnd } from './busy-machine.ts'
import { creates } from './creates.ts'
import { dashboard } from './dashboard.ts'
import { deliveries } from './deliveries.ts'
import { addFigures, emptyFigures, type Figures, formatFigures, isReached } from './figures.ts'
import { type Floors, openFloors } from './floors.ts'
import { createTrilhoImplementation, type Implementation } from './implementations.ts'
import { lists } from './lists.ts'
import { lookUps } from './look-ups.ts'
import { memory } from './memory.ts'
import { openloop } from './openloop.ts'
import { overload } from './overload.ts'
import { payments } from './payments.ts'
import { processes } from './processes.ts'
import { openReceivers, type Receivers } from './receivers.ts'
import { reports } from './reports.ts'
import { readRig } from './rig.ts'
import { routes } from './routes.ts'
import { storage } from './storage.ts'
import { transfers } from './transfers.ts'

/**
 * `npm run bench [-- --only creates,lists --seconds 10 --rows 1000000 --charges 10000 --overload-seconds 120
 * --temporal postgres --json file]`: its speed beside the floors under it and beside a plain implementation. Every
 * ratio is of one run, in alternating rounds, because only those are comparable on a machine that does other things too.
 */

export type Bench = {
  site: BenchStack
  stage: BenchStack['stage']
  trilho: Implementation
  baseline: Baseline
  floors: Floors
  receivers: Receivers
  /** Per kind of call and number of callers. */
  seconds: number
  /** Charges in the large list. */
  rows: number
  /** Charges after which the memory is measured. */
  charges: number
  /** How long three times the capacity arrives. */
  overloadSeconds: number
  say(line: string): void
}

const PARTS = {
  // The first: on tables that hold nothing else, as those of the plain implementation.
  storage,
  lists,
  routes,
  dashboard,
  creates,
  'look-ups': lookUps,
  transfers,
  batches,
  payments,
  deliveries,
  memory,
  reports,
  processes,
  // The last ones: they load it as far as it goes.
  openloop,
  overload,
}

const { only, temporal, json, ...sizes } = new Command('npm run bench --')
  .description('its speed next to the floors under it')
  .option('--only <parts>', `of ${Object.keys(PARTS).join(',')}`, parseParts, Object.keys(PARTS))
  .option('--seconds <number>', 'of each kind of call with each number of callers', parsePositive, 12)
  .option('--rows <number>', 'charges in the large list', parsePositive, 1_000_000)
  .option('--charges <number>', 'after which the memory is looked at', parsePositive, 10_000)
  .option('--overload-seconds <number>', 'of arrivals at three times the capacity', parsePositive, 120)
  .addOption(
    new Option('--temporal <kind>', 'the database of Temporal').choices(TEMPORAL_STORES).default('sqlite'),
  )
  .option('--json <file>', 'where the figures go as well')
  .allowExcessArguments(false)
  .parse()
  .opts<Pick<Bench, 'seconds' | 'rows' | 'charges' | 'overloadSeconds'> & CliOptions>()
type CliOptions = { only: string[]; temporal: (typeof TEMPORAL_STORES)[number]; json?: string }

const say = (line: string) => process.stdout.write(`${line}\n`)
/** On a signal or an uncaught error it ends what it started before it exits. */
const abortController = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => abortController.abort(new Error(`Told by ${name}.`)))
for (const bug of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(bug, (error: unknown) => abortController.abort(error))

try {
  await using open = new AsyncDisposableStack()
  const site = await openBenchStack({ temporal, say, abort: abortController.signal })
  open.defer(site.close)
  const floors = await openFloors(site.local.temporal_address)
  open.defer(floors.stop)
  const baseline = await openBaseline(site)
  open.defer(baseline.close)
  const receivers = await openReceivers(site)
  open.defer(receivers.close)
  const trilho = createTrilhoImplementation(site)
  const { stage } = site
  const bench: Bench = { site, stage, trilho, baseline, floors, receivers, say, ...sizes }
  const all: Figures = emptyFigures()
  const rig = await readRig(site)
  for (const [name, value] of Object.entries(rig)) say(`${name}: ${value}`)
  for (const [name, part] of Object.entries(PARTS)) {
    if (!only.includes(name)) continue
    say(`\n${name}`)
    const found = { ...emptyFigures() }
    addFigures(found, await rejectOnAbort(part(bench), abortController.signal))
    say(`\n${formatFigures(found)}`)
    addFigures(all, found)
  }
  if (json) await writeFile(json, `${JSON.stringify({ rig, ...all }, null, 2)}\n`)
  const missed = all.goals.filter(goal => !isReached(goal)).length
  say(`\n${all.goals.length} goals, ${missed === 0 ? 'all reached' : `${missed} missed`}`)
} catch (error) {
  console.error(formatBusyEnd(error) ?? error)
  process.exit(1)
}

function parseParts(names: string): string[] {
  const unknown = names.split(',').filter(name => !Object.hasOwn(PARTS, name))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no ${unknown.join(', ')}.`)
  return names.split(',')
}
