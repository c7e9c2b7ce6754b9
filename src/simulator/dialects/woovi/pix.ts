import type { Answer, Call } from '../../calls.ts'
import type { Fate } from '../../events.ts'
import type { Movement } from '../../rail.ts'
import type { Receipt } from '../../receipts.ts'
import type { Refund, RefundAcceptance, RefundRequest } from '../../refunds.ts'
import type { World } from '../../world.ts'
import { chargeNamed, txidOf } from './charge.ts'
import * as errors from './errors.ts'
import { listed } from './pages.ts'
import { chargeRefundBody, read, refundBody } from './schemas.ts'
import { chargeOf, chargeRefundOf, entryOf, movedOf, receivedOf, refundOf } from './words.ts'

type Pixes = Record<
  'show' | 'list' | 'refund' | 'showRefund' | 'listRefunds' | 'refundCharge' | 'listOfCharge',
  (call: Call, fate: Fate) => Answer
>

/** What moved, `/transaction`, and the refunds of what was received, `/refund` and `/charge/:id/refund`. */
export function pixesOf(world: World): Pixes {
  const { rail, receipts, refunds, returns, sendings } = world
  const received = (receipt: Receipt) => receivedOf(receipt, ofReceipt(world, receipt))

  const moved = (movement: Movement) => {
    const { accountId, endToEnd, cents, at, kind } = movement
    if (endToEnd === null) return entryOf(movement)
    const receipt = receipts.find(accountId, endToEnd)
    if (receipt && (kind === 'payment' || kind === 'deposit')) return received(receipt)
    const sending = kind === 'transfer' ? sendings.ofEndToEnd(endToEnd) : undefined
    if (sending) return movedOf(sending, returns.of(sending))
    return { value: cents, time: at, endToEndId: endToEnd, status: 'CONFIRMED', type: 'REFUND' }
  }

  const isListed = ({ accountId, endToEnd, kind }: Movement) =>
    (kind !== 'payment' && kind !== 'deposit') || receipts.findListed(accountId, endToEnd!) !== undefined

  const ofCharge = ({ account, query }: Call) =>
    receipts.ofTxid(account.id, txidOf(query.get('charge')!)).map(received)

  return {
    show: ({ account, params }) => {
      const receipt = receipts.findListed(account.id, params.id!)
      if (receipt) return { status: 200, body: { transaction: received(receipt) } }
      const sending = sendings.ofEndToEnd(params.id!)
      if (sending?.accountId !== account.id || sending.status !== 'settled')
        return errors.transactionNotFound()
      return { status: 200, body: { transaction: movedOf(sending, returns.of(sending)) } }
    },
    list: call =>
      call.query.has('charge')
        ? listed(call, { field: 'transactions', between: () => ofCharge(call), shown: pix => pix })
        : listed(call, {
            field: 'transactions',
            between: ({ from, to }) =>
              rail.entries(call.account.id).filter(one => from <= one.at && one.at <= to && isListed(one)),
            shown: moved,
          }),
    refund: ({ account, body }, fate) => {
      const asked = read(refundBody, body)
      if ('refusal' in asked) return asked.refusal
      const { correlationID: id, transactionEndToEndId: endToEnd, value: cents } = asked.value
      const request = { accountId: account.id, endToEnd, id, cents, fate }
      return answerTo(accepted(world, request), refund => ({ refund: refundOf(refund) }))
    },
    showRefund: ({ account, params }) => {
      const refund = refunds.ofId(account.id, params.id!)
      return refund
        ? { status: 200, body: { pixTransactionRefund: refundOf(refund) } }
        : errors.refundNotFound()
    },
    listRefunds: call =>
      listed(call, {
        field: 'refunds',
        between: range =>
          refunds.between(call.account.id, range).filter(({ nature }) => nature === 'ORIGINAL'),
        shown: refundOf,
      }),
    refundCharge: ({ account, params, body }, fate) => {
      const asked = read(chargeRefundBody, body)
      if ('refusal' in asked) return asked.refusal
      const charge = chargeNamed(world, account.id, params.id!)
      const receipt = charge && receipts.ofTxid(account.id, charge.txid)[0]
      if (!receipt) return errors.chargeNotFound()
      const { correlationID: id, value } = asked.value
      const given = receipts.refundsOf(receipt).filter(({ status }) => status !== 'rejected')
      const left = given.reduce((cents, refund) => cents - refund.cents, receipt.cents)
      const { accountId, endToEnd } = receipt
      const request = { accountId, endToEnd, id, cents: value ?? left, fate }
      return answerTo(accepted(world, request), refund => ({ refund: chargeRefundOf(refund) }))
    },
    listOfCharge: ({ account, params }) => {
      const charge = chargeNamed(world, account.id, params.id!)
      if (!charge) return errors.chargeNotFound()
      const all = receipts.ofTxid(account.id, charge.txid).flatMap(receipts.refundsOf)
      return { status: 200, body: { refunds: all.map(chargeRefundOf) } }
    },
  }
}

/** What a received PIX belongs to, and what went back of it; its charge is named even where it was deleted. */
function ofReceipt({ charges, receipts, now }: World, receipt: Receipt) {
  const charge = receipt.txid ? charges.find(receipt.accountId, receipt.txid) : undefined
  return { charge: charge ? chargeOf(charge, now()) : null, refunds: receipts.refundsOf(receipt) }
}

/** Woovi's ids of refunds are taken in the whole account, not only for one PIX. */
function accepted({ refunds }: World, request: RefundRequest): RefundAcceptance {
  return refunds.ofId(request.accountId, request.id) ? { kind: 'id_taken' } : refunds.accept(request)
}

function answerTo(acceptance: RefundAcceptance, shown: (refund: Refund) => object): Answer {
  switch (acceptance.kind) {
    case 'accepted':
      return { status: 200, body: shown(acceptance.refund) }
    case 'no_such_receipt':
      return errors.transactionNotFound()
    case 'id_taken':
      return errors.refundTaken()
    case 'over_the_receipt':
      return errors.refundTooLarge()
    case 'too_late':
      return errors.refundTooLate()
    default:
      return acceptance satisfies never
  }
}
