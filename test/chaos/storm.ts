import { environmentOf, secondOfEach } from '../support/second.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { casting, RECIPIENTS_AT, ROLES } from './cast.ts'
import { violationsOf } from './invariants.ts'
import { type Operation, plannedOperations } from './operations.ts'
import { performer } from './performing.ts'
import { clearSkies, listOddItems, quiescence, type Unrest } from './quiescence.ts'
import { randomOf } from './random.ts'
import { failedReplays } from './replaying.ts'
import { openSite } from './site.ts'
import { tally } from './tally.ts'
import { plannedWeather } from './weather.ts'
import { type WeatherMaker, weatherMaker } from './weather-maker.ts'
import { witnessed } from './witness.ts'
import type { Violation, World } from './world.ts'

export type StormOptions = {
  seed: number
  operations: number
  timeScale?: number
  /** A second API and a second worker over the same servers, of which none is killed. */
  isTwofold?: boolean
  say?: (line: string) => void
  /** Called before the stack is stopped and its home removed: for whoever wants to look at what is left. */
  keep?: (storm: {
    folder: string
    world: World
    violations: Violation[]
    /** Of the workflows that still run, and of those that cannot be replayed. */
    histories: Map<string, string>
  }) => Promise<void>
}
export type Storm = {
  violations: Violation[]
  unrest: Unrest
  /** What was planned, what had nothing to act on, what was answered, what the weather did. */
  counts: Record<'operations' | 'idle' | 'answers' | 'weather' | 'states', Record<string, number>>
  seconds: { acting: number; settling: number }
}

/** Minutes of the lives pass in seconds, while nothing a provider needs a second for is given up. */
export const TIME_SCALE = 50
const TELL_EVERY_MS = 10_000
/** Operations under way at once. */
const LANES = 40
/** What one token may ask is tried elsewhere. */
const NO_LIMIT = { TRILHO_RATE_LIMIT: '100000', TRILHO_RATE_BURST: '100000', TRILHO_LOG_LEVEL: 'warn' }
/** A killed call is given up after a minute, whatever the time scale; a charge lives for one at least. */
const LONG = 500
/** Some charges live for 300 s, the shortest life that Woovi takes. */
const LEAST_QUIESCENCE_MS = 420_000

function quiescenceLimitMs(operations: number): number {
  return LEAST_QUIESCENCE_MS + operations * 30
}

/** A storm over a whole stack of its own, from the first operation to the verdict. */
export async function storm({
  seed,
  operations: count,
  timeScale = TIME_SCALE,
  isTwofold = false,
  say = () => {},
  keep,
}: StormOptions): Promise<Storm> {
  const random = randomOf(seed)
  const operations = plannedOperations(random.apart(1), count, {
    merchants: ROLES.length,
    recipients: RECIPIENTS_AT.length,
  })
  const weather = plannedWeather(random.apart(2), count)
  const stack = await startStack({ timeScale, environment: { ...NO_LIMIT, SIMULATOR_SEED: String(seed) } })
  await using open = new AsyncDisposableStack()
  open.defer(async () => void (await stack.stop()))
  const second = isTwofold ? await secondOf(stack, timeScale) : undefined
  if (second) open.defer(second.stop)
  const site = await openSite(stack, second?.apiUrl)
  open.defer(site.close)
  let making: WeatherMaker | undefined
  try {
    const cast = await casting(site)
    const acting = performer({ site, cast, operations, run: `storm-${seed}` })
    making = weatherMaker({ site, cast, weather, say })
    say(`${count} operations under ${weather.length} events of weather`)

    const began = Date.now()
    let done = 0
    const telling = setInterval(() => say(`${done} operations`), TELL_EVERY_MS)
    await inLanes(count, async place => {
      making!.reached(place)
      await acting.perform(place)
      done += 1
    }).finally(() => clearInterval(telling))
    const acted = Date.now()
    await making.over()
    await clearSkies(site, cast)
    const clearSince = new Date()
    await acting.finish()
    const limitMs = quiescenceLimitMs(count)
    say(`all asked; waiting for rest, ${limitMs / 1_000} s at most`)
    const { asked, disputes } = acting
    // A provider's statement is listed seldom: a short storm does not wait for that.
    if (count >= LONG) await listOddItems(site, cast)
    const unrest = await quiescence(site, { cast, disputes, limitMs, say, clearSince })
    const rested = Date.now()

    const workflowIds = await site.workflowIds()
    say(`replaying ${workflowIds.length} workflows`)
    const replays = await failedReplays(site, workflowIds)
    say('looking at everything')
    const unreplayed = replays.failures
    const world = await witnessed(site, { cast, asked, disputes, clearSince, unreplayed })
    const violations = violationsOf(world)
    await keep?.({
      ...{ folder: stack.home.folder, world, violations },
      histories: new Map([...(await site.histories(world.running)), ...replays.histories]),
    })
    return {
      violations,
      unrest,
      counts: {
        operations: tally(operations.map(nameOf)),
        idle: acting.idle,
        answers: tally(
          world.asked.flatMap(({ kind, answers }) =>
            answers.map(({ status, code }) => `${kind} ${status}${code ? ` ${code}` : ''}`),
          ),
        ),
        weather: making.counts,
        states: tally([
          ...world.charges.map(({ state }) => `charge ${state}`),
          ...world.transfers.map(({ state }) => `transfer ${state}`),
          ...world.refunds.map(({ state }) => `refund ${state}`),
          ...world.meds.map(({ state, kind }) => `${kind} ${state}`),
        ]),
      },
      seconds: { acting: (acted - began) / 1_000, settling: (rested - acted) / 1_000 },
    }
  } finally {
    // Where the storm itself breaks off, its weather must not outlive the site and be taken for the cause.
    await making?.over().catch(() => {})
  }
}

async function secondOf(stack: Stack, timeScale: number) {
  const more = { ...NO_LIMIT, TRILHO_TIME_SCALE: String(timeScale) }
  return secondOfEach(stack, await environmentOf(stack, more))
}

/** Each place once, in order, as many at a time as there are lanes. */
async function inLanes(count: number, act: (place: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

function nameOf(operation: Operation): string {
  if (operation.kind === 'pay') return `pay ${operation.how}`
  if (operation.kind === 'repeat') return `repeat ${operation.body} body`
  if (operation.kind === 'transfer' && operation.scheduledInS !== null) return 'transfer scheduled'
  return operation.kind
}
