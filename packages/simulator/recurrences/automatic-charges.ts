import type { SimulatedAccount, SimulatedAccounts } from '../accounts.ts'
import { moveToBankDay } from '../business-days.ts'
import type { IdGenerator } from '../ids.ts'
import type { Receipt } from '../receipts.ts'
import type { SimulatorStore } from '../store.ts'
import type { RecurrenceClock } from './clock.ts'
import type { CancellationSource, ChargeCancellationCode, TryCode } from './codes.ts'
import { computeCycle, findLastTryDay, MAX_RETRIES } from './cycles.ts'
import { appendToHistory } from './history.ts'
import { isOpen, type SimulatedRecurrence } from './recurrences.ts'

export type AutomaticChargeStatus = 'created' | 'active' | 'completed' | 'expired' | 'rejected' | 'cancelled'

/** How a charge ended: by a try's rejection, or by a cancellation. */
export type AutomaticChargeEnding =
  | { kind: 'rejected'; code: TryCode }
  | { kind: 'cancelled'; code: ChargeCancellationCode; source: CancellationSource }

/** A charge of one cycle of a recurrence, which the payer's bank pays by itself. */
export type AutomaticCharge = {
  accountId: string
  txid: string
  recurrenceId: string
  status: AutomaticChargeStatus
  cents: number
  dueOn: string
  /** 1: the first try moves to the next day on which banks settle. */
  adjustsDay: 0 | 1
  firstTryOn: string
  /** Last day of a retry. */
  lastTryOn: string
  /** Number of the recurrence's cycle that contains `dueOn`. */
  cycle: number
  /** Account of the receiver (`AutomaticChargeReceiver`), JSON. */
  receiver: string
  /** Address of the debtor, as the provider API writes it, JSON. */
  debtor: string | null
  info: string | null
  /** 1: its changes and its payment are not notified. */
  silent: 0 | 1
  /** Changes of status (`StatusChange`), JSON. */
  history: string
  /** `AutomaticChargeEnding`, JSON. */
  ending: string | null
  createdAt: string
}

/** The receiver's account, as the caller of the provider API names it. */
export type AutomaticChargeReceiver = { account: string; kind: string; branch?: string | undefined }

export type ChargeTryStatus = 'requested' | 'scheduled' | 'paid' | 'cancelled' | 'rejected' | 'expired'
export type ChargeTryKind = 'first' | 'retry' | 'same_day'

/** A try of an automatic charge: an instruction to the payer's bank to pay on a day. */
export type ChargeTry = {
  id: number
  accountId: string
  txid: string
  day: string
  kind: ChargeTryKind
  status: ChargeTryStatus
  endToEnd: string
  code: TryCode | null
  /** Changes of status (`StatusChange`), JSON. */
  history: string
}

/** An automatic charge or one of its tries changed; `receipt`: its payment. */
export type AutomaticChargeRailEvent = {
  kind: 'automatic_charge'
  account: SimulatedAccount
  charge: AutomaticCharge
  tries: ChargeTry[]
  receipt: Receipt | null
}

type AutomaticChargeOrder = {
  account: SimulatedAccount
  recurrence: SimulatedRecurrence
  txid: string
  /** The txid is that of a charge of the account, which the automatic charge pays. */
  paysCharge?: boolean
  cents: number
  dueOn: string
  adjustsDay: boolean
  receiver: AutomaticChargeReceiver
  debtor: object | undefined
  info: string | undefined
  silent: boolean
}
type AutomaticChargeCreation =
  | { kind: 'created'; charge: AutomaticCharge }
  | { kind: 'txid_in_use' }
  | { kind: 'cycle_in_use' }
  | { kind: 'recurrence_ended' }

/** Why a retry is refused. */
export type RetryRefusal =
  | 'not_allowed'
  | 'not_active'
  | 'try_pending'
  | 'not_future'
  | 'too_late'
  | 'too_many'

