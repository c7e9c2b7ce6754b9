import type { ProviderName } from '../../src/domain/providers/provider.ts'
import type { SimulatedAccount } from './accounts.ts'
import type { SimulatorStore } from './store.ts'

/** Operations of a provider, by the names of the provider port. */
export const PROVIDER_OPERATIONS = [
  'issueCharge',
  'findCharge',
  'cancelCharge',
  'reviseCharge',
  'prepareTransfer',
  'sendTransfer',
  'findTransfer',
  'prepareRefund',
  'refund',
  'findRefund',
  'findPayment',
  'findReceipt',
  'balances',
  'statement',
  'registerNotificationUrl',
  'createKey',
  'deleteKey',
  'listKeys',
  'lookUpKey',
  'findLookUpBudget',
  'listDisputes',
  'findDispute',
  'requestDispute',
  'cancelDispute',
  'replyToDispute',
  'issueRecurrence',
  'requestConsent',
  'findRecurrence',
  'reviseRecurrence',
  'cancelRecurrence',
  'issueAutomaticCharge',
  'findAutomaticCharge',
  'cancelAutomaticCharge',
  'retryAutomaticCharge',
  /** The request of an access token; a fault of any operation leaves it alone. */
  'authenticate',
] as const
export type ProviderOperation = (typeof PROVIDER_OPERATIONS)[number]

/** Faults of the answer to a call (SPEC §10). */
export const CALL_FAULTS = [
  'slow',
  'refused',
  'timeout_then_done',
  'timeout_then_absent',
  'accepted_then_silent',
  'accepted_then_rejected',
  /** A refund is rejected as under `accepted_then_rejected`, and carried out `delay_ms` later without a notification. */
  'rejected_then_done',
  'http_429',
  'http_500',
  'broken_body',
  /** Carried out, then answered with an undocumented 4xx, or with `status` and `body` of the fault. */
  'done_then_unlisted_refusal',
  /** Not carried out, answered as `done_then_unlisted_refusal`. */
  'unlisted_refusal',
  /** Not carried out, answered as for a route that does not exist. */
  'unknown_route',
  /** A transfer is refused for lack of balance; a provider that stores orders keeps it, so that it can be approved. */
  'order_left',
  /** As `order_left`; a person removes the order in the provider's panel after `delay_ms`, with a notification. */
  'order_removed',
  /** A transfer settles after `delay_ms` without a notification, but its removal is notified at once. */
  'accepted_then_reported_removed',
  /** A charge gets a txid that the provider chooses, not one derived from the caller's id. */
  'txid_differs',
  /** The change of a charge is answered with its former content: it was not applied. */
  'revision_lost',
  /** The draft of a transfer has expired: it is refused, and stays expired. Without drafts it settles. */
  'draft_expired',
  /** Answered as to a token that is bound to another certificate. */
  'certificate_swapped',
] as const
export type CallFault = (typeof CALL_FAULTS)[number]

/** Faults that script the outcome of an order, so that a look-up cannot have them. */
const OUTCOME_FAULTS: ReadonlySet<FaultKind> = new Set<CallFault>([
  'accepted_then_silent',
  'accepted_then_rejected',
  'rejected_then_done',
  'order_left',
  'order_removed',
  'accepted_then_reported_removed',
  'txid_differs',
  'revision_lost',
])
const LOOK_UP_FAULTS = CALL_FAULTS.filter(fault => !OUTCOME_FAULTS.has(fault))

/** Faults of the notification about an operation. */
export const NOTIFICATION_FAULTS = [
  'notification_duplicated',
  'notification_reordered',
  'notification_lost',
  'notification_forged',
] as const
export type NotificationFault = (typeof NOTIFICATION_FAULTS)[number]

/** Faults of the answer to a look-up or list, which leave the simulated objects unchanged. */
export const VIEW_FAULTS = [
  /** A list returns at most `page_size` items per page, whatever the request says. */
  'page_cap',
  /** A list, or a list inside a look-up, has one more item, of an undocumented shape and status. */
  'odd_item',
  /** One status is undocumented. */
  'unlisted_status',
  /** One movement has an undocumented type. */
  'unlisted_type',
  /** One dispute has another status that its provider documents with the same meaning. */
  'other_status',
] as const
export type ViewFault = (typeof VIEW_FAULTS)[number]

/** A PIX or refund is notified as usual, but look-ups and lists show it only after `delay_ms`. */
export const LISTING_FAULTS = ['books_lag'] as const
type ListingFault = (typeof LISTING_FAULTS)[number]

/** The payment of a charge with a due date is a centavo more than the provider's texts say. */
const PAYMENT_FAULTS = ['centavo_off'] as const
type PaymentFault = (typeof PAYMENT_FAULTS)[number]

export const FAULTS = [
  'unreachable',
  ...CALL_FAULTS,
  ...NOTIFICATION_FAULTS,
  ...VIEW_FAULTS,
  ...LISTING_FAULTS,
  ...PAYMENT_FAULTS,
] as const
export type FaultKind = (typeof FAULTS)[number]

/** The operations of the faults that do not apply to every operation. */
export const FAULT_OPERATIONS = {
  order_left: ['sendTransfer'],
  order_removed: ['sendTransfer'],
  accepted_then_reported_removed: ['sendTransfer'],
  rejected_then_done: ['refund'],
  txid_differs: ['issueCharge'],
  revision_lost: ['reviseCharge'],
  centavo_off: ['issueCharge', 'findCharge', 'findPayment'],
  draft_expired: ['sendTransfer'],
  other_status: ['listDisputes', 'findDispute'],
} as const satisfies Partial<Record<FaultKind, readonly ProviderOperation[]>>

