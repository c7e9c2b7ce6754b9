import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { computeReceiptRefundableCents } from '../../refunds.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { buildStarkId } from './ids.ts'
import { buildStarkListPage, createStarkLogHandlers, readFirstTag } from './list-page.ts'
import {
  findReceiptByNumber,
  listDepositTags,
  listNumberedReceipts,
  listReceiptLogs,
  type NumberedReceipt,
  presentDeposit,
  presentReceiptLog,
} from './received-pix.ts'
import { depositChangeBody, parseStarkBody } from './schemas.ts'

type StarkDepositHandlers = Record<
  'list' | 'show' | 'update' | 'listLogs' | 'showLog',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** Creates the handlers of received PIX, `/deposit`. */
export function createStarkDepositHandlers(state: SimulatorState): StarkDepositHandlers {
  const { refunds, store } = state
  const present = (account: SimulatedAccount, receipt: NumberedReceipt) =>
    presentDeposit(store, { account, receipt, refunds: refunds.listListedByReceipt(receipt) })

  const listDeposits = (account: SimulatedAccount) =>
    listNumberedReceipts(store, account.id).filter(receipt => isListedDeposit(state, account, receipt))

  const findDeposit = ({ account, params }: SimulatedCall) => {
    const receipt = findReceiptByNumber(store, account.id, params.id!)
    return receipt && isListedDeposit(state, account, receipt) ? receipt : undefined
  }

  const listLogs = ({ account }: SimulatedCall) =>
    listDeposits(account).flatMap(receipt => {
      const objectId = buildStarkId('deposit', receipt.number)
      const logs = listReceiptLogs(
        { receipt, refunds: refunds.listListedByReceipt(receipt) },
        {
          objectId,
          firstTypes: ['created', 'credited'],
          view: earlier => presentDeposit(store, { account, receipt, refunds: earlier }),
        },
      )
      return logs.map(log => ({ ...log, objectId }))
    })

  return {
    list: call =>
      buildStarkListPage(call, {
        field: 'deposits',
        list: () =>
          listNumberedReceipts(store, call.account.id, { tag: readFirstTag(call) }).map(receipt => ({
            id: buildStarkId('deposit', receipt.number),
            createdAt: receipt.at,
            // Found only where a filter needs it: there may be thousands.
            get tags() {
              return listDepositTags(store, call.account, receipt)
            },
            status: 'created',
            receipt,
          })),
        matches: ({ receipt }) => isListedDeposit(state, call.account, receipt),
        present: ({ receipt }) => present(call.account, receipt),
      }),
    show: call => {
      const receipt = findDeposit(call)
      return receipt
        ? { status: 200, body: { deposit: present(call.account, receipt) } }
        : errors.starkNotFound('Deposit')
    },
    update: (call, outcome) => {
      const parsed = parseStarkBody(depositChangeBody, call.body)
      if ('refusal' in parsed) return parsed.refusal
      const receipt = findDeposit(call)
      if (!receipt) return errors.starkNotFound('Deposit')
      const { amount, reversalDisplayDescription } = parsed.value
      const refusal = reverseTo(state, { receipt, amount, description: reversalDisplayDescription, outcome })
      if (refusal) return refusal
      const deposit = presentDeposit(store, {
        account: call.account,
        receipt,
        refunds: refunds.listByReceipt(receipt),
      })
      return { status: 200, body: { message: 'Deposit successfully updated', deposit } }
    },
    ...createStarkLogHandlers({
      entity: 'Deposit',
      filter: 'depositIds',
      list: listLogs,
      present: log => presentReceiptLog('deposit', log),
    }),
  }
}

/** Whether lists show a PIX as a deposit. The deposit of an invoice, where there is one, is shown before the invoice is paid. */
function isListedDeposit(
  { listing }: SimulatorState,
  account: SimulatedAccount,
  receipt: NumberedReceipt,
): boolean {
  // The payment of an invoice is no deposit: deposits are "passive cash-in".
  if (receipt.paysInvoice && !readAccountOptions(account).invoice_deposits) return false
  return listing.isListed(receipt) || receipt.paysInvoice === 1
}

type Reversal = {
  receipt: NumberedReceipt
  /** What is to remain, in centavos. */
  amount: number
  description: string | undefined
  outcome: ScriptedOutcome
}

/**
 * Reverses a received PIX down to an amount; null, or the refusal. "The amount can only be decreased": the same amount again is refused,
 * and so no repeat reverses twice.
 */
export function reverseTo(
  { ids, refunds }: SimulatorState,
  { receipt, amount, description, outcome }: Reversal,
): SimulatedResponse | null {
  const { accountId, endToEnd } = receipt
  const cents = computeReceiptRefundableCents(receipt, refunds.listByReceipt(receipt)) - amount
  if (cents <= 0) return errors.amountNotDecreased()
  const accepted = refunds.accept({ accountId, endToEnd, id: ids.panelId(), cents, description, outcome })
  switch (accepted.kind) {
    case 'accepted':
      return null
    case 'too_late':
      return errors.reversalTooLate()
    case 'over_the_receipt':
      return errors.amountNotDecreased()
    case 'no_such_receipt':
    case 'id_in_use':
      throw new Error('the reversal of a stored PIX has a new id')
    default:
      return accepted satisfies never
  }
}
