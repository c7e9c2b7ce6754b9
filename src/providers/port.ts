import type {
  DisputeReference,
  DisputeRequest,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDisputeReply,
  ReplyToDisputeOutcome,
  RequestDisputeOutcome,
} from '../domain/disputes/provider-dispute.ts'
import type { Party } from '../domain/pix/party.ts'
import type { LookUpKeyOutcome } from '../domain/pix-keys/key-look-up.ts'
import type { FindLookUpBudgetOutcome } from '../domain/pix-keys/look-up-budget.ts'
import type {
  AccountIdentity,
  AutomaticDebit,
  CancelChargeOutcome,
  CreateKeyOutcome,
  DeleteKeyOutcome,
  FindChargeOutcome,
  FindPaymentOutcome,
  FindPayoutOutcome,
  IssueChargeOutcome,
  ListKeysOutcome,
  NoAnswerResult,
  NotFoundResult,
  NotificationItem,
  PayoutHandle,
  PreparePayoutOutcome,
  ProviderBalance,
  ProviderChargeRequest,
  ProviderKeyRequest,
  ProviderPayout,
  ProviderRefundRequest,
  ProviderRevision,
  ProviderTransferRequest,
  ReviseChargeOutcome,
  SendPayoutOutcome,
  SentRefund,
  SentTransfer,
  StatementEntry,
} from '../domain/providers/provider.ts'
import type {
  CancelRecurrenceOutcome,
  ConsentRequest,
  CreateRecurrenceOutcome,
  FindRecurrenceOutcome,
  ProviderRecurrenceRequest,
  RequestConsentOutcome,
  SentRecurrence,
} from '../domain/providers/provider-recurrence.ts'
import type { AccountEntry } from '../domain/reconciliation/account-entry.ts'
import type { TransferDestination } from '../domain/transfers/transfer-destination.ts'

/** A provider notification as received. `secret` is the last part of its URL, if the URL carries one. */
export type ProviderNotificationRequest = {
  body: string
  headers: Record<string, string | undefined>
  secret: string | null
}

/**
 * Whether a charge was issued with a due date, or debits the payer of a recurrence. The Central Bank's API keeps those apart from the
 * others: a look-up among the others does not find one, which would prove that it is absent. So a caller that looks up such a charge
 * must say so. `debit`: which debit it is, for a provider that takes no id of ours with one.
 */
export type ChargeKind = { isDue: boolean; isDebit?: boolean; debit?: AutomaticDebit }

/** What a provider reports of a PIX in its notification only. */
export type NotifiedDetails = { payer?: Party; rejection?: Pick<ProviderPayout, 'code' | 'message'> }

/** A settled PIX by its end-to-end id, of a refund by that of the return: what was received, sent or given back. */
export type ReceiptedPix = { kind: 'PAYMENT' | 'TRANSFER' | 'REFUND'; endToEnd: string }
type FindReceiptOutcome = { kind: 'found'; pdf: Buffer } | NotFoundResult | NoAnswerResult

type ReadNotificationOutcome =
  | { kind: 'items'; items: NotificationItem[] }
  | { kind: 'forged' }
  | { kind: 'unreadable' }
  | NoAnswerResult

/**
 * One provider, as one connection of an account reaches it. Adapters never throw for errors of a provider or the
 * network: each is a named outcome. They throw only for bugs of ours.
 */
