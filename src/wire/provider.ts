import { z } from 'zod'
import type { Connection } from '../db/entities/connection.ts'
import { CONNECTION_STATUSES, PROVIDER_NAMES } from '../domain/provider.ts'
import { anyCase, namesQuery, one, page, pageQuery, party, reaisShown, uuid } from './common.ts'

/** api-document.txt, Providers: the list filters, the body of PUT /providers/defaults, and a provider as it is shown. */

export const providersQuery = z.strictObject({
  ...pageQuery,
  status: namesQuery(CONNECTION_STATUSES).optional(),
})
export type ProvidersQuery = z.output<typeof providersQuery>

const PAYMENT_TYPES = ['PIX'] as const

export const MOST_DEFAULTS = 10

export const replaceDefaults = z.strictObject({
  payment_type: anyCase(PAYMENT_TYPES),
  provider_uuids: z
    .array(uuid)
    .min(1, 'must name 1 to 10 providers')
    .max(MOST_DEFAULTS, 'must name 1 to 10 providers')
    .meta({ description: 'The first is preferred, the others are fallbacks in their order' }),
})

const type = z.enum(['NOMINAL', 'POOL'])

const virtualAccount = z
  .object({ type, ...party.shape })
  .meta({ id: 'VirtualAccount', description: 'The account that the provider holds for the account holder' })

const balance = z
  .object({
    available_balance: reaisShown,
    pending_balance: reaisShown,
    blocked_balance: reaisShown,
    retained_balance: reaisShown,
    provisioned_balance: reaisShown,
    currency: z.literal('BRL'),
  })
  .meta({ id: 'Balance' })

const providerCommon = {
  uuid: uuid.meta({ description: 'The value of a `provider_uuid`' }),
  status: z.enum(CONNECTION_STATUSES),
  provider: z.enum(PROVIDER_NAMES),
  type,
  is_operational: z.boolean().meta({ description: 'ACTIVE and the integration is healthy' }),
  is_public: z.boolean().meta({ description: 'Whether calls may name it' }),
  virtual_account: virtualAccount.nullable().meta({ description: 'null for POOL' }),
}

export const defaultProviderShown = z.object(providerCommon).meta({ id: 'DefaultProvider' })
export const providerWithBalances = z
  .object({ ...providerCommon, balances: z.array(balance) })
  .meta({ id: 'Provider' })

export const providerAnswer = one(providerWithBalances)
export const providerPage = page(providerWithBalances)
export const defaultsAnswer = one(z.object({ PIX: z.array(defaultProviderShown) }))

/** What a connection's row does not know of itself. */
export type Condition = { isBroken: boolean; balance: z.output<typeof balance> }

export function showProvider(
  connection: Connection,
  { isBroken, balance }: Condition,
): z.output<typeof providerWithBalances> {
  return { ...showDefaultProvider(connection, isBroken), balances: [balance] }
}

export function showDefaultProvider(
  connection: Connection,
  isBroken: boolean,
): z.output<typeof defaultProviderShown> {
  return {
    uuid: connection.uuid,
    status: connection.status,
    provider: connection.provider,
    type: connection.type,
    is_operational: connection.status === 'ACTIVE' && !isBroken,
    is_public: connection.isPublic,
    virtual_account: connection.type === 'POOL' ? null : (connection.virtualAccount ?? null),
  }
}
