import { expect, test } from '@jest/globals'
import {
  type AccountLimits,
  isTrustedReceiver,
  NO_LIMITS,
} from '../../../src/domain/limits/account-limits.ts'
import {
  findExceededOrderLimit,
  findExceededWindowLimit,
  LIMIT_NAMES,
  type LimitName,
} from '../../../src/domain/limits/exceeded-limit.ts'
import { listOrderWindows, type UsageWindow } from '../../../src/domain/limits/usage-window.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { createLimitModel, type ModelOrder } from './limit-model.ts'

/** The counters decide as the model does that sums all orders anew, whatever the limits, the times and the outcomes. */

const KEYS = ['ana@example.com', 'bia@example.com', '11222333000181']
const HOUR_MS = 3_600_000

type Random = ReturnType<typeof createSeededRandom>

function drawLimits(random: Random): AccountLimits {
  const cents = () => (random.upTo(2) === 0 ? null : random.upTo(3_000))
  /** Half hours after noon: a night lies between one noon and the next. */
  const time = (halfHours: number) =>
    `${String((12 + Math.floor(halfHours / 2)) % 24).padStart(2, '0')}:${halfHours % 2 ? '30' : '00'}`
  const from = random.upTo(46)
  const to = from + 1 + random.upTo(46 - from)
  return {
    ...NO_LIMITS,
    perTransferCents: random.upTo(3) ? null : random.upTo(900),
    perDayCents: cents(),
    perNightCents: cents(),
    night: { from: time(from), to: time(to) },
    perReceiverPerDayCents: cents(),
    newReceiver: random.upTo(1) ? null : { valueCents: random.upTo(900), hours: 1 + random.upTo(40) },
    trustedReceivers: random.upTo(1) ? [] : [{ pixKey: KEYS[0]! }, { document: KEYS[2]! }],
    allowedReceiversOnly: random.upTo(7) === 0,
  }
}

/** Counters as PostgreSQL keeps them: a number for each key, and for a receiver its first settlement. */
function createCounters(limits: AccountLimits) {
  const counted = new Map<string, number>()
  const firstSettled = new Map<string, Date>()
  const keyOf = ({ name, startsOn, receiverHash }: UsageWindow) => `${name} ${startsOn} ${receiverHash}`
  return {
    decide({ kind, valueCents, pixKey, at }: ModelOrder): {
      windows: UsageWindow[]
      limit: LimitName | null
    } {
      const isTransfer = kind === 'transfer'
      const settledAt = firstSettled.get(pixKey)
      const until =
        settledAt && limits.newReceiver
          ? new Date(settledAt.getTime() + limits.newReceiver.hours * HOUR_MS)
          : null
      const isNewReceiver =
        limits.newReceiver !== null &&
        !isTrustedReceiver(limits, { pixKey }) &&
        (until === null || until > at)
      const order = listOrderWindows(limits, at, { receiverHash: isTransfer ? pixKey : null, isNewReceiver })
      const usedCents = Object.fromEntries(
        order.windows.map(window => [window.name, counted.get(keyOf(window)) ?? 0]),
      )
      const exceeded =
        (isTransfer ? findExceededOrderLimit(limits, { valueCents, pixKey }) : null) ??
        findExceededWindowLimit(limits, { valueCents, usedCents }, order, until)
      return { windows: order.windows, limit: exceeded?.limit ?? null }
    },
    add(windows: UsageWindow[], cents: number) {
      for (const window of windows) counted.set(keyOf(window), (counted.get(keyOf(window)) ?? 0) + cents)
    },
    settle(pixKey: string, at: Date) {
      if (!firstSettled.has(pixKey)) firstSettled.set(pixKey, at)
    },
  }
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  'orders are let through as the model says, seed %i',
  seed => {
    const random = createSeededRandom(seed + 1)
    const limits = drawLimits(random)
    const model = createLimitModel(limits)
    const counters = createCounters(limits)
    const openOrders: { entry: ReturnType<typeof model.letThrough>; windows: UsageWindow[] }[] = []
    const refusals: Partial<Record<LimitName, number>> = {}
    let at = new Date('2026-11-27T22:00:00Z')
    for (let step = 0; step < 150; step++) {
      at = new Date(at.getTime() + random.upTo(90) * 60_000)
      const ended = openOrders.splice(random.upTo(openOrders.length), 1)[0]
      if (ended && random.upTo(2) === 0) {
        ended.entry.hasFailed = true
        counters.add(ended.windows, -ended.entry.valueCents)
      } else if (ended?.entry.kind === 'transfer') {
        ended.entry.settledAt = at
        counters.settle(ended.entry.pixKey, at)
      }
      const order: ModelOrder = {
        kind: random.upTo(4) ? 'transfer' : 'refund',
        valueCents: 1 + random.upTo(600),
        pixKey: KEYS[random.upTo(2)]!,
        at,
      }
      const expected = model.listExceeded(order)
      const { windows, limit } = counters.decide(order)
      // The first of them by the order of the names is reported.
      expect(limit).toBe(LIMIT_NAMES.find(name => expected.includes(name)) ?? null)
      if (limit !== null) {
        refusals[limit] = (refusals[limit] ?? 0) + 1
        continue
      }
      counters.add(windows, order.valueCents)
      openOrders.push({ entry: model.letThrough(order), windows })
    }
    expect(model.orders.length + Object.values(refusals).reduce((sum, count) => sum + count, 0)).toBe(150)
  },
)
