import { defineEntity } from '@mikro-orm/core'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import type { DebtorAddress } from '../../domain/providers/provider.ts'
import type {
  Frequency,
  Journey,
  RecurrenceState,
  RecurrenceStatus,
  RecurrenceTerms,
  RetryPolicy,
} from '../../domain/recurrences/recurrence.ts'
import {
  centsColumn,
  historyColumn,
  orderAuthorColumns,
  requestedRowColumns,
  timestampColumn,
  unionColumn,
} from './columns.ts'
import { Connection } from './connection.ts'
import type { OperationFailure } from './transfer.ts'

/** A cycle whose charge could not be created in time; `at` is ISO 8601 UTC. */
type SkippedCycle = { cycle: number; dueOn: string; at: string }

const recurrence = defineEntity({
  name: 'Recurrence',
  properties: p => ({
    ...requestedRowColumns(),
    connection: () => p.manyToOne(Connection),
    state: unionColumn<RecurrenceState>(),
    valueCents: centsColumn().nullable(),
    feeCents: centsColumn().default(0),
    minimumCents: centsColumn().nullable(),
    frequency: unionColumn<Frequency>(),
    startsOn: p.text(),
    endsOn: p.text().nullable(),
    contract: p.text(),
    subject: p.text().nullable(),
    retryPolicy: unionColumn<RetryPolicy>(),
    journey: unionColumn<Journey>(),
    generate: unionColumn<RecurrenceTerms['generate']>(),
    daysBefore: p.integer(),
    debtorName: p.text(),
    debtorDocument: p.text(),
    /** The charge that the payer pays by the code with which they consent; null of a journey without one. */
    firstChargeUuid: p.uuid().nullable(),
    debtorAddress: p.json<DebtorAddress>().nullable(),
    /** `PayerAccount`, sealed; null of a journey without a request. */
    sealedPayerAccount: p.text().nullable(),
    requestExpiresAt: timestampColumn().nullable(),
    /** When the payer's bank had the request for consent. */
    requestedAt: timestampColumn().nullable(),
    externalRef: p.text().nullable(),
    splits: p.json<ChargeSplit[]>(),
    metadata: p.json<Record<string, string>>(),
    /** The rail's id (idRec). */
    railId: p.text().nullable(),
    /** The code by which the payer consents; null of a request. */
    payload: p.text().nullable(),
    /** The rail's code of why it was rejected or cancelled. */
    reasonCode: p.text().nullable(),
    cancelledBy: unionColumn<'payer' | 'receiver'>().nullable(),
    /** The first cycle that has neither a charge nor was skipped. */
    nextCycle: p.integer().default(1),
    skippedCycles: p.json<SkippedCycle[]>(),
    cancelRequestedAt: timestampColumn().nullable(),
    failure: p.json<OperationFailure>().nullable(),
    history: historyColumn<RecurrenceStatus>(),
    /** Counts its events, so that a receiver can order them. */
    sequence: p.integer().default(0),
    ...orderAuthorColumns(),
    fingerprint: p.text(),
  }),
})

/** A recurrence of Pix Automático: what a payer authorizes, and the cycles that were charged. */
export class Recurrence extends recurrence.class {
  /** Written by `transition` alone (src/activities/shared/transition.ts). */
  declare readonly state: RecurrenceState
}
recurrence.setClass(Recurrence)
