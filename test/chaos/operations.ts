import type { DisputeDecision } from '../../packages/simulator/disputes.ts'
import type { ApprovalVerdict } from '../../src/domain/approvals/approval.ts'
import type { DisputeType } from '../../src/domain/disputes/dispute.ts'
import type { MismatchPolicy } from '../../src/domain/pix-keys/key-look-up.ts'
import type { BatchMode, ShortBalancePolicy } from '../../src/domain/transfers/transfer-batch.ts'
import { drawDaysAfterDue, drawRevision, type PlannedDue } from './due-generators.ts'
import {
  drawBatch,
  drawCents,
  drawCharge,
  drawDispute,
  drawRefund,
  drawRepeatCount,
  drawTransfer,
} from './operation-generators.ts'
import type { Random } from './random.ts'

/**
 * What merchants and payers do in a storm, drawn before it starts: the same seed gives the same list. An operation
 * names another one by its place in the list, and waits for it.
 */
export type Operation =
  | {
      kind: 'charge'
      merchant: number
      /** 0 leaves the amount to the payer. */
      cents: number
      splits: PlannedSplit[]
      expiresInS: number
      /** Of a charge with a due date, which expires later than a storm lasts. */
      due: PlannedDue | null
      /** The merchant's token: the one for all providers, or one bound to its first. */
      bound: boolean
      asking: Repetition
    }
  | {
      kind: 'pay'
      charge: number
      how: 'right' | 'wrong' | 'again' | 'late'
      cents: number
      /** On which day a charge with a due date is paid, counted from its due day; null of any other. */
      daysAfterDue: number | null
    }
  /** A change of a charge with a due date: of its value where that is not null, and of its terms. */
  | { kind: 'revise'; charge: number; cents: number | null; due: PlannedDue | null; asking: Repetition }
  | { kind: 'cancel_charge'; charge: number; times: number }
  /** Each share is one refund, in hundredths of what was paid; null requests the rest. All concurrently. */
  | { kind: 'refund'; charge: number; shares: (number | null)[]; asking: Repetition }
  | { kind: 'deposit'; merchant: number; cents: number }
  /** The account returns a deposit to its payer. */
  | { kind: 'return_deposit'; deposit: number; times: number }
  | {
      kind: 'transfer'
      merchant: number
      cents: number
      to: TransferRecipient
      /** What a look-up of the key, made first, is to refuse; null: none is made. */
      lookUp: MismatchPolicy | null
      scheduledInS: number | null
      /** What another person says where it waits for approvals; null: nothing, so that it expires. */
      verdict: ApprovalVerdict | null
      asking: Repetition
    }
  | { kind: 'cancel_transfer'; transfer: number }
  | {
      kind: 'batch'
      merchant: number
      as: 'json' | 'csv'
      mode: BatchMode
      shortBalance: ShortBalancePolicy
      items: { cents: number; to: BatchRecipient }[]
      /** As of a transfer. */
      verdict: ApprovalVerdict | null
      asking: Repetition
    }
  | { kind: 'cancel_batch'; batch: number }
  /** The recipient of a transfer returns some of it, in hundredths. */
  | { kind: 'give_back'; transfer: number; share: number }
  /** A bank disputes what a charge received or a transfer sent, in hundredths; `about` is the place of either. */
  | { kind: 'dispute'; about: number; share: number; type: DisputeType }
  /** The merchant replies to a dispute, perhaps several times at once. */
  | { kind: 'reply'; dispute: number; accept: boolean; proof: boolean; times: number }
  /** The decision of a dispute's analysis. Undecided ones are decided when the storm is over. */
  | { kind: 'decide'; dispute: number; decision: DisputeDecision }
  /** An earlier request once more under its key, with its own body or another. */
  | { kind: 'repeat'; of: number; body: 'same' | 'other' }

/** `times` requests at once; with a key they are one operation, without one there is one request. */
export type Repetition = { keyed: boolean; times: number }
export type PlannedSplit = { type: 'PERCENTAGE' | 'FIXED'; amount: number; recipient: number }
export type TransferRecipient =
  | { kind: 'key'; key: string }
  /** A number of an account at a bank. */
  | { kind: 'account'; number: string }
  /** A code of another bank, by its name at the simulator. */
  | { kind: 'code'; name: ForeignCodeName }
  | { kind: 'merchant'; merchant: number }

/** Whom an item of a batch pays. */
export type BatchRecipient = Exclude<TransferRecipient, { kind: 'code' }>

/** The codes of other banks that a storm pays: one with an open value, one that others pay first, and two that cannot be paid. */
export type ForeignCodeName = 'payable' | 'due' | 'open' | 'paid-first' | 'paid' | 'wrong-signature'

const OPERATION_WEIGHTS = {
  charge: 25,
  pay: 24,
  cancel_charge: 4,
  revise: 5,
  refund: 13,
  deposit: 4,
  return_deposit: 3,
  transfer: 20,
  cancel_transfer: 3,
  batch: 3,
  cancel_batch: 1,
  give_back: 2,
  dispute: 5,
  reply: 3,
  decide: 3,
  repeat: 6,
}
const DECISION_WEIGHTS: Record<DisputeDecision, number> = { agreed: 50, disagreed: 35, cancelled: 15 }
const PAYMENT_WEIGHTS = { right: 82, wrong: 7, again: 6, late: 5 }

