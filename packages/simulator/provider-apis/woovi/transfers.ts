import type { z } from 'zod'
import type { SimulatedAccount } from '../../accounts.ts'
import type { CallFault, ConsumedFault } from '../../faults.ts'
import { findKeyHolder } from '../../key-holder.ts'
import {
  DEFAULT_RECIPIENT_DOCUMENT,
  DEFAULT_RECIPIENT_NAME,
  FRAUD_MARKED_KEY,
  findMagicOutcome,
  findRecipientFault,
  isUnknownMagicKey,
  type MagicOutcome,
  normalizeAccountNumber,
} from '../../magic-recipients.ts'
import { readPayableCode } from '../../payer/payable-codes.ts'
import { detectKeyKind } from '../../pix-key.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { type ScriptedOutcome, SETTLED_OUTCOME } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import type { SimulatedRecipient, TransferAcceptance } from '../../transfers.ts'
import { listCompanyAccounts } from './company.ts'
import * as errors from './errors.ts'
import { creditKeyCheck, findCheckedOwner } from './key-checks.ts'
import { buildWooviListPage } from './list-page.ts'
import { type PendingOrderKey, removeWooviOrder } from './order-removal.ts'
import { approvalBody, parseWooviBody, paymentBody } from './schemas.ts'
import { presentPendingPayment, presentWooviPayment, type WooviOrder } from './transfer-presenters.ts'

type WooviTransferHandlers = Record<
  'order' | 'approve' | 'show' | 'list',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
> &
  Record<'findOrderFault' | 'findApprovalFault', (call: SimulatedCall) => ConsumedFault<CallFault> | null>

/**
 * Creates the handlers of outgoing payments, `/payment`. An order waits; its approval, with the order or later, sends
 * it.
 */
export function createWooviTransferHandlers(state: SimulatorState): WooviTransferHandlers {
  const { listing, transfers, store } = state

  return {
    findOrderFault: ({ account, body }) => {
      const { data } = paymentBody.safeParse(body)
      if (!data?.autoApprove) return null
      const id = data.correlationID
      const key = data.type === 'PIX_KEY' ? data.destinationAlias : null
      const source = findSourceAccount(state, account, data.sourceAccountId) ?? account
      return findRecipientFault(store, { accountId: source.id, id, key })
    },
    findApprovalFault: ({ account, body }) => {
      const { data } = approvalBody.safeParse(body)
      const pending = data && findCompanyOrder(state, account, data.correlationID)
      if (!pending) return null
      const { id, key } = pending.order
      return findRecipientFault(store, { accountId: pending.account.id, id, key })
    },
    order: (call, outcome) => createOrder(state, call, outcome),
    approve: ({ account, body }, outcome) => {
      const parsed = parseWooviBody(approvalBody, body)
      if ('refusal' in parsed) return parsed.refusal
      const { correlationID: id } = parsed.value
      const pending = findCompanyOrder(state, account, id)
      if (pending)
        return sendApprovedOrder(state, {
          ...pending,
          outcome,
          insufficientBalance: errors.insufficientBalanceToApprove,
        })
      return findCompanyTransfer(state, account, id) ? errors.paymentNotPending() : errors.paymentNotFound()
    },
    show: ({ account, params }) => {
      const transfer = findCompanyTransfer(state, account, params.id!)
      if (transfer)
        return listing.isListed(transfer)
          ? { status: 200, body: presentWooviPayment(transfer) }
          : errors.paymentNotFound()
      const pending = findCompanyOrder(state, account, params.id!)
      return pending
        ? { status: 200, body: presentPendingPayment(pending.order, pending.account) }
        : errors.paymentNotFound()
    },
    list: call =>
      buildWooviListPage(call, {
        field: 'payments',
        between: range =>
          transfers.listBetween(call.account.id, range).filter(({ isFromPanel }) => isFromPanel === 0),
        present: presentWooviPayment,
      }),
  }
}

