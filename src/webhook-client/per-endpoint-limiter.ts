/** Concurrent requests per endpoint, the limit while it is failing, and the wait for a slot in milliseconds. */
export type EndpointLimits = { maxRequests: number; maxRequestsWhenFailing?: number; maxWaitMs: number }

/** Releases the slot, or says when to retry because no slot became free. */
export type EndpointAdmission = { release: () => void } | { retryInMs: number }

/** State of one endpoint. Its retries are scheduled separately, so that they do not hold a recovered endpoint back. */
type EndpointState = {
  activeRequests: number
  waiting: Set<() => void>
  requestDurationMs: number
  bookedUntilMs: Record<EndpointHealth, number>
}
type EndpointHealth = 'failing' | 'working'

/** Initial estimate of a request's duration, until the first request to an endpoint has ended. */
const INITIAL_REQUEST_DURATION_MS = 5_000
/** Lower bound of a retry delay: each rejected retry costs more than waiting. */
const MIN_RETRY_MS = 1_000
/**
 * Upper bounds of a retry delay: of an endpoint that works or has failed for a short time, and of one that has failed for long. In
 * between it is half of the time since it fails, so that a backlog of days costs little and one of minutes is delivered soon.
 */
const MAX_RETRY_MS = { least: 5 * 60_000, most: 60 * 60_000 }
/** Idle endpoints are kept while retries are scheduled for them; above this number the rest is removed. */
const MAX_ENDPOINTS = 1_000

/**
 * Limits concurrent requests per endpoint: a slow endpoint uses up its own slots only, even if hundreds of others
 * share its host. A request that gets no slot in time is given a retry time, one after another at the rate at which
 * the endpoint's requests end. Once the upper bound is booked, further ones are given times at random in its later half, so
 * that retries do not return all at once.
 */
export function createPerEndpointLimiter(
  { maxRequests, maxRequestsWhenFailing = maxRequests, maxWaitMs }: EndpointLimits,
  { now = () => performance.now(), random = Math.random } = {},
) {
  const endpoints = new Map<string, EndpointState>()

  return {
    /** `uuid`: of the endpoint; `failingForMs`: how long the endpoint has failed; absent where its last attempt succeeded. */
    async acquire(
      uuid: string,
      { failingForMs }: { failingForMs?: number | undefined } = {},
    ): Promise<EndpointAdmission> {
      const endpoint = getEndpoint(uuid)
      const isFailing = failingForMs !== undefined
      const slots = isFailing ? maxRequestsWhenFailing : maxRequests
      if (endpoint.activeRequests < slots) endpoint.activeRequests += 1
      // Requests to a failing endpoint do not wait for a slot.
      else if (isFailing || !(await waitForSlot(endpoint, maxWaitMs)))
        return { retryInMs: bookRetry(endpoint, slots, failingForMs) }
      const startedAtMs = now()
      return { release: () => release(uuid, endpoint, now() - startedAtMs) }
    },
  }

  function getEndpoint(uuid: string): EndpointState {
    const existingEndpoint = endpoints.get(uuid)
    if (existingEndpoint) return existingEndpoint
    if (endpoints.size >= MAX_ENDPOINTS) removeIdleEndpoints()
    const endpoint = {
      activeRequests: 0,
      waiting: new Set<() => void>(),
      requestDurationMs: INITIAL_REQUEST_DURATION_MS,
      bookedUntilMs: { failing: 0, working: 0 },
    }
    endpoints.set(uuid, endpoint)
    return endpoint
  }

  function bookRetry(endpoint: EndpointState, slots: number, failingForMs: number | undefined): number {
    const { bookedUntilMs, requestDurationMs } = endpoint
    const health = failingForMs === undefined ? 'working' : 'failing'
    const maxMs = Math.min(Math.max((failingForMs ?? 0) / 2, MAX_RETRY_MS.least), MAX_RETRY_MS.most)
    const aheadMs = Math.max(0, bookedUntilMs[health] - now()) + requestDurationMs / slots
    if (aheadMs > maxMs) return Math.round(maxMs * (0.5 + random() / 2))
    bookedUntilMs[health] = now() + aheadMs
    return Math.round(Math.max(MIN_RETRY_MS, aheadMs))
  }

  /** Hands the slot to the next waiting request, so that no new request takes it in between. */
  function release(uuid: string, endpoint: EndpointState, durationMs: number): void {
    endpoint.requestDurationMs += (durationMs - endpoint.requestDurationMs) / 4
    const [handOver] = endpoint.waiting
    if (handOver) handOver()
    else endpoint.activeRequests -= 1
    if (isIdle(endpoint)) endpoints.delete(uuid)
  }

  function removeIdleEndpoints(): void {
    for (const [uuid, endpoint] of endpoints) if (isIdle(endpoint)) endpoints.delete(uuid)
  }

  function isIdle({ activeRequests, bookedUntilMs }: EndpointState): boolean {
    return activeRequests === 0 && Math.max(bookedUntilMs.failing, bookedUntilMs.working) <= now()
  }
}

/** Waits for a slot; true when one was handed over. */
function waitForSlot(endpoint: EndpointState, maxWaitMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const onSlot = () => settle(true)
    const timer = setTimeout(() => settle(false), maxWaitMs)
    const settle = (isAdmitted: boolean) => {
      clearTimeout(timer)
      endpoint.waiting.delete(onSlot)
      resolve(isAdmitted)
    }
    endpoint.waiting.add(onSlot)
  })
}
