import { defineEntity } from '@mikro-orm/core'
import type { Rejected } from '../../domain/provider.ts'
import { key, moment, oneOf, text, uuid } from '../columns.ts'

export type Operation = 'issue' | 'transfer' | 'refund' | 'return' | 'create_key' | 'delete_key'

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
    uuid: key(),
    operation: oneOf<Operation>(),
    subjectUuid: uuid(),
    connectionUuid: uuid(),
    providerAccountUuid: uuid(),
    position: p.integer(),
    reference: text(),
    state: oneOf<AttemptState>(),
    /** How often it was sent, so that a late answer is known to be another's. */
    sendings: p.integer().default(0),
    /** The connection's epoch of credentials in which the provider was called. */
    credentialsEpoch: p.integer().default(1),
    /** When a key's removal was last asked for, of the calls that may still arrive. */
    calledAt: moment().nullable(),
    finality: oneOf<'other_may_help' | 'final'>().nullable(),
    code: text().nullable(),
    providerCode: text().nullable(),
    message: text().nullable(),
    /** Why the provider did not carry out an order that stands with it: the outcome once the order is proved to be gone. */
    refusal: p.json<Omit<Rejected, 'kind'>>().nullable(),
    /** What the provider said against a settlement that it had reported, and when; the settlement stays. */
    contradictionCode: text().nullable(),
    contradictionAt: moment().nullable(),
    endToEnd: text().nullable(),
    unknownSince: moment().nullable(),
    nextCheckAt: moment().nullable(),
    createdAt: moment().onCreate(() => new Date()),
    updatedAt: moment()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  }),
})

export class Attempt extends schema.class {}
schema.setClass(Attempt)
