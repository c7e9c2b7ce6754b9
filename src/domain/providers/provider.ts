import type { PayerRestriction } from '../charges/payer-restriction.ts'
import { BANK_ACCOUNT_TYPES, type BankAccountType, type Party } from '../pix/party.ts'
import type { PixReturnIds } from '../pix/pix-return.ts'
import type { PixKeyType } from '../pix-keys/pix-key.ts'
import type { PayableCode } from '../qr-codes/code-payment.ts'
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
 * How a payout is looked up whose outcome is unknown. `id`: by our id, so that "not found" can prove its absence. `handle`: by what
 * its preparation named. `repeat`: only by sending the same order again under the same id, which finishes it; its absence is
 * never proved.
 */
type PayoutLookUpWay = 'id' | 'handle' | 'repeat'

/** How often calls may be made for one account at a provider: `burst` of them at once, then `perSecond`. */
export type Pace = { perSecond: number; burst: number }

/**
 * Calls that share a pace. `send`: transfers and their preparation; `lookUp`: look-ups of transfers; `charge`: charges and the PIX
 * received for them; `refund`: refunds, their preparation and look-ups; `token`: requests for an access token.
 */
export const PACE_KINDS = ['send', 'lookUp', 'charge', 'refund', 'token'] as const
export type PaceKind = (typeof PACE_KINDS)[number]

/** What an API can do at all; a candidate that cannot is skipped, never asked in vain. */
export type ProviderCapabilities = {
  /** A charge whose payer chooses the value. */
  canIssueOpenAmount: boolean
  /**
   * `charge`: it refuses a payer with another document than that of the charge's debtor. `none`: the payer is checked once the PIX has
   * arrived, as it is everywhere.
   */
  locksPayer: 'charge' | 'none'
  canTransfer: boolean
  /** The kinds of account that it pays without a PIX key. */
  payableAccountTypes: readonly BankAccountType[]
  /** The kinds of PIX code that it pays as codes; none where an order whose answer is lost could never be found. */
  payableCodes: readonly PayableCode[]
  /** How transfers are looked up. */
  transferLookUp: PayoutLookUpWay
  /** The id of an order is never free again, so that an order that is looked up by repeating it may be repeated at any time. */
  keepsOrderIds: boolean
  /**
   * A refund is ordered by what is to remain of the PIX, and found by what remains of it. Two refunds of one PIX at a time would be
   * one: the second is refused while the first is under way. One that has failed is not looked up once a later one was made.
   */
  refundsOneAtATime: boolean
  /** It sends only where the key belongs to the document that the order names. */
  canCheckDocument: boolean
  /** It names the owner of a key before anything is ordered, so that the engine can compare the owner itself. */
  canLookUpKey: boolean
  /** The kinds of PIX key that it makes by its API. */
  creatableKeyTypes: readonly PixKeyType[]
  /** It notifies PIX by their key, so that the URL of notifications is registered for each key. */
  notifiesByKey: boolean
  /** Null for an API without disputes. */
  disputes: {
    /** It notifies disputes. The list of one that does not is requested every few minutes. */
    areNotified: boolean
    /**
     * Most characters of a rejecting reply where it accepts one text and no files, in UTF-16 code units; null where it accepts
     * files.
     */
    maxReplyTextLength: number | null
  } | null
  /**
   * The paces that its processes keep together; a kind without one is not counted, and costs nothing. Each counted call costs one
   * statement: paces that no account of ours reaches are left out. Null where there is none.
   */
  pace: Partial<Record<PaceKind, Pace>> | null
}

/**
 * Our pace of token requests to an API that publishes none. A token serves for most of an hour, so this is felt only where requests
 * fail or new tokens are refused: five at once, as many as open a circuit breaker, then one every ten seconds, as its probes.
 */
const TOKEN_PACE: Pace = { perSecond: 0.1, burst: 5 }

/**
 * Efí's API makes random keys only ("Endpoints exclusivos Efí"). Woovi's also the account's CNPJ, never a CPF, and an
 * e-mail or phone for accounts with that permission ("Chaves Pix das contas"). Sicoob's have neither keys nor disputes, and know a
 * payment by the end-to-end id of its draft.
 */
