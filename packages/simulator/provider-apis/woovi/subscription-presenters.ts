import type { SimulatedAccount } from '../../accounts.ts'
import { buildDynamicBrCode } from '../../br-code.ts'
import type { AutomaticCharge, ChargeTry } from '../../recurrences/automatic-charges.ts'
import type { CancellationSource } from '../../recurrences/codes.ts'
import type { RecurrenceFrequency } from '../../recurrences/cycles.ts'
import { parseHistory } from '../../recurrences/history.ts'
import type { RecurrenceEnding, SimulatedRecurrence } from '../../recurrences/recurrences.ts'
import { presentTaxId } from './presenters.ts'
import type { WooviInstallment, WooviSubscription } from './subscriptions.ts'

export const WOOVI_FREQUENCIES = {
  WEEKLY: 'weekly',
  MONTHLY: 'monthly',
  QUARTERLY: 'quarterly',
  SEMIANNUALLY: 'semiannual',
  ANNUALLY: 'annual',
} as const satisfies Record<string, RecurrenceFrequency>

const FREQUENCY_NAMES = Object.fromEntries(
  Object.entries(WOOVI_FREQUENCIES).map(([name, frequency]) => [frequency, name]),
)

/** Builds the code by which a payer authorises a recurrence without a payment (journey 2). */
export function buildSubscriptionCode(account: SimulatedAccount, recurrenceUrl: string): string {
  return buildDynamicBrCode({
    url: null,
    recurrenceUrl,
    totalCents: 0,
    merchantName: account.holderName,
    merchantCity: account.city,
  })
}

/**
 * Presents a subscription. Woovi's examples have `pixRecurring`, its schema has `pixRecurringOptions`; the simulator has both.
 */
export function presentWooviSubscription(
  subscription: WooviSubscription,
  { recurrence, emv }: { recurrence: SimulatedRecurrence; emv: string },
) {
  const { id: globalID, correlationID, name, customer, cents: value } = subscription
  const { taxID, ...person } = JSON.parse(customer) as { taxID: string }
  const shared = { emv, journey: 'ONLY_RECURRENCY', status: nameAuthorization(recurrence) }
  return {
    globalID,
    customer: { ...person, taxID: presentTaxId(taxID) },
    dayGenerateCharge: Number(recurrence.startsOn.slice(8)),
    value,
    ...(name !== null && { name }),
    type: 'PIX_RECURRING',
    frequency: FREQUENCY_NAMES[recurrence.frequency],
    status: SUBSCRIPTION_STATUSES[recurrence.status],
    correlationID,
    pixRecurring: { recurrencyId: recurrence.id, ...shared },
    pixRecurringOptions: {
      ...shared,
      retryPolicy: recurrence.allowsRetries ? 'THREE_RETRIES_7_DAYS' : 'NON_PERMITED',
    },
  }
}

/** "INACTIVE: Assinatura cancelada" ("Máquina de Estados do Pix Automático"). */
const SUBSCRIPTION_STATUSES = {
  created: 'ACTIVE',
  approved: 'ACTIVE',
  rejected: 'INACTIVE',
  cancelled: 'INACTIVE',
  expired: 'COMPLETED',
} as const satisfies Record<SimulatedRecurrence['status'], string>

/** Names the status of the authorisation, which its payer withdraws by REJECTED and its receiver by CANCELED. */
function nameAuthorization({ status, journey, ending }: SimulatedRecurrence): string {
  switch (status) {
    case 'created':
      return 'CREATED'
    case 'approved':
      return 'APPROVED'
    case 'rejected':
      return 'REJECTED'
    case 'expired':
      return journey === null ? 'EXPIRED' : 'APPROVED'
    case 'cancelled':
      return isOfPayer(ending) ? 'REJECTED' : 'CANCELED'
  }
}

const PAYER_SIDES: CancellationSource[] = ['payer', 'payer_bank']

function isOfPayer(ending: string | null): boolean {
  const { source } = JSON.parse(ending!) as Extract<RecurrenceEnding, { kind: 'cancelled' }>
  return PAYER_SIDES.includes(source)
}

