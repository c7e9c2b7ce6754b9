import type { SimulatedAccount } from '../../accounts.ts'
import {
  DEFAULT_RECIPIENT_DOCUMENT,
  DEFAULT_RECIPIENT_NAME,
  findMagicOutcome,
} from '../../magic-recipients.ts'
import type { SimulatedResponse } from '../../provider-calls.ts'
import { type ScriptedOutcome, SETTLED_OUTCOME } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedTransfer } from '../../transfers.ts'
import * as errors from './errors.ts'
import { buildStarkId } from './ids.ts'
import { cancelStarkTransfer } from './pending-transfers.ts'
import { findStarkTransfer, type StarkReceiver, type StarkTransfer } from './transfer-presenters.ts'

/** An order of a transfer, whose receiver is known. */
export type StarkTransferOrder = {
  amount: number
  externalId?: string | undefined
  scheduled?: string | undefined
  description?: string | undefined
  displayDescription?: string | undefined
  tags: string[]
  rules: object[]
  receiver: StarkReceiver
  verifiedAccountNumber: number | null
}

type OrderContext = {
  account: SimulatedAccount
  /** Position in the request, which refusals name. */
  index: number
  outcome: ScriptedOutcome
}

/**
 * Stores a transfer and orders it, or leaves it for a person in the web banking. It is accepted before its balance is known: without
 * balance it fails, as its log says. The caller holds a transaction.
 */
export function acceptStarkTransfer(
  state: SimulatorState,
  order: StarkTransferOrder,
  { account, index, outcome }: OrderContext,
): { transfer: StarkTransfer } | { refusal: SimulatedResponse } {
  const refusal = findOrderRefusal(state, order, { account, index })
  if (refusal) return { refusal }
  const { store, now, schedule } = state
  const { externalId = null, description = '', displayDescription = '', rules } = order
  const number = store.nextCount('starkTransfer')
  const isLeft = outcome.kind === 'left' || outcome.kind === 'left_then_removed'
  const at = now().toISOString()
  const transfer: StarkTransfer = {
    number,
    accountId: account.id,
    transferId: externalId ?? buildStarkId('transfer', number),
    externalId,
    verifiedAccountNumber: order.verifiedAccountNumber,
    cents: order.amount,
    receiver: JSON.stringify(order.receiver),
    texts: JSON.stringify({ description, displayDescription, rules }),
    tags: JSON.stringify(order.tags),
    state: isLeft ? 'waiting' : 'ordered',
    createdAt: at,
    updatedAt: at,
  }
  store.insert('starkTransfer', transfer)
  if (!isLeft) sendStarkTransfer(state, { account, transfer, outcome })
  if (outcome.kind === 'left_then_removed')
    schedule.add({
      task: 'remove_order',
      input: { accountId: account.id, id: transfer.transferId },
      afterMs: outcome.afterMs,
    })
  return { transfer }
}

/**
 * Finds why an order is refused. An externalId is "unique among all your transfers"; without one the bank refuses a transfer that
 * repeats amount and receiver on the same date (SDK, `externalId`).
 */
function findOrderRefusal(
  { store, now }: SimulatorState,
  { externalId, scheduled, amount, receiver }: StarkTransferOrder,
  { account, index }: Pick<OrderContext, 'account' | 'index'>,
): SimulatedResponse | null {
  const time = now()
  if (scheduled && new Date(scheduled) > time) return errors.scheduleUnsupported(index)
  if (externalId !== undefined)
    return findStarkTransfer(store, account.id, externalId) ? errors.duplicatedExternalId(index) : null
  const repeated = store.first(
    `SELECT 1 FROM starkTransfer
     WHERE accountId = ? AND cents = ? AND receiver = ? AND substr(createdAt, 1, 10) = ? AND state <> 'canceled'`,
    account.id,
    amount,
    JSON.stringify(receiver),
    time.toISOString().slice(0, 10),
  )
  return repeated ? errors.repeatedTransfer(index) : null
}

type SendOrder = { account: SimulatedAccount; transfer: StarkTransfer; outcome: ScriptedOutcome }

