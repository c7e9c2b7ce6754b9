import type { Violation, World } from '../world.ts'
import { sum, when } from './found.ts'

/** Nothing is given back or shared out that was not received. */
export function sharesHold(world: World): Violation[] {
  return [...refundsHold(world), ...splitsHold(world), ...returnsHold(world)]
}

/** The refunds of a charge are what its row says, and with the rail's own record never above what was received. */
function refundsHold({ charges, refunds, lines }: World): Violation[] {
  const ofCharge = Map.groupBy(refunds, one => one.charge)
  const gone = Map.groupBy(
    lines.filter(line => line.kind === 'refund'),
    line => line.original,
  )
  return charges.flatMap(one => {
    const settled = (ofCharge.get(one.uuid) ?? []).filter(({ state }) => state === 'settled')
    const backCents = sum((one.endToEnd ? (gone.get(one.endToEnd) ?? []) : []).map(line => line.cents))
    const refundCents = sum(settled.map(each => each.cents))
    const where = `charge ${one.uuid}`
    return [
      ...when(
        backCents > one.receivedCents,
        'refunded_above_received',
        where,
        `${backCents} of ${one.receivedCents}`,
      ),
      ...when(
        refundCents !== one.refundedCents,
        'refunds_differ',
        where,
        `row says ${one.refundedCents}, refunds ${refundCents}`,
      ),
      ...when(
        one.state !== 'refunding' && one.refundingCents !== 0,
        'refunding_nothing',
        where,
        `${one.refundingCents}`,
      ),
      ...settled.flatMap(each =>
        when(each.partsCents !== each.cents, 'refund_parts', `refund ${each.uuid}`, `${each.partsCents}`),
      ),
    ]
  })
}

/** The shares of a charge, its fee and what is left for its owner are what was received. */
function splitsHold({ charges, splits, movements }: World): Violation[] {
  const ofCharge = Map.groupBy(splits, one => one.charge)
  const inside = Map.groupBy(
    movements.filter(one => one.type === 'SPLIT' || one.type === 'FEE'),
    one => one.charge,
  )
  return charges.flatMap(one => {
    const shares = ofCharge.get(one.uuid) ?? []
    const moved = inside.get(one.uuid) ?? []
    const credited = sum(shares.map(share => share.cents))
    const where = `charge ${one.uuid}`
    const booked = sum(moved.filter(({ type }) => type === 'SPLIT').map(({ cents }) => cents))
    const isWhole = one.refundedCents > 0 && one.refundedCents === one.receivedCents
    return [
      ...when(
        credited > one.receivedCents - one.feeCents && credited > 0,
        'shared_above_received',
        where,
        `${credited}`,
      ),
      ...when(booked !== credited, 'shares_differ', where, `splits ${credited}, booked ${booked}`),
      ...when(
        one.receivedCents > 0 && shares.some(({ status }) => status === 'PENDING'),
        'share_undecided',
        where,
        'paid, and a split is PENDING',
      ),
      ...when(
        shares.some(({ status, cents }) => status !== 'CREDITED' && cents > 0),
        'failed_share_credited',
        where,
        `${credited}`,
      ),
      ...when(
        isWhole && shares.some(share => share.askedBackCents !== share.cents),
        'share_not_asked_back',
        where,
        'refunded whole',
      ),
    ]
  })
}

/** What recipients of transfers gave back is what the transfer says. */
function returnsHold({ transfers, movements }: World): Violation[] {
  const back = Map.groupBy(
    movements.filter(one => one.transfer !== null && one.direction === 'IN' && one.status === 'SETTLED'),
    one => one.transfer,
  )
  return transfers.flatMap(one => {
    const cents = sum((back.get(one.uuid) ?? []).map(each => each.cents))
    return when(
      cents !== one.returnedCents || cents > one.cents,
      'returns_differ',
      `transfer ${one.uuid}`,
      `row says ${one.returnedCents}, movements ${cents}, sent ${one.cents}`,
    )
  })
}