type InstallmentContext = {
  subscription: WooviSubscription
  recurrence: SimulatedRecurrence
  charge: AutomaticCharge | undefined
  tries: ChargeTry[]
}

/** Presents an installment with its debit, `cobr`. */
export function presentInstallment(
  installment: WooviInstallment,
  { subscription, recurrence, charge, tries }: InstallmentContext,
) {
  const isOpen = recurrence.status === 'created' || recurrence.status === 'approved'
  return {
    dateGenerateCharge: toNoon(installment.dueOn),
    expiration: subscription.dayDue * 86_400,
    installmentNumber: installment.number,
    value: installment.cents,
    status: charge ? INSTALLMENT_STATUSES[charge.status] : isOpen ? 'SCHEDULED' : 'CANCELED',
    createdAt: installment.createdAt,
    cobr: charge ? presentDebit(charge, tries, installment) : null,
    correlationID: subscription.correlationID,
    paymentSubscriptionGlobalID: subscription.id,
    globalID: installment.id,
  }
}

const INSTALLMENT_STATUSES = {
  created: 'SCHEDULED',
  active: 'ACTIVE',
  completed: 'COMPLETED',
  expired: 'CANCELED',
  rejected: 'CANCELED',
  cancelled: 'CANCELED',
} as const satisfies Record<AutomaticCharge['status'], string>

function presentDebit(charge: AutomaticCharge, tries: ChargeTry[], { id }: WooviInstallment) {
  const paid = tries.find(({ status }) => status === 'paid')
  const lastCode = tries.map(readCode).findLast(code => code !== null)
  return {
    identifierId: charge.txid,
    recurrencyId: charge.recurrenceId,
    installmentId: id,
    status: nameDebitStatus(charge, tries),
    tries: tries.map(presentTry(charge)),
    ...(paid && { endToEndId: paid.endToEnd }),
    ...(lastCode && { rejectCode: lastCode }),
    value: charge.cents,
    ...(charge.info !== null && { description: charge.info }),
    createdAt: charge.createdAt,
  }
}

/** Names the status of a debit; REJECTED is one that expires after its last try has failed. */
function nameDebitStatus({ status }: AutomaticCharge, tries: ChargeTry[]): string {
  switch (status) {
    case 'created':
      return 'CREATED'
    case 'active':
      return isFailedTry(tries.at(-1)) ? 'FAILED_TRY' : 'ACTIVE'
    case 'completed':
      return 'CONCLUDED'
    case 'expired':
    case 'rejected':
      return 'REJECTED'
    case 'cancelled':
      return 'CANCELED'
  }
}

export function isFailedTry(chargeTry: ChargeTry | undefined): boolean {
  return chargeTry?.status === 'rejected' || chargeTry?.status === 'expired'
}

const TRY_STATUSES = {
  requested: 'REQUESTED',
  scheduled: 'SCHEDULED',
  paid: 'PAID',
  rejected: 'REJECTED',
  expired: 'REJECTED',
  cancelled: 'CANCELED',
} as const satisfies Record<ChargeTry['status'], string>

const TRY_PURPOSES = { first: 'AGND', retry: 'NTAG', same_day: 'RIFL' } as const satisfies Record<
  ChargeTry['kind'],
  string
>

function presentTry({ cents: value }: AutomaticCharge) {
  return (chargeTry: ChargeTry) => {
    const history = parseHistory(chargeTry.history)
    const rejectCode = readCode(chargeTry)
    return {
      tryStatus: TRY_STATUSES[chargeTry.status],
      value,
      finalityPurpose: TRY_PURPOSES[chargeTry.kind],
      requestedExecutionDate: toNoon(chargeTry.day),
      createdAt: history[0]!.at,
      updatedAt: history.at(-1)!.at,
      ...(rejectCode && { rejectCode }),
    }
  }
}

/** Reads the code of a failed try; Woovi's of one that was not paid on its day is EXPR. */
function readCode({ status, code }: ChargeTry): string | null {
  return status === 'expired' ? 'EXPR' : code
}

function toNoon(day: string): string {
  return `${day}T12:00:00.000Z`
}
