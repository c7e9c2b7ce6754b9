import { setTimeout as sleep } from 'node:timers/promises'
import { addDays } from '../../src/domain/charges/business-days.ts'
import { reaisFromCents } from '../../src/domain/ledger/money.ts'
import { referenceOf } from '../../src/domain/pix/identifiers.ts'
import { PROVIDER_CAPABILITIES } from '../../src/domain/providers/capabilities.ts'
import { computeBrasiliaDay } from '../../src/domain/shared/brasilia-day.ts'
import { runInBatches } from './batches.ts'
import { recipientConnectionOf, type StormConnection } from './participants.ts'
import { API_VISIBILITIES } from './provider-visibility.ts'
import {
  API_PATHS,
  NO_OUTCOME,
  nullIfRefused,
  type OperationOf,
  type OperationOutcome,
  type StormContext,
} from './storm-context.ts'

/** A payload can be paid for so long after its time that its charge has surely expired. */
const LATE_PAYMENT_DELAY_MS = 4_000
/** A charge that can be paid for longer is paid now: a storm does not wait for it to expire. */
const MAX_LATE_PAYMENT_DELAY_MS = 90_000

/** What the other side of the rail does in a storm: payers pay, deposit money, recipients return, banks dispute. */
export function createPayerActions(scene: StormContext) {
  const {
    site,
    cast,
    outcomeOf,
    merchantOf,
    connectionOf,
    skipOperation: nothing,
    waitForResource: when,
  } = scene
  const { simulator } = site
  /** The latest payment of each charge: they reach its provider one after the other, so that the first one is known. */
  const paymentsByCharge = new Map<string, Promise<unknown>>()
  /** Payments that wait for a charge to expire. */
  const later: Promise<unknown>[] = []

  return {
    pay,
    deposit,
    giveBack,
    dispute,
    decide,
    decideTheRest,
    awaitLatePayments: () => Promise.all(later),
  }

  async function pay(payment: OperationOf<'pay'>): Promise<OperationOutcome> {
    const { uuid } = await outcomeOf(payment.charge)
    const path = `${API_PATHS.charge}/${uuid}`
    const shown = uuid && (await when(merchantOf(payment.charge), path, one => one.payment.payload))
    if (!shown) return nothing('pay')
    const earlier = paymentsByCharge.get(uuid)
    const paid = (earlier ?? Promise.resolve()).then(() => payShown(payment, shown, !earlier))
    paymentsByCharge.set(
      uuid,
      paid.catch(() => undefined),
    )
    return paid
  }

  async function payShown(
    { how, cents, daysAfterDue }: OperationOf<'pay'>,
    shown: NonNullable<Awaited<ReturnType<typeof when>>>,
    isFirst: boolean,
  ): Promise<OperationOutcome> {
    const { payload, expires_at } = shown.payment
    const asks = Math.round(shown.total_value * 100)
    const value = how === 'wrong' && cents === asks ? cents + 1 : cents
    const isForced = how === 'again' || how === 'late'
    const chooses = how === 'wrong' || shown.value === 0
    const day = findPaymentDay(shown, { daysAfterDue, isFirst })
    const order = {
      payload,
      force: isForced,
      ...(chooses && { value: reaisFromCents(value) }),
      ...(day !== null && { on: day }),
    }
    const untilLateMs = Math.max(0, Date.parse(expires_at) - Date.now()) + LATE_PAYMENT_DELAY_MS
    if (how === 'late' && untilLateMs <= MAX_LATE_PAYMENT_DELAY_MS) {
      later.push(sleep(untilLateMs).then(() => nullIfRefused(simulator.pay(order))))
      return NO_OUTCOME
    }
    return (await nullIfRefused(simulator.pay(order))) ? NO_OUTCOME : nothing('pay')
  }

  /** The day on which a charge with a due date is paid, today at the earliest; null where it is today. */
  function findPaymentDay(
    shown: DueHolder,
    { daysAfterDue, isFirst }: { daysAfterDue: number | null; isFirst: boolean },
  ): string | null {
    const { due } = shown.payment
    const { reportsDueParts } = API_VISIBILITIES[connectionOf(shown).api]
    const isReported =
      reportsDueParts === 'of each PIX' || (reportsDueParts === 'of the first PIX' && isFirst)
    if (!due || daysAfterDue === null || !isReported) return null
    const day = addDays(due.on, daysAfterDue)
    return day > computeBrasiliaDay(new Date()) ? day : null
  }

  async function deposit({ merchant, cents }: OperationOf<'deposit'>): Promise<OperationOutcome> {
    const { api, provider, account } = cast.merchants[merchant]!.connections[0]!
    const { end_to_end } = await simulator.deposit({ account, value: reaisFromCents(cents) })
    if (API_VISIBILITIES[api].showsEndToEnd) return { uuid: null, deposit: { endToEnd: end_to_end } }
    const line = (await simulator.listStatement(provider)).find(one => one.end_to_end === end_to_end)
    return { uuid: null, deposit: { endToEnd: line!.shown_id! } }
  }

  async function giveBack({ transfer: of, share }: OperationOf<'give_back'>): Promise<OperationOutcome> {
    const { uuid } = await outcomeOf(of)
    const isPaid = (shown: { status: string }) => shown.status === 'PAID'
    const shown = uuid && (await when(merchantOf(of), `${API_PATHS.transfer}/${uuid}`, isPaid))
    const connection = shown ? connectionOf(shown) : null
    if (!connection || !API_VISIBILITIES[connection.api].showsReturns) return nothing('give_back')
    const cents = Math.max(1, Math.floor((Math.round(shown.value * 100) * share) / 100))
    const end_to_end = shown.transfer.end_to_end || (await findSentEndToEnd(connection, shown.uuid))
    const given = await nullIfRefused(simulator.returnTransfer({ end_to_end, value: reaisFromCents(cents) }))
    return given ? NO_OUTCOME : nothing('give_back')
  }

  /** The end-to-end id of a paid transfer whose provider does not report it. */
  async function findSentEndToEnd({ provider, account }: StormConnection, uuid: string): Promise<string> {
    const line = (await simulator.listStatement(provider)).find(
      one => one.kind === 'transfer' && one.account === account && one.id === referenceOf(uuid),
    )
    return line!.end_to_end!
  }

  async function dispute({ about, share, type }: OperationOf<'dispute'>): Promise<OperationOutcome> {
    const pix = await pixOf(about)
    if (!pix) return nothing('dispute')
    const { end_to_end, cents } = pix
    const value = reaisFromCents(Math.max(1, Math.floor((cents * share) / 100)))
    const opened = await nullIfRefused(simulator.openDispute({ end_to_end, type, value }))
    if (!opened) return nothing('dispute')
    const one = { id: opened.id, endToEnd: end_to_end, about }
    scene.disputes.push(one)
    return { uuid: null, dispute: one }
  }

  /** The PIX that paid a charge, or that a transfer sent; null where a provider of it has no disputes. */
  async function pixOf(about: number): Promise<{ end_to_end: string; cents: number } | null> {
    const { uuid } = await outcomeOf(about)
    const operation = scene.operations[about]!
    const kind = operation.kind === 'charge' ? 'charge' : 'transfer'
    // Its recipient's bank would not show the dispute.
    if (operation.kind === 'transfer' && operation.to.kind === 'merchant') {
      const { api } = recipientConnectionOf(cast, merchantOf(about), operation.to.merchant)
      if (PROVIDER_CAPABILITIES[api].disputes === null) return null
    }
    // Some providers report no end-to-end id.
    const isMoved = (shown: PixHolder) => endToEndOf(shown) !== '' || shown.status === 'PAID'
    const shown = uuid && (await when(merchantOf(about), `${API_PATHS[kind]}/${uuid}`, isMoved))
    if (!shown || PROVIDER_CAPABILITIES[connectionOf(shown).api].disputes === null) return null
    const cents = Math.round((shown.payment?.paid?.value ?? shown.total_value ?? shown.value) * 100)
    return { end_to_end: endToEndOf(shown), cents }
  }

  async function decide({ dispute: of, decision }: OperationOf<'decide'>): Promise<OperationOutcome> {
    const { dispute: one } = await outcomeOf(of)
    const decided = one && (await nullIfRefused(simulator.decideDispute(one.id, decision)))
    return decided ? NO_OUTCOME : nothing('decide')
  }

  /** Every analysis ends; the simulator refuses to decide one twice. */
  async function decideTheRest(): Promise<void> {
    await runInBatches([...scene.disputes.entries()], ([place, { id }]) =>
      nullIfRefused(simulator.decideDispute(id, FINAL_DECISIONS[place % FINAL_DECISIONS.length]!)),
    )
  }
}

/** A charge as it is shown, as far as the day of its payment depends on it. */
type DueHolder = { provider: { uuid: string }; payment: { due?: { on: string } } }

const FINAL_DECISIONS = ['disagreed', 'agreed', 'cancelled'] as const

type PixHolder = {
  status: string
  provider: { uuid: string }
  payment?: { pix?: { transaction?: { end_to_end: string } | null } }
  transfer?: { end_to_end: string }
}
function endToEndOf({ payment, transfer }: PixHolder): string {
  return payment?.pix?.transaction?.end_to_end ?? transfer?.end_to_end ?? ''
}