/** Orders the rail's transfer, or records and notifies that it failed. */
function sendStarkTransfer(state: SimulatorState, { account, transfer, outcome }: SendOrder): void {
  const { accounts, transfers, onRailEvent } = state
  const { key, name, taxId, ...bank } = JSON.parse(transfer.receiver) as StarkReceiver
  const { displayDescription } = JSON.parse(transfer.texts) as { displayDescription: string }
  const place = { ispb: bank.bankCode, branch: bank.branchCode, number: bank.accountNumber }
  const recipient = { key, name, document: taxId, ...(key === null ? { account: place, bank } : {}) }
  const magic = findMagicOutcome(recipient, transfer.cents)
  const request = {
    account,
    id: transfer.transferId,
    cents: transfer.cents,
    payerKey: accounts.listKeys(account.id)[0] ?? '',
    message: displayDescription || null,
    recipient,
    returnedCents: 'refused' in magic ? [] : magic.returnedCents,
  }
  // A PIX of an account to itself would be sent and received under one end-to-end id, so the simulator has none.
  const isOwnKey = key !== null && accounts.findByKey(key)?.id === account.id
  const refusedCode = isOwnKey ? 'invalidReceiver' : 'refused' in magic ? magic.refused : null
  const accepted =
    refusedCode === null &&
    transfers.accept({
      ...request,
      outcome: outcome.kind === 'settles' && 'outcome' in magic ? magic.outcome : outcome,
    })
  if (accepted && accepted.kind === 'accepted') return
  const code = refusedCode ?? errors.BALANCE_REASON
  const rejected = transfers.recordRejected({ ...request, outcome: { kind: 'rejected', code } })
  onRailEvent({ kind: 'transfer', account, transfer: rejected })
}

/** Creates a person's actions in the web banking on transfers that wait. */
export function createWaitingTransfers(state: SimulatorState) {
  const { accounts, store } = state
  const list = () =>
    store.all<StarkTransfer>(`SELECT * FROM starkTransfer WHERE state = 'waiting' ORDER BY number`)
  const find = (transferId: string) => list().find(transfer => transfer.transferId === transferId)
  return {
    list: () =>
      list().map(({ transferId: id, accountId, cents, receiver }) => ({
        id,
        accountId,
        cents,
        key: (JSON.parse(receiver) as StarkReceiver).key ?? '',
      })),
    /** Approves a transfer, which then settles or fails; undefined if it does not wait. */
    approve(id: string): boolean | undefined {
      const transfer = find(id)
      if (!transfer) return undefined
      return store.inTransaction(() => {
        store.run(`UPDATE starkTransfer SET state = 'ordered' WHERE number = ?`, transfer.number)
        const account = accounts.find(transfer.accountId)!
        sendStarkTransfer(state, { account, transfer, outcome: SETTLED_OUTCOME })
        return true
      })
    },
    /** Cancels a transfer, with a notification; false if it does not wait. */
    remove(id: string): boolean {
      const transfer = find(id)
      return transfer !== undefined && cancelStarkTransfer(state, { accountId: transfer.accountId, id })
    },
  }
}

/** Stores a transfer of Stark's API for every PIX that a person sent in the web banking: its lists show those too. */
export function adoptPanelTransfers(
  { store }: Pick<SimulatorState, 'store'>,
  account: SimulatedAccount,
): void {
  const unknown = store.all<SimulatedTransfer>(
    `SELECT transfer.* FROM transfer LEFT JOIN starkTransfer
       ON starkTransfer.accountId = transfer.accountId AND transferId = transfer.id
     WHERE transfer.accountId = ? AND isFromPanel = 1 AND number IS NULL ORDER BY transfer.rowid`,
    account.id,
  )
  for (const { id, accountId, cents, requestedAt } of unknown)
    store.insert('starkTransfer', {
      number: store.nextCount('starkTransfer'),
      accountId,
      transferId: id,
      externalId: null,
      verifiedAccountNumber: null,
      cents,
      receiver: JSON.stringify({
        ...PANEL_BANK,
        key: null,
        name: DEFAULT_RECIPIENT_NAME,
        taxId: DEFAULT_RECIPIENT_DOCUMENT,
      }),
      texts: JSON.stringify({ description: '', displayDescription: '', rules: [] }),
      tags: '[]',
      state: 'ordered',
      createdAt: requestedAt,
      updatedAt: requestedAt,
    })
}

const PANEL_BANK = {
  bankCode: '99999004',
  branchCode: '0001',
  accountNumber: '1234567',
  accountType: 'checking',
}
