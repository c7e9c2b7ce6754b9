import { defineEntity } from '@mikro-orm/core'
import type { AccountEntryKind } from '../../domain/reconciliation/account-entry.ts'
import type { PanelPixPendingReason } from '../../domain/reconciliation/panel-pix.ts'
import type {
  DifferenceCause,
  DifferenceKind,
  StatementDifference,
} from '../../domain/reconciliation/statement-comparison.ts'
import { centsColumn, createdAtColumn, timestampColumn, unionColumn } from './columns.ts'
import { Connection, ProviderAccount } from './connection.ts'
import { User } from './user.ts'

const accountEntry = defineEntity({
  name: 'StoredAccountEntry',
  tableName: 'account_entry',
  properties: p => ({
    uuid: p.uuid().primary(),
    providerAccountUuid: p.uuid(),
    type: p.text(),
    entryId: p.text(),
    kind: unionColumn<AccountEntryKind>(),
    cents: centsColumn().name('value_cents'),
    endToEnd: p.text().nullable(),
    movedAt: timestampColumn(),
    /** Movement that books it, or dispute whose block it is; open while these and `absentSince` are null. */
    movementUuid: p.uuid().nullable(),
    disputeUuid: p.uuid().nullable(),
    /** Time at which its statement was found to list it no longer. */
    absentSince: timestampColumn().nullable(),
  }),
})

/** An entry of a provider's statement that is not a PIX. */
export class StoredAccountEntry extends accountEntry.class {}
accountEntry.setClass(StoredAccountEntry)

const ledgerAdjustment = defineEntity({
  name: 'LedgerAdjustment',
  properties: p => ({
    uuid: p.uuid().primary(),
    accountUuid: p.uuid(),
    connection: () => p.manyToOne(Connection),
    /** IN credits the account at the provider account. */
    direction: unionColumn<'IN' | 'OUT'>().name('movement_type'),
    cents: centsColumn().name('value_cents'),
    reason: p.text(),
    /** Statement entry that the adjustment explains, of the same value and provider account. */
    entryUuid: p.uuid().nullable(),
    proposer: () => p.manyToOne(User).name('proposed_by'),
    proposedAt: createdAtColumn(),
    expiresAt: timestampColumn(),
    approver: () => p.manyToOne(User).name('approved_by').nullable(),
    approvedAt: timestampColumn().nullable(),
    movementUuid: p.uuid().nullable(),
  }),
})

/** A ledger adjustment that one operator proposes and another approves. */
export class LedgerAdjustment extends ledgerAdjustment.class {}
ledgerAdjustment.setClass(LedgerAdjustment)

const difference = defineEntity({
  name: 'Difference',
  properties: p => ({
    uuid: p.uuid().primary(),
    providerAccount: () => p.manyToOne(ProviderAccount),
    kind: unionColumn<DifferenceKind>(),
    direction: unionColumn<'IN' | 'OUT'>().name('movement_type'),
    endToEnd: p.text(),
    detail: p.json<StatementDifference>(),
    pendingReason: unionColumn<PanelPixPendingReason>().nullable(),
    foundAt: timestampColumn(),
    seenAt: timestampColumn(),
    /** A comparison has found it gone. */
    settledAt: timestampColumn().nullable(),
    /** An operator has closed it; null again where its facts have changed since. */
    closedAt: timestampColumn().nullable(),
    closedAs: unionColumn<'resolved' | 'accepted'>().nullable(),
    closedCause: unionColumn<DifferenceCause>().nullable(),
    closedReason: p.text().nullable(),
    /** E-mail of the operator. */
    closedBy: p.text().nullable(),
  }),
})

/** One PIX on which a provider's statement and the ledger differ. */
export class Difference extends difference.class {}
difference.setClass(Difference)
