import type { ProviderName } from '../domain/providers/provider.ts'
import type { SimulatedAccount } from './accounts.ts'
import type { SimulatorStore } from './store.ts'

/** What a provider does for us, by the names of the provider port. */
export const PROVIDER_OPERATIONS = [
  'issueCharge',
  'findCharge',
  'cancelCharge',
  'sendTransfer',
  'findTransfer',
  'refund',
  'findRefund',
  'findPayment',
  'balances',
  'statement',
  'registerNotificationUrl',
  'createKey',
  'deleteKey',
  'listKeys',
  'listDisputes',
  'findDispute',
  'replyToDispute',
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
  'http_429',
  'http_500',
  'broken_body',
  /** Carried out, then answered with a 4xx that no documentation names (or with `status` and `body` of the fault). */
  'done_then_unlisted_refusal',
  /** Not carried out, and answered with such a 4xx. */
  'unlisted_refusal',
  /** Not carried out, and answered with what the provider says of a route that does not exist. */
  'unknown_route',
  /** A transfer is refused for lack of balance; where the provider keeps orders, its order stays and can be approved. */
  'order_left',
  /** The same, and a person removes the order in the provider's panel after `delay_ms`, which is notified. */
  'order_removed',
  /** A transfer is accepted and settles after `delay_ms` without a notification, and is notified at once as removed. */
  'accepted_then_told_removed',
  /** A charge is accepted under a txid that the provider chooses, whatever id its caller gives. */
  'txid_differs',
] as const
export type CallFault = (typeof CALL_FAULTS)[number]

/** The one operation that these faults are about. */
export const SINGLE_OPERATION_FAULTS = {
  order_left: 'sendTransfer',
  order_removed: 'sendTransfer',
  accepted_then_told_removed: 'sendTransfer',
  txid_differs: 'issueCharge',
} as const satisfies Partial<Record<CallFault, ProviderOperation>>

/** Whether an operation can meet a fault. */
export function isFaultOf(fault: FaultKind, operation: ProviderOperation | undefined): boolean {
  const only: Partial<Record<FaultKind, ProviderOperation>> = SINGLE_OPERATION_FAULTS
  return only[fault] === undefined || only[fault] === operation
}

/** Faults of the notice about what an operation did. */
export const NOTIFICATION_FAULTS = [
  'notice_duplicated',
  'notice_reordered',
  'notice_lost',
  'notice_forged',
] as const
export type NotificationFault = (typeof NOTIFICATION_FAULTS)[number]

/** Faults of what a look-up or a list shows of something that is as it should be. */
export const VIEW_FAULTS = [
  /** A list has at most `page_size` items a page, however many are asked for. */
  'page_cap',
  /** A list, or a list inside a look-up, has one item more, of a shape and a status that no documentation names. */
  'odd_item',
  /** One status is a word that no documentation names. */
  'unlisted_status',
  /** One movement is of a type that no documentation names. */
  'unlisted_type',
] as const
export type ViewFault = (typeof VIEW_FAULTS)[number]

/** A PIX received is announced at once, and is in no look-up or list of its provider for `delay_ms`. */
export const LISTING_FAULTS = ['books_lag'] as const
type ListingFault = (typeof LISTING_FAULTS)[number]

export const FAULTS = [
  'unreachable',
  ...CALL_FAULTS,
  ...NOTIFICATION_FAULTS,
  ...VIEW_FAULTS,
  ...LISTING_FAULTS,
] as const
export type FaultKind = (typeof FAULTS)[number]

export type Fault = {
  id: number
  provider: ProviderName
  /** null: whatever the operation. */
  operation: ProviderOperation | null
  /** null: whosever call it is. */
  accountId: string | null
  fault: FaultKind
  timesLeft: number
  /** How long it waits, where it waits at all; not divided by the time scale, since its caller chose it. */
  delayMs: number | null
  /** HTTP status and body of the refusal; null: the dialect's next one. */
  status: number | null
  body: string | null
  /** Of `page_cap`. */
  pageSize: number | null
}

/** A fault that had its effect: the call it met, and the id of the odd item where it showed one. */
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
  /** Whether the provider's next handshake is to be reset. */
  isUnreachable(provider: ProviderName): boolean
  /** Uses up one time of the oldest fault that fits, if any. */
  consumeUnreachable(provider: ProviderName): boolean
  consumeForCall(account: FaultScope, operation: ProviderOperation): ConsumedFault<CallFault> | null
  consumeForView(account: FaultScope, operation: ProviderOperation): ConsumedFault<ViewFault> | null
  consumeForNotification(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<NotificationFault> | null
  consumeForListing(
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ): ConsumedFault<ListingFault> | null
  /** Records that a fault had its effect. */
  recordServed(served: Omit<ServedFault, 'at'>): void
  /** Every fault that had its effect on a call, in that order. */
  listServed(): ServedFault[]
}
type FaultScope = Pick<SimulatedAccount, 'id' | 'provider'>
export type ConsumedFault<Kind extends FaultKind> = { fault: Kind } & Pick<Fault, 'delayMs'> &
  Partial<Pick<Fault, 'status' | 'body' | 'pageSize'>>

export function createFaults(store: SimulatorStore, now: () => Date): Faults {
  const list = () => store.all<Fault>('SELECT * FROM fault ORDER BY id')
  const take = (fault: Fault | undefined) => {
    if (!fault) return null
    store.run('UPDATE fault SET timesLeft = timesLeft - 1 WHERE id = ?', fault.id)
    store.run('DELETE FROM fault WHERE timesLeft <= 0')
    return fault
  }
  const unreachable = (provider: ProviderName) =>
    list().find(fault => fault.provider === provider && fault.fault === 'unreachable')
  /** The oldest fault of these kinds that fits one of the operations. */
  const takeOf = <Kind extends FaultKind>(
    kinds: readonly Kind[],
    account: FaultScope,
    operations: readonly ProviderOperation[],
  ) =>
    take(
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
    isUnreachable: provider => unreachable(provider) !== undefined,
    consumeUnreachable: provider => take(unreachable(provider)) !== null,
    consumeForCall: (account, operation) => takeOf(CALL_FAULTS, account, [operation]),
    consumeForView: (account, operation) => takeOf(VIEW_FAULTS, account, [operation]),
    consumeForNotification: (account, operations) => takeOf(NOTIFICATION_FAULTS, account, operations),
    consumeForListing: (account, operations) => takeOf(LISTING_FAULTS, account, operations),
    recordServed: served => store.insert('servedFault', { ...served, at: now().toISOString() }),
    listServed: () => store.all<ServedFault>('SELECT * FROM servedFault ORDER BY rowid'),
  }
}

function matchesAccount({ provider, accountId }: Fault, account: FaultScope): boolean {
  return provider === account.provider && (accountId ?? account.id) === account.id
}
