import { z } from 'zod'
import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import { findRecipientFault } from '../../magic-recipients.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { createBatch } from './create-batch.ts'
import { decryptAccountKey, findKeyOwner } from './dict-keys.ts'
import * as errors from './errors.ts'
import { buildStarkId, parseStarkId } from './ids.ts'
import { buildStarkListPage, createStarkLogHandlers, readFirstTag } from './list-page.ts'
import { cancelStarkTransfer } from './pending-transfers.ts'
import { parseStarkBody, transferBody, verifiedTransferBody } from './schemas.ts'
import { acceptStarkTransfer, adoptPanelTransfers, type StarkTransferOrder } from './transfer-orders.ts'
import {
  findTransferStatus,
  listTransferLogs,
  listTransferTransactionIds,
  presentStarkTransfer,
  presentTransferLog,
  presentVerifiedTransfer,
  readTransferChangedAt,
  type StarkReceiver,
  type StarkTransfer,
  type StarkTransferView,
} from './transfer-presenters.ts'
import { findVerifiedAccount, findVerifiedStatus, type StarkVerifiedAccount } from './verified-accounts.ts'

type StarkTransferHandlers = Record<
  | 'create'
  | 'createVerified'
  | 'list'
  | 'listVerified'
  | 'show'
  | 'showVerified'
  | 'cancel'
  | 'listLogs'
  | 'showLog',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
> & { findMagicFault(call: SimulatedCall): ConsumedFault<CallFault> | null }

/** What a magic recipient needs of an order to a verified account; a constant, because creating a schema is expensive. */
const verifiedOrderSchema = z.object({
  transfers: z.array(z.object({ accountId: z.string(), externalId: z.string().optional() })).length(1),
})

/**
 * Creates the handlers of `/transfer` and `/verified-transfer`. A verified transfer is a transfer, and found as one (the SDK's test of
 * verified transfers).
 */
export function createStarkTransferHandlers(state: SimulatorState): StarkTransferHandlers {
  const { store, accounts, now } = state
  const list = (call: SimulatedCall, present: PresentTransfer) =>
    buildStarkListPage(call, {
      field: 'transfers',
      list: () =>
        listViews(state, call)
          .filter(({ transfer }) => present !== presentVerifiedTransfer || isVerified(transfer))
          .map(toListItem),
      matches: ({ view }, { taxId, transactionIds }) =>
        (taxId === undefined || readReceiver(view.transfer).taxId === taxId) &&
        (!transactionIds || listTransferTransactionIds(store, view).some(id => transactionIds.includes(id))),
      present: ({ view }) => present(store, view),
    })

  const show = (call: SimulatedCall, present: PresentTransfer): SimulatedResponse => {
    const view = findView(state, call)
    const isFound = view && (present !== presentVerifiedTransfer || isVerified(view.transfer))
    return isFound
      ? { status: 200, body: { transfer: present(store, view) } }
      : errors.starkNotFound('Transfer')
  }

  const listLogs = (call: SimulatedCall) =>
    listLoggedViews(state, call).flatMap(view => {
      const objectId = buildStarkId('transfer', view.transfer.number)
      return listTransferLogs(store, view).map(log => ({ ...log, objectId }))
    })

  return {
    findMagicFault: ({ account, body }) => {
      const order = verifiedOrderSchema.safeParse(body).data?.transfers[0]
      const one = order && findVerifiedAccount(store, account.id, order.accountId)
      return one
        ? findRecipientFault(store, { accountId: account.id, id: order.externalId ?? '', key: one.key })
        : null
    },
    create: (call, outcome) => {
      const parsed = parseStarkBody(transferBody, call.body)
      if ('refusal' in parsed) return parsed.refusal
      const orders = parsed.value.transfers.map(order => {
        const { taxId, name, bankCode, branchCode, accountNumber, accountType, ...others } = order
        const bank = { bankCode, branchCode, accountNumber, accountType }
        const key = decryptAccountKey(accountNumber)
        return { ...others, verifiedAccountNumber: null, receiver: { key, name, taxId, ...bank } }
      })
      return acceptAll(state, call, { orders, outcome, present: presentStarkTransfer })
    },
    createVerified: (call, outcome) => {
      const parsed = parseStarkBody(verifiedTransferBody, call.body)
      if ('refusal' in parsed) return parsed.refusal
      const orders: StarkTransferOrder[] = []
      for (const [index, { accountId, accountType, ...others }] of parsed.value.transfers.entries()) {
        const one = findVerifiedAccount(store, call.account.id, accountId)
        if (!one) return errors.accountUnknown(index)
        if (findVerifiedStatus(one, now()) !== 'active') return errors.accountNotActive(index)
        const receiver = buildVerifiedReceiver(one, findKeyOwner(accounts, one.key ?? ''))
        orders.push({
          ...others,
          verifiedAccountNumber: one.number,
          receiver: { ...receiver, ...(accountType ? { accountType } : {}) },
        })
      }
      return acceptAll(state, call, { orders, outcome, present: presentVerifiedTransfer })
    },
    list: call => list(call, presentStarkTransfer),
    listVerified: call => (readsVerified(call) ? list(call, presentVerifiedTransfer) : unknownRoute()),
    show: call => show(call, presentStarkTransfer),
    showVerified: call => (readsVerified(call) ? show(call, presentVerifiedTransfer) : unknownRoute()),
    cancel: call => {
      const view = findView(state, call)
      if (!view) return errors.starkNotFound('Transfer')
      const key = { accountId: call.account.id, id: view.transfer.transferId }
      return cancelStarkTransfer(state, key) ? show(call, presentStarkTransfer) : errors.transferProcessed()
    },
    ...createStarkLogHandlers({
      entity: 'Transfer',
      filter: 'transferIds',
      list: listLogs,
      present: log => presentTransferLog(log),
    }),
  }
}

