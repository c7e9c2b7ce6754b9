import type { ProviderName } from '../domain/provider.ts'
import type { Account } from './accounts.ts'
import type { Store } from './store.ts'

/** What a provider does for us, by the names of the provider port. */
export const OPERATIONS = [
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
  'registerNotices',
  'createKey',
  'deleteKey',
  'listKeys',
  'listMeds',
  'findMed',
  'replyMed',
] as const
export type Operation = (typeof OPERATIONS)[number]

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
] as const
export type CallFault = (typeof CALL_FAULTS)[number]

/** Faults of the notice about what an operation did. */
export const NOTICE_FAULTS = [
  'notice_duplicated',
  'notice_reordered',
  'notice_lost',
  'notice_forged',
] as const
export type NoticeFault = (typeof NOTICE_FAULTS)[number]

export const FAULTS = ['unreachable', ...CALL_FAULTS, ...NOTICE_FAULTS] as const
export type FaultKind = (typeof FAULTS)[number]

export type Fault = {
  id: number
  provider: ProviderName
  /** null: whatever the operation. */
  operation: Operation | null
  /** null: whosever call it is. */
  accountId: string | null
  fault: FaultKind
  timesLeft: number
  /** How long it waits, where it waits at all; not divided by the time scale, since its caller chose it. */
  delayMs: number | null
}

export type Faults = {
  add(fault: Omit<Fault, 'id'>): void
  list(): Fault[]
  clear(): void
  /** Whether the provider's next handshake is to be reset. */
  isUnreachable(provider: ProviderName): boolean
  /** Uses up one time of the oldest fault that fits, if any. */
  takeUnreachable(provider: ProviderName): boolean
  takeForCall(account: Whose, operation: Operation): Taken<CallFault> | null
  takeForNotice(account: Whose, operations: readonly Operation[]): Taken<NoticeFault> | null
}
type Whose = Pick<Account, 'id' | 'provider'>
export type Taken<Kind extends FaultKind> = { fault: Kind; delayMs: number | null }

export function faultsOf(store: Store): Faults {
  const list = () => store.all<Fault>('SELECT * FROM fault ORDER BY id')
  const take = (fault: Fault | undefined) => {
    if (!fault) return null
    store.run('UPDATE fault SET timesLeft = timesLeft - 1 WHERE id = ?', fault.id)
    store.run('DELETE FROM fault WHERE timesLeft <= 0')
    return fault
  }
  const unreachable = (provider: ProviderName) =>
    list().find(fault => fault.provider === provider && fault.fault === 'unreachable')

  return {
    add: fault => store.insert('fault', fault),
    list,
    clear: () => void store.run('DELETE FROM fault'),
    isUnreachable: provider => unreachable(provider) !== undefined,
    takeUnreachable: provider => take(unreachable(provider)) !== null,
    takeForCall: (account, operation) =>
      take(
        list().find(
          fault =>
            concerns(fault, account) &&
            (fault.operation ?? operation) === operation &&
            isOneOf(CALL_FAULTS, fault.fault),
        ),
      ) as Taken<CallFault> | null,
    takeForNotice: (account, operations) =>
      take(
        list().find(
          fault =>
            concerns(fault, account) &&
            (fault.operation === null || operations.includes(fault.operation)) &&
            isOneOf(NOTICE_FAULTS, fault.fault),
        ),
      ) as Taken<NoticeFault> | null,
  }
}

function concerns({ provider, accountId }: Fault, account: Whose): boolean {
  return provider === account.provider && (accountId ?? account.id) === account.id
}

function isOneOf(kinds: readonly FaultKind[], kind: FaultKind): boolean {
  return kinds.includes(kind)
}
