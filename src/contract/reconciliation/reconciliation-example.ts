import type { z } from 'zod'
import { EXAMPLE_END_TO_END, EXAMPLE_PROVIDER, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { differenceSchema, reconciliationSchema } from './reconciliation.ts'

/** Examples of the OpenAPI document: a provider whose statement has a PIX that the ledger lacks. */

export const RECONCILIATION_EXAMPLE: z.input<typeof reconciliationSchema> = {
  uuid: EXAMPLE_UUIDS.provider,
  provider: EXAMPLE_PROVIDER,
  checked_at: '2026-11-21T15:00:02.118000Z',
  provider_balance: 8714.85,
  ledger_balance: 8563.11,
  in_transit: 0,
  differs_since: '2026-11-21T13:00:01.904000Z',
  open_differences: 1,
}

export const DIFFERENCE_EXAMPLE: z.input<typeof differenceSchema> = {
  uuid: EXAMPLE_UUIDS.difference,
  kind: 'MISSING_HERE',
  movement_type: 'IN',
  end_to_end: EXAMPLE_END_TO_END.charge,
  provider_value: 151.74,
  value: null,
  movement_status: null,
  status: 'OPEN',
  waits_for: 'SERVICE',
  found_at: '2026-11-21T13:00:01.904000Z',
  ended_at: null,
  provider: EXAMPLE_PROVIDER,
}
