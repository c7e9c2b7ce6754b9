import type { z } from 'zod'
import { EXAMPLE_MERCHANT, EXAMPLE_PROVIDER } from '../shared/example-values.ts'
import type { defaultProviderSchema, providerSchema } from './provider.ts'

/** Examples of the OpenAPI document: a provider account of the merchant's own. */

export const DEFAULT_PROVIDER_EXAMPLE: z.input<typeof defaultProviderSchema> = {
  ...EXAMPLE_PROVIDER,
  status: 'ACTIVE',
  type: 'NOMINAL',
  is_operational: true,
  is_public: true,
  max_per_transfer: null,
  virtual_account: { type: 'NOMINAL', ...EXAMPLE_MERCHANT },
}

export const PROVIDER_EXAMPLE: z.input<typeof providerSchema> = {
  ...DEFAULT_PROVIDER_EXAMPLE,
  balances: [
    {
      available_balance: 8_412.36,
      pending_balance: 25.9,
      blocked_balance: 151.74,
      retained_balance: 0,
      provisioned_balance: 0,
      shortfall_balance: 0,
      currency: 'BRL',
    },
  ],
}
