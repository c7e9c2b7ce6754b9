import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RailMovement, StatementMovement } from '../../rail.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { addFailedReversals } from './failed-reversals.ts'
import { buildStarkId, formatStarkTime } from './ids.ts'
import { buildStarkListPage } from './list-page.ts'
import { findNumberedReceipt, findPaidInvoice, listDepositTags, readChargeDetails } from './received-pix.ts'
import { adoptPanelTransfers } from './transfer-orders.ts'
import { findStarkTransfer } from './transfer-presenters.ts'
import { findWorkspaceId } from './workspace.ts'

/** A movement of the ledger with its number, and the balance after it. */
type LedgerEntry = StatementMovement & { balanceCents: number }

/** Creates the handlers of the ledger, `/transaction`: one transaction per settled movement, and those of failed reversals; `source` names its origin. */
export function createStarkTransactionHandlers(
  state: SimulatorState,
): Record<'list' | 'show', (call: SimulatedCall) => SimulatedResponse> {
  const listEntries = (account: SimulatedAccount) => {
    adoptPanelTransfers(state, account)
    let balanceCents = account.openingCents
    const movements = state.rail.listStatement({ accountId: account.id })
    return addFailedReversals(state.store, account.id, movements)
      .map((entry): LedgerEntry => {
        balanceCents += entry.direction === 'in' ? entry.cents : -entry.cents
        return { ...entry, balanceCents }
      })
      .map(entry => ({
        id: buildStarkId('transaction', entry.sequence),
        createdAt: entry.at,
        entry,
        // Found only where a filter or the page needs it: there may be thousands.
        get tags() {
          return findOrigin(state, account, entry).tags
        },
      }))
  }
  const present = (account: SimulatedAccount, { id, entry }: ReturnType<typeof listEntries>[number]) => {
    const { source, tags } = findOrigin(state, account, entry)
    const workspaceId = findWorkspaceId(state.store, account)
    const isOut = entry.direction === 'out'
    return {
      id,
      amount: isOut ? -entry.cents : entry.cents,
      fee: 0,
      description: source,
      externalId: source,
      source,
      tags,
      senderId: isOut ? workspaceId : '',
      receiverId: isOut ? '' : workspaceId,
      balance: entry.balanceCents,
      created: formatStarkTime(entry.at),
    }
  }

  return {
    list: call =>
      buildStarkListPage(call, {
        field: 'transactions',
        list: () => listEntries(call.account),
        matches: ({ entry }, { externalIds }) =>
          isListed(state, entry) &&
          (externalIds?.includes(findOrigin(state, call.account, entry).source) ?? true),
        present: item => present(call.account, item),
      }),
    show: ({ account, params }) => {
      const item = listEntries(account).find(({ id }) => id === params.id)
      return item && isListed(state, item.entry)
        ? { status: 200, body: { transaction: present(account, item) } }
        : errors.starkNotFound('Transaction')
    },
  }
}

/** Whether lists show the object that a movement belongs to. */
function isListed({ listing, receipts, refunds, transfers }: SimulatorState, entry: RailMovement): boolean {
  const { accountId, endToEnd, kind } = entry
  if (endToEnd === null || kind === 'return') return true
  if (kind === 'transfer') return transfers.findListedByEndToEnd(endToEnd) !== undefined
  if (kind === 'refund')
    return listing.hideUnlisted(refunds.findByReturnId(accountId, endToEnd)) !== undefined
  return receipts.findListed(accountId, endToEnd) !== undefined
}

/**
 * Finds the ids by which Stark's API shows a movement, and the PIX that it returns. An invoice's payment has its end-to-end id; other
 * movements have the name of their deposit or transfer, and what comes back that of its transaction.
 */
export function findStarkMovementIds(
  state: SimulatorState,
  account: SimulatedAccount,
  entry: StatementMovement,
): { id: string | null; originalId: string | null } {
  const { endToEnd, originalEndToEnd, kind, sequence } = entry
  if (endToEnd === null) return { id: null, originalId: originalEndToEnd }
  adoptPanelTransfers(state, account)
  const { entity } = findOrigin(state, account, entry)
  const isInvoice = entity.startsWith('invoice/')
  if (kind !== 'refund' && kind !== 'return')
    return { id: isInvoice ? endToEnd : entity, originalId: originalEndToEnd }
  return {
    id: `transaction/${buildStarkId('transaction', sequence)}`,
    originalId: isInvoice ? originalEndToEnd : entity,
  }
}

/**
 * Finds the entity that made a movement, the movement's source and the tags of the operation, which its transaction has too. Published
 * are `transfer/<id>/chargeback` and `self` (documentation of the Clojure SDK; a published answer to `POST /transaction`); the other
 * sources imitate them.
 */
function findOrigin(
  { receipts, store, transfers }: SimulatorState,
  account: SimulatedAccount,
  { accountId, kind, endToEnd, originalEndToEnd, sequence, direction }: StatementMovement,
): { entity: string; source: string; tags: string[] } {
  if (kind === 'payment' || kind === 'deposit' || kind === 'refund') {
    const receipt = findNumberedReceipt(
      store,
      receipts.find(accountId, kind === 'refund' ? originalEndToEnd! : endToEnd!)!,
    )
    const invoice = findPaidInvoice(store, receipt)
    const entity = invoice
      ? `invoice/${buildStarkId('invoice', invoice.number)}`
      : `deposit/${buildStarkId('deposit', receipt.number)}`
    return {
      entity,
      source: kind === 'refund' ? `${entity}/${direction === 'in' ? 'chargeback' : 'reversal'}` : entity,
      tags: invoice ? readChargeDetails(invoice).tags : listDepositTags(store, account, receipt),
    }
  }
  if (kind === 'transfer' || kind === 'return') {
    const sent = transfers.findByEndToEnd(kind === 'return' ? originalEndToEnd! : endToEnd!)!
    const transfer = findStarkTransfer(store, accountId, sent.id)!
    const entity = `transfer/${buildStarkId('transfer', transfer.number)}`
    return {
      entity,
      source: kind === 'return' ? `${entity}/chargeback` : entity,
      tags: JSON.parse(transfer.tags) as string[],
    }
  }
  const source = kind === 'tariff' ? `fee/${sequence}` : 'self'
  return { entity: source, source, tags: [] }
}
