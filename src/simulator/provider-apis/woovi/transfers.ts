import { detectDocumentKind } from '../../../domain/pix/document.ts'
import { detectPixKeyType } from '../../../domain/pix-keys/pix-key.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import {
  DEFAULT_RECIPIENT_DOCUMENT,
  DEFAULT_RECIPIENT_NAME,
  findMagicOutcome,
  findRecipientFault,
} from '../../magic-recipients.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { type ScriptedOutcome, SETTLED_OUTCOME } from '../../rail-events.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient, TransferAcceptance } from '../../transfers.ts'
import * as errors from './errors.ts'
import { buildWooviListPage } from './list-page.ts'
import { type PendingOrderKey, removeWooviOrder } from './order-removal.ts'
import { approvalBody, parseWooviBody, paymentBody } from './schemas.ts'
import { presentPendingPayment, presentWooviPayment, type WooviOrder } from './transfer-presenters.ts'

type WooviTransferHandlers = Record<
  'order' | 'approve' | 'show' | 'list',
  (call: SimulatedCall, fate: ScriptedOutcome) => SimulatedResponse
> &
  Record<'magicOfOrder' | 'magicOfApproval', (call: SimulatedCall) => ConsumedFault<CallFault> | null>

/** Payments out: `/payment`. Ordered, they wait; approved, by themselves or with the order, they are sent. */
export function createWooviTransferHandlers(world: SimulatorState): WooviTransferHandlers {
  const { transfers: sendings, store } = world

  return {
    magicOfOrder: ({ account, body }) => {
      const { data } = paymentBody.safeParse(body)
      if (!data?.autoApprove) return null
      const { correlationID: id, destinationAlias: key } = data
      return findRecipientFault(store, { accountId: account.id, id, key })
    },
    magicOfApproval: ({ account, body }) => {
      const { data } = approvalBody.safeParse(body)
      const order = data && findPendingOrder(world, account, data.correlationID)
      return order ? findRecipientFault(store, { accountId: account.id, id: order.id, key: order.key }) : null
    },
    order: (call, fate) => createOrder(world, call, fate),
    approve: ({ account, body }, fate) => {
      const asked = parseWooviBody(approvalBody, body)
      if ('refusal' in asked) return asked.refusal
      const { correlationID: id } = asked.value
      const order = findPendingOrder(world, account, id)
      if (order)
        return sendApprovedOrder(world, {
          account,
          order,
          outcome: fate,
          insufficientBalance: errors.insufficientBalanceToApprove,
        })
      return sendings.find(account.id, id) ? errors.paymentNotPending() : errors.paymentNotFound()
    },
    show: ({ account, params }) => {
      const sending = sendings.find(account.id, params.id!)
      if (sending) return { status: 200, body: presentWooviPayment(sending) }
      const order = findPendingOrder(world, account, params.id!)
      return order ? { status: 200, body: presentPendingPayment(order, account) } : errors.paymentNotFound()
    },
    list: call =>
      buildWooviListPage(call, {
        field: 'payments',
        between: range =>
          sendings.listBetween(call.account.id, range).filter(({ isFromPanel }) => isFromPanel === 0),
        present: presentWooviPayment,
      }),
  }
}

function createOrder(
  world: SimulatorState,
  { account, body }: SimulatedCall,
  fate: ScriptedOutcome,
): SimulatedResponse {
  const asked = parseWooviBody(paymentBody, body)
  if ('refusal' in asked) return asked.refusal
  const { correlationID: id, value: cents, destinationAlias: key, comment, autoApprove } = asked.value
  if (toAliasType(key) !== asked.value.destinationAliasType) return errors.invalidKey()
  // What was taken before keeps its id, whatever this request would come to.
  if (world.transfers.find(account.id, id) || findPendingOrder(world, account, id))
    return errors.paymentIdInUse()
  const order = { id, cents, key, message: comment ?? null }
  if (autoApprove)
    return sendApprovedOrder(world, {
      account,
      order,
      outcome: fate,
      insufficientBalance: errors.insufficientBalanceToOrder,
    })
  saveOrder(world, account, order)
  return { status: 200, body: presentPendingPayment(order, account) }
}

function saveOrder({ store }: SimulatorState, { id: accountId }: SimulatedAccount, order: WooviOrder): void {
  if (store.first('SELECT 1 FROM wooviPayment WHERE accountId = ? AND id = ?', accountId, order.id)) return
  store.insert('wooviPayment', { accountId, ...order })
}

/** An order that waits for its approval, and whose it is. */
export type WooviPendingOrder = WooviOrder & { accountId: string }

