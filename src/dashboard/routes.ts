import { fail } from '../http/api-error.ts'
import {
  createDashboardContext,
  type DashboardDependencies,
  type ServerRouter,
} from './http/dashboard-context.ts'
import { createDashboardRouter, type DeclaredRoute } from './http/router.ts'
import { registerApiRequestPage } from './pages/api-requests.ts'
import { registerApprovalPage } from './pages/approvals.ts'
import { registerChargeActions } from './pages/charges/actions.ts'
import { registerChargeChange } from './pages/charges/change.ts'
import { registerChargePages } from './pages/charges/charges.ts'
import { registerChargeForm } from './pages/charges/create.ts'
import { registerDisputePages } from './pages/disputes.ts'
import { registerEventPages } from './pages/events.ts'
import { registerLedgerPages } from './pages/ledger.ts'
import { registerLimitPages } from './pages/limits.ts'
import { registerNoteForms } from './pages/notes.ts'
import { registerAccountForms } from './pages/operator/account.ts'
import { registerAccountPages } from './pages/operator/accounts.ts'
import { registerOperatorActions } from './pages/operator/actions.ts'
import { registerAdjustmentForms } from './pages/operator/adjustments.ts'
import { registerConnectionForms } from './pages/operator/connections.ts'
import { registerContestForm } from './pages/operator/contests.ts'
import { registerDifferencePages } from './pages/operator/differences.ts'
import { registerOperatorPages } from './pages/operator/lists.ts'
import { registerPauseForms } from './pages/operator/pauses.ts'
import { registerProviderAttemptPage } from './pages/operator/provider-attempts.ts'
import { registerManualSettlementPages } from './pages/operator/settlement.ts'
import { createOperatorTaskReader } from './pages/operator/tasks.ts'
import { registerUnexplainedAnswerPages } from './pages/operator/unexplained-answers.ts'
import { registerOverviewPages } from './pages/overview.ts'
import { registerPasswordResetPages } from './pages/password-reset.ts'
import { registerPaymentLinkActions } from './pages/payment-links/actions.ts'
import { registerPublicPaymentPage } from './pages/payment-links/public-page.ts'
import { registerPixKeyPages } from './pages/pix-keys.ts'
import { registerProfilePages } from './pages/profile.ts'
import { registerProviderPages } from './pages/providers.ts'
import { registerQrCodePages } from './pages/qr-codes.ts'
import { registerPublicReceipts, registerReceipts } from './pages/receipts.ts'
import { registerReconciliationPages } from './pages/reconciliations.ts'
import { registerRecurrenceActions } from './pages/recurrences/actions.ts'
import { registerRecurrenceForm } from './pages/recurrences/create.ts'
import { registerRecurrencePages } from './pages/recurrences/recurrences.ts'
import { registerRefundPages } from './pages/refunds.ts'
import { registerReportPages } from './pages/reports.ts'
import { registerSavedFilterForms } from './pages/saved-filters.ts'
import { registerSearchPage } from './pages/search.ts'
import { registerSettingsPages } from './pages/settings.ts'
import { registerSettlementPages } from './pages/settlement.ts'
import { registerSignInPages } from './pages/sign-in.ts'
import { registerTokenPages } from './pages/tokens.ts'
import { registerAccountForm } from './pages/transfers/account-form.ts'
import { registerTransferApprovalForms } from './pages/transfers/approval.ts'
import { registerBatchUpload } from './pages/transfers/batch-upload.ts'
import { registerBatchPages } from './pages/transfers/batches.ts'
import { registerCodeForm } from './pages/transfers/code-form.ts'
import { registerDisputeRequest } from './pages/transfers/dispute-request.ts'
import { registerKeyForm } from './pages/transfers/key-form.ts'
import { registerTransferPages } from './pages/transfers/transfers.ts'
import { registerUnmatchedPages } from './pages/unmatched.ts'
import { registerInvitationPage } from './pages/users/accept-invitation.ts'
import { registerUserPages } from './pages/users/users.ts'
import { registerWebhookPages } from './pages/webhooks.ts'

/**
 * Registers the dashboard under /dashboard (SPEC §9), in the API's process, on the API's own operations. Returns its
 * routes with the permissions that they declare.
 */
export function dashboardRoutes(router: ServerRouter, dependencies: DashboardDependencies): DeclaredRoute[] {
  const context = createDashboardContext(router, dependencies)
  const pageRouter = createDashboardRouter(context, createOperatorTaskReader(context))
  redirectRoot(router)
  registerSignInPages(pageRouter)
  registerOverviewPages(pageRouter)
  // Before the pages of a charge: `new` is no identifier.
  registerChargeForm(pageRouter)
  registerChargePages(pageRouter)
  registerChargeActions(pageRouter)
  registerChargeChange(pageRouter)
  registerPaymentLinkActions(pageRouter)
  registerQrCodePages(pageRouter)
  registerPublicPaymentPage(context)
  // Before the pages of a recurrence: `new` is no identifier.
  registerRecurrenceForm(pageRouter)
  registerRecurrencePages(pageRouter)
  registerRecurrenceActions(pageRouter)
  registerPublicReceipts(context)
  // Before the page of a transfer: `batches` is no uuid of one.
  registerBatchUpload(pageRouter)
  registerBatchPages(pageRouter)
  registerKeyForm(pageRouter)
  registerAccountForm(pageRouter)
  registerCodeForm(pageRouter)
  registerTransferPages(pageRouter)
  registerDisputeRequest(pageRouter)
  registerTransferApprovalForms(pageRouter)
  registerApprovalPage(pageRouter)
  registerDisputePages(pageRouter)
  registerNoteForms(pageRouter)
  registerRefundPages(pageRouter)
  registerReceipts(pageRouter)
  registerUnmatchedPages(pageRouter)
  registerSearchPage(pageRouter)
  registerSavedFilterForms(pageRouter)
  registerPixKeyPages(pageRouter)
  registerLedgerPages(pageRouter)
  registerSettlementPages(pageRouter)
  registerReportPages(pageRouter)
  registerReconciliationPages(pageRouter)
  registerProviderPages(pageRouter)
  registerLimitPages(pageRouter)
  registerTokenPages(pageRouter)
  registerApiRequestPage(pageRouter)
  registerWebhookPages(pageRouter)
  registerEventPages(pageRouter)
  registerUserPages(pageRouter)
  registerInvitationPage(context)
  registerPasswordResetPages(context)
  registerSettingsPages(pageRouter)
  registerProfilePages(pageRouter)
  registerOperatorPages(pageRouter)
  registerOperatorActions(pageRouter)
  registerPauseForms(pageRouter)
  registerProviderAttemptPage(pageRouter)
  registerAdjustmentForms(pageRouter)
  registerContestForm(pageRouter)
  registerDifferencePages(pageRouter)
  registerManualSettlementPages(pageRouter)
  registerAccountPages(pageRouter)
  registerConnectionForms(pageRouter)
  registerAccountForms(pageRouter)
  registerUnexplainedAnswerPages(pageRouter)
  // Unknown paths get an error page.
  pageRouter.get('any', '/dashboard/*rest', async () => fail('not_found'))
  return pageRouter.routes
}

/** Leads a browser from `/` to the dashboard. Other clients get 404: the API has nothing there. */
function redirectRoot({ koa }: ServerRouter): void {
  koa.get('/', ctx => {
    ctx.vary('Accept')
    if (ctx.accepts('json', 'html') !== 'html') fail('not_found')
    ctx.redirect('/dashboard')
  })
}
