import { defineEntity } from '@mikro-orm/core'
import type { Party } from '../../domain/providers/provider.ts'
import type { TransferState, TransferStatus } from '../../domain/transfers/transfer.ts'
import type { HistoryEntry } from './charge.ts'
import {
  centsColumn,
  primaryKeyColumn,
  textColumn,
  timestampColumn,
  unionColumn,
  uuidColumn,
} from './columns.ts'
import { Connection } from './connection.ts'
import { Movement } from './movement.ts'

/** Why money was not sent, as `error` shows it; the attempts are read from their rows. */
export type OperationFailure = { code: string; message: string; provider_code?: string; provider?: string }

const schema = defineEntity({
  name: 'Transfer',
  properties: p => ({
    uuid: primaryKeyColumn(),
    accountUuid: uuidColumn(),
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuidColumn(),
    state: unionColumn<TransferState>(),
    valueCents: centsColumn(),
    feeCents: centsColumn().default(0),
    /** Value and fee of the provider that is being tried, while they are held. */
    heldCents: centsColumn().default(0),
    returnedCents: centsColumn().default(0),
    pixKey: textColumn(),
    document: textColumn().nullable(),
    externalRef: textColumn().nullable(),
    beneficiaryName: textColumn().nullable(),
    beneficiaryDocument: textColumn().nullable(),
    sender: p.json<Party>().nullable(),
    receiver: p.json<Party>().nullable(),
    movement: () => p.manyToOne(Movement).name('movement_uuid').nullable(),
    endToEnd: textColumn().nullable(),
    settledAt: timestampColumn().nullable(),
    scheduledFor: timestampColumn().nullable(),
    failure: p.json<OperationFailure>().nullable(),
    /** What its POST answers, on the wire's side: how it was shown when it was accepted, scheduled, or not waited for any longer. */
    accepted: p.json<Record<string, unknown>>().nullable(),
    history: p.json<HistoryEntry<TransferStatus>[]>(),
    sequence: p.integer().default(0),
    /**
     * Of an order without an idempotency key, while it is not certain that its row was visible before this moment: nothing of
     * it is sent later, because its caller may have been told that it was not taken.
     */
    takeBefore: timestampColumn().nullable(),
    requestId: textColumn(),
    fingerprint: textColumn(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A PIX Out: the order, who sends it, and where its life stands. */
export class Transfer extends schema.class {}
schema.setClass(Transfer)