/** How far back an operation looks for the one it refers to: near, so that the two often overlap. */
const MAX_LOOKBACK = 30

export type ParticipantCounts = { merchants: number; recipients: number }

/** The operations of a storm. */
export function planOperations(random: Random, count: number, cast: ParticipantCounts): Operation[] {
  const planned: Operation[] = []
  /** Places of unpaid charges, of paid ones, of those with a due date, of transfers, of batches and of disputes, as far as planned. */
  const charges = { open: [] as number[], paid: [] as number[], due: [] as number[] }
  const transfers = { sent: [] as number[], scheduled: [] as number[] }
  const batches: number[] = []
  const disputes: number[] = []
  const deposits: number[] = []
  const keyed: number[] = []

  while (planned.length < count) {
    const operation = drawn(random.pickWeighted(OPERATION_WEIGHTS))
    const place = planned.push(operation) - 1
    if ('asking' in operation && operation.asking.keyed) keyed.push(place)
    if (operation.kind === 'charge') charges.open.push(place)
    if (operation.kind === 'charge' && operation.due) charges.due.push(place)
    if (operation.kind === 'batch') batches.push(place)
    if (operation.kind === 'dispute') disputes.push(place)
    if (operation.kind === 'deposit') deposits.push(place)
    if (operation.kind === 'transfer')
      (operation.scheduledInS === null ? transfers.sent : transfers.scheduled).push(place)
  }
  return planned

  function drawn(kind: keyof typeof OPERATION_WEIGHTS): Operation {
    switch (kind) {
      case 'charge':
        return drawCharge(random, cast)
      case 'transfer':
        return drawTransfer(random, cast)
      case 'deposit':
        return { kind, merchant: random.between(0, cast.merchants - 1), cents: drawCents(random) }
      case 'return_deposit': {
        const place = near(deposits)
        return place === undefined
          ? drawCharge(random, cast)
          : { kind, deposit: place, times: drawRepeatCount(random) }
      }
      case 'pay':
        return payment() ?? drawCharge(random, cast)
      case 'cancel_charge': {
        const place = near(charges.open)
        return place === undefined
          ? drawCharge(random, cast)
          : { kind, charge: place, times: drawRepeatCount(random) }
      }
      case 'revise': {
        const place = near(charges.due)
        const due = place === undefined ? null : dueOf(place)
        return due ? drawRevision(random, place!, due) : drawCharge(random, cast)
      }
      case 'refund': {
        const place = near(charges.paid)
        return place === undefined ? drawCharge(random, cast) : drawRefund(random, place)
      }
      case 'cancel_transfer': {
        const place = near(transfers.scheduled)
        return place === undefined ? drawTransfer(random, cast) : { kind, transfer: place }
      }
      case 'batch':
        return drawBatch(random, cast)
      case 'cancel_batch': {
        const place = near(batches)
        return place === undefined ? drawBatch(random, cast) : { kind, batch: place }
      }
      case 'give_back': {
        const place = near(transfers.sent)
        return place === undefined
          ? drawTransfer(random, cast)
          : { kind, transfer: place, share: random.pick([10, 50, 100]) }
      }
      case 'dispute': {
        const place = near(random.chance(0.75) ? charges.paid : transfers.sent)
        return place === undefined ? drawCharge(random, cast) : drawDispute(random, place)
      }
      case 'reply': {
        const place = near(disputes)
        if (place === undefined) return drawCharge(random, cast)
        const [accept, proof] = [random.chance(0.4), random.chance(0.5)]
        return { kind, dispute: place, accept, proof, times: drawRepeatCount(random) }
      }
      case 'decide': {
        const place = near(disputes)
        if (place === undefined) return drawCharge(random, cast)
        return { kind, dispute: place, decision: random.pickWeighted(DECISION_WEIGHTS) }
      }
      case 'repeat': {
        const place = near(keyed)
        if (place === undefined) return drawCharge(random, cast)
        return { kind, of: place, body: random.chance(0.6) ? 'same' : 'other' }
      }
    }
  }

  function payment(): Operation | undefined {
    const how = random.pickWeighted(PAYMENT_WEIGHTS)
    const place = near(how === 'again' ? charges.paid : charges.open)
    if (place === undefined) return undefined
    if (how === 'right') {
      // Some stay in the list, so that a cancellation or a second payment meets them in progress.
      if (random.chance(0.9)) charges.open.splice(charges.open.indexOf(place), 1)
      charges.paid.push(place)
    }
    if (how === 'late') charges.open.splice(charges.open.indexOf(place), 1)
    const due = dueOf(place)
    const daysAfterDue = due && drawDaysAfterDue(random, due)
    return { kind: 'pay', charge: place, how, cents: drawCents(random), daysAfterDue }
  }

  function dueOf(place: number): PlannedDue | null {
    const operation = planned[place]!
    return operation.kind === 'charge' ? operation.due : null
  }

  function near(places: number[]): number | undefined {
    const recent = places.slice(-MAX_LOOKBACK)
    return recent.length === 0 ? undefined : random.pick(recent)
  }
}
