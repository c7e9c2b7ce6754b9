import { defineEntity } from '@mikro-orm/core'
import type { RejectedResult } from '../../domain/providers/provider.ts'
import { primaryKeyColumn, textColumn, timestampColumn, unionColumn, uuidColumn } from './columns.ts'

export type AttemptOperation = 'issue' | 'transfer' | 'refund' | 'return' | 'create_key' | 'delete_key'

/**
 * `calling` until the answer is saved; `orphan` is a payload that may exist and that nobody was shown;
 * `closed` an orphan that its provider has confirmed gone; `duplicate` a sending that settled after it had been left.
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

/** One operation at one provider, written before the call; `reference` is the id the provider gets. */
const schema = defineEntity({
  name: 'Attempt',
  properties: p => ({
    uuid: primaryKeyColumn(),
    operation: unionColumn<AttemptOperation>(),
    subjectUuid: uuidColumn(),
    connectionUuid: uuidColumn(),
    providerAccountUuid: uuidColumn(),
    position: p.integer(),
    reference: textColumn(),
    state: unionColumn<AttemptState>(),
    /** How often it was sent, so that a late answer is known to be another's. */
    sendings: p.integer().default(0),
    /** The connection's epoch of credentials in which the provider was called. */
    credentialsEpoch: p.integer().default(1),
    /** When a key's removal was last asked for, of the calls that may still arrive. */
    calledAt: timestampColumn().nullable(),
    finality: unionColumn<'other_may_help' | 'final'>().nullable(),
    code: textColumn().nullable(),
    providerCode: textColumn().nullable(),
    message: textColumn().nullable(),
    /** Why the provider did not carry out an order that stands with it: the outcome once the order is proved to be gone. */
    refusal: p.json<Omit<RejectedResult, 'kind'>>().nullable(),
    /** What the provider said against a settlement that it had reported, and when; the settlement stays. */
    contradictionCode: textColumn().nullable(),
    contradictionAt: timestampColumn().nullable(),
    endToEnd: textColumn().nullable(),
    unknownSince: timestampColumn().nullable(),
    nextCheckAt: timestampColumn().nullable(),
    createdAt: timestampColumn().onCreate(() => new Date()),
    updatedAt: timestampColumn()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  }),
})

export class Attempt extends schema.class {}
schema.setClass(Attempt)
