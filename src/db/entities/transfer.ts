import { defineEntity } from '@mikro-orm/core'
import type { Party } from '../../domain/provider.ts'
import type { TransferState, TransferStatus } from '../../domain/transfer.ts'
import { cents, key, moment, oneOf, text, uuid } from '../columns.ts'
import type { HistoryEntry } from './charge.ts'
import { Connection } from './connection.ts'
import { Movement } from './movement.ts'

/** Why money was not sent, as `error` shows it; the attempts are read from their rows. */
export type Failure = { code: string; message: string; provider_code?: string; provider?: string }

const schema = defineEntity({
  name: 'Transfer',
  properties: p => ({
    uuid: key(),
    accountUuid: uuid(),
    connection: () => p.manyToOne(Connection).name('connection_uuid'),
    providerAccountUuid: uuid(),
    state: oneOf<TransferState>(),
    valueCents: cents(),
    feeCents: cents().default(0),
    /** Value and fee of the provider that is being tried, while they are held. */
    heldCents: cents().default(0),
    returnedCents: cents().default(0),
    pixKey: text(),
    document: text().nullable(),
    externalRef: text().nullable(),
    beneficiaryName: text().nullable(),
    beneficiaryDocument: text().nullable(),
    sender: p.json<Party>().nullable(),
    receiver: p.json<Party>().nullable(),
    movement: () => p.manyToOne(Movement).name('movement_uuid').nullable(),
    endToEnd: text().nullable(),
    settledAt: moment().nullable(),
    scheduledFor: moment().nullable(),
    failure: p.json<Failure>().nullable(),
    /** What its POST answers, on the wire's side: how it was shown when it was accepted, scheduled, or not waited for any longer. */
    accepted: p.json<Record<string, unknown>>().nullable(),
    history: p.json<HistoryEntry<TransferStatus>[]>(),
    sequence: p.integer().default(0),
    /**
     * Of an order without an idempotency key, while it is not certain that its row was visible before this moment: nothing of
     * it is sent later, because its caller may have been told that it was not taken.
     */
    takeBefore: moment().nullable(),
    requestId: text(),
    fingerprint: text(),
    createdAt: moment(),
    updatedAt: moment(),
  }),
})

/** A PIX Out: the order, who sends it, and where its life stands. */
export class Transfer extends schema.class {}
schema.setClass(Transfer)
