import type { SimulatedAccount } from '../../accounts.ts'
import { getBrazilianDayStart } from '../../brazilian-day.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { ScriptedOutcome } from '../../scripted-outcome.ts'
import type { SimulatorState } from '../../state.ts'
import { reverseTo } from './deposits.ts'
import { buildInvoiceDue } from './due-terms.ts'
import { issueStarkCharge, listCharges } from './dynamic-brcodes.ts'
import * as errors from './errors.ts'
import { buildStarkId, parseStarkId } from './ids.ts'
import {
  findInvoiceStatus,
  type InvoicePayment,
  listInvoiceLogs,
  presentInvoice,
  presentInvoicePayment,
  type StarkInvoice,
} from './invoice-presenters.ts'
import { buildStarkListPage, createStarkLogHandlers, readFirstTag } from './list-page.ts'
import {
  findFirstReceipt,
  presentReceiptLog,
  readChargeDetails,
  type StarkInvoiceDetails,
} from './received-pix.ts'
import { invoiceBody, invoiceChangeBody, parseStarkBody, readAllowedDocuments } from './schemas.ts'

type StarkInvoiceHandlers = Record<
  'create' | 'list' | 'show' | 'update' | 'showPayment' | 'listLogs' | 'showLog',
  (call: SimulatedCall, outcome: ScriptedOutcome) => SimulatedResponse
>

/** "2 days after creation". */
const DEFAULT_DUE_MS = 2 * 86_400_000

/** Creates the handlers of invoices, `/invoice`. */
export function createStarkInvoiceHandlers(state: SimulatorState): StarkInvoiceHandlers {
  const { store, now } = state
  const view = (invoice: StarkInvoice) => ({
    store,
    payment: findListedPayment(state, invoice),
    now: now(),
  })
  const present = (invoice: StarkInvoice) => presentInvoice(invoice, view(invoice))
  const listInvoices = (account: SimulatedAccount, tag?: string) =>
    listCharges(state, account, tag).filter(charge => readChargeDetails(charge).product === 'invoice')
  const listLogs = ({ account }: SimulatedCall) =>
    listInvoices(account).flatMap(invoice =>
      listInvoiceLogs(invoice, view(invoice)).map(log => ({
        ...log,
        objectId: buildStarkId('invoice', invoice.number),
      })),
    )

  return {
    create: (call, outcome) => createInvoices(state, call, outcome),
    list: call =>
      buildStarkListPage(call, {
        field: 'invoices',
        list: () =>
          listInvoices(call.account, readFirstTag(call)).map(invoice => ({
            id: buildStarkId('invoice', invoice.number),
            createdAt: invoice.createdAt,
            tags: readChargeDetails(invoice).tags,
            get status() {
              const isPaid = findListedPayment(state, invoice) !== null
              return findInvoiceStatus(invoice, { isPaid, now: now() })
            },
            invoice,
          })),
        present: ({ invoice }) => present(invoice),
      }),
    show: call => {
      const invoice = findInvoice(state, call)
      return invoice ? { status: 200, body: { invoice: present(invoice) } } : errors.starkNotFound('Invoice')
    },
    update: (call, outcome) => updateInvoice(state, call, outcome),
    showPayment: call => {
      const invoice = findInvoice(state, call)
      if (!invoice) return errors.starkNotFound('Invoice')
      const payment = findListedPayment(state, invoice)
      return payment
        ? { status: 200, body: { payment: presentInvoicePayment(payment.receipt) } }
        : errors.notPaid()
    },
    ...createStarkLogHandlers({
      entity: 'Invoice',
      filter: 'invoiceIds',
      list: listLogs,
      present: log => presentReceiptLog('invoice', log),
    }),
  }
}

function findInvoice(
  { store }: SimulatorState,
  { account, params }: SimulatedCall,
): StarkInvoice | undefined {
  const charge = store.first<StarkInvoice>(
    'SELECT rowid AS number, * FROM charge WHERE accountId = ? AND rowid = ?',
    account.id,
    parseStarkId('invoice', params.id!),
  )
  return charge && readChargeDetails(charge).product === 'invoice' ? charge : undefined
}

/** Finds the payment of an invoice as look-ups do: null while the lists do not contain it. */
function findListedPayment(
  { receipts, refunds }: SimulatorState,
  { accountId, txid }: StarkInvoice,
): InvoicePayment | null {
  const receipt = receipts.listByTxid(accountId, txid)[0]
  return receipt ? { receipt, refunds: refunds.listListedByReceipt(receipt) } : null
}

