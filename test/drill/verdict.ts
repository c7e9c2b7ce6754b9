import type { LogLine, ObservedResponse } from './observer.ts'

/** The targets of a drill, in one place. */
export const TARGETS = {
  unavailableMs: 5_200,
  readMs: 1_000,
  recoveryMs: 30_000,
  unavailableShare: 0.05,
  operationMs: 30_000,
} as const

/** What a fault may cost; without an exception, all targets hold. */
export type Expectation = {
  /** Why reads may be slow or unanswered: their own process or connection is the one disturbed. */
  readsMayBeSlow?: string
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

/** The missed targets; empty where the row passes. */
export function findMissedTargets(expectation: Expectation, seen: Observation): string[] {
  return RULES.flatMap(rule => rule(expectation, seen) ?? [])
}

type VerdictRule = (expectation: Expectation, seen: Observation) => string | undefined

const RULES: VerdictRule[] = [
  function faultIsInjected(_, { isEffective }) {
    if (!isEffective) return 'the fault had no effect: nothing was injected'
  },
  function unavailableComesInTime(_, { answers }) {
    const worst = slowestMsOf(answers.filter(({ status }) => status === 503))
    if (worst > TARGETS.unavailableMs) return `a 503 after ${formatSeconds(worst)}`
  },
  function readsAreFast({ readsMayBeSlow }, { answers }) {
    if (readsMayBeSlow !== undefined) return
    const worst = slowestMsOf(answers.filter(({ method, status }) => method === 'GET' && status === 200))
    if (worst > TARGETS.readMs) return `a read after ${formatSeconds(worst)}`
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
  function transfersEndInTime({ operationMs }, { slowestTransferMs }) {
    if (operationMs !== undefined && slowestTransferMs > operationMs)
      return `a transfer took ${formatSeconds(slowestTransferMs)}`
  },
  function allServeAgain({ recoveryMs = TARGETS.recoveryMs }, seen) {
    if (seen.recoveryMs === null) return 'not all accounts serve again'
    if (seen.recoveryMs > recoveryMs) return `all accounts serve after ${formatSeconds(seen.recoveryMs)}`
  },
  function alertsRing({ firesAlerts: rings = [] }, { firedAlerts: rang }) {
    const silent = rings.filter(name => !rang.includes(name))
    if (silent.length > 0) return `did not ring: ${silent.join(', ')}`
  },
]

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
