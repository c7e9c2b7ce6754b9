import type { SimulatedAccounts } from '../accounts.ts'
import { getBrazilianDayStart } from '../brazilian-day.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from '../latency.ts'
import { PAYER_BANK_ISPB, type Receipts } from '../receipts.ts'
import type { TaskSchedule } from '../schedule.ts'
import type { SimulatorStore } from '../store.ts'
import type { AutomaticCharge, AutomaticCharges, ChargeTry } from './automatic-charges.ts'
import type { RecurrenceClock } from './clock.ts'
import {
  CHARGE_CANCELLATION_SOURCES,
  type ChargeCancellationCode,
  isFinalCode,
  isRetriedOnSameDay,
  RECURRENCE_CANCELLATION_SOURCES,
  type RecurrenceCancellationCode,
  type RecurrenceRejectionCode,
  type TryCode,
} from './codes.ts'
import type { ConsentRecipient, ConsentRequests } from './consent-requests.ts'
import { findMagicRejection, findMagicTryCode } from './magic-debtors.ts'
import type {
  PayerSettings,
  RecurrenceConsent,
  RecurrenceJourney,
  SimulatedRecurrence,
  SimulatedRecurrences,
} from './recurrences.ts'

/** The part of a day in which the payer's bank makes its tries; what has no money in the morning is tried again in the evening. */
type DayPeriod = 'MORNING' | 'EVENING'

/** A payer's answer to a recurrence; `code` rejects it. */
type RecurrenceAnswer =
  | { accept: true; ceilingCents?: number | null; payerDocument?: string | undefined }
  | { accept: false; code?: RecurrenceRejectionCode | undefined }

/** The payers of recurrences and their banks. */
export type RecurrencePayers = {
  /**
   * Answers a recurrence that waits for its payer; `journey` absent: 1 where a request waits, or else 2. Undefined if it does not
   * wait any more. A ceiling below the receiver's minimum is refused.
   */
  answer(
    id: string,
    answer: RecurrenceAnswer & { journey?: RecurrenceJourney },
  ): SimulatedRecurrence | 'ceiling_below_minimum' | undefined
  /** Cancels a recurrence and its pending charges; undefined if it has ended. */
  cancel(id: string, code: RecurrenceCancellationCode): SimulatedRecurrence | undefined
  /** Cancels one charge; undefined if it has ended. */
  cancelCharge(charge: AutomaticCharge, code: ChargeCancellationCode): AutomaticCharge | undefined
  change(recurrence: SimulatedRecurrence, settings: Partial<PayerSettings>): SimulatedRecurrence
  /** Refuses the next tries of a recurrence with a code. */
  planRefusals(recurrence: SimulatedRecurrence, code: TryCode, times: number): SimulatedRecurrence
  /** Adds what a provider does by itself at the end of each period of a day. */
  onPeriodEnd(act: () => void): void
  /** Advances the clock of recurrences by days, each with its tries; the last one until a period. */
  advance(days: number, until: DayPeriod): void
}

type PayerDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  receipts: Receipts
  schedule: TaskSchedule
  clock: RecurrenceClock
  recurrences: SimulatedRecurrences
  requests: ConsentRequests
  charges: AutomaticCharges
}

