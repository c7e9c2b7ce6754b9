import type { SimulatedAccount, SimulatedAccounts } from './accounts.ts'
import type { SimulatedCharges } from './charges.ts'
import type { ProviderOperation } from './faults.ts'
import type { IdGenerator } from './ids.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { ListingDelay } from './listing-delay.ts'
import type { Rail } from './rail.ts'
import type { Receipts } from './receipts.ts'
import type { TaskSchedule } from './schedule.ts'
import { isSilentOutcome, type ScriptedOutcome } from './scripted-outcome.ts'
import type { SimulatorStore } from './store.ts'

/** A PIX that an account sends. While it is in process its amount is held. */
export type SimulatedTransfer = {
  accountId: string
  /** Id chosen by the caller. */
  id: string
  endToEnd: string
  cents: number
  status: 'in_process' | 'settled' | 'rejected'
  /** 1: its outcome is not notified. */
  silent: 0 | 1
  /** Status after the processing. */
  plannedStatus: 'settled' | 'rejected'
  /** The rail's code of a rejection. */
  code: string | null
  payerKey: string
  message: string | null
  /** SimulatedRecipient as JSON. */
  recipient: string
  /** Amounts that the recipient returns after the settlement, a JSON list of centavos. */
  plannedReturns: string
  requestedAt: string
  settledAt: string | null
  /** 1: sent in the provider's panel, not through its API. */
  isFromPanel: 0 | 1
  /** Time from which look-ups and lists contain it; null: at once. */
  listedAt: string | null
}

/** A transfer settled or was rejected. */
export type TransferRailEvent = { kind: 'transfer'; account: SimulatedAccount; transfer: SimulatedTransfer }
/** A person removed an order in the provider's panel, or a fault notifies so. */
export type OrderRemovedRailEvent = { kind: 'order_removed'; account: SimulatedAccount; id: string }

/** An account at a bank, to which a transfer goes without a key. Every one exists, but those of magic numbers. */
type SimulatedBankAccount = { ispb: string; branch: string; number: string }

/** The recipient of a transfer: the owner of `key`, or of `account` if `key` is null. `bank`: the account in the words of its API. */
export type SimulatedRecipient = {
  key: string | null
  name: string
  document: string
  account?: SimulatedBankAccount
  /** The code that is paid; `token`: of the charge of a simulated account. */
  code?: { payload: string; txid: string | null; token: string | null }
  bank?: Record<string, string>
}

type SimulatedTransferRequest = {
  account: SimulatedAccount
  id: string
  cents: number
  payerKey: string
  message: string | null
  recipient: SimulatedRecipient
  outcome: ScriptedOutcome
  returnedCents: number[]
  isFromPanel?: boolean
  /** Absent: the provider generates it with the transfer. */
  endToEnd?: string
}
export type TransferAcceptance =
  | { kind: 'accepted'; transfer: SimulatedTransfer }
  | { kind: 'id_in_use' }
  | { kind: 'no_balance' }

