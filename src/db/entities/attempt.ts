import { defineEntity } from '@mikro-orm/core'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import { centsColumn, createdAtColumn, timestampColumn, unionColumn, updatedAtColumn } from './columns.ts'

export type AttemptOperation = 'issue' | 'transfer' | 'refund' | 'return' | 'create_key' | 'delete_key'

/**
 * `calling` until the outcome is saved; `orphan`: a payload that may exist and was shown to no client; `closed`: an
 * orphan that its provider has confirmed removed; `duplicate`: a sending that settled after another provider had been
 * tried.
 */
export type AttemptState =
  | 'calling'
  | 'accepted'
  | 'settled'
  | 'rejected'
  | 'unreachable'
  | 'unknown'
  | 'orphan'
  | 'closed'
  | 'duplicate'

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
    /** Number of sendings; a late answer to an earlier one is recognized by it. */
    sendings: p.integer().default(0),
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
    /** Why the provider did not execute an order that it keeps: the outcome once the order is proved gone. */
    refusal: p.json<Omit<RejectedResult, 'kind'>>().nullable(),
    /** Code and time of an answer that contradicts a reported settlement; the settlement stays. */
    contradictionCode: p.text().nullable(),
    contradictionAt: timestampColumn().nullable(),
    endToEnd: p.text().nullable(),
    /** The value that the provider reported as settled. */
    settledCents: centsColumn().nullable(),
    unknownSince: timestampColumn().nullable(),
    nextCheckAt: timestampColumn().nullable(),
    createdAt: createdAtColumn(),
    updatedAt: updatedAtColumn(),
  }),
})

export class Attempt extends schema.class {}
schema.setClass(Attempt)