export function simulateRecurrencePayers({
  store,
  accounts,
  receipts,
  schedule,
  clock,
  recurrences,
  requests,
  charges,
}: PayerDependencies): RecurrencePayers {
  const periodEndActs: (() => void)[] = []
  const findRecurrence = (charge: AutomaticCharge) => recurrences.find(charge.recurrenceId)!
  const findCharge = ({ accountId, txid }: ChargeTry) => charges.find(accountId, txid)!

  /** Answers an instruction: the payer's bank schedules the try, or refuses it at once. */
  const answerInstruction = (chargeTry: ChargeTry) => {
    const charge = findCharge(chargeTry)
    const recurrence = findRecurrence(charge)
    const code = findInstructionRefusal(recurrence, charge)
    if (charge.status === 'created') charges.setStatus(charge, 'active')
    const current = findCharge(chargeTry)
    if (code) return rejectTry(chargeTry, current, code)
    charges.setTryStatus(chargeTry, 'scheduled')
    charges.notify(current)
  }

  const rejectTry = (chargeTry: ChargeTry, charge: AutomaticCharge, code: TryCode) => {
    charges.setTryStatus(chargeTry, 'rejected', code)
    const isFinal = isFinalCode(code)
    charges.notify(isFinal ? charges.setStatus(charge, 'rejected', { kind: 'rejected', code }) : charge)
  }

  const payTry = (chargeTry: ChargeTry, charge: AutomaticCharge, recurrence: SimulatedRecurrence) => {
    charges.setTryStatus(chargeTry, 'paid')
    const receipt = receipts.receive({
      accountId: charge.accountId,
      key: accounts.listKeys(charge.accountId)[0] ?? '',
      cents: charge.cents,
      payer: {
        name: recurrence.debtorName,
        document: recurrence.payerDocument!,
        ispb: recurrence.payerIspb!,
      },
      txid: charge.txid,
      endToEnd: chargeTry.endToEnd,
      silent: charge.silent === 1,
    })
    store.run(
      "UPDATE charge SET status = 'completed' WHERE accountId = ? AND txid = ?",
      charge.accountId,
      charge.txid,
    )
    charges.notify(charges.setStatus(charge, 'completed'), receipt)
  }

  /** Tells whether the charge that an automatic charge pays, where it pays one, cannot be paid any more. */
  const isPaidChargeClosed = ({ accountId, txid }: AutomaticCharge) =>
    store.first(
      "SELECT txid FROM charge WHERE accountId = ? AND txid = ? AND status <> 'active'",
      accountId,
      txid,
    ) !== undefined

  /** Takes the code with which the payer's bank refuses a try on its day. */
  const takeRefusal = (recurrence: SimulatedRecurrence, charge: AutomaticCharge): TryCode | undefined => {
    const [planned, ...others] = JSON.parse(recurrence.plannedCodes) as TryCode[]
    if (planned) recurrences.revise(recurrence, { plannedCodes: JSON.stringify(others) })
    return (
      planned ?? findMagicTryCode(recurrence.debtorDocument) ?? findInstructionRefusal(recurrence, charge)
    )
  }

  const runTry = (chargeTry: ChargeTry, period: DayPeriod) => {
    const charge = findCharge(chargeTry)
    const recurrence = findRecurrence(charge)
    const code = isPaidChargeClosed(charge) ? 'NIPA' : takeRefusal(recurrence, charge)
    if (code) {
      rejectTry(chargeTry, charge, code)
      const isRetried = isRetriedOnSameDay(code) && chargeTry.kind !== 'same_day' && period === 'MORNING'
      if (isRetried)
        charges.addTry(charge, {
          day: chargeTry.day,
          kind: 'same_day',
          payerIspb: recurrence.payerIspb!,
        })
      return
    }
    const { fundsCents, eveningFundsCents } = recurrence
    const funds = period === 'MORNING' ? fundsCents : (eveningFundsCents ?? fundsCents)
    if (funds === null || funds >= charge.cents) return payTry(chargeTry, charge, recurrence)
    if (period === 'MORNING') return
    charges.setTryStatus(chargeTry, 'expired')
    charges.notify(charge)
  }

  const listPendingTries = (status: 'requested' | 'scheduled') =>
    store.all<ChargeTry>('SELECT * FROM chargeTry WHERE status = ? ORDER BY id', status)

  const expireCharges = (today: string) => {
    const ended = store.all<AutomaticCharge>(
      `SELECT * FROM automaticCharge
       WHERE status IN ('created', 'active') AND lastTryOn < ? AND NOT EXISTS (
         SELECT 1 FROM chargeTry WHERE chargeTry.accountId = automaticCharge.accountId
           AND chargeTry.txid = automaticCharge.txid AND chargeTry.status IN ('requested', 'scheduled'))
       ORDER BY rowid`,
      today,
    )
    for (const charge of ended) charges.notify(charges.setStatus(charge, 'expired'))
  }

  /** Runs a period of the current day. Tries of earlier days, which the clock has passed, run too. May be called again. */
  const runPeriod = (period: DayPeriod) =>
    store.inTransaction(() => {
      const today = clock.today()
      for (const chargeTry of listPendingTries('requested')) answerInstruction(chargeTry)
      for (const chargeTry of listPendingTries('scheduled')) {
        if (chargeTry.day <= today) runTry(chargeTry, period)
      }
      for (const act of periodEndActs) act()
      expireCharges(today)
    })

  schedule.registerHandler('answer_payment_instruction', ({ id }: { id: number }) => {
    const chargeTry = store.first<ChargeTry>('SELECT * FROM chargeTry WHERE id = ?', id)!
    if (chargeTry.status === 'requested') answerInstruction(chargeTry)
    return undefined
  })
  schedule.registerHandler('run_recurrence_day', () => {
    runPeriod('MORNING')
    runPeriod('EVENING')
    return undefined
  })

  const endRequest = (id: string, journey: RecurrenceJourney, isAccepted: boolean) => {
    const request = requests.findActive(id)
    if (!request) return
    // A recurrence that is authorised by a code needs its request no more (bacen/pix-api #619).
    requests.end(request, journey !== 1 ? 'cancelled' : isAccepted ? 'accepted' : 'rejected')
  }

  const cancelCharges = (id: string, code: ChargeCancellationCode) => {
    for (const charge of charges.listByRecurrence(id))
      charges.cancel(charge, { code, source: CHARGE_CANCELLATION_SOURCES[code] })
  }

  return {
    answer: (id, answer) =>
      store.inTransaction(() => {
        const recurrence = recurrences.find(id)
        if (recurrence?.status !== 'created') return undefined
        const request = requests.findActive(id)
        const journey = answer.journey ?? (request ? 1 : 2)
        const code =
          findMagicRejection(recurrence.debtorDocument) ?? (answer.accept ? undefined : answer.code)
        if (!answer.accept || code) {
          endRequest(id, journey, false)
          return recurrences.reject(id, code ?? 'AP13')
        }
        const ceilingCents = answer.ceilingCents ?? null
        if (ceilingCents !== null && ceilingCents < (recurrence.minimumCents ?? 0))
          return 'ceiling_below_minimum'
        const recipient = request && (JSON.parse(request.recipient) as ConsentRecipient)
        const consent: RecurrenceConsent = {
          journey,
          payerDocument: answer.payerDocument ?? recipient?.document ?? recurrence.debtorDocument,
          payerIspb: (journey === 1 ? recipient?.ispb : undefined) ?? PAYER_BANK_ISPB,
          ceilingCents,
        }
        endRequest(id, journey, true)
        const approved = recurrences.approve(id, consent)!
        // The charges that were created before are instructed now.
        for (const charge of charges.listByRecurrence(id)) {
          if (charge.status !== 'created') continue
          charges.addTry(charge, { day: charge.firstTryOn, kind: 'first', payerIspb: consent.payerIspb })
        }
        return approved
      }),
    cancel: (id, code) =>
      store.inTransaction(() => {
        const cancelled = recurrences.cancel(id, { code, source: RECURRENCE_CANCELLATION_SOURCES[code] })
        if (!cancelled) return undefined
        const request = requests.findActive(id)
        if (request) requests.end(request, 'cancelled')
        cancelCharges(id, code === 'ACCL' ? 'ACCT' : 'CCLD')
        return cancelled
      }),
    cancelCharge: (charge, code) =>
      charges.cancel(charge, { code, source: CHARGE_CANCELLATION_SOURCES[code] }),
    change: (recurrence, settings) => recurrences.revise(recurrence, settings),
    planRefusals: (recurrence, code, times) => {
      const planned = [...(JSON.parse(recurrence.plannedCodes) as TryCode[]), ...Array(times).fill(code)]
      return recurrences.revise(recurrence, { plannedCodes: JSON.stringify(planned) })
    },
    onPeriodEnd: act => void periodEndActs.push(act),
    advance: (days, until) => {
      if (days === 0) runPeriod('MORNING')
      for (let day = 1; day <= days; day++) {
        store.inTransaction(() => {
          clock.advanceDay()
          runPeriod('MORNING')
          if (day < days) runPeriod('EVENING')
        })
      }
      if (until === 'EVENING') runPeriod('EVENING')
    },
  }
}

