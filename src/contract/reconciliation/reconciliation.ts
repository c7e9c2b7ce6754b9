import { z } from 'zod'
import type { AccountDifference } from '../../db/repositories/differences.ts'
import type { ProviderReconciliation } from '../../db/repositories/reconciliations.ts'
import { MOVEMENT_STATUSES } from '../../domain/ledger/movement.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import { TRANSIENT_PENDING_REASONS } from '../../domain/reconciliation/panel-pix.ts'
import { DIFFERENCE_STATUSES, type DifferenceKind } from '../../domain/reconciliation/statement-comparison.ts'
import {
  instantSchema,
  namesQuery,
  pageQueryFields,
  providerReference,
  reaisOutput,
  signedReais,
  uuidSchema,
} from '../shared/fields.ts'

/** What the comparison with a provider's statement and balance has found, as the account sees it (SPEC §6). */

const SHOWN_KINDS = [
  'MISSING_HERE',
  'MISSING_THERE',
  'VALUE_DIFFERS',
  'STATUS_DIFFERS',
] as const satisfies Uppercase<DifferenceKind>[]

export const reconciliationsQuery = z.strictObject(pageQueryFields)
export type ReconciliationsQuery = z.output<typeof reconciliationsQuery>

export const differencesQuery = z.strictObject({
  ...pageQueryFields,
  kind: namesQuery(SHOWN_KINDS, 'Differences of these kinds'),
  status: namesQuery(DIFFERENCE_STATUSES, 'Differences with one of these statuses'),
})
export type DifferencesQuery = z.output<typeof differencesQuery>

export const reconciliationSchema = z
  .object({
    uuid: uuidSchema.meta({ description: 'That of the provider' }),
    provider: providerReference,
    checked_at: instantSchema.nullable().meta({ description: 'When its balance was last read; null: never' }),
    provider_balance: signedReais.nullable().meta({ description: 'What the provider reported then' }),
    ledger_balance: signedReais.nullable().meta({ description: 'What the ledger had then, in all buckets' }),
    in_transit: reaisOutput.nullable().meta({
      description: 'What of it may not have left, or not have arrived, at the provider: it explains as much',
    }),
    differs_since: instantSchema
      .nullable()
      .meta({ description: 'Since when nothing in transit explains the difference; null: it is explained' }),
    open_differences: z.int().min(0).meta({ description: 'Differences about single PIX that are OPEN' }),
  })
  .meta({ id: 'Reconciliation' })

/** Presents the reconciliation at a provider. */
export function showReconciliation(row: ProviderReconciliation): z.output<typeof reconciliationSchema> {
  const { check } = row
  return {
    uuid: row.connectionUuid,
    provider: { uuid: row.connectionUuid, provider: row.provider },
    checked_at: check?.checkedAt ?? null,
    provider_balance: check?.providerCents ?? null,
    ledger_balance: check?.ledgerCents ?? null,
    in_transit: check?.movingCents ?? null,
    differs_since: check?.differsSince ?? null,
    open_differences: row.openDifferences,
  }
}

export const differenceSchema = z
  .object({
    uuid: uuidSchema,
    kind: z.enum(SHOWN_KINDS).meta({
      description:
        'MISSING_HERE: only the statement of the provider has the PIX. MISSING_THERE: only the ledger has it. The others: both have it, with another value or status',
    }),
    movement_type: z.enum(['IN', 'OUT']),
    end_to_end: z.string().meta({ description: 'Empty where the provider names none' }),
    provider_value: reaisOutput.nullable().meta({ description: 'As the statement has it' }),
    value: reaisOutput.nullable().meta({ description: 'As the ledger has it' }),
    movement_status: z.enum(MOVEMENT_STATUSES).nullable().meta({ description: 'As the ledger has it' }),
    status: z.enum(DIFFERENCE_STATUSES).meta({
      description: 'SETTLED: a later comparison has not found it any more. CLOSED: by the operator',
    }),
    waits_for: z
      .enum(['SERVICE', 'OPERATOR'])
      .nullable()
      .meta({ description: 'Who ends it while it is OPEN: SERVICE by itself, in time' }),
    found_at: instantSchema,
    ended_at: instantSchema.nullable(),
    provider: providerReference,
  })
  .meta({ id: 'ReconciliationDifference' })

/** Presents a difference. */
export function showDifference(row: AccountDifference): z.output<typeof differenceSchema> {
  const isTransient = TRANSIENT_PENDING_REASONS.some(reason => reason === row.pending_reason)
  return {
    uuid: row.uuid,
    kind: row.kind.toUpperCase() as Uppercase<DifferenceKind>,
    movement_type: row.movement_type,
    end_to_end: showEndToEndId(row.end_to_end),
    provider_value: row.provider_cents,
    value: row.own_cents,
    movement_status: row.own_status,
    status: row.status,
    waits_for: row.status === 'OPEN' ? (isTransient ? 'SERVICE' : 'OPERATOR') : null,
    found_at: new Date(row.found_at),
    ended_at: row.ended_at && new Date(row.ended_at),
    provider: { uuid: row.connection_uuid, provider: row.provider },
  }
}