type PresentTransfer = typeof presentStarkTransfer | typeof presentVerifiedTransfer

function isVerified({ verifiedAccountNumber }: StarkTransfer): boolean {
  return verifiedAccountNumber !== null
}

const unknownRoute = errors.starkFailures.unknownRoute

function readsVerified({ account }: SimulatedCall): boolean {
  return readAccountOptions(account).verified_transfer_reads === 'served'
}

function readReceiver({ receiver }: StarkTransfer): StarkReceiver {
  return JSON.parse(receiver) as StarkReceiver
}

function toListItem(view: StarkTransferView) {
  const { transfer } = view
  return {
    id: buildStarkId('transfer', transfer.number),
    createdAt: transfer.createdAt,
    updatedAt: readTransferChangedAt(view),
    tags: JSON.parse(transfer.tags) as string[],
    status: findTransferStatus(view),
    view,
  }
}

/** Lists the transfers that lists show, oldest first; by the request's first tag, because there may be thousands. */
function listViews(state: SimulatorState, call: SimulatedCall): StarkTransferView[] {
  const { account } = call
  adoptPanelTransfers(state, account)
  return state.store
    .all<StarkTransfer>(
      'SELECT * FROM starkTransfer WHERE accountId = ? AND instr(tags, ?) > 0 ORDER BY number',
      account.id,
      readFirstTag(call),
    )
    .flatMap(transfer => toListedView(state, transfer) ?? [])
}

/** Lists the transfers whose logs are requested: those of `transferIds`, or all. */
function listLoggedViews(state: SimulatorState, call: SimulatedCall): StarkTransferView[] {
  const ids = call.query.get('transferIds')?.split(',')
  if (!ids) return listViews(state, call)
  return ids.flatMap(id => findView(state, { ...call, params: { id } }) ?? [])
}

function findView(state: SimulatorState, { account, params }: SimulatedCall): StarkTransferView | undefined {
  adoptPanelTransfers(state, account)
  const transfer = state.store.first<StarkTransfer>(
    'SELECT * FROM starkTransfer WHERE accountId = ? AND number = ?',
    account.id,
    parseStarkId('transfer', params.id!),
  )
  return transfer && toListedView(state, transfer)
}

function toListedView(
  { transfers, listing }: SimulatorState,
  transfer: StarkTransfer,
): StarkTransferView | undefined {
  const sent = transfers.find(transfer.accountId, transfer.transferId)
  return sent && !listing.isListed(sent) ? undefined : { transfer, sent }
}

/** Builds the receiver of a transfer to a verified account; of a key the account that DICT has for it. */
function buildVerifiedReceiver(
  { key, taxId, bank }: StarkVerifiedAccount,
  owner: ReturnType<typeof findKeyOwner>,
): StarkReceiver {
  if (key === null) {
    const { number, type, ...others } = JSON.parse(bank) as Record<
      'bankCode' | 'branchCode' | 'number' | 'name' | 'type',
      string
    >
    return { key, taxId, ...others, accountNumber: number, accountType: type }
  }
  const account = {
    bankCode: owner.ispb,
    branchCode: '0001',
    accountNumber: '123456',
    accountType: 'checking',
  }
  return { key, taxId, name: owner.name, ...account }
}

type AcceptedOrders = { orders: StarkTransferOrder[]; outcome: ScriptedOutcome; present: PresentTransfer }

/** Accepts every transfer of a request, or none. The answer shows each as `created`, whatever has become of it already. */
function acceptAll(
  state: SimulatorState,
  { account }: { account: SimulatedAccount },
  { orders, outcome, present }: AcceptedOrders,
): SimulatedResponse {
  const transfers = createBatch(state.store, orders, (order, index) => {
    const accepted = acceptStarkTransfer(state, order, { account, index, outcome })
    if ('refusal' in accepted) return accepted
    return present(state.store, { transfer: accepted.transfer, sent: undefined })
  })
  if ('refusal' in transfers) return transfers.refusal
  return { status: 200, body: { message: 'Transfer(s) successfully created', transfers } }
}