/** Finds why the payer's bank refuses to schedule a charge: its amount is another than agreed, or above the ceiling. */
function findInstructionRefusal(
  { cents, ceilingCents }: SimulatedRecurrence,
  charge: AutomaticCharge,
): TryCode | undefined {
  if (cents !== null && cents !== charge.cents) return 'AM09'
  return ceilingCents !== null && charge.cents > ceilingCents ? 'AM02' : undefined
}

/** Schedules what follows an instruction: the answer of the payer's bank, and the tries of its day where the clock reaches it by itself. */
export function scheduleTry(
  {
    schedule,
    clock,
    scaleWaitMs,
  }: { schedule: TaskSchedule; clock: RecurrenceClock; scaleWaitMs: WaitScaler },
  { id, day, kind }: ChargeTry,
): void {
  const answerAfterMs = scaleWaitMs(SIMULATOR_WAITS_MS.settle)
  schedule.add({ task: 'answer_payment_instruction', input: { id }, afterMs: answerAfterMs })
  // The run of the day that added a try for its evening makes that as well.
  if (kind === 'same_day') return
  const untilDayMs = getBrazilianDayStart(day) + DAY_START_MS - clock.now().getTime()
  schedule.add({ task: 'run_recurrence_day', input: {}, afterMs: Math.max(2 * answerAfterMs, untilDayMs) })
}
/** Time of a day at which its tries run by the clock. */
const DAY_START_MS = 60_000
