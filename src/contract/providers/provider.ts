import { z } from 'zod'
import type { Connection } from '../../db/entities/connection.ts'
import { CONNECTION_STATUSES, PROVIDER_NAMES } from '../../domain/providers/provider.ts'
import { lookupBudgetSchema } from '../pix-keys/key-lookup.ts'
import {
  caseInsensitiveEnum,
  dataResponse,
  namesQuery,
  pageQueryFields,
  partySchema,
  reaisOutput,
  uuidSchema,
} from '../shared/fields.ts'

/** Providers (api-document.txt): the list filters, the body of PUT /providers/defaults and the response. */

export const providersQuery = z.strictObject({
  ...pageQueryFields,
  status: namesQuery(CONNECTION_STATUSES, 'In one of these statuses'),
})
export type ProvidersQuery = z.output<typeof providersQuery>

const PAYMENT_TYPES = ['PIX'] as const

export const MAX_DEFAULT_PROVIDERS = 10

export const replaceDefaultProvidersBody = z.strictObject({
  payment_type: caseInsensitiveEnum(PAYMENT_TYPES).meta({ description: 'PIX is the only type' }),
  provider_uuids: z
    .array(uuidSchema)
    .min(1, 'must name 1 to 10 providers')
    .max(MAX_DEFAULT_PROVIDERS, 'must name 1 to 10 providers')
    .meta({ description: 'The first is preferred, the others are fallbacks in their order' }),
})

const type = z.enum(['NOMINAL', 'POOL'])

const virtualAccount = z
  .object({ type, ...partySchema.shape })
  .meta({ id: 'VirtualAccount', description: 'The account that the provider holds for the account holder' })

const balance = z
  .object({
    available_balance: reaisOutput,
    pending_balance: reaisOutput,
    blocked_balance: reaisOutput,
    retained_balance: reaisOutput,
    provisioned_balance: reaisOutput,
    shortfall_balance: reaisOutput.meta({
      description: 'What the service has advanced and the next inflows repay: a debt, in none of the others',
    }),
    currency: z.literal('BRL'),
  })
  .meta({ id: 'Balance' })

const providerFields = {
  uuid: uuidSchema.meta({ description: 'The value of a `provider_uuid`' }),
  status: z.enum(CONNECTION_STATUSES),
  provider: z.enum(PROVIDER_NAMES),
  type,
  is_operational: z.boolean().meta({ description: 'ACTIVE and the integration is healthy' }),
  is_public: z.boolean().meta({ description: 'Whether calls may name it' }),
  max_per_transfer: reaisOutput.nullable().meta({
    description: 'Reais that one transfer through it may send at most; null where no limit is set',
  }),
  virtual_account: virtualAccount.nullable().meta({ description: 'null for POOL' }),
}

export const defaultProviderSchema = z.object(providerFields).meta({ id: 'DefaultProvider' })
export const providerSchema = z
  .object({ ...providerFields, balances: z.array(balance) })
  .meta({ id: 'Provider' })

export const providerDetailsSchema = providerSchema
  .extend({
    lookup_budget: lookupBudgetSchema.nullable().meta({
      description:
        'Look-ups of PIX keys that the account has left there; null where the provider does not tell',
    }),
  })
  .meta({ id: 'ProviderDetails' })

export const defaultProvidersResponse = dataResponse(z.object({ PIX: z.array(defaultProviderSchema) }))

/** Names the defaults that a request may have stored. */
export const defaultProvidersReference = z
  .object({
    PIX: z
      .array(z.object({ uuid: uuidSchema }))
      .meta({ description: 'The providers of the request; the GET shows whether they are the defaults' }),
  })
  .meta({ id: 'DefaultProvidersReference' })

/** State of a connection that is not in its row. */
export type ProviderHealth = { isCircuitOpen: boolean; balance: z.output<typeof balance> }

export function showProvider(
  connection: Connection,
  { isCircuitOpen: isBroken, balance }: ProviderHealth,
): z.output<typeof providerSchema> {
  return { ...showDefaultProvider(connection, isBroken), balances: [balance] }
}

export function showDefaultProvider(
  connection: Connection,
  isBroken: boolean,
): z.output<typeof defaultProviderSchema> {
  return {
    uuid: connection.uuid,
    status: connection.status,
    provider: connection.provider,
    type: connection.type,
    is_operational: connection.status === 'ACTIVE' && !isBroken,
    is_public: connection.isPublic,
    max_per_transfer: connection.maxTransferCents ?? null,
    virtual_account: connection.type === 'POOL' ? null : (connection.virtualAccount ?? null),
  }
}
