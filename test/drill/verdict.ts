import type { LogLine, ObservedResponse } from './observer.ts'

/** The targets of a drill on an idle machine, in one place. */
export const TARGETS = {
  /** The limit of a request, and how long its answer may take beyond it. */
  unavailableMs: { limit: 5_000, answer: 200 },
  readMs: 1_000,
  recoveryMs: 30_000,
  unavailableShare: 0.05,
  operationMs: 30_000,
} as const

/** What a fault may cost; without an exception, all targets hold. */
export type Expectation = {
  /** Why reads may be slow or unanswered: their own process or connection is the one disturbed. */
  readsMayBeSlow?: string
  /** Why every response may be late: the callers of the drill, which measure it, are disturbed too. */
  callersMayBeSlow?: string
  /** At most this share of the requests is answered 5xx or not at all. */
  unavailableShare?: number
  /** No transfer takes longer than this from creation to its final state. */
  operationMs?: number
  /** From the start of a fault that is not removed; otherwise from its end. */
  recoversDuringFault?: boolean
  recoveryMs?: number
  /** A provider call fails, so that the worker logs one at least. */
  failsProviderCalls?: boolean
  /** Alerts that must fire. */
  firesAlerts?: string[]
}

export type Observation = {
  /** Whether the fault has had its effect on the part that it disturbs. */
  isEffective: boolean
  answers: ObservedResponse[]
  lines: LogLine[]
  firedAlerts: string[]
  /** Null where not every account serves before the drill gives up. */
  recoveryMs: number | null
  slowestTransferMs: number
}

/** How many times slower than an idle machine one is: in its worst read, and in the time until every account serves. */
export type Slowness = { reads: number; serving: number }

/** The same two on two idle cores. */
const IDLE_TIMES = { readMs: 200, servingMs: 2_000 }
/** A limit grows at most so much: a slower machine shows nothing about a fault, and its rows fail. */
const MAX_SLOWNESS = 3
/** The longest that a read may take on any machine. */
export const MAX_READ_MS = TARGETS.readMs * MAX_SLOWNESS

/** Measures how slow the machine is by a time without a fault, in which all accounts served. */
export function measureSlowness({
  answers,
  recoveryMs,
}: Pick<Observation, 'answers' | 'recoveryMs'>): Slowness {
  return {
    reads: Math.max(1, slowestMsOf(answers.filter(isServedRead)) / IDLE_TIMES.readMs),
    serving: Math.max(1, (recoveryMs ?? Number.POSITIVE_INFINITY) / IDLE_TIMES.servingMs),
  }
}

/** The targets as limits of a machine, in milliseconds; `serving` multiplies the times until something is done. */
export type Limits = { unavailableMs: number; readMs: number; serving: number }

/** Scales the targets by the slowness of the machine, threefold at most. */
export function scaleTargets(slowness: Slowness): Limits {
  const reads = Math.min(slowness.reads, MAX_SLOWNESS)
  return {
    unavailableMs: Math.round(TARGETS.unavailableMs.limit + TARGETS.unavailableMs.answer * reads),
    readMs: Math.round(TARGETS.readMs * reads),
    serving: Math.min(slowness.serving, MAX_SLOWNESS),
  }
}

/** The missed targets; empty where the row passes. */
export function findMissedTargets(expectation: Expectation, seen: Observation, limits: Limits): string[] {
  return RULES.flatMap(rule => rule(expectation, seen, limits) ?? [])
}

type VerdictRule = (expectation: Expectation, seen: Observation, limits: Limits) => string | undefined

const RULES: VerdictRule[] = [
  function faultIsInjected(_, { isEffective }) {
    if (!isEffective) return 'the fault had no effect: nothing was injected'
  },
  function unavailableComesInTime({ callersMayBeSlow }, { answers }, { unavailableMs }) {
    if (callersMayBeSlow !== undefined) return
    const worst = slowestMsOf(answers.filter(({ status }) => status === 503))
    if (worst > unavailableMs) return `a 503 after ${formatSeconds(worst)}`
  },
  function readsAreFast({ readsMayBeSlow, callersMayBeSlow }, { answers }, { readMs }) {
    if ((readsMayBeSlow ?? callersMayBeSlow) !== undefined) return
    const worst = slowestMsOf(answers.filter(isServedRead))
    if (worst > readMs) return `a read after ${formatSeconds(worst)}`
  },
  function unavailableIsExplained(_, { answers, lines }) {
    const explained = lines.filter(({ status, code, cause }) => status === 503 && code && cause)
    const logged = lines.filter(({ status }) => status === 503)
    const seen = answers.filter(({ status }) => status === 503)
    const silent = Math.max(logged.length, seen.length) - explained.length
    if (silent > 0) return `${silent} answers 503 without a code and a cause in the log`
  },
  function failedCallsAreLogged({ failsProviderCalls }, { lines }) {
    if (!failsProviderCalls) return
    const logged = lines.some(
      ({ message, code, ms }) => message === 'a provider call failed' && code && ms !== undefined,
    )
    if (!logged) return 'no log line of a failed provider call'
  },
  function fewAreUnavailable({ unavailableShare }, { answers }) {
    if (unavailableShare === undefined) return
    const share = unavailableShareOf(answers)
    if (share > unavailableShare) return `${(share * 100).toFixed(1)} % of the requests failed`
  },
  function transfersEndInTime({ operationMs }, { slowestTransferMs }, { serving }) {
    if (operationMs !== undefined && slowestTransferMs > operationMs * serving)
      return `a transfer took ${formatSeconds(slowestTransferMs)}`
  },
  function allServeAgain({ recoveryMs = TARGETS.recoveryMs }, seen, { serving }) {
    if (seen.recoveryMs === null) return 'not all accounts serve again'
    if (seen.recoveryMs > recoveryMs * serving)
      return `all accounts serve after ${formatSeconds(seen.recoveryMs)}`
  },
  function alertsRing({ firesAlerts: rings = [] }, { firedAlerts: rang }) {
    const silent = rings.filter(name => !rang.includes(name))
    if (silent.length > 0) return `did not ring: ${silent.join(', ')}`
  },
]

export function isServedRead({ method, status }: ObservedResponse): boolean {
  return method === 'GET' && status === 200
}

export function unavailableShareOf(answers: ObservedResponse[]): number {
  const failed = answers.filter(({ status }) => status === null || status >= 500)
  return answers.length === 0 ? 0 : failed.length / answers.length
}

/** In milliseconds; 0 where there is none. */
export function slowestMsOf(answers: ObservedResponse[]): number {
  return answers.reduce((worst, { ms }) => Math.max(worst, ms), 0)
}

export function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
