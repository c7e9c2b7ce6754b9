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
    due: p.json<DueTerms>(),
    message: p.text().nullable(),
    ...orderAuthorColumns(),
    requestId: p.text(),
    /** Digest of the request that ordered it: a repeat has the same. */
    fingerprint: p.text(),
    createdAt: timestampColumn(),
    updatedAt: timestampColumn(),
  }),
})

/** A change of what a charge with a due date asks, stored before its provider is called. */
export class ChargeRevision extends chargeRevision.class {
  /** Written by `transitionStatus` alone (src/activities/shared/transition.ts). */
  declare readonly status: ChargeRevisionStatus
}
chargeRevision.setClass(ChargeRevision)
