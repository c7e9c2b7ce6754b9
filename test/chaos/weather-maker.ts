import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from '../../src/local/endings.ts'
import { readJson } from '../../src/local/home.ts'
import { isAlive, signal } from '../../src/local/identity.ts'
import { waitUntil } from '../../src/local/waiting.ts'
import { type Cast, foulInboxes } from './cast.ts'
import { panelOf } from './panel.ts'
import type { Site } from './site.ts'
import { stallCommits } from './stall.ts'
import type { Mortal, WeatherEvent } from './weather.ts'

/** The supervisor gives up a child that dies five times in a row, each within ten seconds: no death comes sooner than this. */
const LEAST_LIFE_MS = 11_000
const BACK_MS = 60_000
/** Longer than a beat may be missed (src/workflows/activities.ts), and than it takes to be sure that nothing arrived. */
const ASLEEP_MS = 20_000
/** How a server is told to restart: as its supervisor would tell it to stop. */
const RESTARTS = { postgres: 'SIGINT', temporal: 'SIGTERM', worker: 'SIGTERM', api: 'SIGTERM' } as const

export type WeatherMaker = ReturnType<typeof weatherMaker>

/** Makes the weather as the operations go on: faults at once, deaths one after the other, each waited for. */
export function weatherMaker({
  site,
  cast,
  weather,
  say,
}: {
  site: Site
  cast: Cast
  weather: WeatherEvent[]
  say: (line: string) => void
}) {
  const coming = [...weather]
  const fouls = foulInboxes(cast)
  const panel = panelOf(site, cast)
  const counts: Record<string, number> = {}
  const started: Partial<Record<Mortal, number>> = {}
  let faults = Promise.resolve()
  let deaths = Promise.resolve()

  return {
    counts,
    /** Lets everything come that was to come before this operation. */
    reached(place: number): void {
      while (coming[0] && coming[0].before <= place) {
        const event = coming.shift()!
        if (event.kind === 'death') deaths = deaths.then(() => die(event))
        else if (event.kind === 'sleep') deaths = deaths.then(sleepThrough)
        else if (event.kind === 'stall') deaths = deaths.then(() => stall(event))
        else faults = faults.then(() => bring(event))
      }
    },
    /** What was begun is over: who died is back. */
    over: async () => {
      await Promise.all([faults, deaths])
      await panel.unblockAll()
    },
  }

  async function bring(event: Exclude<WeatherEvent, { kind: 'death' | 'sleep' | 'stall' }>): Promise<void> {
    const { simulator } = site
    switch (event.kind) {
      case 'fault': {
        const { provider, operation, fault, times, delayMs, pageSize } = event
        await simulator.faults({
          ...{ provider, fault, times },
          ...(operation && { operation }),
          ...(delayMs !== undefined && { delay_ms: delayMs }),
          ...(pageSize !== undefined && { page_size: pageSize }),
        })
        return count(`fault ${fault}`)
      }
      case 'clear':
        await simulator.clearFaults()
        return count('faults taken away')
      case 'inbox': {
        const { status, delayMs } = event
        const inbox = fouls[event.endpoint % fouls.length]!
        await simulator.setInbox(inbox, { status, delay_ms: delayMs })
        if (status !== 200 || delayMs > 0) count(`endpoint ${status === 200 ? 'slow' : `answers ${status}`}`)
        return
      }
      case 'panel':
        if (await panel.move(event)) count(`panel ${event.movement}`)
        return
      case 'unblock':
        if (await panel.unblock(event.block)) count('panel unblock')
        return
      case 'operator':
        if (await panel.decideOrder(event.approves)) count(`order ${event.approves ? 'approved' : 'removed'}`)
    }
  }

  async function die({ of, by }: Extract<WeatherEvent, { kind: 'death' }>): Promise<void> {
    await sleep(Math.max(0, (started[of] ?? 0) + LEAST_LIFE_MS - Date.now()))
    const before = (await readJson<Running>(site.home.pids))?.[of]
    if (!before) return
    say(`${of}: ${by}`)
    count(`${of} ${by}`)
    signal(before, by === 'kill -9' ? 'SIGKILL' : RESTARTS[of])
    const back = await waitUntil(
      async () => {
        const now = (await readJson<Running>(site.home.pids))?.[of]
        return !isAlive(before) && now !== undefined && isAlive(now)
      },
      { what: `${of} does not come back`, limitMs: BACK_MS },
    )
    if (back) started[of] = Date.now()
  }

  async function stall({ forMs }: Extract<WeatherEvent, { kind: 'stall' }>): Promise<void> {
    say('postgres: commits stall')
    count('commits stall')
    await stallCommits(site, forMs)
  }

  async function sleepThrough(): Promise<void> {
    const worker = (await readJson<Running>(site.home.pids))?.worker
    if (!worker) return
    say('worker: sleeps')
    count('worker sleeps')
    signal(worker, 'SIGSTOP')
    await sleep(ASLEEP_MS)
    signal(worker, 'SIGCONT')
  }

  function count(what: string): void {
    counts[what] = (counts[what] ?? 0) + 1
  }
}
