import type { FinalState, Violation } from '../final-state.ts'
import { sumCents, violationIf } from './violations.ts'

/** Nothing is refunded or split that was not received. */
export function checkRefundsAndSplits(world: FinalState): Violation[] {
  return [
    ...findRefundDifferences(world),
    ...findSplitDifferences(world),
    ...findTransferReturnDifferences(world),
  ]
}

/** The refunds of a charge equal its row, and with the rail's own record never exceed what was received. */
function findRefundDifferences({ charges, refunds, lines }: FinalState): Violation[] {
  const ofCharge = Map.groupBy(refunds, one => one.charge)
  const gone = Map.groupBy(
    lines.filter(line => line.kind === 'refund'),
    line => line.original,
  )
  return charges.flatMap(one => {
    const settled = (ofCharge.get(one.uuid) ?? []).filter(({ state }) => state === 'settled')
    const backCents = sumCents((one.endToEnd ? (gone.get(one.endToEnd) ?? []) : []).map(line => line.cents))
    const refundCents = sumCents(settled.map(each => each.cents))
    const where = `charge ${one.uuid}`
    return [
      ...violationIf(
        backCents > one.receivedCents,
        'refunded_above_received',
        where,
        `${backCents} of ${one.receivedCents}`,
      ),
      ...violationIf(
        refundCents !== one.refundedCents,
        'refunds_differ',
        where,
        `row says ${one.refundedCents}, refunds ${refundCents}`,
      ),
      ...violationIf(
        one.state !== 'refunding' && one.refundingCents !== 0,
        'refunding_nothing',
        where,
        `${one.refundingCents}`,
      ),
      ...settled.flatMap(each =>
        violationIf(
          each.partsCents !== each.cents,
          'refund_parts',
          `refund ${each.uuid}`,
          `${each.partsCents}`,
        ),
      ),
    ]
  })
}

/** The splits of a charge, its fee and the owner's rest add up to what was received. */
function findSplitDifferences({ charges, splits, movements }: FinalState): Violation[] {
  const ofCharge = Map.groupBy(splits, one => one.charge)
  const inside = Map.groupBy(
    movements.filter(one => one.type === 'SPLIT' || one.type === 'FEE'),
    one => one.charge,
  )
  return charges.flatMap(one => {
    const shares = ofCharge.get(one.uuid) ?? []
    const moved = inside.get(one.uuid) ?? []
    const credited = sumCents(shares.map(share => share.cents))
    const where = `charge ${one.uuid}`
    // Those of a dispute take shares back.
    const paid = moved.filter(({ type, med }) => type === 'SPLIT' && med === null)
    const booked = sumCents(paid.map(({ cents }) => cents))
    const isWhole = one.refundedCents > 0 && one.refundedCents === one.receivedCents
    return [
      ...violationIf(
        credited > one.receivedCents - one.feeCents && credited > 0,
        'shared_above_received',
        where,
        `${credited}`,
      ),
      ...violationIf(booked !== credited, 'shares_differ', where, `splits ${credited}, booked ${booked}`),
      ...violationIf(
        one.receivedCents > 0 && shares.some(({ status }) => status === 'PENDING'),
        'share_undecided',
        where,
        'paid, and a split is PENDING',
      ),
      ...violationIf(
        shares.some(({ status, cents }) => status !== 'CREDITED' && cents > 0),
        'failed_share_credited',
        where,
        `${credited}`,
      ),
      ...violationIf(
        isWhole && shares.some(share => share.returnRequestedCents !== share.cents),
        'share_not_requested_back',
        where,
        'refunded whole',
      ),
    ]
  })
}

/** The returned amount of a transfer equals what its recipient returned. */
function findTransferReturnDifferences({ transfers, movements }: FinalState): Violation[] {
  const back = Map.groupBy(
    movements.filter(one => one.transfer !== null && one.direction === 'IN' && one.status === 'SETTLED'),
    one => one.transfer,
  )
  return transfers.flatMap(one => {
    const cents = sumCents((back.get(one.uuid) ?? []).map(each => each.cents))
    return violationIf(
      cents !== one.returnedCents || cents > one.cents,
      'returns_differ',
      `transfer ${one.uuid}`,
      `row says ${one.returnedCents}, movements ${cents}, sent ${one.cents}`,
    )
  })
}
