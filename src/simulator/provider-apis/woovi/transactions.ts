import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RailMovement } from '../../rail.ts'
import type { ScriptedOutcome } from '../../rail-events.ts'
import type { Receipt } from '../../receipts.ts'
import type { RefundAcceptance, SimulatedRefund, SimulatedRefundRequest } from '../../refunds.ts'
import type { SimulatorState } from '../../state.ts'
import { findWooviCharge } from './charges.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import {
  presentChargeRefund,
  presentEntryTransaction,
  presentReceivedTransaction,
  presentSentTransaction,
  presentWooviCharge,
  presentWooviRefund,
} from './presenters.ts'
import { chargeRefundBody, parseWooviBody, wooviRefundBody } from './schemas.ts'
import { findPaidStaticCode, presentWooviStaticCode } from './static-codes.ts'
import { findWooviTxid } from './txids.ts'

type WooviTransactionHandlers = Record<
  'show' | 'list' | 'refund' | 'showRefund' | 'listRefunds' | 'refundCharge' | 'listOfCharge',
  (call: SimulatedCall, fate: ScriptedOutcome) => SimulatedResponse
>

/** What moved, `/transaction`, and the refunds of what was received, `/refund` and `/charge/:id/refund`. */
export function createWooviTransactionHandlers(world: SimulatorState): WooviTransactionHandlers {
  const { rail, receipts, refunds, returns, transfers: sendings, store } = world
  const received = (receipt: Receipt) =>
    presentReceivedTransaction(receipt, findReceiptContext(world, receipt))

  const moved = (movement: RailMovement) => {
    const { accountId, endToEnd, cents, at, kind } = movement
    if (endToEnd === null) return presentEntryTransaction(movement)
    const receipt = receipts.find(accountId, endToEnd)
    if (receipt && (kind === 'payment' || kind === 'deposit')) return received(receipt)
    const sending = kind === 'transfer' ? sendings.findByEndToEnd(endToEnd) : undefined
    if (sending) return presentSentTransaction(sending, returns.listReturns(sending))
    return { value: cents, time: at, endToEndId: endToEnd, status: 'CONFIRMED', type: 'REFUND' }
  }

  const isListed = ({ accountId, endToEnd, kind }: RailMovement) =>
    (kind !== 'payment' && kind !== 'deposit') || receipts.findListed(accountId, endToEnd!) !== undefined

  const ofCharge = ({ account, query }: SimulatedCall) =>
    receipts.listByTxid(account.id, findWooviTxid(store, account.id, query.get('charge')!)).map(received)

  return {
    show: ({ account, params }) => {
      const receipt = receipts.findListed(account.id, params.id!)
      if (receipt) return { status: 200, body: { transaction: received(receipt) } }
      const sending = sendings.findByEndToEnd(params.id!)
      if (sending?.accountId !== account.id || sending.status !== 'settled')
        return errors.transactionNotFound()
      return {
        status: 200,
        body: { transaction: presentSentTransaction(sending, returns.listReturns(sending)) },
      }
    },
    list: call =>
      call.query.has('charge')
        ? buildWooviListPage(call, {
            field: 'transactions',
            between: () => ofCharge(call),
            present: pix => pix,
          })
        : buildWooviListPage(call, {
            field: 'transactions',
            between: ({ from, to }) =>
              rail
                .listEntries(call.account.id)
                .filter(one => from <= one.at && one.at <= to && isListed(one)),
            present: moved,
          }),
    refund: ({ account, body }, fate) => {
      const asked = parseWooviBody(wooviRefundBody, body)
      if ('refusal' in asked) return asked.refusal
      const { correlationID: id, transactionEndToEndId: endToEnd, value: cents } = asked.value
      const request = { accountId: account.id, endToEnd, id, cents, outcome: fate }
      return respondToRefund(acceptRefund(world, request), refund => ({ refund: presentWooviRefund(refund) }))
    },
    showRefund: ({ account, params }) => {
      const refund = refunds.findById(account.id, params.id!)
      return refund
        ? { status: 200, body: { pixTransactionRefund: presentWooviRefund(refund) } }
        : errors.wooviRefundNotFound()
    },
    listRefunds: call =>
      buildWooviListPage(call, {
        field: 'refunds',
        between: range =>
          refunds.listBetween(call.account.id, range).filter(({ nature }) => nature === 'ORIGINAL'),
        present: presentWooviRefund,
      }),
    refundCharge: ({ account, params, body }, fate) => {
      const asked = parseWooviBody(chargeRefundBody, body)
      if ('refusal' in asked) return asked.refusal
      const charge = findWooviCharge(world, account.id, params.id!)
      const receipt = charge && receipts.listByTxid(account.id, charge.txid)[0]
      if (!receipt) return errors.wooviChargeNotFound()
      const { correlationID: id, value } = asked.value
      const given = receipts.listRefunds(receipt).filter(({ status }) => status !== 'rejected')
      const left = given.reduce((cents, refund) => cents - refund.cents, receipt.cents)
      const { accountId, endToEnd } = receipt
      const request = { accountId, endToEnd, id, cents: value ?? left, outcome: fate }
      return respondToRefund(acceptRefund(world, request), refund => ({
        refund: presentChargeRefund(refund),
      }))
    },
    listOfCharge: ({ account, params }) => {
      const charge = findWooviCharge(world, account.id, params.id!)
      if (!charge) return errors.wooviChargeNotFound()
      const all = receipts.listByTxid(account.id, charge.txid).flatMap(receipts.listRefunds)
      return { status: 200, body: { refunds: all.map(presentChargeRefund) } }
    },
  }
}

/** What a received PIX belongs to, and what went back of it; its charge is named even where it was deleted. */
function findReceiptContext({ charges, receipts, store, now }: SimulatorState, receipt: Receipt) {
  const charge = receipt.txid ? charges.find(receipt.accountId, receipt.txid) : undefined
  const code = charge ? undefined : findPaidStaticCode(store, receipt.accountId, receipt.txid)
  return {
    charge: charge ? presentWooviCharge(charge, now()) : null,
    refunds: receipts.listRefunds(receipt),
    pixQrCode: code && presentWooviStaticCode(code),
  }
}

/** Woovi's ids of refunds are taken in the whole account, not only for one PIX. */
function acceptRefund({ refunds }: SimulatorState, request: SimulatedRefundRequest): RefundAcceptance {
  return refunds.findById(request.accountId, request.id) ? { kind: 'id_taken' } : refunds.accept(request)
}

function respondToRefund(
  acceptance: RefundAcceptance,
  shown: (refund: SimulatedRefund) => object,
): SimulatedResponse {
  switch (acceptance.kind) {
    case 'accepted':
      return { status: 200, body: shown(acceptance.refund) }
    case 'no_such_receipt':
      return errors.transactionNotFound()
    case 'id_taken':
      return errors.wooviRefundIdInUse()
    case 'over_the_receipt':
      return errors.refundTooLarge()
    case 'too_late':
      return errors.refundTooLate()
    default:
      return acceptance satisfies never
  }
}
