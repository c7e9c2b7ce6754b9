import { foldTallies } from '../db/tallies.ts'
import type { Engine } from '../engine/start.ts'
import { sendAuthCode, storeAuthCode } from './auth-codes.ts'
import { chargeNow } from './charge-records.ts'
import { deliver } from './deliveries.ts'
import { sweepDeliveries } from './delivery-sweep.ts'
import type { Dependencies } from './dependencies.ts'
import { takeDeposit } from './deposits.ts'
import { pruneEvents } from './event-pruning.ts'
import { cancelCharge, followCharge } from './following.ts'
import { issueCharge } from './issuing.ts'
import { keepUnmatched } from './keeping.ts'
import { openPixKey } from './key-opening.ts'
import { askKeyRemoval, deleteKey } from './key-removal.ts'
import { passMedDeadline, warnOfMed } from './med-deadlines.ts'
import { sweepMeds } from './med-reconciliation.ts'
import { medNow, sendMedReply, takeMedReply } from './med-replies.ts'
import { followMed } from './meds.ts'
import { sweepNotices } from './notices.ts'
import { settleBy } from './operators-word.ts'
import { closeOrphan } from './orphans.ts'
import { askKey, createKey, giveUpKey } from './pix-keys.ts'
import { providerAccounts, reconcile } from './reconciliation.ts'
import { recoverDeliveries } from './recovery.ts'
import { openRefund, refundNow, reopenRefund } from './refund-records.ts'
import { devolution } from './refunds.ts'
import { unmatchedReturn } from './returns.ts'
import { seekBy } from './seeking.ts'
import { restoreCharge, seekCharge } from './seeking-charges.ts'
import { askBy, sendBy } from './sending.ts'
import { endWaiting, failTransfer, sendTransfer, storeTransfer, transferNow } from './transfer-records.ts'
import { pixOut } from './transfers.ts'
import { sweepWorkflows } from './workflow-sweep.ts'

/** Calls that leave the machine, each with the transaction that keeps their answer. */
export function providerActivities(dependencies: Dependencies, engine: Engine) {
  return {
    issueCharge: issueCharge(dependencies),
    seekCharge: seekCharge(dependencies),
    followCharge: followCharge(dependencies),
    cancelCharge: cancelCharge(dependencies),
    closeOrphan: closeOrphan(dependencies),
    takeDeposit: takeDeposit(dependencies, engine),
    sendTransfer: sendTransfer(dependencies),
    askTransfer: askBy(dependencies, pixOut),
    seekTransfer: seekBy(dependencies, pixOut),
    sendRefund: sendBy(dependencies, devolution),
    askRefund: askBy(dependencies, devolution),
    seekRefund: seekBy(dependencies, devolution),
    sendReturn: sendBy(dependencies, unmatchedReturn),
    askReturn: askBy(dependencies, unmatchedReturn),
    seekReturn: seekBy(dependencies, unmatchedReturn),
    createKey: createKey(dependencies),
    askKey: askKey(dependencies),
    deleteKey: deleteKey(dependencies),
    askKeyRemoval: askKeyRemoval(dependencies),
    sendAuthCode: sendAuthCode(dependencies),
    followMed: followMed(dependencies),
    sendMedReply: sendMedReply(dependencies),
  }
}

/** Short reads and writes of the database, run as local activities. */
export function recordActivities(dependencies: Dependencies) {
  return {
    chargeNow: chargeNow(dependencies),
    restoreCharge: restoreCharge(dependencies),
    openRefund: openRefund(dependencies),
    reopenRefund: reopenRefund(dependencies),
    refundNow: refundNow(dependencies),
    storeTransfer: storeTransfer(dependencies),
    transferNow: transferNow(dependencies),
    failTransfer: failTransfer(dependencies),
    endWaiting: endWaiting(dependencies),
    foldTallies: () => foldTallies(dependencies.orm),
    settleTransfer: settleBy(dependencies, pixOut),
    settleRefund: settleBy(dependencies, devolution),
    settleReturn: settleBy(dependencies, unmatchedReturn),
    keepUnmatched: keepUnmatched(dependencies),
    openPixKey: openPixKey(dependencies),
    giveUpKey: giveUpKey(dependencies),
    storeAuthCode: storeAuthCode(dependencies),
    medNow: medNow(dependencies),
    takeMedReply: takeMedReply(dependencies),
    warnOfMed: warnOfMed(dependencies),
    passMedDeadline: passMedDeadline(dependencies),
  }
}

/** Webhook tries, on a queue of their own: a dead endpoint must not keep a provider waiting. */
export function webhookActivities(dependencies: Dependencies) {
  return { deliver: deliver(dependencies) }
}

/** What keeps events and deliveries in order beside their own lives. */
export function eventActivities(dependencies: Dependencies, engine: Engine) {
  return {
    sweepDeliveries: sweepDeliveries(dependencies, engine),
    recoverDeliveries: recoverDeliveries(dependencies, engine),
    pruneEvents: pruneEvents(dependencies),
  }
}

export function reconciliationActivities(dependencies: Dependencies, engine: Engine) {
  return {
    providerAccounts: providerAccounts(dependencies),
    reconcile: reconcile(dependencies, engine),
    sweepMeds: sweepMeds(dependencies, engine),
    sweepWorkflows: sweepWorkflows(dependencies, engine),
  }
}

export function noticeActivities(dependencies: Dependencies, engine: Engine) {
  return { sweepNotices: sweepNotices(dependencies, engine) }
}
