import type { ApprovalRule } from '../approvals/approval.ts'
import { HOUR } from '../shared/intervals.ts'

/** How long a change that allows more waits before it takes effect; one that allows less acts at once. */
const RAISE_DELAY_MS = 24 * HOUR

/** A receiver that the account trusts, by a PIX key or by the CPF or CNPJ of the holder. */
export type TrustedReceiver = { pixKey: string } | { document: string }

/**
 * Hours of the night in Brasília, `HH:MM`, from noon to noon at most: so the night of a moment is the same one whatever its
 * hours are, and a change of them begins no new counter.
 */
export type NightHours = { from: string; to: string }

/** What an account may send, in centavos; null where nothing binds it. Stored as it is, in `account_limits`. */
export type AccountLimits = {
  perTransferCents: number | null
  perDayCents: number | null
  perNightCents: number | null
  night: NightHours
  perReceiverPerDayCents: number | null
  /** What a receiver may get in all, until `hours` have passed since its first settled transfer. */
  newReceiver: { valueCents: number; hours: number } | null
  /** Free of `newReceiver`, and the only ones where `allowedReceiversOnly`. */
  trustedReceivers: TrustedReceiver[]
  allowedReceiversOnly: boolean
  /** Seconds within which the same value to the same receiver needs the caller's consent; 0: none. */
  duplicateGuardSeconds: number
  /** Which transfers wait for persons who have not ordered them; null: none. */
  approvals: ApprovalRule | null
}

/** Limits of an account that has set none: they bind nothing. */
export const NO_LIMITS: AccountLimits = {
  perTransferCents: null,
  perDayCents: null,
  perNightCents: null,
  night: { from: '20:00', to: '06:00' },
  perReceiverPerDayCents: null,
  newReceiver: null,
  trustedReceivers: [],
  allowedReceiversOnly: false,
  duplicateGuardSeconds: 0,
  approvals: null,
}

/** Limits that take effect at a moment of PostgreSQL's clock. */
export type PendingLimits = { limits: AccountLimits; effectiveAt: Date }

/** The limits of an account as they are stored: `pending` is in force from its moment on, though no process has moved it. */
export type LimitSettings = { limits: AccountLimits; pending: PendingLimits | null }

/** Returns the limits that are in force at a moment. */
export function getEffectiveLimits({ limits, pending }: LimitSettings, at: Date): AccountLimits {
  return isEffective(pending, at) ? pending.limits : limits
}

/** Returns the change that is still to take effect at a moment; null where none is. */
export function getPendingLimits({ pending }: LimitSettings, at: Date): PendingLimits | null {
  return isEffective(pending, at) ? null : pending
}

function isEffective(pending: PendingLimits | null, at: Date): pending is PendingLimits {
  return pending !== null && pending.effectiveAt <= at
}

/**
 * Applies requested limits: what allows less is in force at once, what allows more is pending for `RAISE_DELAY_MS`. A
 * request replaces the change that is pending, and cancels it by asking for what is in force. One that repeats the pending
 * change keeps its time.
 */
export function changeLimits(settings: LimitSettings, requested: AccountLimits, at: Date): LimitSettings {
  const limits = combineStrictest(getEffectiveLimits(settings, at), requested)
  if (isSameLimits(limits, requested)) return { limits, pending: null }
  const earlier = getPendingLimits(settings, at)
  const isRepeated = earlier !== null && isSameLimits(earlier.limits, requested)
  const effectiveAt = isRepeated ? earlier.effectiveAt : new Date(at.getTime() + RAISE_DELAY_MS)
  return { limits, pending: { limits: requested, effectiveAt } }
}

/** Combines the limits in force with requested ones: whatever both allow, and nothing else. */
function combineStrictest(current: AccountLimits, requested: AccountLimits): AccountLimits {
  // A list of trusted receivers allows something only beside one of these.
  const isListBinding = current.newReceiver !== null || current.allowedReceiversOnly
  return {
    perTransferCents: lowest(current.perTransferCents, requested.perTransferCents),
    perDayCents: lowest(current.perDayCents, requested.perDayCents),
    perNightCents: lowest(current.perNightCents, requested.perNightCents),
    night: combineNights(current, requested),
    perReceiverPerDayCents: lowest(current.perReceiverPerDayCents, requested.perReceiverPerDayCents),
    newReceiver: combineNewReceiver(current.newReceiver, requested.newReceiver),
    trustedReceivers: isListBinding
      ? requested.trustedReceivers.filter(one => hasReceiver(current.trustedReceivers, one))
      : requested.trustedReceivers,
    allowedReceiversOnly: current.allowedReceiversOnly || requested.allowedReceiversOnly,
    duplicateGuardSeconds: Math.max(current.duplicateGuardSeconds, requested.duplicateGuardSeconds),
    approvals: combineApprovals(current.approvals, requested.approvals),
  }
}

