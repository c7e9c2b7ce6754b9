import { PROVIDER_NAMES, type ProviderName } from '../../src/domain/provider.ts'
import type { ChildName } from '../../src/local/endings.ts'
import {
  BOOK_FAULTS,
  CALL_FAULTS,
  type FaultKind,
  NOTICE_FAULTS,
  type Operation,
  VIEW_FAULTS,
} from '../../src/simulator/faults.ts'
import type { Random } from './random.ts'

/** What goes wrong in a storm, drawn before it begins; each event comes when its operation's turn has come. */
export type WeatherEvent = { before: number } & (
  | {
      kind: 'fault'
      provider: ProviderName
      operation: Operation | undefined
      fault: FaultKind
      times: number
      delayMs?: number
      pageSize?: number
    }
  | { kind: 'clear' }
  | { kind: 'death'; of: Mortal; by: 'kill -9' | 'restart' }
  /** The worker sleeps in the middle of what it does, and wakes up when Temporal has given that up. */
  | { kind: 'sleep' }
  /** A foul endpoint answers this, until it answers 200 again. */
  | { kind: 'inbox'; endpoint: number; status: number; delayMs: number }
  /** Every COMMIT waits so long for its answer, and its rows stay invisible: a synchronous standby is away. */
  | { kind: 'stall'; forMs: number }
  /** Money moves at a provider without its API; a block is released by its second event. */
  | { kind: 'panel'; place: number; movement: PanelMove; cents: number }
  | { kind: 'unblock'; block: number }
  /** A person decides on the oldest order that waits in a provider's panel. */
  | { kind: 'operator'; approves: boolean }
)
type PanelMove = 'tariff' | 'withdrawal' | 'block'
export type Mortal = Exclude<ChildName, 'simulator'>

/** The calls of a provider that money and disputes depend on. */
const CALLS = [
  'issueCharge',
  'findCharge',
  'cancelCharge',
  'sendTransfer',
  'findTransfer',
  'refund',
  'findRefund',
  'findPayment',
  'listMeds',
  'findMed',
  'replyMed',
] as const satisfies Operation[]
const TOLD = ['issueCharge', 'sendTransfer', 'refund'] as const satisfies Operation[]

/** Look-ups and lists, whose answers may show what no document explains. */
const LOOK_UPS = [
  'findCharge',
  'findTransfer',
  'findRefund',
  'findPayment',
  'findMed',
] as const satisfies Operation[]
const LISTS = ['statement', 'listMeds'] as const satisfies Operation[]

const FAULT_BEFORE = 0.4
const CLEAR_BEFORE = 0.02
const INBOX_BEFORE = 0.02
const PANEL_BEFORE = 0.02
const OPERATOR_BEFORE = 0.04
const MOST_TIMES = 4
/** Calls whose pages are capped: enough for all pages of a list. */
const CAPPED_CALLS = 200
const PAGE_SIZES = [7, 25, 60] as const
/** A row of handshakes that fails: long enough to open a breaker. */
const MOST_RESETS = 12
/** One death of each kind for so many operations, at least one of each in any storm. */
const DEATHS = { worker: 400, api: 500, postgres: 1_000, temporal: 1_000 } satisfies Record<Mortal, number>
/** A sleep holds a storm up for long: short ones have none. */
const SLEEPS = 350
/** The same of a stalled COMMIT. */
const STALLS = 500
const STALL_MS = 15_000
/** Where in their stretch of operations the deaths come, so that they do not come together. */
const MOMENT = { worker: 0.35, api: 0.6, postgres: 0.8, temporal: 0.15 } satisfies Record<Mortal, number>