function createOrder(
  state: SimulatorState,
  { account: caller, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const parsed = parseWooviBody(paymentBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const account = findSourceAccount(state, caller, parsed.value.sourceAccountId)
  if (!account) return errors.accountIdInvalid()
  const { correlationID: id, comment, autoApprove } = parsed.value
  const target = readTarget(state, parsed.value)
  if ('refusal' in target) return target.refusal
  // The id is checked before any outcome: a repeat must not be refused for another reason.
  if (findCompanyTransfer(state, caller, id) || findCompanyOrder(state, caller, id))
    return errors.paymentIdInUse()
  const { pixKeyEndToEndId: checkEndToEnd } = parsed.value
  const order = { id, ...target, message: comment ?? null, checkEndToEnd: checkEndToEnd ?? null }
  creditKeyCheck(state, account, checkEndToEnd)
  if (autoApprove)
    return sendApprovedOrder(state, {
      account,
      order,
      outcome,
      insufficientBalance: errors.insufficientBalanceToOrder,
    })
  saveOrder(state, account, order)
  return { status: 200, body: presentPendingPayment(order, account) }
}

/** Reads where a payment goes, and its value; the refusal of a key that is none or marked for fraud, or of a code that cannot be paid. */
function readTarget(
  state: SimulatorState,
  body: z.output<typeof paymentBody>,
): Pick<WooviOrder, 'key' | 'recipient' | 'cents'> | { refusal: SimulatedResponse } {
  switch (body.type) {
    case 'PIX_KEY': {
      const { destinationAlias: key } = body
      if (detectKeyKind(key) !== body.destinationAliasType) return { refusal: errors.invalidKey() }
      if (key === FRAUD_MARKED_KEY) return { refusal: errors.keySuspectedOfFraud() }
      return { key, recipient: null, cents: body.value }
    }
    case 'MANUAL': {
      const { psp: ispb, holder, account } = body
      const place = { ispb, branch: account.branch, number: account.account }
      const recipient = { key: null, name: holder.name, document: holder.taxID.taxID, account: place }
      return { key: null, recipient: JSON.stringify(recipient), cents: body.value }
    }
    case 'QR_CODE': {
      const code = readPayableCode(state, body.qrCode)
      if (code.kind !== 'payable') return { refusal: errors.codeNotPayable() }
      // "Use this to override the value extracted from the QR Code, or to set a value for QR Codes without a fixed amount".
      const cents = body.value ?? code.cents
      if (cents === null) return { refusal: errors.codeNotPayable() }
      return { key: code.recipient.key, recipient: JSON.stringify(code.recipient), cents }
    }
  }
}

/** Finds the account that pays: of the company, the named one, or else the default. */
function findSourceAccount(
  { accounts }: SimulatorState,
  account: SimulatedAccount,
  sourceAccountId: string | undefined,
): SimulatedAccount | undefined {
  const company = listCompanyAccounts(accounts, account)
  return sourceAccountId === undefined ? company[0] : company.find(({ id }) => id === sourceAccountId)
}

/** Finds a payment of any account of the company: its id is unique in the company. */
function findCompanyTransfer({ accounts, transfers }: SimulatorState, account: SimulatedAccount, id: string) {
  return listCompanyAccounts(accounts, account)
    .map(one => transfers.find(one.id, id))
    .find(transfer => transfer !== undefined)
}

/** Finds an order of any account of the company that waits for approval. */
function findCompanyOrder(state: SimulatorState, account: SimulatedAccount, id: string) {
  return listCompanyAccounts(state.accounts, account).flatMap(one => {
    const order = findPendingOrder(state, one, id)
    return order ? [{ account: one, order }] : []
  })[0]
}

function saveOrder({ store }: SimulatorState, { id: accountId }: SimulatedAccount, order: WooviOrder): void {
  if (store.first('SELECT 1 FROM wooviPendingOrder WHERE accountId = ? AND id = ?', accountId, order.id))
    return
  store.insert('wooviPendingOrder', { accountId, ...order })
}

const ORDER_COLUMNS = 'id, cents, key, recipient, message, checkEndToEnd'

/** An order that waits for approval. */
type WooviPendingOrder = WooviOrder & { accountId: string }

/** Creates the panel's actions on orders that wait for approval. */
export function createPendingOrders(state: SimulatorState) {
  const { accounts, store } = state
  const find = (id: string) =>
    store.first<WooviPendingOrder>(
      `SELECT accountId, ${ORDER_COLUMNS} FROM wooviPendingOrder WHERE id = ?`,
      id,
    )
  return {
    list: () =>
      store
        .all<WooviPendingOrder>(`SELECT accountId, ${ORDER_COLUMNS} FROM wooviPendingOrder ORDER BY rowid`)
        .map(({ accountId, id, cents, key, message }) => ({ accountId, id, cents, key: key ?? '', message })),
    /** Approves an order; false if the provider refuses it, undefined if there is no such order. */
    approve(id: string): boolean | undefined {
      const pendingOrder = find(id)
      if (!pendingOrder) return undefined
      const { accountId, ...order } = pendingOrder
      const account = accounts.find(accountId)!
      const response = sendApprovedOrder(state, {
        account,
        order,
        outcome: SETTLED_OUTCOME,
        insufficientBalance: errors.insufficientBalanceToApprove,
      })
      return response.status < 300
    },
    /** Removes an order, with a notification; false if there is no such order. */
    remove(id: string): boolean {
      const order = find(id)
      return order !== undefined && removeWooviOrder(state, order)
    },
  }
}

type ApprovedOrder = {
  account: SimulatedAccount
  order: WooviOrder
  outcome: ScriptedOutcome
  insufficientBalance: () => SimulatedResponse
}

/**
 * Sends an approved order. A pending order stays pending if it is refused, as Woovi documents for one without
 * balance.
 */
function sendApprovedOrder(
  state: SimulatorState,
  { account, order, outcome, insufficientBalance }: ApprovedOrder,
): SimulatedResponse {
  const { accounts, transfers, store } = state
  const { id, cents, key, message } = order
  // A PIX of an account to itself would be sent and received under one end-to-end id, so the simulator has none.
  if (key !== null && accounts.findByKey(key)?.id === account.id)
    return recordFailedPayment(state, { account, order, code: 'SAME_ACCOUNT_TRANSFER' })
  if (key !== null && isUnknownMagicKey(key))
    return recordFailedPayment(state, { account, order, code: 'PIX_KEY_INFO_NOT_FOUND' })
  if (outcome.kind === 'left' || outcome.kind === 'left_then_removed') {
    saveOrder(state, account, order)
    if (outcome.kind === 'left_then_removed')
      scheduleRemoval(state, { account, order, afterMs: outcome.afterMs })
    return insufficientBalance()
  }
  const recipient = readRecipient(state, account, order)
  const magic = findSandboxOutcome(recipient) ?? findMagicOutcome(recipient, cents)
  if ('refused' in magic) return recordFailedPayment(state, { account, order, code: magic.refused })
  return store.inTransaction(() => {
    const accepted = transfers.accept({
      account,
      id,
      cents,
      message,
      returnedCents: magic.returnedCents,
      recipient,
      payerKey: accounts.listKeys(account.id)[0] ?? '',
      outcome: outcome.kind === 'settles' ? magic.outcome : outcome,
    })
    if (accepted.kind === 'accepted')
      store.run('DELETE FROM wooviPendingOrder WHERE accountId = ? AND id = ?', account.id, id)
    return accepted.kind === 'no_balance' ? insufficientBalance() : respondToTransfer(accepted)
  })
}

function readRecipient(
  state: SimulatorState,
  account: SimulatedAccount,
  { key, recipient, checkEndToEnd }: WooviOrder,
): SimulatedRecipient {
  if (recipient !== null) return JSON.parse(recipient) as SimulatedRecipient
  const owner = findCheckedOwner(state, account, { key: key!, checkEndToEnd })
  return { key, ...(owner ?? findKeyHolder(state.accounts, key!)) }
}

/** Codes of failures by the number of the recipient's account ("Simulação de Erros no Sandbox para pagamentos por agência e conta"). */
const SANDBOX_FAILURES = new Map([
  ['1111111', 'ACCOUNT_NOT_FOUND'],
  ['2222222', 'NOT_ENOUGH_BALANCE'],
  ['3333333', 'ACCOUNT_TRANSACTION_BLOCKED_BY_MED'],
  ['4444444', 'INVALID_PIX_KEY'],
  ['5555555', 'REACH_TRANSFER_LIMIT'],
  ['6666666', 'SAME_ACCOUNT_TRANSFER'],
  ['7777777', 'TRANSACTION_NOT_FOUND'],
  ['8888888', 'ACCOUNT_LIMIT_ERROR'],
  ['9999999', 'PAY_PIX_KEY_ERROR'],
])

/** Finds how a payment to an account of the sandbox fails after it was accepted; undefined for any other. */
function findSandboxOutcome({ account }: SimulatedRecipient): MagicOutcome | undefined {
  const code = account && SANDBOX_FAILURES.get(normalizeAccountNumber(account.number))
  return code === undefined ? undefined : { outcome: { kind: 'rejected', code }, returnedCents: [] }
}

function scheduleRemoval(
  { schedule }: SimulatorState,
  { account, order, afterMs }: { account: SimulatedAccount; order: WooviOrder; afterMs: number },
): void {
  const input: PendingOrderKey = { accountId: account.id, id: order.id }
  schedule.add({ task: 'remove_order', input, afterMs })
}

/** Records a payment that fails for a reason that Woovi documents for payments, not for refused requests. */
function recordFailedPayment(
  state: SimulatorState,
  { account, order, code }: { account: SimulatedAccount; order: WooviOrder; code: string },
): SimulatedResponse {
  const { accounts, transfers, store } = state
  return store.inTransaction(() => {
    const { id, cents, key, message } = order
    const defaultRecipient = { key, name: DEFAULT_RECIPIENT_NAME, document: DEFAULT_RECIPIENT_DOCUMENT }
    const failed = transfers.recordRejected({
      account,
      id,
      cents,
      message,
      returnedCents: [],
      recipient: order.recipient === null ? defaultRecipient : readRecipient(state, account, order),
      payerKey: accounts.listKeys(account.id)[0] ?? '',
      outcome: { kind: 'rejected', code },
    })
    store.run('DELETE FROM wooviPendingOrder WHERE accountId = ? AND id = ?', account.id, id)
    return { status: 200, body: presentWooviPayment(failed) }
  })
}

function respondToTransfer(accepted: Exclude<TransferAcceptance, { kind: 'no_balance' }>): SimulatedResponse {
  switch (accepted.kind) {
    case 'accepted':
      return { status: 200, body: presentWooviPayment(accepted.transfer) }
    case 'id_in_use':
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
    `SELECT ${ORDER_COLUMNS} FROM wooviPendingOrder WHERE accountId = ? AND id = ?`,
    account.id,
    id,
  )
}
