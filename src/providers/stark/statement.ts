import type { StatementEntry } from '../../domain/providers/provider.ts'
import type { AccountEntry } from '../../domain/reconciliation/account-entry.ts'
import { createPeriodFilter } from '../adapter/statement-period.ts'
import type { Provider } from '../port.ts'
import type { StarkClient } from './client.ts'
import { STARK_LISTS } from './lists.ts'
import {
  getReference,
  isOfCode,
  toDepositName,
  toInvoicePaymentName,
  toTransactionName,
  toTransferName,
} from './mapping.ts'
import { readInvoicePayments, readTransactions } from './payments.ts'
import type {
  StarkDeposit,
  StarkInvoice,
  StarkInvoicePayment,
  StarkTransaction,
  StarkTransfer,
} from './schemas.ts'

const statementCall = { call: 'statement' } as const

type StarkEntities = {
  deposits: ReadonlyMap<string, StarkDeposit>
  transfers: ReadonlyMap<string, StarkTransfer>
  invoices: ReadonlyMap<string, StarkInvoice>
  invoicePayments: ReadonlyMap<string, StarkInvoicePayment>
  /** Ids of the transactions of reversals that have failed: each debit and its chargeback. */
  failedReversals: ReadonlySet<string>
}

/**
 * Creates the statement: Stark Bank's transactions, joined with the deposits, invoices and transfers that their `source` names. A
 * transfer counts once it has succeeded: one that has failed is a debit and its chargeback, which cancel each other out, as those of
 * a failed reversal do.
 */
export function createStarkStatement(client: StarkClient): Pick<Provider, 'statement'> {
  return {
    async statement(from, to) {
      const transactions = await client.readAllPages(
        { ...statementCall, ...STARK_LISTS.transactions },
        { from, to },
      )
      if (transactions.kind === 'no_answer') return transactions
      const isInPeriod = createPeriodFilter(from, to)
      const items = transactions.items.filter(({ created }) => isInPeriod(created))
      const entities = await readEntities(items)
      if (entities.kind === 'no_answer') return entities
      const converted = items.map(transaction => convertTransaction(transaction, entities))
      const entries = converted.flatMap(({ entry }) => entry ?? [])
      const accountEntries = [
        ...converted.flatMap(({ accountEntry }) => accountEntry ?? []),
        ...items.flatMap(toFee),
      ]
      return { kind: 'found', entries, ...(accountEntries.length > 0 && { accountEntries }) }
    },
  }

  /** Reads the entities that transactions name. */
  async function readEntities(items: StarkTransaction[]) {
    const idsOf = (kind: string) =>
      items.map(parseSource).flatMap(source => (source.kind === kind ? source.id : []))
    const deposits = await client.readByIds({ ...statementCall, ...STARK_LISTS.deposits }, idsOf('deposit'))
    if (deposits.kind === 'no_answer') return deposits
    const transfers = await client.readByIds(
      { ...statementCall, ...STARK_LISTS.transfers },
      idsOf('transfer'),
    )
    if (transfers.kind === 'no_answer') return transfers
    const invoices = await client.readByIds({ ...statementCall, ...STARK_LISTS.invoices }, idsOf('invoice'))
    if (invoices.kind === 'no_answer') return invoices
    const paidInvoices = invoices.items.filter(({ status }) => status === 'paid')
    const payments = await readInvoicePayments(client, {}, paidInvoices)
    if (payments.kind === 'no_answer') return payments
    const failed = await findFailedReversals(items, [...deposits.items, ...paidInvoices])
    if (failed.kind === 'no_answer') return failed
    return {
      kind: 'found' as const,
      deposits: indexById(deposits.items),
      transfers: indexById(transfers.items),
      invoices: indexById(paidInvoices),
      invoicePayments: payments.byId,
      failedReversals: failed.ids,
    }
  }

  /**
   * Finds the debits of reversals that have failed and their chargebacks: a credit after the first transaction of a received PIX
   * charges the latest debit of the same value back. The transactions of such a PIX may lie outside the period of `items`.
   */
  async function findFailedReversals(items: StarkTransaction[], received: { transactionIds: string[] }[]) {
    const listed = indexById(items)
    // Without a debit and a credit after the first transaction nothing has failed.
    const candidates = received.filter(({ transactionIds }) => transactionIds.length > 2)
    const otherIds = candidates.flatMap(({ transactionIds }) =>
      transactionIds.slice(1).filter(id => !listed.has(id)),
    )
    const others = await readTransactions(client, statementCall, otherIds)
    if (others.kind === 'no_answer') return others
    const ids = new Set<string>()
    for (const { transactionIds } of candidates) {
      const changes = transactionIds.slice(1).flatMap(id => listed.get(id) ?? others.byId.get(id) ?? [])
      for (const [index, { id, amount }] of changes.entries()) {
        if (amount <= 0) continue
        const debit = changes.slice(0, index).findLast(one => one.amount === -amount && !ids.has(one.id))
        if (!debit) continue
        ids.add(debit.id)
        ids.add(id)
      }
    }
    return { kind: 'found' as const, ids }
  }
}

