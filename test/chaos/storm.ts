import { readProcessEnvironment, startSecondProcesses } from '../support/second-processes.ts'
import { type Stack, startStack } from '../support/stack.ts'
import { drawAccountOptions } from './account-options.ts'
import { countByName } from './count-by-name.ts'
import { createFaultInjector, type FaultInjector } from './fault-injector.ts'
import type { FinalState, Violation } from './final-state.ts'
import { findFailedReplays } from './history-replay.ts'
import { findViolations } from './invariants.ts'
import { createOperationRunner } from './operation-runner.ts'
import { type Operation, planOperations } from './operations.ts'
import { createParticipants, MERCHANT_PROFILES, RECIPIENT_MERCHANTS } from './participants.ts'
import { planFaults } from './planned-faults.ts'
import { clearAllFaults, injectUndocumentedItems, type PendingWork, waitForQuiescence } from './quiescence.ts'
import { createRandom } from './random.ts'
import { readFinalState } from './read-final-state.ts'
import { openStackClients } from './stack-clients.ts'

export type StormOptions = {
  seed: number
  operations: number
  timeScale?: number
  /** A second API and a second worker over the same servers, of which none is killed. */
  hasSecondProcesses?: boolean
  say?: (line: string) => void
  /** Called before the stack is stopped and its home removed, to inspect what is left. */
  beforeStop?: (storm: {
    folder: string
    world: FinalState
    violations: Violation[]
    /** Of the workflows that still run, and of those that cannot be replayed. */
    histories: Map<string, string>
  }) => Promise<void>
}
export type StormResult = {
  violations: Violation[]
  pendingWork: PendingWork
  /** The plan, the operations without a target, the responses, the faults, the banks' PIX by their provider account. */
  counts: Record<'operations' | 'idle' | 'answers' | 'faults' | 'states' | 'pix', Record<string, number>>
  seconds: { acting: number; settling: number }
}

/** Minutes of workflow time pass in seconds, while no provider call that needs a second is given up. */
export const TIME_SCALE = 50
const PROGRESS_INTERVAL_MS = 10_000
/** Look-ups of payouts may lag by less than this (planned-faults.ts), before the time scale. */
const SETTLE_WINDOW_MS = 120_000
/** Concurrent operations. */
const CONCURRENCY = 40
/** One burst in so many operations: its operations are requested at once, more than the stack can confirm in time. */
const BURST_INTERVAL = 250
const BURST_OPERATIONS = 100
/** One token's rate limit is tested elsewhere. */
const UNLIMITED_RATE_ENV = {
  TRILHO_RATE_LIMIT: '100000',
  TRILHO_RATE_BURST: '100000',
  TRILHO_LOG_LEVEL: 'warn',
}
/** A killed call is given up after a minute, whatever the time scale; a charge is open for one at least. */
const MIN_OPERATIONS_FOR_UNDOCUMENTED_ITEMS = 500
/** Some charges are open for 300 s, the shortest time that Woovi accepts. */
const MIN_QUIESCENCE_MS = 420_000

function quiescenceLimitMs(operations: number): number {
  return MIN_QUIESCENCE_MS + operations * 30
}

/** Plans the operations and the faults of a storm, and what draws the options of its accounts. */
export function planStorm(seed: number, count: number) {
  const random = createRandom(seed)
  return {
    operations: planOperations(random.fork(1), count, {
      merchants: MERCHANT_PROFILES.length,
      recipients: RECIPIENT_MERCHANTS.length,
    }),
    faults: planFaults(random.fork(2), count),
    optionRandom: random.fork(3),
  }
}

