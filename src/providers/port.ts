import type {
  DisputeReference,
  FindDisputeOutcome,
  ListDisputesOutcome,
  ProviderDisputeReply,
  ReplyToDisputeOutcome,
} from '../domain/disputes/provider-dispute.ts'
import type { AccountIdentity } from '../domain/providers/account-identity.ts'
import type {
  CancelChargeOutcome,
  CreateKeyOutcome,
  DeleteKeyOutcome,
  FindChargeOutcome,
  FindPaymentOutcome,
  FindPayoutOutcome,
  IssueChargeOutcome,
  ListKeysOutcome,
  NoAnswerResult,
  NotificationItem,
  ProviderBalance,
  ProviderCapabilities,
  ProviderChargeRequest,
  ProviderKeyRequest,
  ProviderRefundRequest,
  ProviderTransferRequest,
  SendPayoutOutcome,
  StatementEntry,
} from '../domain/providers/provider.ts'
import type { AccountEntry } from '../domain/reconciliation/account-entry.ts'

/** A notice as it reached us. `secret` is the last part of the URL it was sent to, where the URL carries one. */
export type ProviderNotificationRequest = {
  body: string
  headers: Record<string, string | undefined>
  secret: string | null
}

type ReadNotificationOutcome =
  | { kind: 'items'; items: NotificationItem[] }
  | { kind: 'forged' }
  | { kind: 'unreadable' }
  | NoAnswerResult

/**
 * One provider, as one connection of an account reaches it. Adapters never throw for what a provider or the
 * network does: every such thing is an outcome with a name. They throw only for bugs of ours.
 */
export interface Provider {
  readonly capabilities: ProviderCapabilities
  issueCharge(order: ProviderChargeRequest): Promise<IssueChargeOutcome>
  /** Asks by our id. */
  findCharge(reference: string): Promise<FindChargeOutcome>
  cancelCharge(reference: string): Promise<CancelChargeOutcome>
  /** Asks for one received PIX by its end-to-end id. */
  findPayment(endToEnd: string): Promise<FindPaymentOutcome>
  refund(order: ProviderRefundRequest): Promise<SendPayoutOutcome>
  findRefund(order: Pick<ProviderRefundRequest, 'id' | 'endToEnd'>): Promise<FindPayoutOutcome>
  /** A refund or transfer follows at once: the connection that it will have to itself is opened meanwhile. */
  preconnect(): void
  /** Sends once, over a connection of its own; whether to send again is the caller's to decide. */
  sendTransfer(order: ProviderTransferRequest): Promise<SendPayoutOutcome>
  /** Asks by our id. */
  findTransfer(id: string): Promise<FindPayoutOutcome>
  /** Makes a key of a kind that `capabilities.keys` names; one that is ours already counts as created. */
  createKey(order: ProviderKeyRequest): Promise<CreateKeyOutcome>
  /** Every key of the account that the API tells of: Efí's lists random ones only. */
  listKeys(): Promise<ListKeysOutcome>
  deleteKey(key: string): Promise<DeleteKeyOutcome>
  /** Whose account at the provider the credentials belong to. */
  identity(): Promise<AccountIdentity | NoAnswerResult>
  /** Our balance there, or no answer. */
  balances(): Promise<
    { kind: 'found'; balance: ProviderBalance } | { kind: 'no_answer'; code: string; message: string }
  >
  /**
   * Every settled movement in [from, to], both ISO 8601 UTC: PIX by their end-to-end ids, and `accountEntries`, which are
   * no PIX, where the provider's API lists them.
   */
  statement(
    from: string,
    to: string,
  ): Promise<
    | { kind: 'found'; entries: StatementEntry[]; accountEntries?: AccountEntry[] }
    | { kind: 'no_answer'; code: string; message: string }
  >
  /** Every dispute opened in [from, to], or changed in it where the provider can tell; both ISO 8601 UTC. */
  listDisputes(from: string, to: string): Promise<ListDisputesOutcome>
  /** Asks for one dispute by the provider's own id of it. */
  findDispute(med: DisputeReference): Promise<FindDisputeOutcome>
  /** Answers a dispute of ours. Only a definite refusal means that it was not taken. */
  replyToDispute(reply: ProviderDisputeReply): Promise<ReplyToDisputeOutcome>
  /**
   * Tells the provider where its notices go; `collectionKey` as for charges. Repeatable. `warning`: what it does not notify
   * although it could, for the operator.
   */
  registerNotificationUrl(
    url: string,
    collectionKey: string | null,
  ): Promise<{ kind: 'registered'; warning?: string } | { kind: 'no_answer'; code: string; message: string }>
  /**
   * Verifies a notice and takes it apart; `forged` where secret or signature do not fit, `no_answer` where the provider does
   * not tell the key to verify it by, so that it is to be sent again.
   */
  readNotification(notice: ProviderNotificationRequest): Promise<ReadNotificationOutcome>
}
