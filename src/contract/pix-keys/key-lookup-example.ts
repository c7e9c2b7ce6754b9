import type { z } from 'zod'
import { EXAMPLE_PROVIDER, EXAMPLE_RECIPIENT, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type { keyLookupSchema, lookUpKeyBody, lookupBudgetSchema } from './key-lookup.ts'

/** Examples of the OpenAPI document: the look-up of a key before it is paid. */

export const LOOKUP_BUDGET_EXAMPLE: z.input<typeof lookupBudgetSchema> = {
  capacity: 500,
  left: 479,
  refill_per_minute: 20,
  cost: 1,
  resets_at: '2026-11-21T12:01:03.000000Z',
}

export const LOOK_UP_KEY_EXAMPLE: z.input<typeof lookUpKeyBody> = {
  pix_key: 'joao.lima@example.com',
  name: 'João Lima',
}

export const KEY_LOOKUP_EXAMPLE: z.input<typeof keyLookupSchema> = {
  uuid: EXAMPLE_UUIDS.keyLookup,
  pix_key: 'joao.lima@example.com',
  type: 'EMAIL',
  receiver: EXAMPLE_RECIPIENT,
  document_match: 'UNKNOWN',
  name_match: 'PARTIAL',
  provider: EXAMPLE_PROVIDER,
  expires_at: '2026-11-21T12:15:00.000000Z',
  budget: LOOKUP_BUDGET_EXAMPLE,
}
