import { setTimeout as sleep } from 'node:timers/promises'
import { getUntilAnswered, type RequestRecord } from '../chaos/merchant-requests.ts'
import { createOperationRunner } from '../chaos/operation-runner.ts'
import type { Operation } from '../chaos/operations.ts'
import { API_PATHS } from '../chaos/storm-context.ts'
import type { DrillStack } from './drill-stack.ts'
import { ignoreErrors } from './ignore-errors.ts'

/** Requests of one round: a charge, its payment, a refund, a transfer, and two reads. */
const OPERATIONS_IN_ROUND = 6
const KEY = 'fornecedor@exemplo.com.br'
const FINAL_STATE_LIMIT_MS = 30_000
const POLL_INTERVAL_MS = 500

export type Load = ReturnType<typeof createLoad>

/** Light load of every kind of operation, each merchant in turn. Requests are kept for the checkers. */
export function createLoad(stage: DrillStack, perSecond: number) {
  const { clients: site, participants: cast } = stage
  const asked: RequestRecord[] = []
  let rounds = 0
  const running: Promise<unknown>[] = []

  return { asked, start, allServe, awaitRounds: () => Promise.all(running) }

  /** Starts rounds until it is stopped; a round that waits for an answer does not delay the next. */
  function start(run: string): { stop(): void } {
    const timer = setInterval(
      () => running.push(ignoreErrors(round(`${run}-${rounds}`, rounds++ % cast.merchants.length))),
      (OPERATIONS_IN_ROUND / perSecond) * 1_000,
    )
    return { stop: () => clearInterval(timer) }
  }

  async function round(run: string, merchant: number): Promise<void> {
    const keyed = { keyed: true, times: 1 }
    const { token } = cast.merchants[merchant]!
    const operations: Operation[] = [
      chargeOperation(merchant),
      { kind: 'pay', charge: 0, how: 'right', cents: 0, daysAfterDue: null },
      { kind: 'refund', charge: 0, shares: [50], asking: keyed },
      transferOperation(merchant),
    ]
    const acting = performing(run, operations)
    await Promise.all([
      ...operations.map((_, place) => acting.runOperation(place)),
      getUntilAnswered(site.nextApiUrl, { path: API_PATHS.charge, token }),
      getUntilAnswered(site.nextApiUrl, { path: API_PATHS.transfer, token }),
    ])
    await acting.finish()
  }

  /**
   * The time in milliseconds from now until every account serves: a list within `readMs`, a charge, and a transfer that
   * becomes final. Null after `limitMs`.
   */
  async function allServe(
    run: string,
    { limitMs, readMs }: { limitMs: number; readMs: number },
  ): Promise<number | null> {
    const began = Date.now()
    for (let attempt = 0; Date.now() - began < limitMs; attempt++) {
      const serve = await Promise.all(
        cast.merchants.map((_, merchant) => serves(`${run}-${attempt}-${merchant}`, { merchant, readMs })),
      )
      if (serve.every(Boolean)) return Date.now() - began
      await sleep(POLL_INTERVAL_MS)
    }
    return null
  }

  async function serves(
    run: string,
    { merchant, readMs }: { merchant: number; readMs: number },
  ): Promise<boolean> {
    const { token } = cast.merchants[merchant]!
    const isReady = await fetch(`${site.nextApiUrl()}/readyz`, {
      signal: AbortSignal.timeout(readMs),
    }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (!isReady) return false
    const since = performance.now()
    const listed = await getUntilAnswered(site.nextApiUrl, { path: API_PATHS.charge, token })
    if (listed?.status !== 200 || performance.now() - since > readMs) return false

    const acting = performing(run, [chargeOperation(merchant), transferOperation(merchant)])
    await Promise.all([acting.runOperation(0), acting.runOperation(1)])
    await acting.finish()
    if (acting.requests.some(({ answers }) => answers.some(({ status }) => status >= 500))) return false
    const uuid = acting.requests.find(({ kind }) => kind === 'transfer')?.answers.at(-1)?.uuid
    return uuid ? becomesFinal(`${API_PATHS.transfer}/${uuid}`, token) : false
  }

  async function becomesFinal(path: string, token: string): Promise<boolean> {
    const deadline = Date.now() + FINAL_STATE_LIMIT_MS
    while (Date.now() < deadline) {
      const said = await getUntilAnswered(site.nextApiUrl, { path, token })
      if (['PAID', 'FAILED'].includes(said?.body?.data?.status)) return true
      await sleep(POLL_INTERVAL_MS)
    }
    return false
  }

  function performing(run: string, operations: Operation[]) {
    const acting = createOperationRunner({ site, participants: cast, operations, runId: `drill-${run}` })
    return {
      ...acting,
      async finish() {
        await acting.finish()
        asked.push(...acting.requests)
      },
    }
  }
}

const chargeOperation = (merchant: number): Operation => ({
  kind: 'charge',
  merchant,
  cents: 10_00,
  splits: [],
  expiresInS: 300,
  due: null,
  bound: false,
  asking: { keyed: true, times: 1 },
})

const transferOperation = (merchant: number): Operation => ({
  kind: 'transfer',
  merchant,
  cents: 1_00,
  to: { kind: 'key', key: KEY },
  lookUp: null,
  scheduledInS: null,
  verdict: null,
  asking: { keyed: true, times: 1 },
})
