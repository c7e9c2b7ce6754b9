import type { DueTerms, PaidParts } from '../charges/due-terms.ts'
import type { PayerRestriction } from '../charges/payer-restriction.ts'
import type { Party } from '../pix/party.ts'
import type { PixReturnIds } from '../pix/pix-return.ts'
import type { PixKeyType } from '../pix-keys/pix-key.ts'
import type { ChargeTry } from '../recurrences/charge-try.ts'
import type { TransferDestination } from '../transfers/transfer-destination.ts'
import { isTransportCode } from './transport-code.ts'

/** The four names the contract shows; which dialect one speaks is a matter of its connection. */
export const PROVIDER_NAMES = ['PROVIDER_A', 'PROVIDER_B', 'PROVIDER_C', 'PROVIDER_D'] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]

/** api-document.txt, Provider: every status a connection may show. Only ACTIVE starts anything new. */
export const CONNECTION_STATUSES = [
  'UNDEFINED',
  'ACTIVE',
  'INFORMATION_PENDING',
  'KYC_PENDING',
  'KYC_ANALYSIS',
  'KYC_REJECTED',
  'LIVENESS_PENDING',
  'LIVENESS_APPROVED',
  'LIVENESS_REJECTED',
  'CONFIGURATION_PENDING',
  'BLOCKED',
  'INACTIVE',
] as const
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number]

/** NOMINAL: an account of the holder's own. POOL: one shared account managed by the service. */
export type ConnectionType = 'NOMINAL' | 'POOL'

/** The provider APIs that an adapter speaks. */
export const PROVIDER_APIS = ['efi', 'woovi', 'sicoob', 'inter', 'stark'] as const
export type ProviderApi = (typeof PROVIDER_APIS)[number]

/**
 * Code of a call that was not made: the pace of its provider left no room for it. An order is then `unreachable`, so that it may wait
 * for its turn or the next provider may be tried; a look-up is `no_answer`, and repeated.
 */
export const PACED = 'paced'

/** Whether the request of a call provably never left: no connection could be made for it. */
export function isConnectFailure(outcome: { kind: string; code?: string; isUnprocessed?: true }): boolean {
  const { kind, code, isUnprocessed } = outcome
  if (kind === 'unreachable') return code !== PACED
  return kind === 'no_answer' && isUnprocessed === true && isTransportCode(code)
}

/** Who has refused an order: the service, which has sent nothing, the provider, or an operator who has settled it as not made. */
export type RefusedBy = 'service' | 'provider' | 'operator'

/**
 * What a call to a provider came to (SPEC §6). The kind alone decides what may happen next:
 * only `rejected` and `unreachable` prove that nothing moved.
 */
export type RejectedResult = {
  kind: 'rejected'
  /** Whether another provider could still do it, or the reason travels with the payment. */
  finality: 'other_may_help' | 'final'
  /** Ours: a rail code (`AC03`) or a snake_case name from the error catalogue. */
  code: string
  /** The provider's own name for it. */
  providerCode?: string
  message: string
  /** The provider's own words, where `message` quotes them. */
  providerMessage?: string
  /** Absent: the provider has refused. */
  refusedBy?: Exclude<RefusedBy, 'provider'>
}
/**
 * The request provably never left: DNS, refused, TLS, token call, or a connection that is not to be called. `retryAfterMs`: of an
 * order with an `AwaitedTurn` that has a place among those that wait for the pace of the provider: it is to be called again then.
 */
export type UnreachableResult = { kind: 'unreachable'; code: string; message: string; retryAfterMs?: number }
/**
 * It may have arrived: timeout or reset after sending, 5xx, unreadable 2xx, duplicate id. `refusal`: the provider refused the
 * order and may still have it; the refusal counts once the order is proved to be gone.
 */
export type UnknownResult = {
  kind: 'unknown'
  code: string
  message: string
  refusal?: Omit<RejectedResult, 'kind'>
}
/**
 * The order is stored at the provider and has moved nothing; the provider, or a person in its panel, can still carry it out.
 * So it is no refusal: no other provider is called while it is stored. `refusal`: why the provider did not carry it out when
 * it was asked to; it counts as a refusal once the order is proved to be gone. `handle`: as of an accepted payout.
 */