/** What a person may do in the provider's panel with the orders that wait for an approval. */
export function createPendingOrders(world: SimulatorState) {
  const { accounts, store } = world
  const find = (id: string) =>
    store.first<WooviPendingOrder>(
      'SELECT accountId, id, cents, key, message FROM wooviPayment WHERE id = ?',
      id,
    )
  return {
    list: () =>
      store.all<WooviPendingOrder>(
        'SELECT accountId, id, cents, key, message FROM wooviPayment ORDER BY rowid',
      ),
    /** Sends an order's money; the provider may refuse. Undefined where no such order waits. */
    approve(id: string): SimulatedResponse | undefined {
      const found = find(id)
      if (!found) return undefined
      const { accountId, ...order } = found
      const account = accounts.find(accountId)!
      return sendApprovedOrder(world, {
        account,
        order,
        outcome: SETTLED_OUTCOME,
        insufficientBalance: errors.insufficientBalanceToApprove,
      })
    },
    /** Whether an order was there and is gone, which Woovi notifies. */
    remove(id: string): boolean {
      const found = find(id)
      return found !== undefined && removeWooviOrder(world, found)
    },
  }
}

type ApprovedOrder = {
  account: SimulatedAccount
  order: WooviOrder
  outcome: ScriptedOutcome
  insufficientBalance: () => SimulatedResponse
}

/** A refused payment that waited goes on waiting, as Woovi documents for one without balance. */
function sendApprovedOrder(
  world: SimulatorState,
  { account, order, outcome: fate, insufficientBalance: noBalance }: ApprovedOrder,
): SimulatedResponse {
  const { accounts, transfers: sendings, store } = world
  const { id, cents, key, message } = order
  // So no PIX is ever sent and received by one account, and its id never means both.
  if (accounts.findByKey(key)?.id === account.id)
    return recordFailedPayment(world, { account, order, code: 'SAME_ACCOUNT_TRANSFER' })
  if (fate.kind === 'left' || fate.kind === 'left_then_removed') {
    saveOrder(world, account, order)
    if (fate.kind === 'left_then_removed') scheduleRemoval(world, { account, order, afterMs: fate.afterMs })
    return noBalance()
  }
  const magic = findMagicOutcome(key, cents)
  if ('refused' in magic) return recordFailedPayment(world, { account, order, code: magic.refused })
  return store.inTransaction(() => {
    const accepted = sendings.accept({
      ...{ account, id, cents, message, returnedCents: magic.returnedCents },
      recipient: buildRecipient(world, key),
      payerKey: accounts.listKeys(account.id)[0] ?? '',
      outcome: fate.kind === 'settles' ? magic.outcome : fate,
    })
    if (accepted.kind === 'accepted')
      store.run('DELETE FROM wooviPayment WHERE accountId = ? AND id = ?', account.id, id)
    return accepted.kind === 'no_balance' ? noBalance() : respondToTransfer(accepted)
  })
}

function scheduleRemoval(
  { schedule }: SimulatorState,
  { account, order, afterMs }: { account: SimulatedAccount; order: WooviOrder; afterMs: number },
): void {
  const subject: PendingOrderKey = { accountId: account.id, id: order.id }
  schedule.add({ task: 'remove_order', subject, afterMs })
}

/** A payment that fails for a reason which Woovi documents for payments, and not for requests that it refuses. */
function recordFailedPayment(
  { accounts, transfers: sendings, store }: SimulatorState,
  { account, order, code }: { account: SimulatedAccount; order: WooviOrder; code: string },
): SimulatedResponse {
  return store.inTransaction(() => {
    const { id, cents, key, message } = order
    const failed = sendings.recordRejected({
      ...{ account, id, cents, message, returnedCents: [] },
      recipient: { key, name: DEFAULT_RECIPIENT_NAME, document: DEFAULT_RECIPIENT_DOCUMENT },
      payerKey: accounts.listKeys(account.id)[0] ?? '',
      outcome: { kind: 'rejected', code },
    })
    store.run('DELETE FROM wooviPayment WHERE accountId = ? AND id = ?', account.id, id)
    return { status: 200, body: presentWooviPayment(failed) }
  })
}

function respondToTransfer(accepted: Exclude<TransferAcceptance, { kind: 'no_balance' }>): SimulatedResponse {
  switch (accepted.kind) {
    case 'accepted':
      return { status: 200, body: presentWooviPayment(accepted.sending) }
    case 'id_taken':
      return errors.paymentIdInUse()
    default:
      return accepted satisfies never
  }
}

function findPendingOrder(
  { store }: SimulatorState,
  account: SimulatedAccount,
  id: string,
): WooviOrder | undefined {
  return store.first<WooviOrder>(
    'SELECT id, cents, key, message FROM wooviPayment WHERE accountId = ? AND id = ?',
    account.id,
    id,
  )
}

function buildRecipient({ accounts }: SimulatorState, key: string): SimulatedRecipient {
  const holder = accounts.findByKey(key)
  const own = detectPixKeyType(key) === 'DOCUMENT' ? key : DEFAULT_RECIPIENT_DOCUMENT
  return { key, name: holder?.holderName ?? DEFAULT_RECIPIENT_NAME, document: holder?.holderDocument ?? own }
}

function toAliasType(key: string): string | null {
  const type = detectPixKeyType(key)
  return type === 'DOCUMENT' ? detectDocumentKind(key) : type
}