function createInvoices(
  state: SimulatorState,
  { account, body }: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { store, now } = state
  const parsed = parseStarkBody(invoiceBody, body)
  if ('refusal' in parsed) return parsed.refusal
  const issued = store.inTransaction(() =>
    parsed.value.invoices.map(({ amount, displayDescription, splits: _, ...order }) => {
      const due = readDue(order.due) ?? new Date(now().getTime() + DEFAULT_DUE_MS).toISOString()
      const details: StarkInvoiceDetails = {
        ...order,
        product: 'invoice',
        due,
        isScheduled: isDay(order.due),
        discounts: order.discounts.map(one => ({ ...one, due: readTime(one.due) })),
        allowedDocuments: readAllowedDocuments(order.rules),
        solicitacaoPagador: displayDescription,
      }
      const expiresInSeconds = computeExpiresIn(now(), details)
      return issueStarkCharge(state, {
        account,
        outcome,
        cents: amount,
        expiresInSeconds,
        details,
        due: buildInvoiceDue(details, { cents: amount, expiresInSeconds }),
      })
    }),
  )
  const txids = new Set(issued.map(({ txid }) => txid))
  const invoices = listCharges(state, account).filter(({ txid }) => txids.has(txid))
  return {
    status: 200,
    body: {
      message: 'Invoice(s) successfully created',
      invoices: invoices.map(invoice => ({
        ...presentInvoice(invoice, { store, payment: null, now: now() }),
        status: 'created',
      })),
    },
  }
}

/** Reads a due time, ISO 8601 UTC. */
function readDue(due: string | undefined): string | undefined {
  return due && readTime(due)
}

/** Reads a time; a day is its last millisecond in Brasília, as days of Stark's answers are ("2026-03-18T02:59:59.999999+00:00"). */
function readTime(text: string): string {
  return new Date(isDay(text) ? getBrazilianDayStart(text) + 86_400_000 - 1 : text).toISOString()
}

function isDay(text: string | undefined): boolean {
  return text !== undefined && !text.includes('T')
}

function computeExpiresIn(
  createdAt: Date,
  { due, expiration }: Pick<StarkInvoiceDetails, 'due' | 'expiration'>,
) {
  return Math.max(0, Math.ceil((Date.parse(due) - createdAt.getTime()) / 1000) + expiration)
}

/**
 * Cancels or changes an invoice that is not paid. Of a paid one "only the amount can be decreased, which will result in a payment
 * reversal".
 */
function updateInvoice(
  state: SimulatorState,
  call: SimulatedCall,
  outcome: ScriptedOutcome,
): SimulatedResponse {
  const { charges, refunds, store, now } = state
  const parsed = parseStarkBody(invoiceChangeBody, call.body)
  if ('refusal' in parsed) return parsed.refusal
  const invoice = findInvoice(state, call)
  if (!invoice) return errors.starkNotFound('Invoice')
  const { amount, due, expiration, status } = parsed.value
  const respond = (changed: StarkInvoice, payment: InvoicePayment | null): SimulatedResponse => ({
    status: 200,
    body: {
      message: 'Invoice successfully updated',
      invoice: presentInvoice(changed, { store, payment, now: now() }),
    },
  })
  const receipt = findFirstReceipt(store, invoice)
  if (receipt) {
    if (amount === undefined || status || due || expiration !== undefined) return errors.paidOnce()
    const refusal = reverseTo(state, { receipt, amount, description: undefined, outcome })
    return refusal ?? respond(invoice, { receipt, refunds: refunds.listByReceipt(receipt) })
  }
  const details = readChargeDetails<StarkInvoiceDetails>(invoice)
  const changedTimes = {
    due: readDue(due) ?? details.due,
    isScheduled: due === undefined ? details.isScheduled : isDay(due),
    expiration: expiration ?? details.expiration,
  }
  const cents = amount ?? invoice.cents
  const expiresInSeconds = computeExpiresIn(new Date(invoice.createdAt), changedTimes)
  const terms = buildInvoiceDue({ ...details, ...changedTimes }, { cents, expiresInSeconds })
  const revised = charges.revise(invoice, {
    ...(status ? { status: 'removed' } : {}),
    cents,
    expiresInSeconds,
    details: changedTimes,
    ...(terms && { due: terms }),
  })
  return revised ? respond({ ...revised, number: invoice.number }, null) : errors.invoiceCanceled()
}
