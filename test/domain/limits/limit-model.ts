import type { AccountLimits } from '../../../src/domain/limits/account-limits.ts'
import type { LimitName } from '../../../src/domain/limits/exceeded-limit.ts'

/**
 * A model of the limits that was written from the contract, not from the code: it keeps every order that was let through,
 * and sums them anew for each decision. Days and nights are read from the clock of the time zone database.
 */

export type ModelOrder = {
  kind: 'transfer' | 'refund'
  valueCents: number
  pixKey: string
  at: Date
}

type LetThrough = ModelOrder & { hasFailed: boolean; settledAt: Date | null }

const clock = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

function readClock(at: Date): { day: string; time: string } {
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]))
  return { day: `${parts.year}-${parts.month}-${parts.day}`, time: `${parts.hour}:${parts.minute}` }
}

/** The day on which the night of a moment began; null in daytime. */
function nightOf({ from, to }: AccountLimits['night'], at: Date): string | null {
  const { day, time } = readClock(at)
  if (from < to) return from <= time && time < to ? day : null
  if (time >= from) return day
  if (time < to) return readClock(new Date(at.getTime() - 86_400_000)).day
  return null
}

export function createLimitModel(limits: AccountLimits) {
  const orders: LetThrough[] = []
  const sum = (isCounted: (order: LetThrough) => boolean) =>
    orders.reduce((cents, one) => cents + (!one.hasFailed && isCounted(one) ? one.valueCents : 0), 0)
  const isTrusted = (pixKey: string) =>
    limits.trustedReceivers.some(one => ('pixKey' in one ? one.pixKey : one.document) === pixKey)

  function isNew(pixKey: string, at: Date): boolean {
    const settled = orders.filter(one => one.pixKey === pixKey && one.settledAt !== null)
    const first = Math.min(...settled.map(one => one.settledAt!.getTime()))
    return at.getTime() < first + limits.newReceiver!.hours * 3_600_000
  }

  /** Every limit that an order exceeds. */
  function listExceeded({ kind, valueCents, pixKey, at }: ModelOrder): LimitName[] {
    const exceeds = (limit: number | null, usedCents = 0) => limit !== null && usedCents + valueCents > limit
    const { day } = readClock(at)
    const ofDay = sum(one => readClock(one.at).day === day)
    const exceeded: LimitName[] = exceeds(limits.perDayCents, ofDay) ? ['per_day'] : []
    if (kind === 'refund') return exceeded
    const transfers = (isCounted: (one: LetThrough) => boolean) =>
      sum(one => one.kind === 'transfer' && isCounted(one))
    const night = nightOf(limits.night, at)
    const ofNight = transfers(one => nightOf(limits.night, one.at) === night)
    const ofReceiver = transfers(one => one.pixKey === pixKey && readClock(one.at).day === day)
    if (night !== null && exceeds(limits.perNightCents, ofNight)) exceeded.push('per_night')
    if (exceeds(limits.perReceiverPerDayCents, ofReceiver)) exceeded.push('per_receiver_per_day')
    if (exceeds(limits.perTransferCents)) exceeded.push('per_transfer')
    if (limits.allowedReceiversOnly && !isTrusted(pixKey)) exceeded.push('allowed_receivers_only')
    const { newReceiver } = limits
    if (newReceiver && !isTrusted(pixKey) && isNew(pixKey, at)) {
      const got = transfers(one => one.pixKey === pixKey)
      if (exceeds(newReceiver.valueCents, got)) exceeded.push('new_receiver')
    }
    return exceeded
  }

  return {
    orders,
    listExceeded,
    letThrough(order: ModelOrder): LetThrough {
      const entry = { ...order, hasFailed: false, settledAt: null }
      orders.push(entry)
      return entry
    },
  }
}
