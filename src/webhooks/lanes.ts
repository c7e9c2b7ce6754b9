/** How many may be inside one lane at once, fewer where it only fails, and how long the next one waits for a place. */
export type LaneLimits = { width: number; failingWidth?: number; patienceMs: number }

/** The way out, or how long to stay away because no place came free. */
export type Entered = { leave: () => void } | { comeBackInMs: number }

/** Appointments are booked apart while it fails: one that works again is not bound by them. */
type Lane = {
  inside: number
  waiting: Set<() => void>
  stayMs: number
  bookedUntilMs: Record<Mood, number>
}
type Mood = 'failing' | 'working'

/** Initial estimate of a request's duration, until the first request to an endpoint has ended. */
const FIRST_STAY_MS = 5_000
/** Whoever is turned away comes back no sooner than this: each time costs more than waiting does. */
const SHORTEST_MS = 1_000
/** And no later than this: by then the endpoint may be well again. */
const LONGEST_MS = 5 * 60_000
/** Empty lanes are kept while others are to come back to them; beyond so many they are looked through. */
const MOST_LANES = 1_000

/**
 * A lane of its own for every endpoint: a slow one fills its lane and nothing else, though it may share its host
 * with a hundred others. Who finds no place in time gets an appointment, one after another at the pace at which the lane
 * lets others through. Where the next minutes are all booked, their later half is booked again: however many there are, they
 * do not come back all at once.
 */
export function lanes(
  { width, failingWidth = width, patienceMs }: LaneLimits,
  now = () => performance.now(),
) {
  const open = new Map<string, Lane>()

  return {
    async enter(name: string, { isFailing = false } = {}): Promise<Entered> {
      const lane = laneOf(name)
      const places = isFailing ? failingWidth : width
      if (lane.inside < places) lane.inside += 1
      // Where nothing gets through nobody waits in line for it.
      else if (isFailing || !(await turn(lane, patienceMs)))
        return { comeBackInMs: booked(lane, { places, as: isFailing ? 'failing' : 'working' }) }
      const since = now()
      return { leave: () => leave(name, lane, now() - since) }
    },
  }

  function laneOf(name: string): Lane {
    const known = open.get(name)
    if (known) return known
    if (open.size >= MOST_LANES) forgetEmpty()
    const lane = {
      inside: 0,
      waiting: new Set<() => void>(),
      stayMs: FIRST_STAY_MS,
      bookedUntilMs: { failing: 0, working: 0 },
    }
    open.set(name, lane)
    return lane
  }

  function booked({ bookedUntilMs, stayMs }: Lane, { places, as }: { places: number; as: Mood }): number {
    const at = now()
    const eachMs = stayMs / places
    const aheadMs = Math.max(0, bookedUntilMs[as] - at) + eachMs
    const inMs = aheadMs > LONGEST_MS ? LONGEST_MS / 2 + eachMs : aheadMs
    bookedUntilMs[as] = at + inMs
    return Math.round(Math.max(SHORTEST_MS, inMs))
  }

  /** Hands the place on where somebody waits, so that nobody slips in between. */
  function leave(name: string, lane: Lane, stayedMs: number): void {
    lane.stayMs += (stayedMs - lane.stayMs) / 4
    const [next] = lane.waiting
    if (next) next()
    else lane.inside -= 1
    if (isForgettable(lane)) open.delete(name)
  }

  function forgetEmpty(): void {
    for (const [name, lane] of open) if (isForgettable(lane)) open.delete(name)
  }

  function isForgettable({ inside, bookedUntilMs }: Lane): boolean {
    return inside === 0 && Math.max(bookedUntilMs.failing, bookedUntilMs.working) <= now()
  }
}

/** Waits in line; true when a place was handed over. */
function turn(lane: Lane, patienceMs: number): Promise<boolean> {
  return new Promise(done => {
    const called = () => settle(true)
    const timer = setTimeout(() => settle(false), patienceMs)
    const settle = (got: boolean) => {
      clearTimeout(timer)
      lane.waiting.delete(called)
      done(got)
    }
    lane.waiting.add(called)
  })
}
