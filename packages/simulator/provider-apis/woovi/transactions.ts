import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RailMovement } from '../../rail.ts'
import type { Receipt } from '../../receipts.ts'
import {
  computeReceiptRefundableCents,
  type RefundAcceptance,
  type SimulatedRefund,
  type SimulatedRefundRequest,
} from '../../refunds.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { findWooviCharge } from './charges.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import {
  presentChargeRefund,
  presentEntryTransaction,
  presentReceivedTransaction,
  presentRefundTransaction,
  presentSentTransaction,
  presentWooviCharge,
  presentWooviRefund,
} from './presenters.ts'
import { chargeRefundBody, parseWooviBody, wooviRefundBody } from './schemas.ts'
import { findPaidStaticCode, presentWooviStaticCode } from './static-codes.ts'
import { findWooviTxid } from './txids.ts'

type WooviTransactionHandlers = Record<
  'show' | 'list' | 'refund' | 'showRefund' | 'listRefunds' | 'refundCharge' | 'listByCharge',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of movements, `/transaction`, and of refunds, `/refund` and `/charge/:id/refund`. */
export function createWooviTransactionHandlers(state: SimulatorState): WooviTransactionHandlers {
  const { listing, rail, receipts, refunds, returns, transfers, store } = state
  const presentReceipt = (receipt: Receipt) =>
    presentReceivedTransaction(receipt, findReceiptContext(state, receipt))

  const presentMovement = (movement: RailMovement) => {
    const { accountId, endToEnd, cents, at, kind } = movement
    if (endToEnd === null) return presentEntryTransaction(movement)
    const receipt = receipts.find(accountId, endToEnd)
    if (receipt && (kind === 'payment' || kind === 'deposit')) return presentReceipt(receipt)
    const transfer = kind === 'transfer' ? transfers.findByEndToEnd(endToEnd) : undefined
    if (transfer) return presentSentTransaction(transfer, returns.listReturns(transfer))
    return { value: cents, time: at, endToEndId: endToEnd, status: 'CONFIRMED', type: 'REFUND' }
  }

  const isListed = ({ accountId, endToEnd, kind }: RailMovement) => {
    if (endToEnd === null || kind === 'return') return true
    if (kind === 'transfer') return transfers.findListedByEndToEnd(endToEnd) !== undefined
    if (kind === 'refund') return findListedReturn(accountId, endToEnd) !== undefined
    return receipts.findListed(accountId, endToEnd) !== undefined
  }

  const findListedReturn = (accountId: string, returnId: string) =>
    listing.hideUnlisted(refunds.findByReturnId(accountId, returnId))

  const listChargeReceipts = ({ account, query }: SimulatedCall) =>
    receipts.listByTxid(account.id, findWooviTxid(store, account.id, query.get('charge')!))

  return {
    show: ({ account, params }) => {
      const receipt = receipts.findListed(account.id, params.id!)
      if (receipt) return { status: 200, body: { transaction: presentReceipt(receipt) } }
      const refund = findListedReturn(account.id, params.id!)
      const refunded = refund && receipts.find(account.id, refund.endToEnd)
      if (refunded) return { status: 200, body: { transaction: presentRefundTransaction(refund, refunded) } }
      const transfer = transfers.findListedByEndToEnd(params.id!)
      if (transfer?.accountId !== account.id || transfer.status !== 'settled')
        return errors.transactionNotFound()
      return {
        status: 200,
        body: { transaction: presentSentTransaction(transfer, returns.listReturns(transfer)) },
      }
    },
    list: call =>
      call.query.has('charge')
        ? buildWooviListPage(call, {
            field: 'transactions',
            between: () => listChargeReceipts(call),
            present: presentReceipt,
          })
        : buildWooviListPage(call, {
            field: 'transactions',
            between: ({ from, to }) =>
              rail
                .listEntries(call.account.id)
                .filter(movement => from <= movement.at && movement.at <= to && isListed(movement)),
            present: presentMovement,
          }),
    refund: ({ account, body }, outcome) => {
      const parsed = parseWooviBody(wooviRefundBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { correlationID: id, transactionEndToEndId: endToEnd, value: cents, comment } = parsed.value
      const request = { accountId: account.id, endToEnd, id, cents, description: comment, outcome }
      return respondToRefund(acceptRefund(state, request), refund => ({ refund: presentWooviRefund(refund) }))
    },
    showRefund: ({ account, params }) => {
      const refund = refunds.findListedById(account.id, params.id!)
      return refund
        ? { status: 200, body: { pixTransactionRefund: presentRefundLookup(account, refund) } }
        : errors.wooviRefundNotFound()
    },
    listRefunds: call =>
      buildWooviListPage(call, {
        field: 'refunds',
        between: range =>
          refunds.listBetween(call.account.id, range).filter(({ nature }) => nature === 'ORIGINAL'),
        present: presentWooviRefund,
      }),
    refundCharge: ({ account, params, body }, outcome) => {
      const parsed = parseWooviBody(chargeRefundBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const charge = findWooviCharge(state, account.id, params.id!)
      const receipt = charge && receipts.listByTxid(account.id, charge.txid)[0]
      if (!receipt) return errors.wooviChargeNotFound()
      const { correlationID: id, value, comment: description } = parsed.value
      const { accountId, endToEnd } = receipt
      const cents = value ?? computeReceiptRefundableCents(receipt, refunds.listByReceipt(receipt))
      const request = { accountId, endToEnd, id, cents, description, outcome }
      return respondToRefund(acceptRefund(state, request), refund => ({
        refund: presentChargeRefund(refund),
      }))
    },
    listByCharge: ({ account, params }) => {
      const charge = findWooviCharge(state, account.id, params.id!)
      if (!charge) return errors.wooviChargeNotFound()
      const chargeRefunds = receipts.listByTxid(account.id, charge.txid).flatMap(refunds.listListedByReceipt)
      return { status: 200, body: { refunds: chargeRefunds.map(presentChargeRefund) } }
    },
  }
}

/** Presents a refund in its look-up, whose example has no status and no time. */
function presentRefundLookup(account: SimulatedAccount, refund: SimulatedRefund): object {
  const { status: _, time: __, providerRejectedReason: ___, ...published } = presentWooviRefund(refund)
  return readAccountOptions(account).shows_refund_status ? presentWooviRefund(refund) : published
}

/** Finds the charge, deleted ones included, and the refunds of a received PIX. */
function findReceiptContext({ charges, refunds, store, now }: SimulatorState, receipt: Receipt) {
  const charge = receipt.txid ? charges.find(receipt.accountId, receipt.txid) : undefined
  const code = charge ? undefined : findPaidStaticCode(store, receipt.accountId, receipt.txid)
  return {
    charge: charge ? presentWooviCharge(charge, now()) : null,
    refunds: refunds.listListedByReceipt(receipt),
    pixQrCode: code && presentWooviStaticCode(code),
  }
}

/** Accepts a refund; at Woovi its id is unique in the account, not only for one PIX. */
function acceptRefund({ refunds }: SimulatorState, request: SimulatedRefundRequest): RefundAcceptance {
  return refunds.findById(request.accountId, request.id) ? { kind: 'id_in_use' } : refunds.accept(request)
}

function respondToRefund(
  acceptance: RefundAcceptance,
  present: (refund: SimulatedRefund) => object,
): SimulatedResponse {
  switch (acceptance.kind) {
    case 'accepted':
      return { status: 200, body: present(acceptance.refund) }
    case 'no_such_receipt':
      return errors.transactionNotFound()
    case 'id_in_use':
      return errors.wooviRefundIdInUse()
    case 'over_the_receipt':
      return errors.refundTooLarge()
    case 'too_late':
      return errors.refundTooLate()
    default:
      return acceptance satisfies never
  }
}
