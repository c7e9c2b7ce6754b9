import { defineEntity } from '@mikro-orm/core'
import type { AttemptOperation, AttemptState } from '../../domain/providers/attempt.ts'
import type { RefusedBy, RejectedResult } from '../../domain/providers/provider.ts'
import { centsColumn, createdAtColumn, timestampColumn, unionColumn, updatedAtColumn } from './columns.ts'

/** One operation at one provider, inserted before the call; the provider receives the subject's `referenceOf` as its id. */
const schema = defineEntity({
  name: 'Attempt',
  properties: p => ({
    uuid: p.uuid().primary(),
    operation: unionColumn<AttemptOperation>(),
    subjectUuid: p.uuid(),
    connectionUuid: p.uuid(),
    providerAccountUuid: p.uuid(),
    position: p.integer(),
    state: unionColumn<AttemptState>(),
    /** Number of times that the provider was asked to prepare the payout. */
    preparations: p.integer().default(0),
    /** Number of sendings; a late answer to an earlier one is recognized by it. */
    sendings: p.integer().default(0),
    /** `PayoutHandle`, sealed; stored before a prepared payout is sent, else with its acceptance. */
    sealedHandle: p.text().nullable(),
    /** The provider's id of the payout in the handle, or of a debit that it made itself, by which its notifications name it; not sealed, so that it can be found by. */
    providerRef: p.text().nullable(),
    /** When the handle by which it is sent was stored; null where the payout needed no preparation. */
    preparedAt: timestampColumn().nullable(),
    /** Credentials epoch of the connection at the call. */
    credentialsEpoch: p.integer().default(1),
    /** Last request to remove a key, among calls that may still arrive. */
    calledAt: timestampColumn().nullable(),
    /** The latest start ended without a call, because the ledger's available balance was too low. */
    isRefusedBeforeCall: p.boolean().default(false),
    finality: unionColumn<'other_may_help' | 'final'>().nullable(),
    code: p.text().nullable(),
    providerCode: p.text().nullable(),
    message: p.text().nullable(),
    /** Who has refused the attempt; null where it was not refused. */
    refusedBy: unionColumn<RefusedBy>().nullable(),
    /** The provider's own words, where `message` quotes them. */
    providerMessage: p.text().nullable(),
    /** What the available balance lacked, where the attempt was refused because of it before any call. */
    missingCents: centsColumn().nullable(),
    /** Why the provider did not execute an order that it keeps: the outcome once the order is proved gone. */
    refusal: p.json<Omit<RejectedResult, 'kind'>>().nullable(),
    /** Code and time of an answer that contradicts a reported settlement; the settlement stays. */
    contradictionCode: p.text().nullable(),
    contradictionAt: timestampColumn().nullable(),
    endToEnd: p.text().nullable(),
    /** The value that the provider reported as settled. */
    settledCents: centsColumn().nullable(),
    unknownSince: timestampColumn().nullable(),
    /** When the outcome was unknown, once it is known: from the first time until the last. */
    wasUnknownFrom: timestampColumn().nullable(),
    wasUnknownUntil: timestampColumn().nullable(),
    nextCheckAt: timestampColumn().nullable(),
    createdAt: createdAtColumn(),
    updatedAt: updatedAtColumn(),
  }),
})

export class Attempt extends schema.class {
  /** Written by `transitionAttempt` alone (src/activities/shared/transition.ts). */
  declare readonly state: AttemptState
}
schema.setClass(Attempt)