export interface Provider {
  issueCharge(order: ProviderChargeRequest): Promise<IssueChargeOutcome>
  /** Looks a charge up by our id. */
  findCharge(reference: string, kind?: ChargeKind): Promise<FindChargeOutcome>
  cancelCharge(reference: string, kind?: ChargeKind): Promise<CancelChargeOutcome>
  /**
   * Changes a charge with a due date, or asks for a further try of a debit. May be repeated: a charge that asks for what the order says
   * is `revised`. Absent where the provider's API cannot (`dueCharges`, `ProviderCapabilities.journeys`).
   */
  reviseCharge?(revision: ProviderRevision): Promise<ReviseChargeOutcome>
  /**
   * Creates a recurrence. Moves no money. Not to be repeated after an `unknown` outcome before `findRecurrence` proves that none was made:
   * a provider without ids of ours makes another one. Absent, with the three calls below,
   * where the provider's API has none (`ProviderCapabilities.journeys`).
   */
  createRecurrence?(order: ProviderRecurrenceRequest): Promise<CreateRecurrenceOutcome>
  findRecurrence?(recurrence: SentRecurrence): Promise<FindRecurrenceOutcome>
  /** Sends a request for consent to the payer's bank. May be repeated: one that is there already counts as requested. */
  requestConsent?(request: ConsentRequest): Promise<RequestConsentOutcome>
  /** Cancels a recurrence; may be repeated. Its debits that are not made yet are cancelled with it. */
  cancelRecurrence?(recurrence: { railId: string; reference: string }): Promise<CancelRecurrenceOutcome>
  /** Looks one received PIX up by its end-to-end id. */
  findPayment(endToEnd: string): Promise<FindPaymentOutcome>
  /** Prepares a refund as `prepareTransfer` prepares a transfer. Absent where a refund needs no preparation. */
  prepareRefund?(order: ProviderRefundRequest): Promise<PreparePayoutOutcome>
  /** Sends a devolução once; `handle` as for `sendTransfer`. */
  refund(order: ProviderRefundRequest, handle?: PayoutHandle): Promise<SendPayoutOutcome>
  findRefund(refund: SentRefund): Promise<FindPayoutOutcome>
  /** Opens the connection that an imminent refund or transfer will use alone. */
  preconnect(): void
  /**
   * Prepares a transfer at a provider that carries out only prepared ones. Moves no money, whatever its outcome, and may be repeated:
   * what was prepared before and is not sent is never carried out. `isFirst`: no preparation of this order was requested before, so
   * that none has to be looked up. Absent where a transfer needs no preparation.
   */
  prepareTransfer?(
    order: ProviderTransferRequest,
    preparation?: { isFirst: boolean },
  ): Promise<PreparePayoutOutcome>
  /** The kinds of destination whose transfers `prepareTransfer` prepares; absent where it prepares all. */
  preparedDestinations?: readonly TransferDestination['kind'][]
  /**
   * Sends once, on a connection of its own; the caller decides whether to send again. `handle`: what `prepareTransfer` returned,
   * stored before this call; absent where the provider prepares no such transfer.
   */
  sendTransfer(order: ProviderTransferRequest, handle?: PayoutHandle): Promise<SendPayoutOutcome>
  /** Looks a transfer up by our id, by its handle, or by sending the same order again, as `transferLookUp` of its API says. */
  findTransfer(transfer: SentTransfer): Promise<FindPayoutOutcome>
  /**
   * Creates a key of a kind in `PROVIDER_CAPABILITIES`; a key that is ours already counts as created. An answer
   * that names another key or type than the order is unknown. The caller confirms a random key by `listKeys`.
   */
  createKey(order: ProviderKeyRequest): Promise<CreateKeyOutcome>
  /** Lists the account's keys, as far as the provider's API lists them: Efí's lists random ones only. */
  listKeys(): Promise<ListKeysOutcome>
  deleteKey(key: string): Promise<DeleteKeyOutcome>
  /** Reads the PDF that the provider issues of a settled PIX. Absent where it issues none. */
  findReceipt?(pix: ReceiptedPix): Promise<FindReceiptOutcome>
  /**
   * Looks up the owner of any key. Moves nothing, and may be repeated; each look-up may cost tokens and a tariff. Absent where the
   * provider's API has none (`canLookUpKey`).
   */
  lookUpKey?(key: string): Promise<LookUpKeyOutcome>
  /** Reads how many look-ups of keys the account has left. Absent where the provider's API does not tell. */
  findLookUpBudget?(): Promise<FindLookUpBudgetOutcome>
  /** Identifies the account at the provider that the credentials belong to. */
  identity(): Promise<AccountIdentity | NoAnswerResult>
  /** Reads our balance at the provider. */
  balances(): Promise<{ kind: 'found'; balance: ProviderBalance } | NoAnswerResult>
  /**
   * Lists every settled movement in [from, to], both ISO 8601 UTC: PIX by their end-to-end ids, and, if the
   * provider's API lists them, `accountEntries`, which are not PIX. `leavesOutTransfers`: the API lists no sent PIX but devoluções.
   */
  statement(
    from: string,
    to: string,
  ): Promise<
    | {
        kind: 'found'
        entries: StatementEntry[]
        accountEntries?: AccountEntry[]
        leavesOutTransfers?: true
      }
    | NoAnswerResult
  >
  /** Lists every dispute opened in [from, to], or changed in it if the provider can tell; both ISO 8601 UTC. */
  listDisputes(from: string, to: string): Promise<ListDisputesOutcome>
  /** Looks one dispute up by the provider's id. */
  findDispute(dispute: DisputeReference): Promise<FindDisputeOutcome>
  /**
   * Requests the money of a PIX that we sent. Moves no money. To be repeated after an `unknown` outcome only where `findDispute` finds none.
   * Absent, with `cancelDispute`, where the provider's API cannot (`ProviderCapabilities.disputes.canRequest`).
   */
  requestDispute?(request: DisputeRequest): Promise<RequestDisputeOutcome>
  /**
   * Cancels a dispute that the account has requested; may be repeated. Returns what became of it: one that goes on was not cancelled,
   * because the provider refuses that.
   */
  cancelDispute?(dispute: DisputeReference): Promise<FindDisputeOutcome>
  /** Replies to a dispute. Only a definite refusal means that the reply was not accepted. */
  replyToDispute(reply: ProviderDisputeReply): Promise<ReplyToDisputeOutcome>
  /**
   * Finds the URL of notifications that registering another one would replace; null where none is registered. Absent where
   * the provider notifies all URLs that are registered.
   */
  findReplacedUrl?(
    collectionKey: string | null,
  ): Promise<{ kind: 'found'; url: string | null } | NoAnswerResult>
  /**
   * Registers the URL of notifications at the provider; `collectionKey` as for charges. May be repeated. `warning`
   * names, for the operator, the notifications that the provider could send and does not.
   */
  registerNotificationUrl(
    url: string,
    collectionKey: string | null,
  ): Promise<{ kind: 'registered'; warning?: string } | NoAnswerResult>
  /**
   * Verifies and parses a notification. `forged`: secret or signature do not match; `no_answer`: the provider did not
   * return the key to verify it by, so it must be sent again.
   */
  readNotification(notification: ProviderNotificationRequest): Promise<ReadNotificationOutcome>
  /**
   * Reads the details of a notification item from its stored text (`raw`), which was verified when it was received. They
   * are shown; only the payer decides anything: whether a PIX may pay a charge that only some may pay. Absent for a provider whose look-ups report them.
   */
  readNotifiedDetails?(raw: string): NotifiedDetails
}

