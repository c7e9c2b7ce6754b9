import * as charge from '../../contract/charges/charge-example.ts'
import * as due from '../../contract/charges/due-example.ts'
import * as dispute from '../../contract/disputes/dispute-example.ts'
import { EVENT_EXAMPLES } from '../../contract/events/event-example.ts'
import * as ledger from '../../contract/ledger/ledger-example.ts'
import * as limits from '../../contract/limits/limits-example.ts'
import * as paymentLink from '../../contract/payment-links/payment-link-example.ts'
import * as keyLookup from '../../contract/pix-keys/key-lookup-example.ts'
import * as pixKey from '../../contract/pix-keys/pix-key-example.ts'
import * as provider from '../../contract/providers/provider-example.ts'
import * as codeReading from '../../contract/qr-codes/code-reading-example.ts'
import * as qrCode from '../../contract/qr-codes/qr-code-example.ts'
import * as receipt from '../../contract/receipts/receipt-example.ts'
import * as reconciliation from '../../contract/reconciliation/reconciliation-example.ts'
import * as recurrence from '../../contract/recurrences/recurrence-example.ts'
import * as refund from '../../contract/refunds/refund-example.ts'
import * as report from '../../contract/reports/report-example.ts'
import { EXAMPLE_PAYER, EXAMPLE_PROVIDER, EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'
import * as callout from '../../contract/transfers/callout-example.ts'
import * as batch from '../../contract/transfers/transfer-batch-example.ts'
import * as transfer from '../../contract/transfers/transfer-example.ts'
import * as deposit from '../../contract/unmatched/deposit-example.ts'
import * as webhook from '../../contract/webhooks/webhook-example.ts'

/**
 * Examples of the components of the OpenAPI document by name: of resources, and of `<OperationId>Request` and
 * `<OperationId>Response`. The others are built of these and of the examples of fields.
 */
export const NAMED_EXAMPLES: Record<string, unknown> = {
  Party: EXAMPLE_PAYER,
  ProviderShown: EXAMPLE_PROVIDER,

  CreatePaymentRequest: charge.CREATE_CHARGE_EXAMPLE,
  CreatedCharge: charge.CREATED_CHARGE_EXAMPLE,
  Charge: charge.CHARGE_EXAMPLE,
  RevisePaymentRequest: due.REVISE_CHARGE_EXAMPLE,
  RevisePaymentResponse: { data: due.REVISED_CHARGE_EXAMPLE },
  CancelPaymentResponse: { data: charge.CANCELLED_CHARGE_EXAMPLE },

  RetryPaymentRequest: recurrence.RETRY_CHARGE_EXAMPLE,

  CreateRecurrenceRequest: recurrence.CREATE_RECURRENCE_EXAMPLE,
  CreateRecurrenceResponse: { data: recurrence.CREATED_RECURRENCE_EXAMPLE },
  CancelRecurrenceResponse: { data: recurrence.CANCELLED_RECURRENCE_EXAMPLE },
  ChargeRecurrenceRequest: recurrence.CHARGE_RECURRENCE_EXAMPLE,
  ChargeRecurrenceResponse: { data: recurrence.RECURRENCE_CHARGE_EXAMPLE },
  Recurrence: recurrence.RECURRENCE_EXAMPLE,

  CreateQrCodeRequest: qrCode.CREATE_QR_CODE_EXAMPLE,
  CreateQrCodeResponse: { data: qrCode.CREATED_QR_CODE_EXAMPLE },
  DisableQrCodeResponse: { data: qrCode.DISABLED_QR_CODE_EXAMPLE },
  QrCode: qrCode.QR_CODE_EXAMPLE,
  ReadQrCodeRequest: codeReading.READ_CODE_EXAMPLE,
  CodeReading: codeReading.CODE_READING_EXAMPLE,

  CreatePaymentLinkRequest: paymentLink.CREATE_PAYMENT_LINK_EXAMPLE,
  CreatePaymentLinkResponse: { data: paymentLink.CREATED_PAYMENT_LINK_EXAMPLE },
  RevokePaymentLinkResponse: { data: paymentLink.REVOKED_PAYMENT_LINK_EXAMPLE },
  PaymentLink: paymentLink.PAYMENT_LINK_EXAMPLE,

  CreateReportRequest: report.CREATE_REPORT_EXAMPLE,
  CreateReportResponse: { data: report.CREATED_REPORT_EXAMPLE },
  DeleteReportResponse: { data: report.REMOVED_REPORT_EXAMPLE },
  Report: report.REPORT_EXAMPLE,
  ReplaceReportSchedulesRequest: report.REPLACE_SCHEDULES_EXAMPLE,
  ReportSchedules: report.SCHEDULES_EXAMPLE,
  Reconciliation: reconciliation.RECONCILIATION_EXAMPLE,
  ReconciliationDifference: reconciliation.DIFFERENCE_EXAMPLE,

  RefundPaymentRequest: refund.CREATE_REFUND_EXAMPLE,
  RefundPaymentResponse: refund.ACCEPTED_REFUND_EXAMPLE,
  ListedRefund: refund.LISTED_REFUND_EXAMPLE,
  RefundResult: refund.REFUND_EXAMPLE,
  Receipt: receipt.RECEIPT_EXAMPLE,
  ReceiptCheck: receipt.RECEIPT_CHECK_EXAMPLE,
  Deposit: deposit.DEPOSIT_EXAMPLE,
  ReturnDepositResponse: deposit.ACCEPTED_RETURN_EXAMPLE,
  AssignDepositRequest: deposit.ASSIGN_DEPOSIT_EXAMPLE,
  AssignDepositResponse: deposit.ASSIGNED_DEPOSIT_EXAMPLE,
  Movement: ledger.MOVEMENT_EXAMPLE,
  LedgerLine: ledger.LEDGER_LINE_EXAMPLE,

  CreateTransferRequest: transfer.CREATE_TRANSFER_EXAMPLE,
  CreateTransferResponse: { data: transfer.ACCEPTED_TRANSFER_EXAMPLE },
  CreateCodeTransferRequest: transfer.CREATE_CODE_TRANSFER_EXAMPLE,
  CreateCodeTransferResponse: { data: transfer.ACCEPTED_CODE_TRANSFER_EXAMPLE },
  CreateAccountTransferRequest: transfer.CREATE_ACCOUNT_TRANSFER_EXAMPLE,
  CreateAccountTransferResponse: { data: transfer.ACCEPTED_ACCOUNT_TRANSFER_EXAMPLE },
  CancelTransferResponse: { data: transfer.CANCELLED_TRANSFER_EXAMPLE },
  ApproveTransferResponse: { data: transfer.APPROVED_TRANSFER_EXAMPLE },
  RejectTransferResponse: { data: transfer.REJECTED_TRANSFER_EXAMPLE },
  Transfer: transfer.TRANSFER_EXAMPLE,

  CreateTransferBatchRequest: batch.CREATE_BATCH_EXAMPLE,
  CreateTransferBatchResponse: { data: batch.STARTED_BATCH_EXAMPLE },
  ApproveTransferBatchResponse: { data: batch.STARTED_BATCH_EXAMPLE },
  RejectTransferBatchResponse: { data: batch.CANCELLED_BATCH_EXAMPLE },
  CancelTransferBatchResponse: { data: batch.CANCELLED_BATCH_EXAMPLE },
  TransferBatch: batch.BATCH_EXAMPLE,
  TransferBatchItem: batch.BATCH_ITEM_EXAMPLE,
  TransferCallout: callout.TRANSFER_CALLOUT_EXAMPLE,
  BatchCallout: callout.BATCH_CALLOUT_EXAMPLE,

  ReplaceLimitsRequest: limits.REPLACE_LIMITS_EXAMPLE,
  AccountLimits: limits.LIMITS_EXAMPLE,
  RotateCalloutTokenRequest: {},
  RotateCalloutTokenResponse: { data: limits.ROTATED_CALLOUT_EXAMPLE },
  LimitUsage: limits.LIMIT_USAGE_EXAMPLE,

  Dispute: dispute.DISPUTE_EXAMPLE,
  RequestMedRequest: dispute.REQUEST_DISPUTE_EXAMPLE,
  RequestMedResponse: { data: dispute.REQUESTED_DISPUTE_EXAMPLE },
  CancelMedResponse: { data: dispute.CANCELLED_DISPUTE_EXAMPLE },
  ReplyToMedResponse: { data: dispute.ANSWERED_DISPUTE_EXAMPLE },

  CreatePixKeyAuthCodeRequest: pixKey.REQUEST_CODE_EXAMPLE,
  CreatePixKeyAuthCodeResponse: pixKey.REQUESTED_CODE_EXAMPLE,
  CreatePixKeyRequest: pixKey.CREATE_PIX_KEY_EXAMPLE,
  CreatePixKeyResponse: pixKey.CREATED_PIX_KEY_EXAMPLE,
  PixKey: pixKey.PIX_KEY_EXAMPLE,
  DeletePixKeyResponse: pixKey.REMOVED_PIX_KEY_EXAMPLE,

  LookUpPixKeyRequest: keyLookup.LOOK_UP_KEY_EXAMPLE,
  KeyLookup: keyLookup.KEY_LOOKUP_EXAMPLE,

  Provider: provider.PROVIDER_EXAMPLE,
  ProviderDetails: { ...provider.PROVIDER_EXAMPLE, lookup_budget: keyLookup.LOOKUP_BUDGET_EXAMPLE },
  DefaultProvider: provider.DEFAULT_PROVIDER_EXAMPLE,
  ReplaceDefaultProvidersRequest: { payment_type: 'PIX', provider_uuids: [EXAMPLE_UUIDS.provider] },
  ReplaceDefaultProvidersResponse: { message: 'The default providers were replaced.' },

  CreateWebhookRequest: webhook.CREATE_WEBHOOK_EXAMPLE,
  CreateWebhookResponse: { data: webhook.CREATED_WEBHOOK_EXAMPLE },
  UpdateWebhookRequest: webhook.UPDATE_WEBHOOK_EXAMPLE,
  RotateWebhookTokenRequest: {},
  RotateWebhookTokenResponse: { data: webhook.ROTATED_WEBHOOK_EXAMPLE },
  DeleteWebhookResponse: { message: 'The webhook was removed.' },
  TestWebhookResponse: {
    message: 'A test event is on its way.',
    data: { ...webhook.STARTED_DELIVERY_EXAMPLE, event: { id: EXAMPLE_UUIDS.event, type: 'TEST' } },
  },
  ResendWebhookDeliveryResponse: {
    message: 'The event is on its way again.',
    data: webhook.STARTED_DELIVERY_EXAMPLE,
  },
  RecoverWebhookResponse: { message: 'What the webhook has missed is on its way.' },
  Webhook: webhook.WEBHOOK_EXAMPLE,
  Delivery: webhook.DELIVERY_EXAMPLE,

  Event: EVENT_EXAMPLES.PAYMENT,
  PaymentEvent: EVENT_EXAMPLES.PAYMENT,
  TransferEvent: EVENT_EXAMPLES.TRANSFER,
  RefundEvent: EVENT_EXAMPLES.REFUND,
  MedEvent: EVENT_EXAMPLES.MED,
  PixTransactionEvent: EVENT_EXAMPLES.PIX_TRANSACTION,
  BatchEvent: EVENT_EXAMPLES.BATCH,
  ReportEvent: EVENT_EXAMPLES.REPORT,
  TestEvent: EVENT_EXAMPLES.TEST,
}