/** A storm over a whole stack of its own, from the first operation to the verdict. */
export async function runStorm({
  seed,
  operations: count,
  timeScale = TIME_SCALE,
  hasSecondProcesses: isTwofold = false,
  say = () => {},
  beforeStop: keep,
}: StormOptions): Promise<StormResult> {
  const { operations, faults: weather, optionRandom } = planStorm(seed, count)
  const stack = await startStack({
    timeScale,
    environment: { ...UNLIMITED_RATE_ENV, SIMULATOR_SEED: String(seed) },
  })
  await using open = new AsyncDisposableStack()
  open.defer(async () => void (await stack.stop()))
  const second = isTwofold ? await startSecondOfEach(stack, timeScale) : undefined
  if (second) open.defer(second.stop)
  const site = await openStackClients(stack, second?.apiUrl)
  open.defer(site.close)
  let making: FaultInjector | undefined
  try {
    const cast = await createParticipants(site, {
      drawOptions: () => drawAccountOptions(optionRandom),
      settleWindowMs: SETTLE_WINDOW_MS,
    })
    const acting = createOperationRunner({ site, participants: cast, operations, runId: `storm-${seed}` })
    making = createFaultInjector({ site, participants: cast, plannedFaults: weather, say })
    say(`${count} operations under ${weather.length} events of weather`)

    const began = Date.now()
    let done = 0
    const telling = setInterval(() => say(`${done} operations`), PROGRESS_INTERVAL_MS)
    await runConcurrently(count, async place => {
      making!.injectBefore(place)
      await acting.runOperation(place)
      done += 1
    }).finally(() => clearInterval(telling))
    const acted = Date.now()
    await making.finish()
    await clearAllFaults(site, cast)
    const clearSince = new Date()
    await acting.finish()
    const limitMs = quiescenceLimitMs(count)
    say(`all asked; waiting for rest, ${limitMs / 1_000} s at most`)
    const { requests: asked, disputes } = acting
    // A provider's statement is listed seldom: a short storm does not wait for that.
    if (count >= MIN_OPERATIONS_FOR_UNDOCUMENTED_ITEMS) await injectUndocumentedItems(site, cast)
    const unrest = await waitForQuiescence(site, {
      participants: cast,
      disputes,
      limitMs,
      timeScale,
      say,
      faultsClearedAt: clearSince,
    })
    const rested = Date.now()

    const workflowIds = await site.workflowIds()
    say(`replaying ${workflowIds.length} workflows`)
    const replays = await findFailedReplays(site, workflowIds)
    say('looking at everything')
    const unreplayed = replays.failures
    const world = await readFinalState(site, {
      participants: cast,
      requests: asked,
      disputes,
      faultsClearedAt: clearSince,
      failedReplays: unreplayed,
    })
    const violations = findViolations(world)
    say(`${violations.length} violations`)
    await keep?.({
      folder: stack.home.folder,
      world,
      violations,
      histories: new Map([...(await site.histories(world.runningWorkflowIds)), ...replays.histories]),
    })
    return {
      violations,
      pendingWork: unrest,
      counts: {
        operations: countByName(operations.map(operationNameOf)),
        idle: acting.skippedCounts,
        answers: countByName(
          world.requests.flatMap(({ kind, answers }) =>
            answers.map(({ status, code }) => `${kind} ${status}${code ? ` ${code}` : ''}`),
          ),
        ),
        faults: making.counts,
        states: countByName([
          ...world.charges.map(({ state }) => `charge ${state}`),
          ...world.revisions.map(({ status }) => `revision ${status}`),
          ...world.transfers.map(({ state }) => `transfer ${state}`),
          ...world.batches.map(({ state, cancelReason }) => `batch ${cancelReason ?? state}`),
          ...world.refunds.map(({ state }) => `refund ${state}`),
          ...world.disputes.map(({ state, kind }) => `${kind} ${state}`),
        ]),
        pix: countByName(
          world.lines.flatMap(({ providerAccount, endToEnd }) => (endToEnd === null ? [] : providerAccount)),
        ),
      },
      seconds: { acting: (acted - began) / 1_000, settling: (rested - acted) / 1_000 },
    }
  } finally {
    // Where the storm itself fails, its faults must not outlive the stack and seem to be the cause.
    await making?.finish().catch(() => {})
  }
}

async function startSecondOfEach(stack: Stack, timeScale: number) {
  const more = { ...UNLIMITED_RATE_ENV, TRILHO_TIME_SCALE: String(timeScale) }
  return startSecondProcesses(stack, await readProcessEnvironment(stack, more))
}

/** Each place once, in order: as many concurrently as there are lanes, and a burst every `BURST_INTERVAL` places. */
async function runConcurrently(count: number, act: (place: number) => Promise<void>): Promise<void> {
  let next = 0
  const actNext = async (): Promise<void> => {
    if (next >= count) return
    const place = next++
    const burst = place % BURST_INTERVAL === BURST_INTERVAL / 2 ? BURST_OPERATIONS : 0
    await Promise.all([act(place), ...Array.from({ length: burst }, actNext)])
  }
  const lane = async () => {
    while (next < count) await actNext()
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
}

function operationNameOf(operation: Operation): string {
  if (operation.kind === 'pay') return `pay ${operation.how}`
  if (operation.kind === 'charge' && operation.due) return 'charge with a due date'
  if (operation.kind === 'batch') return `batch ${operation.mode} as ${operation.as}`
  if (operation.kind === 'repeat') return `repeat ${operation.body} body`
  if (operation.kind === 'transfer' && operation.scheduledInS !== null) return 'transfer scheduled'
  return operation.kind
}