/** The weather over `operations` operations. */
export function plannedWeather(random: Random, operations: number): WeatherEvent[] {
  const events: WeatherEvent[] = []
  const faults = faultsInTurn(random)
  for (let before = 0; before < operations; before++) {
    if (random.chance(CLEAR_BEFORE)) events.push({ before, kind: 'clear' })
    if (random.chance(FAULT_BEFORE)) events.push({ before, ...faults() })
    if (random.chance(INBOX_BEFORE)) events.push(...failingInbox(random, before))
    if (random.chance(PANEL_BEFORE)) events.push(...panelMove(random, before))
    if (random.chance(OPERATOR_BEFORE))
      events.push({ before, kind: 'operator', approves: random.chance(0.5) })
  }
  for (const of of Object.keys(DEATHS) as Mortal[]) events.push(...deaths(random, operations, of))
  const sleeps = Math.floor(operations / SLEEPS)
  for (let turn = 0; turn < sleeps; turn++)
    events.push({ before: Math.floor((turn + random.next()) * SLEEPS), kind: 'sleep' })
  for (let turn = 0; turn < Math.floor(operations / STALLS); turn++)
    events.push({ before: Math.floor((turn + random.next()) * STALLS), kind: 'stall', forMs: STALL_MS })
  return events.sort((a, b) => a.before - b.before)
}

/** Every fault of every operation at every provider once, in an order of chance, and then again. */
function faultsInTurn(random: Random) {
  const all = PROVIDER_NAMES.flatMap(provider => [
    { provider, operation: undefined, fault: 'unreachable' as FaultKind },
    ...CALLS.flatMap(operation =>
      CALL_FAULTS.filter(fault => fault !== 'order_left' || operation === 'sendTransfer').map(fault => ({
        ...{ provider, operation, fault },
      })),
    ),
    ...LOOK_UPS.flatMap(operation =>
      (['odd_item', 'unlisted_status', 'unlisted_type'] as const).map(fault => ({
        provider,
        operation,
        fault,
      })),
    ),
    ...LISTS.flatMap(operation => VIEW_FAULTS.map(fault => ({ provider, operation, fault }))),
    ...BOOK_FAULTS.map(fault => ({ provider, operation: 'issueCharge' as const, fault })),
    ...TOLD.flatMap(operation => NOTICE_FAULTS.map(fault => ({ provider, operation, fault }))),
  ])
  let turn = random.shuffled(all)
  return () => {
    if (turn.length === 0) turn = random.shuffled(all)
    const next = turn.pop()!
    const most = next.fault === 'unreachable' ? MOST_RESETS : MOST_TIMES
    const times = next.fault === 'page_cap' ? CAPPED_CALLS : random.between(1, most)
    return {
      ...{ kind: 'fault' as const, ...next, times },
      ...(next.fault === 'page_cap' && { pageSize: random.pick(PAGE_SIZES) }),
      ...(next.fault === 'books_lag' && { delayMs: random.between(200, 6_000) }),
    }
  }
}

/** A PIX of the panel is booked after a day, longer than a storm; a credit only when operators have explained it. */
const PANEL_MOVES = { tariff: 6, withdrawal: 3, block: 3 }

function panelMove(random: Random, before: number): WeatherEvent[] {
  const movement = random.weighted(PANEL_MOVES)
  const place = random.between(0, 1_000)
  const events: WeatherEvent[] = [{ before, kind: 'panel', place, movement, cents: random.between(1, 3_000) }]
  if (movement === 'block')
    events.push({ before: before + random.between(5, 60), kind: 'unblock', block: before })
  return events
}

function failingInbox(random: Random, before: number): WeatherEvent[] {
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

/** Worker and API die without a word, in the middle of what they do; the servers are restarted in order. */
function deaths(random: Random, operations: number, of: Mortal): WeatherEvent[] {
  const count = Math.max(1, Math.round(operations / DEATHS[of]))
  const stretch = operations / count
  const by = of === 'worker' || of === 'api' ? 'kill -9' : 'restart'
  return Array.from({ length: count }, (_, turn) => {
    const moment = MOMENT[of] + (random.next() - 0.5) / 10
    return { before: Math.floor((turn + moment) * stretch), kind: 'death', of, by }
  })
}
