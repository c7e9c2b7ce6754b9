import { formatBrazilianDay, getBrazilianDayStart } from '../../brazilian-day.ts'
import type { RecurrenceFrequency } from '../../recurrences/cycles.ts'
import { parseHistory } from '../../recurrences/history.ts'
import type { RecurrenceStatus, SimulatedRecurrence } from '../../recurrences/recurrences.ts'
import type { SimulatorStore } from '../../store.ts'
import { buildStarkId, buildStarkLogId, formatStarkTime, formatTaxId, parseStarkId } from './ids.ts'

/** A recurrence of Stark's API: what it has besides the recurrence. */
export type StarkSubscriptionRow = {
  number: number
  accountId: string
  recurrenceId: string
  externalId: string | null
  /** StarkSubscriptionDetails as JSON. */
  details: string
  /** JSON list. */
  tags: string
  /** Until when the payer may answer a request for consent. */
  dueAt: string
  createdAt: string
}
export type StarkSubscriptionDetails = {
  type: 'push' | 'qrcode'
  amount: number
  amountMinLimit: number
  displayDescription: string
  referenceCode: string
  data: object
  /** The code by which the payer consents; '' of a request for consent. */
  brcode: string
}

export const STARK_INTERVALS = {
  week: 'weekly',
  month: 'monthly',
  quarter: 'quarterly',
  semester: 'semiannual',
  year: 'annual',
} as const satisfies Record<string, RecurrenceFrequency>

/**
 * Statuses of InvoicePullSubscription are published without a complete list (SDK): `denied` is of the same agreement in Stark Infra's SDKs,
 * PixPullSubscription.
 */
const STATUSES = {
  created: 'created',
  approved: 'active',
  rejected: 'denied',
  expired: 'expired',
  cancelled: 'canceled',
} as const satisfies Record<RecurrenceStatus, string>

/** A subscription with its recurrence; `now` is the time of recurrences. */
export type StarkSubscriptionView = {
  subscription: StarkSubscriptionRow
  recurrence: SimulatedRecurrence
  now: Date
}

/** Finds the status; a request for consent that the payer has not answered in time has expired. */
export function findSubscriptionStatus({ subscription, recurrence, now }: StarkSubscriptionView): string {
  const { type } = JSON.parse(subscription.details) as StarkSubscriptionDetails
  const isUnanswered = type === 'push' && recurrence.status === 'created'
  return isUnanswered && subscription.dueAt < now.toISOString() ? 'expired' : STATUSES[recurrence.status]
}

/** Presents a subscription as the SDK's InvoicePullSubscription; `status` where it is not the current one. */
export function presentSubscription(view: StarkSubscriptionView, status = findSubscriptionStatus(view)) {
  const { number, externalId, details, tags, dueAt, createdAt } = view.subscription
  const { id, startsOn, endsOn, frequency, allowsRetries, debtorName, debtorDocument } = view.recurrence
  const [interval] = Object.entries(STARK_INTERVALS).find(([, one]) => one === frequency)!
  return {
    id: buildStarkId('subscription', number),
    ...(JSON.parse(details) as StarkSubscriptionDetails),
    interval,
    pullMode: 'manual',
    pullRetryLimit: allowsRetries === 1 ? 3 : 0,
    start: formatDay(startsOn),
    end: endsOn === null ? '' : formatDay(endsOn),
    due: formatStarkTime(dueAt),
    externalId: externalId ?? '',
    name: debtorName,
    taxId: formatTaxId(debtorDocument),
    tags: JSON.parse(tags) as string[],
    status,
    bacenId: id,
    created: formatStarkTime(createdAt),
    updated: formatStarkTime(parseHistory(view.recurrence.history).at(-1)!.at),
  }
}

/** Lists the logs of a subscription, oldest first. */
export function listSubscriptionLogs(view: StarkSubscriptionView) {
  const objectId = buildStarkId('subscription', view.subscription.number)
  return parseHistory<RecurrenceStatus>(view.recurrence.history).map(({ status, at }, index) => {
    const type = STATUSES[status]
    const present = () => ({ subscription: presentSubscription(view, type) })
    return { id: buildStarkLogId(objectId, index), objectId, createdAt: at, type, errors: [], present }
  })
}

/** One log of a subscription or of a pull request. */
export type StarkPullLog = {
  id: string
  objectId: string
  createdAt: string
  type: string
  errors: string[]
  /** Presents the object by its name. */
  present(): object
}

/** Presents a log, with the fields of the events that the SDKs' tests contain. */
export function presentPullLog({ id, createdAt, type, errors, present }: StarkPullLog): object {
  return { id, created: formatStarkTime(createdAt), type, errors, description: '', reason: '', ...present() }
}

export function findSubscription(
  store: SimulatorStore,
  key: 'number' | 'recurrenceId',
  value: string | number | null,
): StarkSubscriptionRow | undefined {
  return store.first<StarkSubscriptionRow>(`SELECT * FROM starkSubscription WHERE ${key} = ?`, value)
}

/** Finds the recurrence of a subscription of any account; undefined for any other id. */
export function findSubscribedRecurrenceId(store: SimulatorStore, id: string): string | undefined {
  return findSubscription(store, 'number', parseStarkId('subscription', id))?.recurrenceId
}

/** Formats a day as the published event has it: its beginning in Brasília. */
function formatDay(day: string): string {
  return formatStarkTime(new Date(getBrazilianDayStart(day)).toISOString())
}

/** Reads a day, or the day in Brasília of a time. */
export function readDay(text: string): string {
  return text.includes('T') ? formatBrazilianDay(new Date(text).toISOString()) : text
}
