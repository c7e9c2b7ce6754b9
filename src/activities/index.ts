import { foldListCounters } from '../db/repositories/list-counters.ts'
import { closeOrphan } from './charges/close-orphan.ts'
import { issueCharge } from './charges/issue-charge.ts'
import { issueDebit } from './charges/issue-debit.ts'
import { cancelChargeAtProvider, getCharge, pollCharge } from './charges/poll-charge.ts'
import { reviseChargeAtProvider } from './charges/revise-charge.ts'
import { recordDeposit } from './deposits/record-deposit.ts'
import { rebuildOperation } from './disaster-recovery/rebuild-operation.ts'
import { sweepWorkflows } from './disaster-recovery/workflow-sweep.ts'
import {
  applyDisputeDeadline,
  getDispute,
  pollDispute,
  recordDisputeWarning,
  sendDisputeReply,
  storeDisputeReply,
} from './disputes/activities.ts'
import { sweepDisputes } from './disputes/reconcile.ts'
import { cancelDispute, openRequestedDispute, requestDispute } from './disputes/request.ts'
import { archiveClosedMonths } from './ledger/archive.ts'
import { lookUpPayout } from './payouts/look-up.ts'
import { settleManually } from './payouts/manual-settlement.ts'
import { pollPayout, sendPayout } from './payouts/send.ts'
import { sendAuthCode, storeAuthCode } from './pix-keys/auth-codes.ts'
import { createKey, failPixKey, pollPixKey } from './pix-keys/create.ts'
import { deleteKey, pollPixKeyRemoval } from './pix-keys/delete.ts'
import { openPixKey } from './pix-keys/open.ts'
import { sweepProviderNotifications } from './provider-notifications/sweep.ts'
import { listProviderAccounts, reconcile } from './reconciliation/reconcile.ts'
import { createRecurrenceAtProvider, failRecurrence, lookUpRecurrence } from './recurrences/create.ts'
import { prepareCycle, recordCycle } from './recurrences/cycles.ts'
import { cancelFirstCharge, issueFirstCharge } from './recurrences/first-charge.ts'
import { getRecurrence, openRecurrence } from './recurrences/open.ts'
import { cancelRecurrence, pollRecurrence, requestConsent, signalOpenDebits } from './recurrences/poll.ts'
import { getRefund, openRefund } from './refunds/open.ts'
import { refundPayout } from './refunds/refund-payout.ts'
import { buildReport } from './reports/build.ts'
import { closeReport, openReport } from './reports/open.ts'
import { orderScheduledReports } from './reports/schedules.ts'
import type { ActivityDependencies } from './runtime/dependencies.ts'
import {
  advanceHeldTransfer,
  endScheduledTransfer,
  failTransfer,
  getTransfer,
  sendTransfer,
  storeTransfer,
} from './transfers/activities.ts'
import { advanceBatch, cancelBatch } from './transfers/batches.ts'
import { requestCallout } from './transfers/request-callout.ts'
import { transferPayout } from './transfers/transfer-payout.ts'
import { keepUnmatchedPayment, orderDepositReturn, returnPayout } from './unmatched/return-payout.ts'
import { sendPasswordReset } from './users/password-resets.ts'
import { attemptDelivery } from './webhooks/deliver.ts'
import { attemptFirstDeliveries } from './webhooks/first-attempts.ts'
import { pruneEvents } from './webhooks/prune-events.ts'
import { replayMissedEvents, sweepDeliveries } from './webhooks/sweep-deliveries.ts'

/** Activities that call a provider, each with the transaction that records the answer. */
export function providerActivities(dependencies: ActivityDependencies) {
  return {
    issueCharge: issueCharge(dependencies),
    pollCharge: pollCharge(dependencies),
    cancelCharge: cancelChargeAtProvider(dependencies),
    reviseCharge: reviseChargeAtProvider(dependencies),
    issueDebit: issueDebit(dependencies),
    closeOrphan: closeOrphan(dependencies),
    issueFirstCharge: issueFirstCharge(dependencies),
    cancelFirstCharge: cancelFirstCharge(dependencies),
    createRecurrence: createRecurrenceAtProvider(dependencies),
    lookUpRecurrence: lookUpRecurrence(dependencies),
    pollRecurrence: pollRecurrence(dependencies),
    requestConsent: requestConsent(dependencies),
    cancelRecurrence: cancelRecurrence(dependencies),
    signalOpenDebits: signalOpenDebits(dependencies),
    recordDeposit: recordDeposit(dependencies),
    sendTransfer: sendTransfer(dependencies),
    pollTransfer: pollPayout(dependencies, transferPayout),
    lookUpTransfer: lookUpPayout(dependencies, transferPayout),
    sendRefund: sendPayout(dependencies, refundPayout),
    pollRefund: pollPayout(dependencies, refundPayout),
    lookUpRefund: lookUpPayout(dependencies, refundPayout),
    sendReturn: sendPayout(dependencies, returnPayout),
    pollReturn: pollPayout(dependencies, returnPayout),
    lookUpReturn: lookUpPayout(dependencies, returnPayout),
    createKey: createKey(dependencies),
    pollPixKey: pollPixKey(dependencies),
    deleteKey: deleteKey(dependencies),
    pollPixKeyRemoval: pollPixKeyRemoval(dependencies),
    sendAuthCode: sendAuthCode(dependencies),
    sendPasswordReset: sendPasswordReset(dependencies),
    pollDispute: pollDispute(dependencies),
    requestDispute: requestDispute(dependencies),
    cancelDispute: cancelDispute(dependencies),
    sendDisputeReply: sendDisputeReply(dependencies),
    rebuildOperation: rebuildOperation(dependencies),
  }
}

