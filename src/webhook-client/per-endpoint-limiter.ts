/** How many may be inside one lane at once, fewer where it only fails, and how long the next one waits for a place. */
export type EndpointLimits = { maxRequests: number; maxRequestsWhenFailing?: number; maxWaitMs: number }

/** The way out, or how long to stay away because no place came free. */
export type EndpointAdmission = { release: () => void } | { retryInMs: number }

/** Appointments are booked apart while it fails: one that works again is not bound by them. */
type EndpointState = {
  activeRequests: number
  waiting: Set<() => void>
  requestDurationMs: number
  bookedUntilMs: Record<EndpointHealth, number>
}
type EndpointHealth = 'failing' | 'working'

/** Initial estimate of a request's duration, until the first request to an endpoint has ended. */
const INITIAL_REQUEST_DURATION_MS = 5_000
/** Whoever is turned away comes back no sooner than this: each time costs more than waiting does. */
const MIN_RETRY_MS = 1_000
/** And no later than this: by then the endpoint may be well again. */
const MAX_RETRY_MS = 5 * 60_000
/** Empty lanes are kept while others are to come back to them; beyond so many they are looked through. */
const MAX_ENDPOINTS = 1_000

/**
 * A lane of its own for every endpoint: a slow one fills its lane and nothing else, though it may share its host
 * with a hundred others. Who finds no place in time gets an appointment, one after another at the pace at which the lane
 * lets others through. Where the next minutes are all booked, their later half is booked again: however many there are, they
 * do not come back all at once.
 */
export function createPerEndpointLimiter(
  { maxRequests: width, maxRequestsWhenFailing: failingWidth = width, maxWaitMs: patienceMs }: EndpointLimits,
  now = () => performance.now(),
) {
  const open = new Map<string, EndpointState>()

  return {
    async acquire(name: string, { isFailing = false } = {}): Promise<EndpointAdmission> {
      const lane = laneOf(name)
      const places = isFailing ? failingWidth : width
      if (lane.activeRequests < places) lane.activeRequests += 1
      // Where nothing gets through nobody waits in line for it.
      else if (isFailing || !(await waitForSlot(lane, patienceMs)))
        return { retryInMs: booked(lane, { places, as: isFailing ? 'failing' : 'working' }) }
      const since = now()
      return { release: () => leave(name, lane, now() - since) }
    },
  }

  function laneOf(name: string): EndpointState {
    const known = open.get(name)
    if (known) return known
    if (open.size >= MAX_ENDPOINTS) forgetEmpty()
    const lane = {
      activeRequests: 0,
      waiting: new Set<() => void>(),
      requestDurationMs: INITIAL_REQUEST_DURATION_MS,
      bookedUntilMs: { failing: 0, working: 0 },
    }
    open.set(name, lane)
    return lane
  }

  function booked(
    { bookedUntilMs, requestDurationMs }: EndpointState,
    { places, as }: { places: number; as: EndpointHealth },
  ): number {
    const at = now()
    const eachMs = requestDurationMs / places
    const aheadMs = Math.max(0, bookedUntilMs[as] - at) + eachMs
    const inMs = aheadMs > MAX_RETRY_MS ? MAX_RETRY_MS / 2 + eachMs : aheadMs
    bookedUntilMs[as] = at + inMs
    return Math.round(Math.max(MIN_RETRY_MS, inMs))
  }

  /** Hands the place on where somebody waits, so that nobody slips in between. */
  function leave(name: string, lane: EndpointState, stayedMs: number): void {
    lane.requestDurationMs += (stayedMs - lane.requestDurationMs) / 4
    const [next] = lane.waiting
    if (next) next()
    else lane.activeRequests -= 1
    if (isForgettable(lane)) open.delete(name)
  }

  function forgetEmpty(): void {
    for (const [name, lane] of open) if (isForgettable(lane)) open.delete(name)
  }

  function isForgettable({ activeRequests: inside, bookedUntilMs }: EndpointState): boolean {
    return inside === 0 && Math.max(bookedUntilMs.failing, bookedUntilMs.working) <= now()
  }
}

/** Waits in line; true when a place was handed over. */
function waitForSlot(lane: EndpointState, patienceMs: number): Promise<boolean> {
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