/** A provider with connections of its own; running calls finish. */
export type ClosableProvider = Provider & { close(): Promise<void> }

/** Parts of a provider that an adapter implements in one file each. */
export type ChargeCalls = Pick<Provider, 'issueCharge' | 'findCharge' | 'cancelCharge' | 'reviseCharge'>
export type RecurrenceCalls = Pick<
  Provider,
  'createRecurrence' | 'findRecurrence' | 'requestConsent' | 'cancelRecurrence'
>
export type PaymentCalls = Pick<Provider, 'findPayment' | 'prepareRefund' | 'refund' | 'findRefund'>
export type TransferCalls = Pick<
  Provider,
  'prepareTransfer' | 'preparedDestinations' | 'sendTransfer' | 'findTransfer'
>
export type PixKeyCalls = Pick<Provider, 'createKey' | 'listKeys' | 'deleteKey'>
export type ReceiptCalls = Required<Pick<Provider, 'findReceipt'>>
export type KeyLookUpCalls = Pick<Provider, 'lookUpKey' | 'findLookUpBudget'>
export type DisputeCalls = Pick<
  Provider,
  'listDisputes' | 'findDispute' | 'requestDispute' | 'cancelDispute' | 'replyToDispute'
>
export type AccountCalls = Pick<
  Provider,
  'identity' | 'balances' | 'findReplacedUrl' | 'registerNotificationUrl'
>