export type AwaitingApprovalResult = {
  kind: 'awaiting_approval'
  code: string
  message: string
  refusal?: Omit<RejectedResult, 'kind'>
  handle?: PayoutHandle
}
/** Every outcome of a call that its provider has not accepted. */
export type NotAcceptedResult = RejectedResult | UnreachableResult | UnknownResult
/**
 * A look-up that brought no answer; it changes nothing and is asked again. `isUnprocessed`: it never left, or was refused.
 * `isLasting`: asked again, it brings none either, such as a look-up by a handle where there is none.
 */
export type NoAnswerResult = {
  kind: 'no_answer'
  code: string
  message: string
  isUnprocessed?: true
  isLasting?: true
}
export type NotFoundResult = { kind: 'not_found' }

/**
 * What a provider calls a payout that it has prepared, or accepted under an id of its own. Stored sealed with the attempt, before
 * any money moves where it was prepared.
 */
export type PayoutHandle = {
  /** The provider's id, at most 200 characters. */
  ref: string
  endToEnd?: string
  /** Of a transfer: the owner of the key, where the preparation reports it. */
  receiver?: Party
  /** Of a transfer whose receiver was checked: binds the payment to that look-up, as `ProviderTransferRequest` has it. */
  lookUpEndToEnd?: string
  /** ISO 8601 UTC: from then on nothing is sent by this handle. Absent where the handle does not expire. */
  expiresAt?: string
}
/** Outcome of preparing a payout: each proves that no money moved. */
export type PreparePayoutOutcome =
  | { kind: 'prepared'; handle: PayoutHandle }
  | RejectedResult
  | UnreachableResult
  | NoAnswerResult

/**
 * The debit that a charge of a recurrence is: no payer is shown a code, and the payer's bank is asked for it on its day.
 * `recurrenceReference`: our id of the recurrence at the provider.
 */
export type AutomaticDebit = { railId: string; recurrenceReference: string; dueOn: string }

/** What issuing a charge needs. `totalCents` 0 asks for an open amount. */
export type ProviderChargeRequest = {
  /** Our id at the provider: the charge's uuid without hyphens. */
  reference: string
  totalCents: number
  expiresInSeconds: number
  /** The key that collects, or null where the provider needs none. */
  collectionKey: string | null
  message?: string
  /** Texts that the payer is shown besides `message`, where the provider shows any. */
  additionalInfo?: AdditionalInfo[]
  /** Who is to pay; the provider shows it to the payer. */
  debtor?: ChargeDebtor
  /** Who may pay, for a provider that `locksPayer`, which refuses others; absent where anybody may. The caller checks the payer in any case. */
  restriction?: PayerRestriction
  /** For a charge with a due date: `totalCents` is what it asks for on the due day, and `expiresInSeconds` has no effect. */
  due?: DueTerms
  /** The charge debits a payer who has consented: nothing is shown to a payer, and `expiresInSeconds` has no effect. */
  debit?: AutomaticDebit
}

/** A change of a charge with a due date that can still be paid. Absent fields stay as they are. */
export type ProviderRevision = {
  reference: string
  totalCents?: number
  due?: DueTerms
  message?: string
  /** Of a debit, without any other change: a further day on which it is to be tried, `YYYY-MM-DD`. */
  retryOn?: string
}
/**
 * Outcome of a revision. `revised`: it asks for what the order says, whether this call or an earlier one has changed it; of a debit, whatever
 * became of the try of that day.
 * `refused`: it cannot be revised any more; ask what it is now.
 */
export type ReviseChargeOutcome =
  | { kind: 'revised'; charge: IssuedCharge }
  | { kind: 'refused'; code: string; message: string }
  | NotFoundResult
  | NoAnswerResult

/** A text that a payer is shown, with its name. */
export type AdditionalInfo = { name: string; value: string }

/** Who is to pay a charge; `document` is a CPF or CNPJ, upper case. */
export type ChargeDebtor = { name: string; document: string; email?: string; address?: DebtorAddress }

/** Postal address of a debtor in Brazil; `zipCode` has eight digits, `state` two letters. */
export type DebtorAddress = {
  street: string
  number?: string
  complement?: string
  neighborhood?: string
  city: string
  state: string
  zipCode: string
}

