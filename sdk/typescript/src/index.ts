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
export type {
  MedEvent,
  PaymentEvent,
  PixTransactionEvent,
  RefundEvent,
  TestEvent,
  TransferEvent,
  WebhookEvent,
} from './events.ts'
export type {
  Charge,
  CreatedCharge,
  DefaultProvider,
  Delivery,
  Dispute,
  LedgerLine,
  Movement,
  PixKey,
  Provider,
  RefundResult,
  Split,
  Transfer,
  Webhook,
} from './openapi/types.ts'
export type { MedAttachment, MedReply } from './resources/meds.ts'
export type { RetryPolicy } from './retries.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'
export { VERSION } from './version.ts'
