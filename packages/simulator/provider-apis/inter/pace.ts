import type { SimulatedAccount } from '../../accounts.ts'
import type { WaitScaler } from '../../latency.ts'

/** How often a call may be made, as published with it. Each has a pace of its own. */
export type CallPace = { name: string; perMinute: number; perSecond?: number }

export type PaceLimiter = {
  /** Counts a call of an account; false if it exceeds the pace. A refused call is not counted. */
  admit(account: SimulatedAccount, pace: CallPace): boolean
}

/**
 * Creates a limiter over sliding windows. Their lengths are divided by the time scale. Calls are counted in memory: a restart
 * forgets them.
 */
export function createPaceLimiter({
  now,
  scaleWaitMs,
}: {
  now: () => Date
  scaleWaitMs: WaitScaler
}): PaceLimiter {
  const callTimes = new Map<string, number[]>()
  const minuteMs = scaleWaitMs(60_000)
  const secondMs = scaleWaitMs(1_000)
  return {
    admit: ({ id }, { name, perMinute, perSecond = perMinute }) => {
      const at = now().getTime()
      const key = `${id} ${name}`
      const recent = (callTimes.get(key) ?? []).filter(time => at - time < minuteMs)
      const isAdmitted =
        recent.length < perMinute && recent.filter(time => at - time < secondMs).length < perSecond
      callTimes.set(key, isAdmitted ? [...recent, at] : recent)
      return isAdmitted
    },
  }
}
