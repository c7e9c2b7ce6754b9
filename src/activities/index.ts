import type { Engine } from '../engine/start.ts'
import { deliver } from './deliveries.ts'
import type { Dependencies } from './dependencies.ts'
import { takeDeposit } from './deposits.ts'
import { cancelCharge, followCharge } from './following.ts'
import { issueCharge } from './issuing.ts'
import { sweepNotices } from './notices.ts'
import { closeOrphan } from './orphans.ts'
import { askBy, sendBy, settleBy } from './outgoing.ts'
import { providerAccounts, reconcile } from './reconciliation.ts'
import { chargeNow, refundNow } from './records.ts'
import { openRefund } from './refund-opening.ts'
import { devolution } from './refunds.ts'
import { unmatchedReturn } from './returns.ts'
import { endWaiting, failTransfer, storeTransfer, transferNow } from './transfer-records.ts'
import { pixOut } from './transfers.ts'

/** Calls that leave the machine, each with the transaction that keeps their answer. */
export function providerActivities(dependencies: Dependencies) {
  return {
    issueCharge: issueCharge(dependencies),
    followCharge: followCharge(dependencies),
    cancelCharge: cancelCharge(dependencies),
    closeOrphan: closeOrphan(dependencies),
    takeDeposit: takeDeposit(dependencies),
    sendTransfer: sendBy(dependencies, pixOut),
    askTransfer: askBy(dependencies, pixOut),
    sendRefund: sendBy(dependencies, devolution),
    askRefund: askBy(dependencies, devolution),
    sendReturn: sendBy(dependencies, unmatchedReturn),
    askReturn: askBy(dependencies, unmatchedReturn),
  }
}

/** Short reads and writes of the database, run as local activities. */
export function recordActivities(dependencies: Dependencies) {
  return {
    chargeNow: chargeNow(dependencies),
    openRefund: openRefund(dependencies),
    refundNow: refundNow(dependencies),
    storeTransfer: storeTransfer(dependencies),
    transferNow: transferNow(dependencies),
    failTransfer: failTransfer(dependencies),
    endWaiting: endWaiting(dependencies),
    settleTransfer: settleBy(dependencies, pixOut),
    settleRefund: settleBy(dependencies, devolution),
    settleReturn: settleBy(dependencies, unmatchedReturn),
  }
}

/** Webhook tries, on a queue of their own: a dead endpoint must not keep a provider waiting. */
export function webhookActivities(dependencies: Dependencies) {
  return { deliver: deliver(dependencies) }
}

export function reconciliationActivities(dependencies: Dependencies, engine: Engine) {
  return { providerAccounts: providerAccounts(dependencies), reconcile: reconcile(dependencies, engine) }
}

export function noticeActivities(dependencies: Dependencies, engine: Engine) {
  return { sweepNotices: sweepNotices(dependencies, engine) }
}
