import {
  CANCELLED_CHARGE_EXAMPLE,
  CHARGE_EXAMPLE,
  CREATE_CHARGE_EXAMPLE,
  CREATED_CHARGE_EXAMPLE,
} from '../../contract/charges/charge-example.ts'
import { ANSWERED_DISPUTE_EXAMPLE, DISPUTE_EXAMPLE } from '../../contract/disputes/dispute-example.ts'
import { EVENT_EXAMPLES } from '../../contract/events/event-example.ts'
import { LEDGER_LINE_EXAMPLE } from '../../contract/ledger/ledger-line-example.ts'
import { MOVEMENT_EXAMPLE } from '../../contract/ledger/movement-example.ts'
import {
  CREATE_PIX_KEY_EXAMPLE,
  CREATED_PIX_KEY_EXAMPLE,
  PIX_KEY_EXAMPLE,
  REMOVED_PIX_KEY_EXAMPLE,
  REQUEST_CODE_EXAMPLE,
  REQUESTED_CODE_EXAMPLE,
} from '../../contract/pix-keys/pix-key-example.ts'
import { DEFAULT_PROVIDER_EXAMPLE, PROVIDER_EXAMPLE } from '../../contract/providers/provider-example.ts'
import {
  ACCEPTED_REFUND_EXAMPLE,
  CREATE_REFUND_EXAMPLE,
  LISTED_REFUND_EXAMPLE,
  REFUND_EXAMPLE,
} from '../../contract/refunds/refund-example.ts'
import { EXAMPLE_PAYER, EXAMPLE_PROVIDER, EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'
import {
  ACCEPTED_TRANSFER_EXAMPLE,
  CANCELLED_TRANSFER_EXAMPLE,
  CREATE_TRANSFER_EXAMPLE,
  TRANSFER_EXAMPLE,
} from '../../contract/transfers/transfer-example.ts'
import { ACCEPTED_RETURN_EXAMPLE, DEPOSIT_EXAMPLE } from '../../contract/unmatched/deposit-example.ts'
import {
  CREATE_WEBHOOK_EXAMPLE,
  CREATED_WEBHOOK_EXAMPLE,
  DELIVERY_EXAMPLE,
  ROTATED_WEBHOOK_EXAMPLE,
  STARTED_DELIVERY_EXAMPLE,
  UPDATE_WEBHOOK_EXAMPLE,
  WEBHOOK_EXAMPLE,
} from '../../contract/webhooks/webhook-example.ts'

/**
 * Examples of the components of the OpenAPI document by name: of resources, and of `<OperationId>Request` and
 * `<OperationId>Response`. The others are built of these and of the examples of fields.
 */
export const NAMED_EXAMPLES: Record<string, unknown> = {
  Party: EXAMPLE_PAYER,
  ProviderShown: EXAMPLE_PROVIDER,

  CreatePaymentRequest: CREATE_CHARGE_EXAMPLE,
  CreatedCharge: CREATED_CHARGE_EXAMPLE,
  Charge: CHARGE_EXAMPLE,
  CancelPaymentResponse: { data: CANCELLED_CHARGE_EXAMPLE },

  RefundPaymentRequest: CREATE_REFUND_EXAMPLE,
  RefundPaymentResponse: ACCEPTED_REFUND_EXAMPLE,
  ListedRefund: LISTED_REFUND_EXAMPLE,
  RefundResult: REFUND_EXAMPLE,
  Deposit: DEPOSIT_EXAMPLE,
  ReturnDepositResponse: ACCEPTED_RETURN_EXAMPLE,
  Movement: MOVEMENT_EXAMPLE,
  LedgerLine: LEDGER_LINE_EXAMPLE,

  CreateTransferRequest: CREATE_TRANSFER_EXAMPLE,
  CreateTransferResponse: { data: ACCEPTED_TRANSFER_EXAMPLE },
  CancelTransferResponse: { data: CANCELLED_TRANSFER_EXAMPLE },
  Transfer: TRANSFER_EXAMPLE,

  Dispute: DISPUTE_EXAMPLE,
  ReplyToMedResponse: { data: ANSWERED_DISPUTE_EXAMPLE },

  CreatePixKeyAuthCodeRequest: REQUEST_CODE_EXAMPLE,
  CreatePixKeyAuthCodeResponse: REQUESTED_CODE_EXAMPLE,
  CreatePixKeyRequest: CREATE_PIX_KEY_EXAMPLE,
  CreatePixKeyResponse: CREATED_PIX_KEY_EXAMPLE,
  PixKey: PIX_KEY_EXAMPLE,
  DeletePixKeyResponse: REMOVED_PIX_KEY_EXAMPLE,

  Provider: PROVIDER_EXAMPLE,
  DefaultProvider: DEFAULT_PROVIDER_EXAMPLE,
  ReplaceDefaultProvidersRequest: { payment_type: 'PIX', provider_uuids: [EXAMPLE_UUIDS.provider] },
  ReplaceDefaultProvidersResponse: { message: 'The default providers were replaced.' },

  CreateWebhookRequest: CREATE_WEBHOOK_EXAMPLE,
  CreateWebhookResponse: { data: CREATED_WEBHOOK_EXAMPLE },
  UpdateWebhookRequest: UPDATE_WEBHOOK_EXAMPLE,
  RotateWebhookTokenRequest: {},
  RotateWebhookTokenResponse: { data: ROTATED_WEBHOOK_EXAMPLE },
  DeleteWebhookResponse: { message: 'The webhook was removed.' },
  TestWebhookResponse: {
    message: 'A test event is on its way.',
    data: { ...STARTED_DELIVERY_EXAMPLE, event: { id: EXAMPLE_UUIDS.event, type: 'TEST' } },
  },
  ResendWebhookDeliveryResponse: {
    message: 'The event is on its way again.',
    data: STARTED_DELIVERY_EXAMPLE,
  },
  RecoverWebhookResponse: { message: 'What the webhook has missed is on its way.' },
  Webhook: WEBHOOK_EXAMPLE,
  Delivery: DELIVERY_EXAMPLE,

  Event: EVENT_EXAMPLES.PAYMENT,
  PaymentEvent: EVENT_EXAMPLES.PAYMENT,
  TransferEvent: EVENT_EXAMPLES.TRANSFER,
  RefundEvent: EVENT_EXAMPLES.REFUND,
  MedEvent: EVENT_EXAMPLES.MED,
  PixTransactionEvent: EVENT_EXAMPLES.PIX_TRANSACTION,
  TestEvent: EVENT_EXAMPLES.TEST,
}