/** Activities of a batch of transfers, which start the workflows of its items. */
export function batchActivities(dependencies: ActivityDependencies) {
  return { advanceBatch: advanceBatch(dependencies), cancelBatch: cancelBatch(dependencies) }
}

/** Activities of a report, which write and delete its file. */
export function reportActivities(dependencies: ActivityDependencies) {
  return { buildReport: buildReport(dependencies), closeReport: closeReport(dependencies) }
}

/** Activities that only read and write the database, run as local activities. */
export function databaseActivities(dependencies: ActivityDependencies) {
  return {
    getCharge: getCharge(dependencies),
    openRecurrence: openRecurrence(dependencies),
    getRecurrence: getRecurrence(dependencies),
    failRecurrence: failRecurrence(dependencies),
    prepareCycle: prepareCycle(dependencies),
    recordCycle: recordCycle(dependencies),
    openRefund: openRefund(dependencies),
    getRefund: getRefund(dependencies),
    storeTransfer: storeTransfer(dependencies),
    getTransfer: getTransfer(dependencies),
    failTransfer: failTransfer(dependencies),
    advanceHeldTransfer: advanceHeldTransfer(dependencies),
    endScheduledTransfer: endScheduledTransfer(dependencies),
    foldListCounters: () => foldListCounters(dependencies.orm),
    manuallySettleTransfer: settleManually(dependencies, transferPayout),
    manuallySettleRefund: settleManually(dependencies, refundPayout),
    manuallySettleReturn: settleManually(dependencies, returnPayout),
    keepUnmatchedPayment: keepUnmatchedPayment(dependencies),
    orderDepositReturn: orderDepositReturn(dependencies),
    openPixKey: openPixKey(dependencies),
    failPixKey: failPixKey(dependencies),
    storeAuthCode: storeAuthCode(dependencies),
    openReport: openReport(dependencies),
    getDispute: getDispute(dependencies),
    openRequestedDispute: openRequestedDispute(dependencies),
    storeDisputeReply: storeDisputeReply(dependencies),
    recordDisputeWarning: recordDisputeWarning(dependencies),
    applyDisputeDeadline: applyDisputeDeadline(dependencies),
  }
}

/** Sweeps, replay and pruning of events, archives of the ledger, reconciliation, and orders of scheduled reports. */
export function maintenanceActivities(dependencies: ActivityDependencies) {
  return {
    sweepDeliveries: sweepDeliveries(dependencies),
    replayMissedEvents: replayMissedEvents(dependencies),
    pruneEvents: pruneEvents(dependencies),
    archiveClosedMonths: archiveClosedMonths(dependencies),
    sweepProviderNotifications: sweepProviderNotifications(dependencies),
    listProviderAccounts: listProviderAccounts(dependencies),
    reconcile: reconcile(dependencies),
    sweepDisputes: sweepDisputes(dependencies),
    sweepWorkflows: sweepWorkflows(dependencies),
    orderScheduledReports: orderScheduledReports(dependencies),
  }
}

/** First attempts of webhook deliveries, as local activities of the workflows that announce something. */
export function firstAttemptActivities(dependencies: ActivityDependencies) {
  return { attemptFirstDeliveries: attemptFirstDeliveries(dependencies) }
}

/**
 * Webhook deliveries and call-outs, on a task queue of their own: an endpoint without a response must not delay provider calls.
 */
export function webhookActivities(dependencies: ActivityDependencies) {
  return {
    attemptDelivery: attemptDelivery(dependencies),
    requestCallout: requestCallout(dependencies),
  }
}
