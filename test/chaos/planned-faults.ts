import type { ChildProcessName } from '../../packages/dev/process/shutdown.ts'
import {
  CALL_FAULTS,
  type FaultKind,
  isFaultOf,
  LISTING_FAULTS,
  NOTIFICATION_FAULTS,
  type ProviderOperation,
  VIEW_FAULTS,
} from '../../packages/simulator/faults.ts'
import { PROVIDER_CAPABILITIES } from '../../src/domain/providers/capabilities.ts'
import { PROVIDER_NAMES, type ProviderApi, type ProviderName } from '../../src/domain/providers/provider.ts'
import { listApisOf } from './participants.ts'
import type { Random } from './random.ts'

/** The faults of a storm, drawn before it starts; each event happens at the turn of its operation. */
export type FaultEvent = { before: number } & (
  | {
      kind: 'fault'
      provider: ProviderName
      operation: ProviderOperation | undefined
      fault: FaultKind
      times: number
      delayMs?: number
      pageSize?: number
    }
  | { kind: 'clear' }
  | { kind: 'death'; of: RestartableProcess; by: 'kill -9' | 'restart' }
  /** The worker is suspended in the middle of its work, and resumes when Temporal has given that work up. */
  | { kind: 'sleep' }
  /** A failing endpoint answers this, until it answers 200 again. */
  | { kind: 'inbox'; endpoint: number; status: number; delayMs: number }
  /** Every COMMIT waits so long for its answer, and its rows stay invisible: a synchronous standby is away. */
  | { kind: 'stall'; forMs: number }
  /** Other processes take the machine: its load rises to this, for so long. */
  | { kind: 'load'; load: number; forMs: number }
  /** Money moves at a provider without its API; a block is released by its second event. */
  | { kind: 'panel'; place: number; movement: PanelMovement; cents: number }
  | { kind: 'unblock'; block: number }
  /** A person decides the oldest payment that waits in a provider's panel. */
  | { kind: 'operator'; approves: boolean }
)
type PanelMovement = 'tariff' | 'withdrawal' | 'block'
export type RestartableProcess = Exclude<ChildProcessName, 'simulator'>

/** The provider calls that money and disputes depend on. */
const FAULTED_CALLS = [
  'issueCharge',
  'findCharge',
  'cancelCharge',
  'reviseCharge',
  'prepareTransfer',
  'sendTransfer',
  'findTransfer',
  'refund',
  'findRefund',
  'findPayment',
  'listDisputes',
  'findDispute',
  'replyToDispute',
] as const satisfies ProviderOperation[]
const NOTIFIED_CALLS = ['issueCharge', 'sendTransfer', 'refund'] as const satisfies ProviderOperation[]

/** Lookups and lists, whose answers may be undocumented. */
const LOOK_UPS = [
  'findCharge',
  'findTransfer',
  'findRefund',
  'findPayment',
  'findDispute',
] as const satisfies ProviderOperation[]
const LISTS = ['statement', 'listDisputes'] as const satisfies ProviderOperation[]

const FAULT_PROBABILITY = 0.4
const CLEAR_PROBABILITY = 0.02
const INBOX_FAULT_PROBABILITY = 0.02
const PANEL_PROBABILITY = 0.02
const OPERATOR_PROBABILITY = 0.04
const MAX_FAULTED_CALLS = 4
/** Calls whose pages are capped: enough for all pages of a list. */
const CAPPED_CALLS = 200
const PAGE_SIZES = [7, 25, 60] as const
/** A row of handshakes that fails: long enough to open a circuit breaker. */
const MAX_RESETS = 12
/** One kill of each kind for so many operations, at least one of each in any storm. */
const OPERATIONS_PER_RESTART = { worker: 400, api: 500, postgres: 1_000, temporal: 1_000 } satisfies Record<
  RestartableProcess,
  number
>
/** A suspension delays a storm for long: short ones have none. */
const OPERATIONS_PER_PAUSE = 350
/** The same for a stalled COMMIT. */
const OPERATIONS_PER_STALL = 500
const STALL_MS = 15_000
/** The same for a busy machine, long enough that workflow tasks time out. */
const OPERATIONS_PER_LOAD = 2_500
const BUSY_LOAD = 20
const BUSY_MS = 180_000
/** Where in their stretch of operations the kills happen, so that they do not coincide. */
const RESTART_OFFSETS = { worker: 0.35, api: 0.6, postgres: 0.8, temporal: 0.15 } satisfies Record<
  RestartableProcess,
  number