/** Tells whether a fault may be planned for an operation, or for any operation (undefined). */
export function isFaultOf(fault: FaultKind, operation: ProviderOperation | undefined): boolean {
  const operations: Partial<Record<FaultKind, readonly (ProviderOperation | undefined)[]>> = FAULT_OPERATIONS
  return operations[fault]?.includes(operation) ?? true
}

export type Fault = {
  id: number
  provider: ProviderName
  /** Null: any operation. */
  operation: ProviderOperation | null
  /** Null: any account of the provider. */
  accountId: string | null
  fault: FaultKind
  timesLeft: number
  /** Wait of a fault that has one; not divided by the time scale, because the control API's caller chose it. */
  delayMs: number | null
  /** HTTP status and body of an unlisted refusal; null: the next one of the provider API's list. */
  status: number | null
  body: string | null
  /** Of `page_cap`: items per page. */
  pageSize: number | null
}

/** A fault that took effect on a call; `itemId` is the id of the item that `odd_item` added. */
export type ServedFault = {
  accountId: string
  operation: ProviderOperation
  fault: FaultKind
  itemId: string | null
  at: string
}

export type Faults = {
  add(fault: Omit<Fault, 'id'>): void
  list(): Fault[]
  clear(): void
  /** Tells whether the provider's next handshake is to be reset. */
  isUnreachable(provider: ProviderName): boolean
  /** Uses up one time of the oldest matching fault, as do the methods below; false or null if there is none. */
  consumeUnreachable(provider: ProviderName): boolean
  consumeForCall(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<CallFault> | null
  /** As `consumeForCall`, for a call that orders nothing: leaves out the faults that script an outcome. */
  consumeForLookUp(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<CallFault> | null
  /** As `consumeForCall`, of the operation `authenticate` only. */
  consumeForToken(account: FaultScope): ConsumedFault<CallFault> | null
  consumeForView(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<ViewFault> | null
  consumeForNotification(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<NotificationFault> | null
  consumeForListing(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<ListingFault> | null
  consumeForPayment(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<PaymentFault> | null
  /** Records that a fault took effect on a call. */
  recordServed(served: Omit<ServedFault, 'at'>): void
  /** Lists the recorded faults, oldest first. */
  listServed(): ServedFault[]
}
type FaultScope = Pick<SimulatedAccount, 'id' | 'provider'>
export type ConsumedFault<Kind extends FaultKind> = { fault: Kind } & Pick<Fault, 'delayMs'> &
  Partial<Pick<Fault, 'status' | 'body' | 'pageSize'>>

export function createFaults(store: SimulatorStore, now: () => Date): Faults {
  const list = () => store.all<Fault>('SELECT * FROM fault ORDER BY id')
  const consume = (fault: Fault | undefined) => {
    if (!fault) return null
    store.run('UPDATE fault SET timesLeft = timesLeft - 1 WHERE id = ?', fault.id)
    store.run('DELETE FROM fault WHERE timesLeft <= 0')
    return fault
  }
  const findUnreachable = (provider: ProviderName) =>
    list().find(fault => fault.provider === provider && fault.fault === 'unreachable')
  const consumeOfKinds = <Kind extends FaultKind>(
    kinds: readonly Kind[],
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ) =>
    consume(
      list().find(
        fault =>
          matchesAccount(fault, account) &&
          (fault.operation === null || operations.includes(fault.operation)) &&
          (kinds as readonly FaultKind[]).includes(fault.fault),
      ),
    ) as ConsumedFault<Kind> | null

  return {
    add: fault => store.insert('fault', fault),
    list,
    clear: () => void store.run('DELETE FROM fault'),
    isUnreachable: provider => findUnreachable(provider) !== undefined,
    consumeUnreachable: provider => consume(findUnreachable(provider)) !== null,
    consumeForCall: (account, operations) => consumeOfKinds(CALL_FAULTS, account, operations),
    consumeForLookUp: (account, operations) => consumeOfKinds(LOOK_UP_FAULTS, account, operations),
    consumeForToken: account =>
      consume(
        list().find(
          fault =>
            matchesAccount(fault, account) &&
            fault.operation === 'authenticate' &&
            (CALL_FAULTS as readonly FaultKind[]).includes(fault.fault),
        ),
      ) as ConsumedFault<CallFault> | null,
    consumeForView: (account, operations) => consumeOfKinds(VIEW_FAULTS, account, operations),
    consumeForNotification: (account, operations) => consumeOfKinds(NOTIFICATION_FAULTS, account, operations),
    consumeForListing: (account, operations) => consumeOfKinds(LISTING_FAULTS, account, operations),
    consumeForPayment: (account, operations) => consumeOfKinds(PAYMENT_FAULTS, account, operations),
    recordServed: served => store.insert('servedFault', { ...served, at: now().toISOString() }),
    listServed: () => store.all<ServedFault>('SELECT * FROM servedFault ORDER BY rowid'),
  }
}

function matchesAccount({ provider, accountId }: Fault, account: FaultScope): boolean {
  return provider === account.provider && (accountId ?? account.id) === account.id
}
