import { isDeepStrictEqual } from 'node:util'
import { computeAmountDue } from '../../../src/domain/charges/due-amount.ts'
import { sumPaidParts } from '../../../src/domain/charges/due-payment.ts'
import type { FinalState, RevisionRow, Violation } from '../final-state.ts'
import { violationIf } from './violations.ts'

type Charge = FinalState['charges'][number]
type DueVersion = Pick<RevisionRow, 'totalCents' | 'due'>

/** What a provider may compute more or less than the forecast, in centavos (SPEC §2). */
const FORECAST_TOLERANCE_CENTS = 10

/** SPEC §2: a charge with a due date brings in what its provider computed, and asks what its last accepted revision does. */
export function checkDueCharges(world: FinalState): Violation[] {
  const revisionsOf = Map.groupBy(world.revisions, ({ charge }) => charge)
  const atProvider = new Map(
    world.dueChargesAtProvider.map(one => [`${one.providerAccount} ${one.txid}`, one]),
  )
  const issuedAt = new Map(
    world.attempts
      .filter(({ operation, state }) => operation === 'issue' && state === 'accepted')
      .map(({ subject, providerAccount }) => [subject, providerAccount]),
  )
  return [
    ...world.revisions.flatMap(({ uuid, status }) =>
      violationIf(status === 'requested', 'revision_undecided', `revision ${uuid}`, status),
    ),
    ...world.charges.flatMap(charge => {
      const revisions = revisionsOf.get(charge.uuid) ?? []
      const theirs = atProvider.get(`${issuedAt.get(charge.uuid)} ${charge.txid}`)
      return [
        ...findVersionDifferences(charge, revisions),
        ...(theirs ? findPaymentDifferences(charge, theirs.payments) : []),
        ...(theirs ? findAskingDifferences(charge, revisions, theirs.asks) : []),
      ]
    }),
  ]
}

/** A charge asks what its last accepted revision does; where there is none, what it was issued with. */
function findVersionDifferences(charge: Charge, revisions: RevisionRow[]): Violation[] {
  if (!charge.due) return []
  const accepted = revisions.filter(({ status }) => status === 'revised')
  const last = accepted.toSorted((one, other) => one.number - other.number).at(-1)
  const where = `charge ${charge.uuid}`
  const isOfLast = last
    ? last.number === charge.revision && isSameVersion(last, { ...charge, due: charge.due })
    : charge.revision === 0 && charge.issuedAs === null
  const numbers = accepted.map(({ number }) => number).toSorted((one, other) => one - other)
  return [
    ...violationIf(
      !isOfLast,
      'asks_no_revision',
      where,
      `asks ${charge.totalCents}, revision ${charge.revision}`,
    ),
    ...violationIf(
      numbers.some((number, place) => number !== place + 1),
      'revision_number',
      where,
      `${numbers}`,
    ),
  ]
}

/** A charge received what a payment of it comes to at its provider, part by part where the parts are reported. */
function findPaymentDifferences(
  { uuid, receivedCents, paidParts }: Charge,
  payments: FinalState['dueChargesAtProvider'][number]['payments'],
): Violation[] {
  if (receivedCents === 0) return []
  const where = `charge ${uuid}`
  const sums = payments.map(payment => sumPaidParts(payment))
  return [
    ...violationIf(
      !sums.includes(receivedCents),
      'received_otherwise_than_computed',
      where,
      `received ${receivedCents}, computed ${sums}`,
    ),
    ...violationIf(
      paidParts !== null &&
        !payments.some(({ cents: _, ...parts }) => isDeepStrictEqual(parts, { ...paidParts })),
      'paid_parts_differ',
      where,
      `${JSON.stringify(paidParts)} of ${JSON.stringify(payments)}`,
    ),
  ]
}

/**
 * Its provider asks what the charge does. It may have carried out a revision whose answer was missing when the charge was paid or ended.
 */
function findAskingDifferences(
  { uuid, totalCents, due, revision }: Charge,
  revisions: RevisionRow[],
  asks: FinalState['dueChargesAtProvider'][number]['asks'],
): Violation[] {
  if (!due || revisions.length === 0) return []
  const unanswered = revisions.filter(
    one => one.status === 'refused' && one.isEndedWithCharge && one.number === revision + 1,
  )
  return violationIf(
    ![{ totalCents, due }, ...unanswered].some(version => isForecastOf(version, asks)),
    'provider_asks_otherwise',
    `charge ${uuid}`,
    `revision ${revision} asks ${forecast({ totalCents, due }, asks)}, its provider ${asks.map(({ cents }) => cents)}`,
  )
}

function isForecastOf(version: DueVersion, asks: { on: string; cents: number }[]): boolean {
  return forecast(version, asks).every(
    (cents, place) => Math.abs(cents - asks[place]!.cents) <= FORECAST_TOLERANCE_CENTS,
  )
}

function forecast({ totalCents, due }: DueVersion, asks: { on: string }[]): number[] {
  return asks.map(({ on }) => computeAmountDue(totalCents, due, on).totalCents)
}

function isSameVersion(one: DueVersion, other: DueVersion): boolean {
  return one.totalCents === other.totalCents && isDeepStrictEqual(one.due, other.due)
}