/**
 * A payload that can be paid; times are ISO 8601 UTC. `totalCents`: the amount that it asks for, absent where the provider
 * no longer reports it, or a look-up reports one that was changed since it was ordered. `expiresAt`: null of a static code, which can be paid for as long as its key exists, and of a debit, which its tries end. A debit has no `payload` and no `pixKey`.
 */
export type IssuedCharge = {
  totalCents?: number
  txid: string
  payload: string
  expiresAt: string | null
  pixKey: string
  receiver: Party
  /** Of a debit that its provider makes itself: the provider's id of it, at most 200 characters, by which its notifications name it. */
  ref?: string
}
export type IssueChargeOutcome = { kind: 'accepted'; charge: IssuedCharge } | NotAcceptedResult

/** An incoming PIX as its provider reports it. */
export type IncomingPix = {
  /**
   * Where the provider looks no PIX up by its end-to-end id, its own name of the PIX, with a slash; the id after it where the provider
   * reports one (`showEndToEndId`).
   */
  endToEnd: string
  txid: string | null
  /** Our id of the charge that it pays, where it pays one. */
  reference: string | null
  /** Above zero: an adapter leaves out a PIX of no value, and records it as an unreadable item for operators. */
  cents: number
  status: 'in_process' | 'settled' | 'failed'
  /** ISO 8601 UTC. */
  at: string
  payer: Party | null
  pixKey: string
  /** For a charge with a due date, what `cents` consists of, where the provider reports it. */
  parts?: PaidParts
}

/** Status of a charge at its provider: `open` can still be paid, `removed` cannot; `failed`: a debit that is not tried again. */
export type FoundCharge = {
  kind: 'found'
  status: 'open' | 'completed' | 'removed' | 'expired' | 'failed'
  charge: IssuedCharge
  payments: IncomingPix[]
  /** Of a debit: its tries, the first one first; absent where one of them was unreadable. */
  tries?: ChargeTry[]
  /** Why a debit failed or was removed: a code of the rail. */
  endCode?: string
}
export type FindChargeOutcome = FoundCharge | NotFoundResult | NoAnswerResult
export type FindPaymentOutcome = { kind: 'found'; payment: IncomingPix } | NotFoundResult | NoAnswerResult
/** `refused`: it cannot be cancelled (already paid or removed); ask what it is now. */
export type CancelChargeOutcome =
  | { kind: 'cancelled' }
  | { kind: 'refused'; code: string; message: string }
  | NotFoundResult
  | NoAnswerResult

/**
 * That an order may wait for its turn in the pace of its provider, outside the call: the result names when it is to be called again.
 * `maxWaitMs`: it is `unreachable` where its turn is further off. `hasWaited`: it has waited, or is prepared, and goes before
 * orders that have not. `isBatchItem`: nobody waits for its response, and it goes after all orders that are none.
 */
export type AwaitedTurn = { maxWaitMs: number; hasWaited: boolean; isBatchItem: boolean }

/**
 * Before whom a call takes its turn. `first`: before all; `order`: after the orders that have a place. An item of a batch takes none of
 * the burst: `waitingItem` goes after the orders that have a place, `item` after the items that have one, too.
 */
export type TurnRank = 'first' | 'order' | 'waitingItem' | 'item'

/** A devolução: money back to the payer of one incoming PIX. `id` is ours, 1..35 alphanumerics. */
export type ProviderRefundRequest = {
  id: string
  endToEnd: string
  cents: number
  description?: string
  turn?: AwaitedTurn
}
/** Money to a PIX key, an account or a code. `id` is ours, 1..35 alphanumerics, and makes sending it twice one transfer. */
export type ProviderTransferRequest = {
  id: string
  cents: number
  /**
   * The document of a key's owner is one that the provider must confirm, and given only where it `canCheckDocument`. An account has a
   * type in `payableAccountTypes`, a code is of a kind in `payableCodes`.
   */
  destination: TransferDestination
  /** The id by which a look-up of the key at this provider binds the payment to it, where there is one (`LookUpKeyOutcome`). */
  lookUpEndToEnd?: string
  /** The key that pays, or null where the provider needs none. */
  payerKey: string | null
  message?: string
  turn?: AwaitedTurn
}
/**
 * A transfer to look up. `handle`: absent where none is stored. `order`: given only where the provider may be sent the same order
 * again.
 */
