import { describe, expect, test } from '@jest/globals'
import {
  type AccountLimits,
  changeLimits,
  getEffectiveLimits,
  getPendingLimits,
  isNight,
  type LimitSettings,
  NO_LIMITS,
} from '../../../src/domain/limits/account-limits.ts'
import { findNight, listOrderWindows } from '../../../src/domain/limits/usage-window.ts'
import { createSeededRandom } from '../support/seeded-random.ts'

/** What acts at once and what waits, and when days and nights begin in Brasília. */

const HOUR_MS = 3_600_000
const START = new Date('2026-11-28T12:00:00Z')
const later = (hours: number) => new Date(START.getTime() + hours * HOUR_MS)
const NONE: LimitSettings = { limits: NO_LIMITS, pending: null }

const withLimits = (limits: Partial<AccountLimits>): AccountLimits => ({ ...NO_LIMITS, ...limits })
const inForce = (limits: Partial<AccountLimits>): LimitSettings => ({
  limits: withLimits(limits),
  pending: null,
})

describe('a change of limits', () => {
  test('acts at once where it allows less', () => {
    const changed = changeLimits(inForce({ perDayCents: 200 }), withLimits({ perDayCents: 100 }), START)
    expect(changed).toEqual(inForce({ perDayCents: 100 }))
    expect(changeLimits(NONE, withLimits({ perNightCents: 0 }), START)).toEqual(inForce({ perNightCents: 0 }))
  })

  test('waits 24 hours where it allows more, and is in force by the clock alone', () => {
    const changed = changeLimits(inForce({ perDayCents: 100 }), withLimits({ perDayCents: 200 }), START)
    expect(getEffectiveLimits(changed, later(23.99)).perDayCents).toBe(100)
    expect(getPendingLimits(changed, later(23.99))).toMatchObject({ effectiveAt: later(24) })
    expect(getEffectiveLimits(changed, later(24)).perDayCents).toBe(200)
    expect(getPendingLimits(changed, later(24))).toBeNull()
  })

  test('of both kinds acts in part: what it lowers at once, what it raises later', () => {
    const current = inForce({ perDayCents: 100, perTransferCents: 50 })
    const changed = changeLimits(current, withLimits({ perDayCents: 200, perTransferCents: 20 }), START)
    expect(getEffectiveLimits(changed, START)).toMatchObject({ perDayCents: 100, perTransferCents: 20 })
    expect(getEffectiveLimits(changed, later(24))).toMatchObject({ perDayCents: 200, perTransferCents: 20 })
  })

  test.each([
    ['none to some', null, { aboveCents: 100 }, 'at once'],
    ['some to none', { aboveCents: 100 }, null, 'later'],
    ['a lower value', { aboveCents: 100 }, { aboveCents: 99 }, 'at once'],
    ['a higher value', { aboveCents: 100 }, { aboveCents: 101 }, 'later'],
    ['two persons', { count: 1 as const }, { count: 2 as const }, 'at once'],
    ['one person', { count: 2 as const }, { count: 1 as const }, 'later'],
    ['less time', { expiresHours: 72 }, { expiresHours: 1 }, 'at once'],
    ['more time', { expiresHours: 72 }, { expiresHours: 73 }, 'later'],
    ['a call-out', {}, { calloutUrl: 'https://a.test/' }, 'at once'],
    ['no call-out', { calloutUrl: 'https://a.test/' }, {}, 'later'],
    [
      'the call-out of another server',
      { calloutUrl: 'https://a.test/' },
      { calloutUrl: 'https://b.test/' },
      'later',
    ],
  ])('of the approvals, to %s', (_, before, after, when) => {
    const rule = (changed: object | null) =>
      withLimits({
        approvals: changed && { aboveCents: 50, count: 1, expiresHours: 24, calloutUrl: null, ...changed },
      })
    const [current, requested] = [rule(before), rule(after)]
    const changed = changeLimits({ limits: current, pending: null }, requested, START)
    expect(getEffectiveLimits(changed, START)).toEqual(when === 'later' ? current : requested)
    expect(getEffectiveLimits(changed, later(24))).toEqual(requested)
  })

  test('to what is in force cancels the one that is pending', () => {
    const pending = changeLimits(inForce({ perDayCents: 100 }), withLimits({ perDayCents: 200 }), START)
    expect(changeLimits(pending, withLimits({ perDayCents: 100 }), later(1))).toEqual(
      inForce({ perDayCents: 100 }),
    )
  })

  test('that repeats the pending one keeps its time, and another begins anew', () => {
    const pending = changeLimits(inForce({ perDayCents: 100 }), withLimits({ perDayCents: 200 }), START)
    expect(changeLimits(pending, withLimits({ perDayCents: 200 }), later(5)).pending?.effectiveAt).toEqual(
      later(24),
    )
    expect(changeLimits(pending, withLimits({ perDayCents: 201 }), later(5)).pending?.effectiveAt).toEqual(
      later(29),
    )
  })

  test.each<[string, Partial<AccountLimits>, Partial<AccountLimits>, Partial<AccountLimits>]>([
    ['removing a limit', { perTransferCents: 5 }, { perTransferCents: null }, { perTransferCents: 5 }],
    [
      'a shorter night',
      { perNightCents: 5, night: { from: '20:00', to: '06:00' } },
      { perNightCents: 5, night: { from: '22:00', to: '06:00' } },
      { night: { from: '20:00', to: '06:00' } },
    ],
    [
      'a night at other hours',
      { perNightCents: 5, night: { from: '20:00', to: '06:00' } },
      { perNightCents: 5, night: { from: '19:00', to: '05:00' } },
      { night: { from: '20:00', to: '06:00' } },
    ],
    [
      'fewer hours and more value of a new receiver',
      { newReceiver: { valueCents: 5, hours: 24 } },
      { newReceiver: { valueCents: 9, hours: 1 } },
      { newReceiver: { valueCents: 5, hours: 24 } },
    ],
    [
      'one more trusted receiver',
      { newReceiver: { valueCents: 5, hours: 1 }, trustedReceivers: [{ pixKey: 'a@b.c' }] },
      {
        newReceiver: { valueCents: 5, hours: 1 },
        trustedReceivers: [{ pixKey: 'a@b.c' }, { document: '11222333000181' }],
      },
      { trustedReceivers: [{ pixKey: 'a@b.c' }] },
    ],
    [
      'paying any receiver again',
      { allowedReceiversOnly: true },
      { allowedReceiversOnly: false },
      { allowedReceiversOnly: true },
    ],
    [
      'a shorter guard',
      { duplicateGuardSeconds: 60 },
      { duplicateGuardSeconds: 0 },
      { duplicateGuardSeconds: 60 },
    ],
  ])('%s waits', (_, current, requested, expected) => {
    const changed = changeLimits(inForce(current), withLimits(requested), START)
    expect(changed.limits).toMatchObject(expected)
    expect(changed.pending).toEqual({ limits: withLimits(requested), effectiveAt: later(24) })
  })

  test.each<[string, Partial<AccountLimits>, Partial<AccountLimits>]>([
    [
      'a longer night over midnight',
      { perNightCents: 5, night: { from: '20:00', to: '06:00' } },
      { perNightCents: 5, night: { from: '18:00', to: '07:00' } },
    ],
    ['the first night', {}, { perNightCents: 5, night: { from: '01:00', to: '05:00' } }],
    [
      'one trusted receiver less',
      { allowedReceiversOnly: true, trustedReceivers: [{ pixKey: 'a@b.c' }, { pixKey: 'b@b.c' }] },
      { allowedReceiversOnly: true, trustedReceivers: [{ pixKey: 'b@b.c' }] },
    ],
    [
      'the first list of allowed receivers',
      {},
      { allowedReceiversOnly: true, trustedReceivers: [{ pixKey: 'b@b.c' }] },
    ],
  ])('%s acts at once', (_, current, requested) => {
    expect(changeLimits(inForce(current), withLimits(requested), START)).toEqual(inForce(requested))
  })

  test.each([1, 2, 3, 4, 5])('never allows more than 24 hours before it was asked for, seed %i', seed => {
    const random = createSeededRandom(seed)
    let settings = NONE
    const requests: { at: Date; cents: number | null }[] = []
    const cents = ({ perDayCents }: AccountLimits) => perDayCents ?? Number.POSITIVE_INFINITY
    let previous = cents(NO_LIMITS)
    let hours = 0
    for (let step = 0; step < 300; step++) {
      hours += random.upTo(20)
      const at = later(hours)
      const now = cents(getEffectiveLimits(settings, at))
      // It rises only to what was asked for a day ago, and was the latest request since.
      if (now > previous) {
        const latest = requests.at(-1)!
        expect(latest.cents ?? Number.POSITIVE_INFINITY).toBe(now)
        const repeated = requests.slice(requests.findLastIndex(one => one.cents !== latest.cents) + 1)
        expect(at.getTime() - repeated[0]!.at.getTime()).toBeGreaterThanOrEqual(24 * HOUR_MS)
      }
      previous = now
      if (random.upTo(1)) continue
      const requested = random.upTo(9) ? random.upTo(5) : null
      settings = changeLimits(settings, withLimits({ perDayCents: requested }), at)
      requests.push({ at, cents: requested })
      previous = cents(getEffectiveLimits(settings, at))
      expect(previous).toBe(Math.min(now, requested ?? Number.POSITIVE_INFINITY))
    }
  })
})