>

/** The faults over `operations` operations. */
export function planFaults(random: Random, operations: number): FaultEvent[] {
  const events: FaultEvent[] = []
  const faults = createFaultSequence(random)
  for (let before = 0; before < operations; before++) {
    if (random.chance(CLEAR_PROBABILITY)) events.push({ before, kind: 'clear' })
    if (random.chance(FAULT_PROBABILITY)) events.push({ before, ...faults() })
    if (random.chance(INBOX_FAULT_PROBABILITY)) events.push(...planInboxFault(random, before))
    if (random.chance(PANEL_PROBABILITY)) events.push(...planPanelMovement(random, before))
    if (random.chance(OPERATOR_PROBABILITY))
      events.push({ before, kind: 'operator', approves: random.chance(0.5) })
  }
  for (const of of Object.keys(OPERATIONS_PER_RESTART) as RestartableProcess[])
    events.push(...planRestarts(random, operations, of))
  const sleeps = Math.floor(operations / OPERATIONS_PER_PAUSE)
  for (let turn = 0; turn < sleeps; turn++)
    events.push({ before: Math.floor((turn + random.next()) * OPERATIONS_PER_PAUSE), kind: 'sleep' })
  for (let turn = 0; turn < Math.floor(operations / OPERATIONS_PER_STALL); turn++)
    events.push({
      before: Math.floor((turn + random.next()) * OPERATIONS_PER_STALL),
      kind: 'stall',
      forMs: STALL_MS,
    })
  for (let turn = 0; turn < Math.floor(operations / OPERATIONS_PER_LOAD); turn++)
    events.push({
      before: Math.floor((turn + random.next()) * OPERATIONS_PER_LOAD),
      kind: 'load',
      load: BUSY_LOAD,
      forMs: BUSY_MS,
    })
  return events.sort((a, b) => a.before - b.before)
}

/** Faults whose effect comes, or ends, so much later. */
const DELAYED_FAULTS: ReadonlySet<FaultKind> = new Set([
  'books_lag',
  'order_removed',
  'accepted_then_reported_removed',
  'rejected_then_done',
])
const MAX_DELAY_MS = 6_000
/** A look-up that lags for longer would be a proof of absence (storm.ts): then a provider would be to blame. */
const MAX_PAYOUT_LAG_MS = 2_000

/**
 * Every fault of every operation at every provider once, in random order, and then again. One of each kind comes first,
 * so that a short storm has all kinds.
 */
function createFaultSequence(random: Random) {
  const all = PROVIDER_NAMES.flatMap(provider => [
    { provider, operation: undefined, fault: 'unreachable' as FaultKind },
    ...FAULTED_CALLS.flatMap(operation =>
      CALL_FAULTS.filter(fault => isFaultOf(fault, operation)).map(fault => ({ provider, operation, fault })),
    ),
    ...LOOK_UPS.flatMap(operation =>
      (['odd_item', 'unlisted_status', 'unlisted_type'] as const).map(fault => ({
        provider,
        operation,
        fault,
      })),
    ),
    ...LISTS.flatMap(operation =>
      VIEW_FAULTS.filter(fault => isFaultOf(fault, operation)).map(fault => ({ provider, operation, fault })),
    ),
    { provider, operation: 'findDispute' as const, fault: 'other_status' as const },
    { provider, operation: 'findPayment' as const, fault: 'centavo_off' as const },
    ...LISTING_FAULTS.flatMap(fault => NOTIFIED_CALLS.map(operation => ({ provider, operation, fault }))),
    ...NOTIFIED_CALLS.flatMap(operation =>
      NOTIFICATION_FAULTS.map(fault => ({ provider, operation, fault })),
    ),
  ]).filter(isServed)
  const drawTurn = () => {
    const shuffled = random.shuffle(all)
    const firstOfKinds = new Set(new Map(shuffled.map(one => [one.fault, one])).values())
    return [...shuffled.filter(one => !firstOfKinds.has(one)), ...firstOfKinds]
  }
  let turn = drawTurn()
  return () => {
    if (turn.length === 0) turn = drawTurn()
    const next = turn.pop()!
    const most = next.fault === 'unreachable' ? MAX_RESETS : MAX_FAULTED_CALLS
    const times = next.fault === 'page_cap' ? CAPPED_CALLS : random.between(1, most)
    return {
      kind: 'fault' as const,
      ...next,
      times,
      ...(next.fault === 'page_cap' && { pageSize: random.pick(PAGE_SIZES) }),
      ...(DELAYED_FAULTS.has(next.fault) && { delayMs: random.between(200, getMaxDelayMs(next)) }),
    }
  }
}

