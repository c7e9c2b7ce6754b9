import type { StatementEntry } from '../../domain/providers/provider.ts'
import type { AccountEntry } from '../../domain/reconciliation/account-entry.ts'
import { createPeriodFilter } from '../adapter/statement-period.ts'
import type { Provider } from '../port.ts'
import type { StarkClient } from './client.ts'
import { getReference, toBrcodeTag, toDepositName, toTransactionName, toTransferName } from './mapping.ts'
import {
  type StarkDeposit,
  type StarkTransaction,
  type StarkTransfer,
  starkDepositSchema,
  starkTransactionSchema,
  starkTransferSchema,
} from './schemas.ts'

type StarkEntities = {
  deposits: ReadonlyMap<string, StarkDeposit>
  transfers: ReadonlyMap<string, StarkTransfer>
}

/**
 * Creates the statement: Stark Bank's transactions, joined with the deposits and transfers that their `source` names. A transfer
 * counts once it has succeeded: one that has failed is a debit and its chargeback, which cancel each other out.
 */
export function createStarkStatement(client: StarkClient): Pick<Provider, 'statement'> {
  return {
    async statement(from, to) {
      const transactions = await client.readAllPages(transactionList, { from, to })
      if (transactions.kind === 'no_answer') return transactions
      const isInPeriod = createPeriodFilter(from, to)
      const items = transactions.items.filter(({ created }) => isInPeriod(created))
      const idsOf = (kind: string) =>
        items.map(parseSource).flatMap(source => (source.kind === kind ? source.id : []))
      const deposits = await client.readByIds(depositList, idsOf('deposit'))
      if (deposits.kind === 'no_answer') return deposits
      const transfers = await client.readByIds(transferList, idsOf('transfer'))
      if (transfers.kind === 'no_answer') return transfers
      const entities: StarkEntities = {
        deposits: new Map(deposits.items.map(deposit => [deposit.id, deposit])),
        transfers: new Map(transfers.items.map(transfer => [transfer.id, transfer])),
      }
      const converted = items.map(transaction => convertTransaction(transaction, entities))
      const entries = converted.flatMap(({ entry }) => entry ?? [])
      const accountEntries = [
        ...converted.flatMap(({ accountEntry }) => accountEntry ?? []),
        ...items.flatMap(toFee),
      ]
      return { kind: 'found', entries, ...(accountEntries.length > 0 && { accountEntries }) }
    },
  }
}

const transactionList = {
  call: 'statement' as const,
  path: '/v2/transaction',
  field: 'transactions',
  row: starkTransactionSchema,
  toItem: (transaction: StarkTransaction) => transaction,
  keyOf: (transaction: StarkTransaction) => transaction.id,
}
const depositList = {
  call: 'statement' as const,
  path: '/v2/deposit',
  field: 'deposits',
  row: starkDepositSchema,
  toItem: (deposit: StarkDeposit) => deposit,
  keyOf: (deposit: StarkDeposit) => deposit.id,
}
const transferList = {
  call: 'statement' as const,
  path: '/v2/transfer',
  field: 'transfers',
  row: starkTransferSchema,
  toItem: (transfer: StarkTransfer) => transfer,
  keyOf: (transfer: StarkTransfer) => transfer.id,
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
  if (kind === 'deposit') return convertDepositTransaction(transaction, entities.deposits.get(id))
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
  const { id, amount, created: at } = transaction
  const name = toDepositName(deposit.id)
  if (amount < 0)
    return {
      entry: { ...toReturn(transaction, name), reference: null, direction: 'OUT', cents: -amount, at },
    }
  // Only the first transaction is the credit; money that comes back of a reversal is explained by no published text.
  if (deposit.transactionIds[0] !== id) return { accountEntry: toUnlistedEntry(transaction) }
  const isOfCode = deposit.tags.some(tag => tag.startsWith(toBrcodeTag('')))
  const reference = isOfCode ? getReference(deposit) : null
  return { entry: { endToEnd: name, reference, direction: 'IN', cents: amount, at } }
}

function toReturn({ id }: StarkTransaction, returnOf: string) {
  return { endToEnd: toTransactionName(id), returnOf, returnId: id }
}

/** Converts what is no PIX of a deposit or transfer: boletos, invoices, cards, payments, transfers between workspaces. */
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
