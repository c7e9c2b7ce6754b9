import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, read } from '../chaos/asking.ts'
import type { Operation } from '../chaos/operations.ts'
import { performer } from '../chaos/performing.ts'
import { PATHS } from '../chaos/scene.ts'
import { quietly } from './quietly.ts'
import type { Stage } from './stage.ts'

/** Requests of one round: a charge, its payment, a refund, a transfer, and two reads. */
const OPERATIONS_IN_ROUND = 6
const KEY = 'fornecedor@exemplo.com.br'
const WELL_MS = 1_000
const FINAL_MS = 30_000
const POLL_MS = 500

export type Load = ReturnType<typeof loadOf>

/** Light load of every kind of operation, each merchant in turn. What was asked is kept for the checkers. */
export function loadOf(stage: Stage, perSecond: number) {
  const { site, cast } = stage
  const asked: Asked[] = []
  let rounds = 0
  const running: Promise<unknown>[] = []

  return { asked, start, allServe, finished: () => Promise.all(running) }

  /** Begins rounds until it is stopped; a round that waits for an answer does not hold up the next. */
  function start(run: string): { stop(): void } {
    const timer = setInterval(
      () => running.push(quietly(round(`${run}-${rounds}`, rounds++ % cast.merchants.length))),
      (OPERATIONS_IN_ROUND / perSecond) * 1_000,
    )
    return { stop: () => clearInterval(timer) }
  }

  async function round(run: string, merchant: number): Promise<void> {
    const keyed = { keyed: true, times: 1 }
    const { token } = cast.merchants[merchant]!
    const operations: Operation[] = [
      charge(merchant),
      { kind: 'pay', charge: 0, how: 'right', cents: 0 },
      { kind: 'refund', charge: 0, shares: [50], asking: keyed },
      transfer(merchant),
    ]
    const acting = performing(run, operations)
    await Promise.all([
      ...operations.map((_, place) => acting.perform(place)),
      read(site.api, { path: PATHS.charge, token }),
      read(site.api, { path: PATHS.transfer, token }),
    ])
    await acting.finish()
  }

  /**
   * The time in milliseconds from now until every account serves: a list within a second, a charge, and a transfer that
   * becomes final. Null after `limitMs`.
   */
  async function allServe(run: string, limitMs: number): Promise<number | null> {
    const began = Date.now()
    for (let attempt = 0; Date.now() - began < limitMs; attempt++) {
      const serve = await Promise.all(
        cast.merchants.map((_, merchant) => serves(`${run}-${attempt}-${merchant}`, merchant)),
      )
      if (serve.every(Boolean)) return Date.now() - began
      await sleep(POLL_MS)
    }
    return null
  }

  async function serves(run: string, merchant: number): Promise<boolean> {
    const { token } = cast.merchants[merchant]!
    const isReady = await fetch(`${stage.apiUrl}/readyz`, { signal: AbortSignal.timeout(WELL_MS) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (!isReady) return false
    const since = performance.now()
    const listed = await read(site.api, { path: PATHS.charge, token })
    if (listed?.status !== 200 || performance.now() - since > WELL_MS) return false

    const acting = performing(run, [charge(merchant), transfer(merchant)])
    await Promise.all([acting.perform(0), acting.perform(1)])
    await acting.finish()
    if (acting.asked.some(({ answers }) => answers.some(({ status }) => status >= 500))) return false
    const uuid = acting.asked.find(({ kind }) => kind === 'transfer')?.answers.at(-1)?.uuid
    return uuid ? becomesFinal(`${PATHS.transfer}/${uuid}`, token) : false
  }

  async function becomesFinal(path: string, token: string): Promise<boolean> {
    const deadline = Date.now() + FINAL_MS
    while (Date.now() < deadline) {
      const said = await read(site.api, { path, token })
      if (['PAID', 'FAILED'].includes(said?.body?.data?.status)) return true
      await sleep(POLL_MS)
    }
    return false
  }

  function performing(run: string, operations: Operation[]) {
    const acting = performer({ site, cast, operations, run: `drill-${run}` })
    return {
      ...acting,
      async finish() {
        await acting.finish()
        asked.push(...acting.asked)
      },
    }
  }
}

const charge = (merchant: number): Operation => ({
  ...{ kind: 'charge', merchant, cents: 10_00, splits: [], expiresInS: 300, bound: false },
  asking: { keyed: true, times: 1 },
})

const transfer = (merchant: number): Operation => ({
  ...{ kind: 'transfer', merchant, cents: 1_00, to: { kind: 'key', key: KEY }, scheduledInS: null },
  asking: { keyed: true, times: 1 },
})
