import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { orAborted } from '../../src/local/waiting.ts'
import { creates } from './creates.ts'
import { deliveries } from './deliveries.ts'
import { add, type Figures, isReached, nothingYet, written } from './figures.ts'
import { type Floors, openFloors } from './floors.ts'
import { lists } from './lists.ts'
import { memory } from './memory.ts'
import { payments } from './payments.ts'
import { processes } from './processes.ts'
import { rigOf } from './rig.ts'
import { openSite, type Site, TEMPORALS } from './site.ts'
import { transfers } from './transfers.ts'

/**
 * `npm run bench [-- --only creates,lists --seconds 10 --rows 1000000 --charges 10000 --temporal postgres --json file]`:
 * how fast it is, beside the floors under it. Every ratio is of one run, in turns, because only those mean something on a
 * machine that does other things too.
 */

export type Bench = {
  site: Site
  floors: Floors
  /** Of each kind of call with each number of callers. */
  seconds: number
  /** Charges in the large list. */
  rows: number
  /** Charges after which the memory is looked at. */
  charges: number
  say(line: string): void
}

const PARTS = { lists, creates, transfers, payments, deliveries, memory, processes }

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    seconds: { type: 'string', default: '12' },
    rows: { type: 'string', default: '1000000' },
    charges: { type: 'string', default: '10000' },
    temporal: { type: 'string', default: 'sqlite' },
    json: { type: 'string' },
  },
})
const wanted = values.only.split(',')
const unknown = wanted.filter(name => !(name in PARTS))
if (unknown.length > 0)
  throw new Error(`--only knows ${Object.keys(PARTS).join(', ')}; not ${unknown.join(', ')}`)

const temporal = TEMPORALS.find(name => name === values.temporal)
if (!temporal) throw new Error(`--temporal knows ${TEMPORALS.join(', ')}; not ${values.temporal}`)

const say = (line: string) => process.stdout.write(`${line}\n`)
/** Told to stop, or where nobody caught an error, it ends what it started before it goes. */
const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => ending.abort(new Error(`Told by ${name}.`)))
for (const bug of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(bug, (error: unknown) => ending.abort(error))

try {
  await using open = new AsyncDisposableStack()
  const site = await openSite({ temporal, say, abort: ending.signal })
  open.defer(site.close)
  const floors = await openFloors(site.local.temporal_address)
  open.defer(floors.stop)
  const all: Figures = nothingYet()
  const rig = await rigOf(site)
  for (const [name, value] of Object.entries(rig)) say(`${name}: ${value}`)
  for (const [name, part] of Object.entries(PARTS)) {
    if (!wanted.includes(name)) continue
    say(`\n${name}`)
    const { seconds, rows, charges } = values
    const found = { ...nothingYet() }
    const asked = part({ site, floors, say, ...numbers({ seconds, rows, charges }) })
    add(found, await orAborted(asked, ending.signal))
    say(`\n${written(found)}`)
    add(all, found)
  }
  if (values.json) await writeFile(values.json, `${JSON.stringify({ rig, ...all }, null, 2)}\n`)
  const missed = all.goals.filter(goal => !isReached(goal)).length
  say(`\n${all.goals.length} goals, ${missed === 0 ? 'all reached' : `${missed} missed`}`)
} catch (error) {
  console.error(error)
  process.exit(1)
}

function numbers<Name extends string>(texts: Record<Name, string>): Record<Name, number> {
  const read = Object.entries<string>(texts).map(([name, text]) => {
    if (!(Number(text) > 0)) throw new Error(`--${name} is a number above zero`)
    return [name, Number(text)]
  })
  return Object.fromEntries(read)
}