export type SimulatedTransfers = {
  accept(request: SimulatedTransferRequest): TransferAcceptance
  /**
   * Records a transfer that the rail refuses at once: no money is held and no notification sent. Its id must be
   * unused.
   */
  recordRejected(request: SimulatedTransferRequest): SimulatedTransfer
  find(accountId: string, id: string): SimulatedTransfer | undefined
  findByEndToEnd(endToEnd: string): SimulatedTransfer | undefined
  /** Find a transfer as look-ups do: undefined before its `listedAt`, which the list below respects too. */
  findListed(accountId: string, id: string): SimulatedTransfer | undefined
  findListedByEndToEnd(endToEnd: string): SimulatedTransfer | undefined
  /** Lists the transfers requested in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): SimulatedTransfer[]
}

type TransferDependencies = {
  store: SimulatorStore
  rail: Rail
  accounts: SimulatedAccounts
  receipts: Receipts
  listing: ListingDelay
  schedule: TaskSchedule
  ids: IdGenerator
  now: () => Date
  scaleWaitMs: WaitScaler
  onRailEvent: (event: TransferRailEvent | OrderRemovedRailEvent) => void
  charges: Pick<SimulatedCharges, 'findByToken' | 'notPayableReason' | 'computeCost' | 'pay'>
}

/** Operations whose listing faults delay the appearance of a transfer in look-ups and lists. */
const LISTING_OPERATIONS = [
  'sendTransfer',
  'findTransfer',
  'statement',
] as const satisfies ProviderOperation[]

export function simulateTransfers(dependencies: TransferDependencies): SimulatedTransfers {
  const { store, rail, listing, schedule, ids, now, scaleWaitMs, onRailEvent } = dependencies
  const find = (accountId: string, id: string) =>
    store.first<SimulatedTransfer>('SELECT * FROM transfer WHERE accountId = ? AND id = ?', accountId, id)
  const findByEndToEnd = (endToEnd: string) =>
    store.first<SimulatedTransfer>('SELECT * FROM transfer WHERE endToEnd = ?', endToEnd)

  schedule.registerHandler(
    'settle_transfer',
    ({ accountId, id }: SimulatedTransfer) => void finishTransfer(dependencies, find(accountId, id)!),
  )

  return {
    find,
    findByEndToEnd,
    findListed: (accountId, id) => listing.hideUnlisted(find(accountId, id)),
    findListedByEndToEnd: endToEnd => listing.hideUnlisted(findByEndToEnd(endToEnd)),
    listBetween: (accountId, { from, to }) =>
      store
        .all<SimulatedTransfer>(
          'SELECT * FROM transfer WHERE accountId = ? AND requestedAt BETWEEN ? AND ? ORDER BY requestedAt, rowid',
          accountId,
          from,
          to,
        )
        .filter(listing.isListed),
    recordRejected(request) {
      const at = now().toISOString()
      const endToEnd = request.endToEnd ?? ids.endToEnd({ ispb: request.account.ispb, at })
      const transfer: SimulatedTransfer = { ...buildTransfer(request, { at, endToEnd }), status: 'rejected' }
      store.insert('transfer', transfer)
      return transfer
    },
    accept: request =>
      store.inTransaction(() => {
        const { account, id, cents, outcome } = request
        if (find(account.id, id)) return { kind: 'id_in_use' }
        if (!rail.hold(account.id, cents)) return { kind: 'no_balance' }
        const at = now().toISOString()
        const transfer = {
          ...buildTransfer(request, {
            at,
            endToEnd: request.endToEnd ?? ids.endToEnd({ ispb: account.ispb, at }),
          }),
          listedAt: listing.computeListedAt(account, LISTING_OPERATIONS),
        }
        store.insert('transfer', transfer)
        const afterMs = isSilentOutcome(outcome) ? outcome.forMs : scaleWaitMs(SIMULATOR_WAITS_MS.settle)
        schedule.add({ task: 'settle_transfer', input: { accountId: account.id, id }, afterMs })
        if (outcome.kind === 'silent_with_removal_event') onRailEvent({ kind: 'order_removed', account, id })
        return { kind: 'accepted', transfer }
      }),
  }
}

function buildTransfer(
  request: SimulatedTransferRequest,
  { at, endToEnd }: { at: string; endToEnd: string },
): SimulatedTransfer {
  const { account, id, cents, payerKey, message, recipient, outcome, returnedCents } = request
  return {
    accountId: account.id,
    id,
    endToEnd,
    cents,
    status: 'in_process',
    silent: isSilentOutcome(outcome) ? 1 : 0,
    plannedStatus: outcome.kind === 'rejected' ? 'rejected' : 'settled',
    code: outcome.kind === 'rejected' ? outcome.code : null,
    payerKey,
    message,
    recipient: JSON.stringify(recipient),
    plannedReturns: JSON.stringify(returnedCents),
    requestedAt: at,
    settledAt: null,
    isFromPanel: request.isFromPanel ? 1 : 0,
    listedAt: null,
  }
}

function finishTransfer(dependencies: TransferDependencies, transfer: SimulatedTransfer): void {
  const { store, rail, accounts, now, onRailEvent } = dependencies
  const { accountId, id, endToEnd, cents } = transfer
  const at = now().toISOString()
  const { code, plannedStatus } = planSettlement(dependencies, transfer)
  if (plannedStatus === 'settled') {
    rail.debitHeld({ accountId, kind: 'transfer', id, endToEnd, originalEndToEnd: null, cents, at })
    creditRecipient(dependencies, transfer)
  } else {
    rail.release(accountId, cents)
  }
  const settledAt = plannedStatus === 'settled' ? at : null
  store.run(
    'UPDATE transfer SET status = ?, code = ?, settledAt = ? WHERE accountId = ? AND id = ?',
    plannedStatus,
    code,
    settledAt,
    accountId,
    id,
  )
  if (transfer.silent) return
  const account = accounts.find(accountId)!
  onRailEvent({
    kind: 'transfer',
    account,
    transfer: { ...transfer, status: plannedStatus, code, settledAt },
  })
}

/** Plans how a transfer ends: the receiver's bank refuses what pays a charge that is paid already, or another value. */
function planSettlement(
  { charges }: TransferDependencies,
  { cents, code, plannedStatus, recipient }: SimulatedTransfer,
): Pick<SimulatedTransfer, 'code' | 'plannedStatus'> {
  const token = (JSON.parse(recipient) as SimulatedRecipient).code?.token ?? null
  if (token === null || plannedStatus === 'rejected') return { code, plannedStatus }
  const charge = charges.findByToken(token)
  const isPayable =
    charge &&
    charges.notPayableReason(charge) === null &&
    [0, cents].includes(charges.computeCost(charge).cents)
  return isPayable ? { code, plannedStatus } : { code: 'BE17', plannedStatus: 'rejected' }
}

/** Credits the recipient if it is a simulated account, and schedules the recipient's returns. */
function creditRecipient(
  { accounts, receipts, charges, schedule, scaleWaitMs }: TransferDependencies,
  transfer: SimulatedTransfer,
): void {
  const { endToEnd, cents, message } = transfer
  const { key, code } = JSON.parse(transfer.recipient) as SimulatedRecipient
  const recipient = key === null ? undefined : accounts.findByKey(key)
  if (key !== null && recipient) {
    const { holderName: name, holderDocument: document, ispb } = accounts.find(transfer.accountId)!
    const payer = { name, document, ispb }
    const { token = null, txid = null } = code ?? {}
    if (token !== null) charges.pay({ token, cents, payer, force: true, endToEnd })
    else receipts.receive({ accountId: recipient.id, key, cents, payer, message, txid, endToEnd })
  }
  const afterMs = scaleWaitMs(SIMULATOR_WAITS_MS.recipientReturn)
  for (const returnedCents of JSON.parse(transfer.plannedReturns) as number[])
    schedule.add({ task: 'return_transfer', input: { endToEnd, cents: returnedCents }, afterMs })
}