export type AutomaticCharges = {
  /** Creates the charge of a cycle; the payer's bank is instructed when its recurrence is approved. */
  create(order: AutomaticChargeOrder): AutomaticChargeCreation
  find(accountId: string, txid: string): AutomaticCharge | undefined
  /** Lists the charges created in [from, to], both ISO 8601 UTC, oldest first. */
  listBetween(accountId: string, range: { from: string; to: string }): AutomaticCharge[]
  listByRecurrence(recurrenceId: string): AutomaticCharge[]
  /** Lists the tries of a charge, oldest first. */
  listTries(charge: Pick<AutomaticCharge, 'accountId' | 'txid'>): ChargeTry[]
  /** Cancels a charge that has not ended, with its pending try; undefined if it has. */
  cancel(
    charge: AutomaticCharge,
    cancellation: { code: ChargeCancellationCode; source: CancellationSource },
  ): AutomaticCharge | undefined
  /** Orders a retry on a day, or finds why it is refused. */
  retry(
    charge: AutomaticCharge,
    retry: { day: string; allowsRetries: boolean; payerIspb: string },
  ): { kind: 'ordered'; charge: AutomaticCharge } | { kind: 'refused'; why: RetryRefusal }
  addTry(
    charge: AutomaticCharge,
    chargeTry: { day: string; kind: ChargeTryKind; payerIspb: string },
  ): ChargeTry
  setTryStatus(chargeTry: ChargeTry, status: ChargeTryStatus, code?: TryCode): ChargeTry
  setStatus(
    charge: AutomaticCharge,
    status: AutomaticChargeStatus,
    ending?: AutomaticChargeEnding,
  ): AutomaticCharge
  /** Notifies the charge as it is. */
  notify(charge: AutomaticCharge, receipt?: Receipt): void
}

type AutomaticChargeDependencies = {
  store: SimulatorStore
  accounts: SimulatedAccounts
  ids: IdGenerator
  clock: RecurrenceClock
  now: () => Date
  /** Handles that the payer's bank is instructed to make a try. */
  onTryAdded: (chargeTry: ChargeTry) => void
  onRailEvent: (event: AutomaticChargeRailEvent) => void
}