export type SentTransfer = { id: string; handle?: PayoutHandle; order?: ProviderTransferRequest }
/** A refund to look up; `handle` as of a transfer. */
export type SentRefund = Pick<ProviderRefundRequest, 'id' | 'endToEnd'> & { handle?: PayoutHandle }

/** Money on its way out, accepted by a provider; `code` says why where it was rejected. */
export type ProviderPayout = {
  status: 'in_process' | 'settled' | 'rejected'
  /** The value that the provider reports: the caller compares it with what was ordered. */
  cents: number
  /** Of a transfer: the recipient's key, where the provider reports it. */
  pixKey?: string | null | undefined
  /** `''` while the provider has not reported it. */
  endToEnd: string
  code?: string
  message?: string
  /** The provider's own words about a rejection, where `message` quotes them. */
  providerMessage?: string
  at: string | null
  /** Of a transfer: the recipient as the provider reports it, masked where the provider masks. */
  receiver?: Party | null
  /** By what the provider is asked from now on, where that is not our id; stored unless the attempt has a handle. */
  handle?: PayoutHandle
  /** Of a transfer: what its recipient gave back, settled; absent where that was not to be learned just now. */
  returns?: PayoutReturn[]
}
export type PayoutReturn = PixReturnIds & { cents: number; at: string }
export type SendPayoutOutcome =
  | { kind: 'accepted'; payout: ProviderPayout }
  | NotAcceptedResult
  | AwaitingApprovalResult
export type FindPayoutOutcome =
  | { kind: 'found'; payout: ProviderPayout }
  | NotFoundResult
  | NoAnswerResult
  | Omit<AwaitingApprovalResult, 'refusal'>

export type ProviderBalance = { availableCents: number; blockedCents: number }

/** One settled movement of a provider's statement; `cents` is never negative, `direction` is its way. */
export type StatementEntry = {
  endToEnd: string
  /** Our id where the provider knows it: a txid, the id of a sending, or that of the sending it returns. */
  reference: string | null
  direction: 'IN' | 'OUT'
  cents: number
  at: string
  /** Of a return: the end-to-end id of the returned PIX, where the provider reports it. */
  returnOf?: string
  /** Of a return: the provider's id of it, unique among the returns of `returnOf`; then `endToEnd` may be ''. */
  returnId?: string
}

/** `key` is null for RANDOM. No provider accepts an id of ours with it: an unknown outcome is looked up by `listKeys`. */
export type ProviderKeyRequest = { type: PixKeyType; key: string | null }
export type ProviderKey = { key: string; type: PixKeyType }
/** Refusals of keys have these codes: `key_already_registered`, `key_limit`, `key_unsupported`, `key_in_use`; else as elsewhere. */
export type CreateKeyOutcome = { kind: 'created'; key: string } | NotAcceptedResult
export type ListKeysOutcome = { kind: 'found'; keys: ProviderKey[] } | NoAnswerResult
export type DeleteKeyOutcome = { kind: 'deleted' } | NotFoundResult | NotAcceptedResult

/** One item of a provider notification: something about `reference` or `endToEnd` may have changed. */
export type NotificationItem = {
  kind: 'payment' | 'refund' | 'transfer' | 'dispute' | 'recurrence'
  /**
   * Our id at the provider, where the notification names one, or the provider's id of a payout (`PayoutHandle.ref`) or of a debit
   * (`IssuedCharge.ref`); of a `dispute`
   * the provider's id of the dispute, of a `recurrence` the rail's id of it.
   */
  reference: string | null
  endToEnd: string | null
  /** The item as it came, for the record. */
  raw: string
}

/**
 * The account at the provider that credentials belong to. `id`: its own id of the account, so that another id is
 * another account. `keys`: where it publishes no id, the account's random PIX keys. DICT passes no random key from one
 * account to another, so one in common proves the same account; none in common proves nothing, as keys can be removed.
 * `code`: a name of the account that the provider does not document. The same code proves the same account as a key does;
 * another one, or none, proves nothing.
 */
export type AccountIdentity =
  | { kind: 'found'; id: string }
  | { kind: 'found'; keys: string[]; code?: string | undefined }
