export type {
  Body,
  CallOptions,
  DefaultProviders,
  Filters,
  KeyedCallOptions,
  Message,
  OperationId,
  Page,
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
  Charge,
  CreatedCharge,
  DefaultProvider,
  Delivery,
  Dispute,
  Event as WebhookEvent,
  LedgerBalances,
  LedgerLine,
  MedEvent,
  Movement,
  PaymentEvent,
  PixKey,
  PixTransactionEvent,
  Provider,
  RefundEvent,
  RefundResult,
  Split,
  TestEvent,
  Transfer,
  TransferEvent,
  Webhook,
} from './openapi/types.ts'
export type { MedAttachment, MedReply } from './resources/meds.ts'
export type { RetryPolicy } from './retries.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'
export { VERSION } from './version.ts'