describe('windows', () => {
  const windowsAt = (text: string, night = NO_LIMITS.night) =>
    listOrderWindows({ night }, new Date(text), { receiverHash: 'r', isNewReceiver: false })

  test.each([
    ['2026-11-29T02:59:59.999Z', '2026-11-28', '2026-11-29T03:00:00.000Z'],
    ['2026-11-29T03:00:00.000Z', '2026-11-29', '2026-11-30T03:00:00.000Z'],
    // Where Brazil had daylight saving time until 2019.
    ['2027-01-01T02:30:00.000Z', '2026-12-31', '2027-01-01T03:00:00.000Z'],
  ])('the day of %s is %s in Brasília', (at, day, endsAt) => {
    const { windows, dayEndsAt } = windowsAt(at)
    expect(windows[0]).toEqual({ name: 'day', startsOn: day, receiverHash: '' })
    expect(dayEndsAt).toEqual(new Date(endsAt))
  })

  test.each([
    ['20:00', '06:00', '2026-11-28T22:59:59.999Z', null],
    ['20:00', '06:00', '2026-11-28T23:00:00.000Z', '2026-11-28'],
    ['20:00', '06:00', '2026-11-29T03:00:00.000Z', '2026-11-28'],
    ['20:00', '06:00', '2026-11-29T08:59:59.999Z', '2026-11-28'],
    ['20:00', '06:00', '2026-11-29T09:00:00.000Z', null],
    ['01:00', '05:00', '2026-11-29T03:59:00.000Z', null],
    ['01:00', '05:00', '2026-11-29T04:00:00.000Z', '2026-11-28'],
    ['01:00', '05:00', '2026-11-29T08:00:00.000Z', null],
    ['12:00', '12:00', '2026-11-29T14:59:59.999Z', '2026-11-28'],
    ['12:00', '12:00', '2026-11-29T15:00:00.000Z', '2026-11-29'],
    ['22:00', '00:00', '2026-11-29T02:59:59.999Z', '2026-11-28'],
    ['22:00', '00:00', '2026-11-29T03:00:00.000Z', null],
  ])('the night from %s to %s has %s in the night of %s', (from, to, at, startsOn) => {
    expect(findNight({ from, to }, new Date(at))?.startsOn ?? null).toBe(startsOn)
  })

  test.each([
    ['20:00', '06:00', true],
    ['01:00', '05:00', true],
    ['12:00', '12:00', true],
    ['00:00', '12:00', true],
    ['20:00', '20:00', false],
    ['11:59', '12:01', false],
    ['06:00', '20:00', false],
  ])('hours from %s to %s lie between one noon and the next: %s', (from, to, expected) => {
    expect(isNight({ from, to })).toBe(expected)
  })

  test('a change of the hours of a night begins no new counter', () => {
    const at = new Date('2026-11-29T05:00:00Z')
    const nights = [
      { from: '01:00', to: '05:00' },
      { from: '20:00', to: '06:00' },
      { from: '12:00', to: '12:00' },
    ]
    expect(nights.map(night => findNight(night, at)?.startsOn)).toEqual([
      '2026-11-28',
      '2026-11-28',
      '2026-11-28',
    ])
  })

  test('a refund counts per day only', () => {
    const refund = listOrderWindows(NO_LIMITS, new Date('2026-11-29T01:00:00Z'), { receiverHash: null })
    expect(refund.windows.map(({ name }) => name)).toEqual(['day'])
    expect(windowsAt('2026-11-29T01:00:00Z').windows.map(({ name }) => name)).toEqual([
      'day',
      'night',
      'receiver_day',
    ])
  })
})