export function simulateAutomaticCharges({
  store,
  accounts,
  ids,
  clock,
  now,
  onTryAdded,
  onRailEvent,
}: AutomaticChargeDependencies): AutomaticCharges {
  const find = (accountId: string, txid: string) =>
    store.first<AutomaticCharge>(
      'SELECT * FROM automaticCharge WHERE accountId = ? AND txid = ?',
      accountId,
      txid,
    )
  const listTries = ({ accountId, txid }: Pick<AutomaticCharge, 'accountId' | 'txid'>) =>
    store.all<ChargeTry>(
      'SELECT * FROM chargeTry WHERE accountId = ? AND txid = ? ORDER BY id',
      accountId,
      txid,
    )
  const listByRecurrence = (recurrenceId: string) =>
    store.all<AutomaticCharge>(
      'SELECT * FROM automaticCharge WHERE recurrenceId = ? ORDER BY rowid',
      recurrenceId,
    )
  const addToHistory = (history: string, status: AutomaticChargeStatus | ChargeTryStatus) =>
    appendToHistory(history, { status, at: clock.now().toISOString() })

  const setStatus: AutomaticCharges['setStatus'] = (charge, status, ending) => {
    const history = addToHistory(charge.history, status)
    const changed = { ...charge, status, history, ending: ending ? JSON.stringify(ending) : null }
    store.run(
      'UPDATE automaticCharge SET status = ?, history = ?, ending = ? WHERE accountId = ? AND txid = ?',
      status,
      history,
      changed.ending,
      charge.accountId,
      charge.txid,
    )
    return changed
  }
  const setTryStatus: AutomaticCharges['setTryStatus'] = (chargeTry, status, code) => {
    const changed = {
      ...chargeTry,
      status,
      code: code ?? null,
      history: addToHistory(chargeTry.history, status),
    }
    store.run(
      'UPDATE chargeTry SET status = ?, code = ?, history = ? WHERE id = ?',
      status,
      changed.code,
      changed.history,
      chargeTry.id,
    )
    return changed
  }
  const addTry: AutomaticCharges['addTry'] = ({ accountId, txid }, { day, kind, payerIspb }) => {
    const endToEnd = ids.endToEnd({ ispb: payerIspb, at: now().toISOString() })
    const history = addToHistory('[]', 'requested')
    store.insert('chargeTry', {
      accountId,
      txid,
      day,
      kind,
      status: 'requested',
      endToEnd,
      code: null,
      history,
    })
    const chargeTry = store.first<ChargeTry>('SELECT * FROM chargeTry WHERE endToEnd = ?', endToEnd)!
    onTryAdded(chargeTry)
    return chargeTry
  }
  const notify = (charge: AutomaticCharge, receipt: Receipt | null = null) => {
    if (charge.silent === 1) return
    const account = accounts.find(charge.accountId)!
    onRailEvent({ kind: 'automatic_charge', account, charge, tries: listTries(charge), receipt })
  }
  const findRetryRefusal = (charge: AutomaticCharge, day: string, allowsRetries: boolean) => {
    const tries = listTries(charge)
    if (!allowsRetries) return 'not_allowed'
    if (charge.status !== 'active') return 'not_active'
    if (tries.some(isPendingTry)) return 'try_pending'
    if (day <= clock.today()) return 'not_future'
    if (day > charge.lastTryOn) return 'too_late'
    return tries.filter(({ kind }) => kind === 'retry').length >= MAX_RETRIES ? 'too_many' : null
  }

  return {
    create: ({ account, recurrence, txid, paysCharge = false, ...order }) =>
      store.inTransaction(() => {
        const { cents, dueOn, adjustsDay, receiver, debtor, info, silent } = order
        const tables = paysCharge ? ['automaticCharge'] : ['charge', 'automaticCharge']
        if (isTxidInUse(store, { accountId: account.id, txid }, tables)) return { kind: 'txid_in_use' }
        if (!isOpen(recurrence)) return { kind: 'recurrence_ended' }
        const cycle = computeCycle(recurrence, dueOn)
        const isCycleCharged = listByRecurrence(recurrence.id).some(
          one => one.cycle === cycle && one.status !== 'rejected' && one.status !== 'cancelled',
        )
        if (isCycleCharged) return { kind: 'cycle_in_use' }
        const firstTryOn = adjustsDay ? moveToBankDay(dueOn) : dueOn
        const charge: AutomaticCharge = {
          accountId: account.id,
          txid,
          recurrenceId: recurrence.id,
          status: 'created',
          cents,
          dueOn,
          adjustsDay: adjustsDay ? 1 : 0,
          firstTryOn,
          lastTryOn: findLastTryDay(firstTryOn, recurrence.allowsRetries === 1),
          cycle,
          receiver: JSON.stringify(receiver),
          debtor: debtor ? JSON.stringify(debtor) : null,
          info: info ?? null,
          silent: silent ? 1 : 0,
          history: addToHistory('[]', 'created'),
          ending: null,
          createdAt: clock.now().toISOString(),
        }
        store.insert('automaticCharge', charge)
        if (recurrence.status === 'approved')
          addTry(charge, { day: firstTryOn, kind: 'first', payerIspb: recurrence.payerIspb! })
        return { kind: 'created', charge }
      }),
    find,
    listBetween: (accountId, { from, to }) =>
      store.all<AutomaticCharge>(
        'SELECT * FROM automaticCharge WHERE accountId = ? AND createdAt BETWEEN ? AND ? ORDER BY createdAt, rowid',
        accountId,
        from,
        to,
      ),
    listByRecurrence,
    listTries,
    cancel: (charge, cancellation) =>
      store.inTransaction(() => {
        const current = find(charge.accountId, charge.txid)!
        if (current.status !== 'created' && current.status !== 'active') return undefined
        for (const pending of listTries(current).filter(isPendingTry)) setTryStatus(pending, 'cancelled')
        const cancelled = setStatus(current, 'cancelled', { kind: 'cancelled', ...cancellation })
        notify(cancelled)
        return cancelled
      }),
    retry: (charge, { day, allowsRetries, payerIspb }) =>
      store.inTransaction(() => {
        const why = findRetryRefusal(charge, day, allowsRetries)
        if (why !== null) return { kind: 'refused', why }
        addTry(charge, { day, kind: 'retry', payerIspb })
        return { kind: 'ordered', charge }
      }),
    addTry,
    setTryStatus,
    setStatus,
    notify: (charge, receipt) => notify(charge, receipt),
  }
}

function isPendingTry({ status }: ChargeTry): boolean {
  return status === 'requested' || status === 'scheduled'
}

/** Tells whether any charge of the account, in one of the tables, has a txid. */
function isTxidInUse(
  store: SimulatorStore,
  { accountId, txid }: Pick<AutomaticCharge, 'accountId' | 'txid'>,
  tables: string[],
): boolean {
  return tables.some(
    table =>
      store.first(`SELECT txid FROM ${table} WHERE accountId = ? AND txid = ?`, accountId, txid) !==
      undefined,
  )
}