export const PROVIDER_CAPABILITIES: Record<ProviderApi, ProviderCapabilities> = {
  efi: {
    canIssueOpenAmount: false,
    // Per key only (`PUT /v2/gn/config`, documentoPagadorIgualDevedor), which would lock every charge of the key.
    locksPayer: 'none',
    canTransfer: true,
    // PAYMENT and SALARY are not among `tipoConta` (official SDK 2.0.1, `PixSendBodySchema`).
    payableAccountTypes: ['CHECKING', 'SAVINGS'],
    payableCodes: ['DYNAMIC'],
    transferLookUp: 'id',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: true,
    canLookUpKey: false,
    creatableKeyTypes: ['RANDOM'],
    notifiesByKey: true,
    // Official SDK 2.0.1, `MedSubmitDefenseBodySchema`.
    disputes: { areNotified: false, maxReplyTextLength: 1_000 },
    // PUT and POST: 500 per second each ("Limites de consumo"), which is not counted.
    pace: { token: TOKEN_PACE },
  },
  woovi: {
    canIssueOpenAmount: false,
    // "Bloqueando Pagamentos": `ensureSameTaxID`.
    locksPayer: 'charge',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    // OpenAPI, "Create a Payment Request": QR_CODE, whose `value` is optional.
    payableCodes: ['STATIC', 'DYNAMIC', 'OPEN_DYNAMIC'],
    transferLookUp: 'id',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: false,
    canLookUpKey: true,
    creatableKeyTypes: ['RANDOM', 'DOCUMENT', 'EMAIL', 'PHONE'],
    notifiesByKey: false,
    disputes: { areNotified: true, maxReplyTextLength: null },
    pace: null,
  },
  sicoob: {
    canIssueOpenAmount: false,
    locksPayer: 'none',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    payableCodes: [],
    transferLookUp: 'handle',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: true,
    canLookUpKey: true,
    creatableKeyTypes: [],
    notifiesByKey: true,
    disputes: null,
    // Sicoob publishes none: assumed for sendings, of which each has two calls, because one that is refused with 429 is unknown.
    pace: { send: { perSecond: 10, burst: 10 }, token: TOKEN_PACE },
  },
  // Its APIs have neither keys nor disputes. A payment is known by Inter's own id, or by the order itself, sent again.
  inter: {
    canIssueOpenAmount: false,
    locksPayer: 'none',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    payableCodes: ['STATIC', 'DYNAMIC', 'OPEN_DYNAMIC'],
    transferLookUp: 'repeat',
    keepsOrderIds: false,
    refundsOneAtATime: false,
    canCheckDocument: false,
    canLookUpKey: false,
    creatableKeyTypes: [],
    notifiesByKey: true,
    disputes: null,
    // "Rate limit" of each operation, per minute: a payment 60, and 1 per second; its look-up 20; cob, pix and devolução 120 each; a
    // token 5. The burst and what a minute adds to it stay within each. Payments are a third further apart than a second, because each
    // opens a connection, which takes longer for one than for the next, and one that is refused with 429 is unknown.
    pace: {
      send: { perSecond: 0.75, burst: 1 },
      lookUp: { perSecond: 0.25, burst: 5 },
      charge: { perSecond: 1.5, burst: 30 },
      refund: { perSecond: 1.5, burst: 30 },
      token: { perSecond: 1 / 60, burst: 4 },
    },
  },
  // A transfer goes to an account that is verified first. The API registers no keys and has no disputes.
  stark: {
    canIssueOpenAmount: true,
    // SDK, DynamicBrcode and Invoice: rule `allowedTaxIds`. An invoice alone restricts nobody ("Pix Invoice").
    locksPayer: 'charge',
    canTransfer: true,
    payableAccountTypes: BANK_ACCOUNT_TYPES,
    payableCodes: [],
    transferLookUp: 'repeat',
    keepsOrderIds: true,
    refundsOneAtATime: true,
    canCheckDocument: true,
    canLookUpKey: true,
    creatableKeyTypes: [],
    notifiesByKey: false,
    disputes: null,
    pace: null,
  },
}

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

/** What issuing a charge needs. `totalCents` 0 asks for an open amount. */
export type ProviderChargeRequest = {
  /** Our id at the provider: the charge's uuid without hyphens. */
  reference: string
  totalCents: number
  expiresInSeconds: number
  /** The key that collects, or null where the provider needs none. */
  collectionKey: string | null
  message?: string
  /** Who is to pay; the provider shows it to the payer. */
  debtor?: ChargeDebtor
  /** Who may pay, for a provider that `locksPayer`, which refuses others; absent where anybody may. The caller checks the payer in any case. */
  restriction?: PayerRestriction
}

/** Who is to pay a charge; `document` is a CPF or CNPJ, upper case. */
export type ChargeDebtor = { name: string; document: string; email?: string }

/**
 * A payload that can be paid; times are ISO 8601 UTC. `totalCents`: the amount that it asks for, absent where the provider
 * no longer reports it. `expiresAt`: null of a static code, which can be paid for as long as its key exists.
 */
export type IssuedCharge = {
  totalCents?: number
  txid: string
  payload: string
  expiresAt: string | null
  pixKey: string
  receiver: Party
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
}

/** Status of a charge at its provider: `open` can still be paid, `removed` cannot. */
export type FoundCharge = {
  kind: 'found'
  status: 'open' | 'completed' | 'removed' | 'expired'
  charge: IssuedCharge
  payments: IncomingPix[]
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
  kind: 'payment' | 'refund' | 'transfer' | 'dispute'
  /**
   * Our id at the provider, where the notification names one, or the provider's id of a payout (`PayoutHandle.ref`); of a `dispute`
   * the provider's id of the dispute.
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
