export type {
  Body,
  CallOptions,
  CursorQuery,
  DefaultProviders,
  Filters,
  KeyedCallOptions,
  Message,
  OperationId,
  Query,
  Result,
} from './call.ts'
export { Trilho, type TrilhoOptions } from './client.ts'
export {
  type ClientErrorCode,
  TrilhoError,
  type TrilhoErrorDetails,
  WebhookVerificationError,
} from './errors.ts'
export type { ErrorCode } from './openapi/error-codes.ts'
export type {
  Attempt,
  AuthCode,
  Balance,
  Bank,
  BatchEvent,
  Charge,
  CreatedCharge,
  CursorPageMeta,
  DefaultProvider,
  Delivery,
  Dispute,
  Event as WebhookEvent,
  FinalBeneficiary,
  LedgerBalances,
  LedgerLine,
  ListedRefund,
  MedEvent,
  Movement,
  PageMeta,
  Party,
  PaymentEvent,
  PaymentLink,
  PixKey,
  PixTransactionEvent,
  Provider,
  ProviderShown,
  Receipt,
  ReceiptCheck,
  Reconciliation,
  ReconciliationDifference,
  Recurrence,
  RecurrenceEvent,
  Refund,
  RefundEvent,
  RefundResult,
  Report,
  ReportSchedules,
  Split,
  StatusChange,
  TestEvent,
  Transfer,
  TransferBatch,
  TransferBatchItem,
  TransferError,
  TransferEvent,
  Webhook,
} from './openapi/types.ts'
export type { CursorPage, List, Page } from './pages.ts'
export type { MedAttachment, MedReply } from './resources/meds.ts'
export type { OnResponse, RateLimit, ResponseInfo } from './response-info.ts'
export type { RetryPolicy } from './retries.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'
export { VERSION } from './version.ts'