/** The provider APIs that prepare transfers. */
const PREPARING_APIS: ReadonlySet<ProviderApi> = new Set(['sicoob', 'stark'])
/** The provider APIs that never answer a change of a charge with its former content. */
const CONFIRMING_APIS: ReadonlySet<ProviderApi> = new Set(['stark'])
const canRevise = (api: ProviderApi) =>
  (PROVIDER_CAPABILITIES[api].dueCharges?.revisable ?? 'nothing') !== 'nothing'
/** Faults after which Stark Bank's API shows a deposit without its reversal and no published reason: only an operator ends those. */
const UNEXPLAINED_REFUND_FAULTS: ReadonlySet<FaultKind> = new Set([
  'accepted_then_rejected',
  'rejected_then_done',
])

/** Tells whether the API of a provider has the call of a fault, and shows how what it leaves behind ends. */
function isServed(planned: {
  provider: ProviderName
  operation: ProviderOperation | undefined
  fault: FaultKind
}) {
  const apis = listApisOf(planned.provider)
  if (planned.operation === 'reviseCharge')
    return apis.some(
      api => canRevise(api) && (planned.fault !== 'revision_lost' || !CONFIRMING_APIS.has(api)),
    )
  if (planned.operation === 'prepareTransfer') return apis.some(api => PREPARING_APIS.has(api))
  return !(
    apis.includes('stark') &&
    planned.operation === 'refund' &&
    UNEXPLAINED_REFUND_FAULTS.has(planned.fault)
  )
}

function getMaxDelayMs({ fault, operation }: { fault: FaultKind; operation?: ProviderOperation }): number {
  return fault === 'books_lag' && operation !== 'issueCharge' ? MAX_PAYOUT_LAG_MS : MAX_DELAY_MS
}

/** A PIX of the panel is posted after a day, longer than a storm; a credit only when operators have explained it. */
const PANEL_MOVEMENT_WEIGHTS = { tariff: 6, withdrawal: 3, block: 3 }

function planPanelMovement(random: Random, before: number): FaultEvent[] {
  const movement = random.pickWeighted(PANEL_MOVEMENT_WEIGHTS)
  const place = random.between(0, 1_000)
  const events: FaultEvent[] = [{ before, kind: 'panel', place, movement, cents: random.between(1, 3_000) }]
  if (movement === 'block')
    events.push({ before: before + random.between(5, 60), kind: 'unblock', block: before })
  return events
}

function planInboxFault(random: Random, before: number): FaultEvent[] {
  const endpoint = random.between(0, 1_000)
  const [status, delayMs] = random.pick([
    [500, 0],
    [503, 0],
    [429, 0],
    [302, 0],
    [200, 2_000],
  ] as const)
  return [
    { before, kind: 'inbox', endpoint, status, delayMs },
    { before: before + random.between(5, 40), kind: 'inbox', endpoint, status: 200, delayMs: 0 },
  ]
}

/** Worker and API are killed in the middle of their work; the servers are restarted in order. */
function planRestarts(random: Random, operations: number, of: RestartableProcess): FaultEvent[] {
  const count = Math.max(1, Math.round(operations / OPERATIONS_PER_RESTART[of]))
  const stretch = operations / count
  const by = of === 'worker' || of === 'api' ? 'kill -9' : 'restart'
  return Array.from({ length: count }, (_, turn) => {
    const moment = RESTART_OFFSETS[of] + (random.next() - 0.5) / 10
    return { before: Math.floor((turn + moment) * stretch), kind: 'death', of, by }
  })
}