function indexById<Entity extends { id: string }>(entities: Entity[]): ReadonlyMap<string, Entity> {
  return new Map(entities.map(entity => [entity.id, entity]))
}

/** Parses the locator of the entity that made a transaction: its kind, its id, and what happened to it. */
function parseSource({ source }: StarkTransaction): { kind: string; id: string } {
  const [kind = '', id = ''] = source.split('/')
  return { kind, id }
}

type ConvertedTransaction = { entry?: StatementEntry; accountEntry?: AccountEntry }

/** Converts a transaction to a PIX, to another entry, or to nothing while its transfer has not succeeded. */
function convertTransaction(transaction: StarkTransaction, entities: StarkEntities): ConvertedTransaction {
  const { kind, id } = parseSource(transaction)
  if (transaction.amount === 0) return {}
  if (kind === 'transfer') return convertTransferTransaction(transaction, entities.transfers.get(id))
  if (entities.failedReversals.has(transaction.id)) return {}
  if (kind === 'deposit') return convertDepositTransaction(transaction, entities.deposits.get(id))
  if (kind === 'invoice') return convertInvoiceTransaction(transaction, id, entities)
  return { accountEntry: toOtherEntry(transaction) }
}

function convertTransferTransaction(
  transaction: StarkTransaction,
  transfer: StarkTransfer | undefined,
): ConvertedTransaction {
  if (!transfer) return { accountEntry: toUnlistedEntry(transaction) }
  if (transfer.status !== 'success') return {}
  const { amount, created: at } = transaction
  const reference = transfer.externalId ?? getReference(transfer)
  const name = toTransferName(transfer.id)
  if (amount < 0) return { entry: { endToEnd: name, reference, direction: 'OUT', cents: -amount, at } }
  return { entry: { ...toReturn(transaction, name), reference, direction: 'IN', cents: amount, at } }
}

function convertDepositTransaction(
  transaction: StarkTransaction,
  deposit: StarkDeposit | undefined,
): ConvertedTransaction {
  if (!deposit) return { accountEntry: toUnlistedEntry(transaction) }
  if (deposit.type !== 'pix') return { accountEntry: toOtherEntry(transaction) }
  const reference = isOfCode(deposit) ? getReference(deposit) : null
  return convertReceivedTransaction(transaction, deposit, { name: toDepositName(deposit.id), reference })
}

function convertInvoiceTransaction(
  transaction: StarkTransaction,
  id: string,
  { invoices, invoicePayments }: StarkEntities,
): ConvertedTransaction {
  const invoice = invoices.get(id)
  const endToEndId = invoicePayments.get(id)?.endToEndId
  if (!invoice || !endToEndId) return { accountEntry: toUnlistedEntry(transaction) }
  const name = toInvoicePaymentName(id, endToEndId)
  return convertReceivedTransaction(transaction, invoice, { name, reference: getReference(invoice) })
}

/** Converts the credit of a received PIX, or what took money of it. */
function convertReceivedTransaction(
  transaction: StarkTransaction,
  { transactionIds }: { transactionIds: string[] },
  { name, reference }: { name: string; reference: string | null },
): ConvertedTransaction {
  const { id, amount, created: at } = transaction
  if (amount < 0)
    return {
      entry: { ...toReturn(transaction, name), reference: null, direction: 'OUT', cents: -amount, at },
    }
  // Only the first transaction is the credit; a later one that charges no debit back is explained by no published text.
  if (transactionIds[0] !== id) return { accountEntry: toUnlistedEntry(transaction) }
  return { entry: { endToEnd: name, reference, direction: 'IN', cents: amount, at } }
}

function toReturn({ id }: StarkTransaction, returnOf: string) {
  return { endToEnd: toTransactionName(id), returnOf, returnId: id }
}

/** Converts what is no PIX: boletos, cards, payments, transfers between workspaces. */
function toOtherEntry({ id, amount, source, created: at }: StarkTransaction): AccountEntry {
  const type = source.split('/')[0] ?? ''
  return { id, kind: amount > 0 ? 'credit' : 'withdrawal', type, cents: Math.abs(amount), at }
}

/** Converts a transaction whose entity Stark Bank does not list, or whose place in it no published text explains. */
function toUnlistedEntry(transaction: StarkTransaction): AccountEntry {
  return { ...toOtherEntry(transaction), kind: 'unlisted' }
}

/** Converts the fee of a transaction: the balance changes by the amount less the fee. */
function toFee({ id, fee, created: at }: StarkTransaction): AccountEntry[] {
  return fee ? [{ id, kind: 'tariff', type: 'fee', cents: fee, at }] : []
}
