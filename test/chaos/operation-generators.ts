import { DISPUTE_TYPES } from '../../src/domain/disputes/dispute.ts'
import { BATCH_MODES, SHORT_BALANCE_POLICIES } from '../../src/domain/transfers/transfer-batch.ts'
import { drawDue } from './due-generators.ts'
import type {
  BatchRecipient,
  ForeignCodeName,
  Operation,
  ParticipantCounts,
  PlannedSplit,
  Repetition,
  TransferRecipient,
} from './operations.ts'
import { listChargeApisOf, MAX_TRANSFER_CENTS } from './participants.ts'
import type { Random } from './random.ts'

/** Generates a single operation: amounts, splits, recipients, and how often it is requested. */

/** SPEC §10's keys whose name decides the outcome, and keys that settle. */
const PIX_KEY_WEIGHTS = {
  'fornecedor@exemplo.com.br': 40,
  '+5511987654321': 10,
  '52998224725': 6,
  'ac03@sim.trilho.test': 5,
  'am04@sim.trilho.test': 6,
  'ac03-later@sim.trilho.test': 5,
  'am04-later@sim.trilho.test': 3,
  'timeout-then-done@sim.trilho.test': 7,
  'timeout-then-absent@sim.trilho.test': 7,
  'slow@sim.trilho.test': 4,
  'returned@sim.trilho.test': 7,
  'owner-changes@sim.trilho.test': 8,
  'not-registered@sim.trilho.test': 3,
}
const LOOK_UP_PROBABILITY = 0.3

/** Numbers of accounts at a bank; two of them are refused by it. */
const ACCOUNT_WEIGHTS = { '7654321': 8, '0012345': 4, '1111111': 1, '1010101': 1 }

/** Codes of other banks: an open value is the order's, the others have their own. */
const CODE_WEIGHTS: Record<ForeignCodeName, number> = {
  payable: 6,
  due: 2,
  open: 3,
  'paid-first': 1,
  paid: 1,
  'wrong-signature': 1,
}

const DUE_PROBABILITY = 0.3

export function drawCharge(random: Random, cast: ParticipantCounts): Operation {
  const merchant = random.between(0, cast.merchants - 1)
  const hasDue = random.chance(DUE_PROBABILITY)
  const cents = !hasDue && random.chance(0.05) ? 0 : drawCents(random)
  return {
    kind: 'charge',
    merchant,
    cents,
    due: hasDue ? drawDue(random, { api: random.pick(listChargeApisOf(merchant)), cents }) : null,
    splits: random.chance(0.35) ? drawSplits(random, cents, cast) : [],
    // Woovi issues none that expires before 300 s; the others expire during the storm.
    expiresInS: random.chance(0.4) ? random.between(300, 330) : random.between(60, 75),
    // The first provider alone may not compute the terms.
    bound: !hasDue && random.chance(0.1),
    asking: drawRepetition(random),
  }
}

/** Each recipient once, all together at most the charged amount. */
function drawSplits(random: Random, cents: number, cast: ParticipantCounts): PlannedSplit[] {
  const recipients = random.shuffle(Array.from({ length: cast.recipients }, (_, place) => place))
  const some = recipients.slice(0, random.between(1, cast.recipients))
  const isFixed = cents >= 100 && random.chance(0.4)
  return some.map(recipient =>
    isFixed
      ? { type: 'FIXED', amount: random.between(1, Math.floor(cents / some.length)), recipient }
      : { type: 'PERCENTAGE', amount: random.between(1, Math.floor(10_000 / some.length)), recipient },
  )
}

/** Most of what waits for approvals is approved; some is rejected, or expires. */
const VERDICT_WEIGHTS = { approved: 75, rejected: 15, unsaid: 10 }
const VERDICTS = { approved: 'approve', rejected: 'reject', unsaid: null } as const

export function drawTransfer(random: Random, cast: ParticipantCounts): Operation {
  const to = drawRecipient(random, cast)
  return {
    kind: 'transfer',
    merchant: random.between(0, cast.merchants - 1),
    cents: random.chance(0.02) ? 90_000_000_00 : drawCents(random),
    to,
    // Only a key is looked up.
    lookUp:
      (to.kind === 'key' || to.kind === 'merchant') && random.chance(LOOK_UP_PROBABILITY)
        ? random.pick(['REFUSE', 'REFUSE', 'WARN'] as const)
        : null,
    // A code is paid at once.
    scheduledInS: to.kind !== 'code' && random.chance(0.12) ? random.between(1, 12) : null,
    verdict: VERDICTS[random.pickWeighted(VERDICT_WEIGHTS)],
    asking: drawRepetition(random),
  }
}

const MAX_BATCH_ITEMS = 6

/** Small values beside larger ones, so that some batches need no approval; one in so many items is refused by a limit. */
export function drawBatch(random: Random, cast: ParticipantCounts): Operation {
  const isSmall = random.chance(0.4)
  const drawItem = () => {
    const cents = drawCents(random)
    const isRefused = random.chance(0.06)
    return {
      cents: isRefused ? MAX_TRANSFER_CENTS + cents : isSmall ? Math.ceil(cents / 20) : cents,
      to: drawBatchRecipient(random, cast),
    }
  }
  return {
    kind: 'batch',
    merchant: random.between(0, cast.merchants - 1),
    as: random.pick(['json', 'csv'] as const),
    mode: random.pick(BATCH_MODES),
    shortBalance: random.pick(SHORT_BALANCE_POLICIES),
    items: Array.from({ length: random.between(1, MAX_BATCH_ITEMS) }, drawItem),
    verdict: VERDICTS[random.pickWeighted(VERDICT_WEIGHTS)],
    asking: drawRepetition(random),
  }
}

function drawRecipient(random: Random, cast: ParticipantCounts): TransferRecipient {
  return random.chance(0.09)
    ? { kind: 'code', name: random.pickWeighted(CODE_WEIGHTS) }
    : drawBatchRecipient(random, cast)
}

function drawBatchRecipient(random: Random, cast: ParticipantCounts): BatchRecipient {
  if (random.chance(0.12)) return { kind: 'merchant', merchant: random.between(0, cast.merchants - 1) }
  return random.chance(0.1)
    ? { kind: 'account', number: random.pickWeighted(ACCOUNT_WEIGHTS) }
    : { kind: 'key', key: random.pickWeighted(PIX_KEY_WEIGHTS) }
}

export function drawRefund(random: Random, charge: number): Operation {
  const shares = Array.from({ length: Number(random.pickWeighted({ 1: 6, 2: 2, 4: 1 })) }, () =>
    random.chance(0.3) ? null : random.pick([5, 20, 33, 50, 100, 130]),
  )
  return { kind: 'refund', charge, shares, asking: drawRepetition(random) }
}

export function drawDispute(random: Random, about: number): Operation {
  return { kind: 'dispute', about, share: random.pick([10, 50, 100, 100]), type: random.pick(DISPUTE_TYPES) }
}

export function drawRepetition(random: Random): Repetition {
  const keyed = random.chance(0.85)
  return { keyed, times: keyed ? drawRepeatCount(random) : 1 }
}

export function drawRepeatCount(random: Random): number {
  return Number(random.pickWeighted({ 1: 8, 2: 2, 5: 1 }))
}

export function drawCents(random: Random): number {
  return random.pick([1, 7, 100, 999, 12_345]) + random.between(0, 30_000)
}
