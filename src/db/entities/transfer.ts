import { defineEntity } from '@mikro-orm/core'
import type { LimitName } from '../../domain/limits/exceeded-limit.ts'
import type { UsageWindow } from '../../domain/limits/usage-window.ts'
import type { PaymentCode } from '../../domain/qr-codes/code-payment.ts'
import type { PaymentStatus } from '../../domain/shared/payment-status.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'
import type { TransferLookup } from '../../domain/transfers/transfer-lookup.ts'
import { centsColumn, historyColumn, timestampColumn, unionColumn } from './columns.ts'
import { Connection } from './connection.ts'
import { orderColumns } from './order.ts'
import { PartyType } from './party.ts'

/** Why money was not sent, as the API shows it in the field error; the attempts come from their rows. */
export type OperationFailure = {
  code: string
  message: string
  provider_code?: string
  provider?: string
  /** Of `over_limit`: the limit, what it left, and when more is left, ISO 8601 UTC. */
  exceeded?: { limit: LimitName; left_cents: number; resets_at: string | null }
  /** Of `possible_duplicate`: the earlier transfer. */
  duplicate_of?: string
}

const schema = defineEntity({
  name: 'Transfer',
  properties: p => ({
    ...orderColumns(),
    connection: () => p.manyToOne(Connection),
    state: unionColumn<TransferState>(),
    /** Value and fee of the current provider while they are reserved. */
    heldCents: centsColumn().default(0),
    returnedCents: centsColumn().default(0),
    /** With `bankAccount`, `paymentCode` and `document` its destination (`readDestination`). */
    pixKey: p.text().nullable(),
    bankAccount: p.type(PartyType).nullable(),
    /** The code that is paid, of whose key `pixKey` is. */
    paymentCode: p.json<PaymentCode>().nullable(),
    document: p.text().nullable(),
    /** The look-up of the key that it names. */
    lookup: p.json<TransferLookup>().nullable(),
    externalRef: p.text().nullable(),
    /** The batch that it is an item of. */
    batchUuid: p.uuid().nullable(),
    beneficiaryName: p.text().nullable(),
    beneficiaryDocument: p.text().nullable(),
    sender: p.type(PartyType).nullable(),
    receiver: p.type(PartyType).nullable(),
    settledAt: timestampColumn().nullable(),
    scheduledFor: timestampColumn().nullable(),
    /** Persons who must approve it, of its approval request; null where it needed none. */
    approvalsNeeded: p.integer().nullable(),
    failure: p.json<OperationFailure>().nullable(),
    /** Counters of its account's limits that it takes room of; null where it takes none. */
    limitWindows: p.json<UsageWindow[]>().nullable(),
    /** Response of its POST: the transfer when it was accepted or scheduled, or when the request stopped waiting. */
    accepted: p.json<Record<string, unknown>>().nullable(),
    history: historyColumn<PaymentStatus>(),
    /**
     * Deadline for sending an order without an idempotency key, until its row is known to have been visible in time:
     * after it the order is not sent, because its caller may have received a 503.
     */
    acceptBefore: timestampColumn().nullable(),
  }),
})

/** A transfer (PIX Out): the order, its sender and its state. */
export class Transfer extends schema.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: TransferState
}
schema.setClass(Transfer)
