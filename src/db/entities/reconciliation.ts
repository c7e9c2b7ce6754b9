import { defineEntity } from '@mikro-orm/core'
import type { AccountEntryKind } from '../../domain/reconciliation/account-entry.ts'
import { centsColumn, createdAtColumn, timestampColumn, unionColumn } from './columns.ts'
import { Connection } from './connection.ts'
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
    /** Movement that books it, or dispute whose block it is; open while both are null. */
    movementUuid: p.uuid().nullable(),
    disputeUuid: p.uuid().nullable(),
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
