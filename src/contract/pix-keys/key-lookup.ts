import { z } from 'zod'
import type { Connection } from '../../db/entities/connection.ts'
import type { KeyLookup } from '../../db/entities/key-lookup.ts'
import { detectPixKeyType } from '../../domain/pix-keys/key-format.ts'
import { OWNER_DOCUMENT_MATCHES, OWNER_NAME_MATCHES } from '../../domain/pix-keys/key-look-up.ts'
import { type BudgetAt, computeBudgetFullAt } from '../../domain/pix-keys/look-up-budget.ts'
import { PIX_KEY_TYPES } from '../../domain/pix-keys/pix-key.ts'
import { chosenProvider, cpfOrCnpj } from '../charges/charge.ts'
import {
  instantSchema,
  partyName,
  partySchema,
  providerReference,
  UNKNOWN_PARTY,
  uuidSchema,
} from '../shared/fields.ts'
import { recipientKey } from '../transfers/transfer.ts'

/** Look-ups of PIX keys: the body of the POST, the response, and the budget of a provider. */

export const lookUpKeyBody = z.strictObject({
  pix_key: recipientKey,
  provider_uuid: chosenProvider.optional(),
  document: cpfOrCnpj.optional().meta({ description: 'CPF or CNPJ that the owner of the key should have' }),
  name: partyName.optional().meta({
    description: 'Name that the owner of the key should have',
    examples: ['Maria Souza'],
  }),
})
export type LookUpKeyBody = z.output<typeof lookUpKeyBody>

export const lookupBudgetSchema = z
  .object({
    capacity: z
      .number()
      .min(0)
      .meta({ description: 'Tokens of a full budget', examples: [500] }),
    left: z
      .int()
      .min(0)
      .meta({ description: 'Tokens that are left, as the provider reported them last, and computed since' }),
    refill_per_minute: z.number().min(0),
    cost: z.int().min(0).meta({
      description:
        'Tokens that this look-up took: 0 where the answer was known. Of a provider: what a look-up takes that finds its key; one of a key that does not exist takes 20',
    }),
    resets_at: instantSchema.meta({ description: 'When the budget is full again, if nothing is looked up' }),
  })
  .meta({ id: 'LookupBudget' })

/** Presents a budget. `cost`: in tokens. */
export function showLookupBudget(
  budget: BudgetAt | undefined,
  cost: number,
): z.output<typeof lookupBudgetSchema> | null {
  if (!budget) return null
  const { capacity, left, refillPerMinute } = budget
  return {
    capacity,
    left: Math.floor(left),
    refill_per_minute: refillPerMinute,
    cost,
    resets_at: computeBudgetFullAt(budget),
  }
}

const lookupFields = {
  uuid: uuidSchema.meta({ description: 'The value of `lookup_uuid` of a transfer' }),
  pix_key: z
    .string()
    .meta({ description: 'Masked where a look-up is read again', examples: ['maria@example.com'] }),
  type: z.enum(PIX_KEY_TYPES),
  receiver: partySchema.meta({ description: 'The owner of the key, masked' }),
  document_match: z.enum(OWNER_DOCUMENT_MATCHES).meta({
    description:
      'Of `document`; UNKNOWN where none was sent, or the provider masks the owner’s and it does not contradict',
  }),
  name_match: z.enum(OWNER_NAME_MATCHES).meta({
    description:
      'Of `name`, without regard to case and accents; UNKNOWN where none was sent, or the provider names none',
  }),
  provider: providerReference,
  expires_at: instantSchema.meta({ description: 'A transfer may name the look-up until then' }),
}

export const keyLookupSchema = z
  .object({
    ...lookupFields,
    budget: lookupBudgetSchema.nullable().meta({ description: 'null where the provider tells none' }),
  })
  .meta({ id: 'KeyLookup' })

type ShownWithLookup = {
  key?: string
  connection?: Pick<Connection, 'uuid' | 'provider'>
  budget: z.output<typeof lookupBudgetSchema> | null
}

/**
 * Presents a look-up that found its key. `key`: as its caller sent it, absent where it is read again. `connection`: of the look-up, where
 * that has only its key.
 */
export function showKeyLookup(
  lookup: KeyLookup,
  { key = lookup.shownKey, connection = lookup.connection, budget }: ShownWithLookup,
): z.output<typeof keyLookupSchema> {
  return {
    uuid: lookup.uuid,
    pix_key: key,
    type: lookup.type,
    receiver: lookup.receiver ?? UNKNOWN_PARTY,
    document_match: lookup.documentMatch,
    name_match: lookup.nameMatch,
    provider: { uuid: connection.uuid, provider: connection.provider },
    expires_at: lookup.expiresAt,
    budget,
  }
}

/** Masks a key as it is shown after its look-up: enough to recognise it, not to use it. */
export function maskKey(key: string): string {
  switch (detectPixKeyType(key)) {
    case 'EMAIL': {
      const [name = '', domain = ''] = key.split('@')
      return `${name.slice(0, 1)}***@${domain}`
    }
    case 'RANDOM':
      return `${key.slice(0, 4)}****-****-****-****-********${key.slice(-4)}`
    default:
      return `${'*'.repeat(Math.max(0, key.length - 4))}${key.slice(-4, -2)}**`
  }
}
