import { defineEntity } from '@mikro-orm/core'
import type { ChargeRevisionStatus } from '../../domain/charges/charge-revision.ts'
import type { DueTerms } from '../../domain/charges/due-terms.ts'
import { centsColumn, orderAuthorColumns, timestampColumn, unionColumn } from './columns.ts'

const chargeRevision = defineEntity({
  name: 'ChargeRevision',
  properties: p => ({
    uuid: p.uuid().primary(),
    chargeUuid: p.uuid(),
    number: p.integer(),
    status: unionColumn<ChargeRevisionStatus>(),
    valueCents: centsColumn(),
    feeCents: centsColumn(),
    totalCents: centsColumn(),
    /** Null of a retry. */
    due: p.json<DueTerms>().nullable(),
    /** Of a debit: the day of the retry, which changes nothing else. */
    retryOn: p.text().nullable(),
    message: p.text().nullable(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    /** Digest of the request that ordered it: a repeat has the same. */
    fingerprint: p.text(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A change of what a charge with a due date asks, or a retry of a debit, stored before its provider is called. */
export class ChargeRevision extends chargeRevision.class {
  /** Written by `transitionStatus` alone (src/activities/shared/transition.ts). */
  declare readonly status: ChargeRevisionStatus
}
chargeRevision.setClass(ChargeRevision)

/** A revision of a charge with a due date, which is no retry of a debit. */
export type DueRevision = ChargeRevision & { due: DueTerms }

/** Tells whether a revision changes a charge with a due date, rather than retrying a debit. */
export function isDueRevision(revision: ChargeRevision): revision is DueRevision {
  return revision.due != null
}