function lowest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}

/** A night that contains the present one acts at once; any other change of its hours leaves some of them free. */
function combineNights(current: AccountLimits, requested: AccountLimits): NightHours {
  const isAtOnce = current.perNightCents === null || isNightWithin(current.night, requested.night)
  return isAtOnce ? requested.night : current.night
}

function combineNewReceiver(
  one: AccountLimits['newReceiver'],
  other: AccountLimits['newReceiver'],
): AccountLimits['newReceiver'] {
  if (one === null || other === null) return one ?? other
  return {
    valueCents: Math.min(one.valueCents, other.valueCents),
    hours: Math.max(one.hours, other.hours),
  }
}

/**
 * Combines two rules: the lower value needs approvals, of more persons, who have less time. A call-out that is in force stays: another
 * server might approve what this one refuses.
 */
function combineApprovals(current: ApprovalRule | null, requested: ApprovalRule | null): ApprovalRule | null {
  if (current === null || requested === null) return current ?? requested
  return {
    aboveCents: Math.min(current.aboveCents, requested.aboveCents),
    count: current.count > requested.count ? current.count : requested.count,
    expiresHours: Math.min(current.expiresHours, requested.expiresHours),
    calloutUrl: current.calloutUrl ?? requested.calloutUrl,
  }
}

/** Tells whether all of one night belongs to another. */
function isNightWithin(inner: NightHours, outer: NightHours): boolean {
  const { fromMinutes, toMinutes } = countNightMinutes(outer)
  const innerMinutes = countNightMinutes(inner)
  return fromMinutes <= innerMinutes.fromMinutes && innerMinutes.toMinutes <= toMinutes
}

const NOON = 12 * 60
const DAY_MINUTES = 2 * NOON

/** Counts the minutes from noon to the beginning and to the end of a night. The service accepts none that has none. */
export function countNightMinutes({ from, to }: NightHours): { fromMinutes: number; toMinutes: number } {
  const sinceNoon = (time: string) => {
    const [hours, minutes] = time.split(':')
    return (Number(hours) * 60 + Number(minutes) + NOON) % DAY_MINUTES
  }
  return { fromMinutes: sinceNoon(from), toMinutes: sinceNoon(to) || DAY_MINUTES }
}

/** Tells whether hours are a night: they begin before they end, between one noon and the next. */
export function isNight(night: NightHours): boolean {
  const { fromMinutes, toMinutes } = countNightMinutes(night)
  return fromMinutes < toMinutes
}

function hasReceiver(receivers: TrustedReceiver[], receiver: TrustedReceiver): boolean {
  const key = formatReceiver(receiver)
  return receivers.some(one => formatReceiver(one) === key)
}

/** Formats a trusted receiver as text that no other receiver has. */
function formatReceiver(receiver: TrustedReceiver): string {
  return 'pixKey' in receiver ? `pix_key ${receiver.pixKey}` : `document ${receiver.document}`
}

/** Tells whether a change leaves limits as they are at a moment, in force and pending. */
export function isSameSettings(one: LimitSettings, other: LimitSettings, at: Date): boolean {
  const [pending, otherPending] = [one, other].map(settings => getPendingLimits(settings, at))
  return (
    isSameLimits(getEffectiveLimits(one, at), getEffectiveLimits(other, at)) &&
    pending?.effectiveAt.getTime() === otherPending?.effectiveAt.getTime() &&
    (!pending || !otherPending || isSameLimits(pending.limits, otherPending.limits))
  )
}

/** Tells whether two limits allow the same; the order of the trusted receivers is none. */
function isSameLimits(one: AccountLimits, other: AccountLimits): boolean {
  return formatLimits(one) === formatLimits(other)
}

function formatLimits(limits: AccountLimits): string {
  const { newReceiver, night, approvals } = limits
  return JSON.stringify([
    limits.perTransferCents,
    limits.perDayCents,
    limits.perNightCents,
    [night.from, night.to],
    limits.perReceiverPerDayCents,
    newReceiver && [newReceiver.valueCents, newReceiver.hours],
    limits.trustedReceivers.map(formatReceiver).sort(),
    limits.allowedReceiversOnly,
    limits.duplicateGuardSeconds,
    approvals && [approvals.aboveCents, approvals.count, approvals.expiresHours, approvals.calloutUrl],
  ])
}

/** Tells whether a transfer goes to a trusted receiver. `document`: of an order whose provider checks the holder of the key. */
export function isTrustedReceiver(
  { trustedReceivers }: AccountLimits,
  { pixKey, document }: { pixKey: string | null | undefined; document?: string | null | undefined },
): boolean {
  return trustedReceivers.some(one =>
    'pixKey' in one ? one.pixKey === pixKey : one.document === pixKey || one.document === document,
  )
}
