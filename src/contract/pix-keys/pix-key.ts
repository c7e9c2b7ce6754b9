import { z } from 'zod'
import type { AuthCode, PixKey } from '../../db/entities/pix-key.ts'
import { detectPixKeyType, normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import {
  PIX_KEY_TYPES,
  type PixKeyType,
  pixKeyMachine,
  VERIFIED_KEY_TYPES,
} from '../../domain/pix-keys/pix-key.ts'
import {
  addFieldIssue,
  caseInsensitiveEnum,
  failureFields,
  instantSchema,
  namesQuery,
  pageQueryFields,
  providerReference,
  RUN_DESPITE_OTHER_ISSUES,
  uuidSchema,
} from '../shared/fields.ts'

/** PIX keys (api-document.txt): the bodies of both POSTs, the list's pages and the response. */

const provider_uuid = uuidSchema
  .optional()
  .meta({ description: 'A NOMINAL provider of the account; the default one where absent' })

export const requestCodeBody = z
  .strictObject({
    type: caseInsensitiveEnum(VERIFIED_KEY_TYPES).meta({ description: 'What `key` is' }),
    key: z
      .string()
      .max(255)
      .transform(normalizePixKey)
      .meta({
        description: 'The e-mail address, or the mobile with `+55`, that is to be a key',
        examples: ['maria@example.com'],
      }),
    provider_uuid,
  })
  .superRefine(({ type, key }, context) => {
    if (isProvedType(type) && typeof key === 'string' && detectPixKeyType(key) !== type)
      addFieldIssue(context, 'key', ADDRESS_MESSAGES[type])
  }, RUN_DESPITE_OTHER_ISSUES)
export type RequestCodeBody = z.output<typeof requestCodeBody>

const ADDRESS_MESSAGES = {
  EMAIL: 'must be an e-mail address of at most 77 characters',
  PHONE: 'must be a Brazilian mobile with its country code: +55, area code, 9 and eight digits',
}

export const createPixKeyBody = z
  .strictObject({
    type: caseInsensitiveEnum(PIX_KEY_TYPES).meta({
      description:
        'DOCUMENT is the document of the account, RANDOM is made by the provider, EMAIL and PHONE are what the code was sent to',
    }),
    auth_code_id: z.string().max(64).optional().meta({
      description: 'Of `POST /pix-keys/auth-code`; required for EMAIL and PHONE',
      format: 'uuid',
    }),
    auth_code: z
      .string()
      .max(64)
      .optional()
      .meta({
        description: 'The six digits that came; required for EMAIL and PHONE',
        examples: ['123456'],
      }),
    provider_uuid,
  })
  .superRefine(({ type, auth_code_id, auth_code }, context) => {
    if (!isProvedType(type)) return
    if (auth_code_id === undefined) addFieldIssue(context, 'auth_code_id', 'is required for {type}', { type })
    if (auth_code === undefined) addFieldIssue(context, 'auth_code', 'is required for {type}', { type })
    else if (typeof auth_code === 'string' && !/^\d{6}$/.test(auth_code))
      addFieldIssue(context, 'auth_code', 'must be 6 digits')
  }, RUN_DESPITE_OTHER_ISSUES)
export type CreatePixKeyBody = z.output<typeof createPixKeyBody>

export function isProvedType(type: PixKeyType): type is (typeof VERIFIED_KEY_TYPES)[number] {
  return (VERIFIED_KEY_TYPES as readonly PixKeyType[]).includes(type)
}

export const pixKeysQuery = z.strictObject({
  ...pageQueryFields,
  type: namesQuery(PIX_KEY_TYPES, 'Of one of these types'),
})
export type PixKeysQuery = z.output<typeof pixKeysQuery>

export const pixKeySchema = z
  .object({
    key: z.string().meta({ examples: ['maria@example.com'] }),
    type: z.enum(PIX_KEY_TYPES),
    is_active: z.boolean().meta({ description: 'false while its provider has not confirmed a removal' }),
    created_at: instantSchema,
    provider: providerReference,
  })
  .meta({ id: 'PixKey' })

/** Data of a rejection: the provider's reason. */
export const rejectedPixKeySchema = z
  .object({
    type: z.enum(PIX_KEY_TYPES),
    is_active: z.literal(false).optional(),
    error: z.object(failureFields).meta({ id: 'PixKeyError' }).optional(),
  })
  .meta({
    id: 'RejectedPixKey',
    examples: [
      {
        type: 'EMAIL',
        is_active: false,
        error: { code: 'key_owned_elsewhere', message: 'the key belongs to another account' },
      },
    ],
  })

const message = z.string().meta({ description: 'For people' })
export const createdPixKeyResponse = z.object({ message, data: pixKeySchema })
export const removedPixKeyResponse = z.object({ message })
export const requestedCodeResponse = z.object({
  message,
  data: z.object({ auth_code_id: uuidSchema, expires_at: instantSchema }).meta({ id: 'AuthCode' }),
})

export function showPixKey(row: PixKey): z.output<typeof pixKeySchema> {
  const { uuid, provider } = row.connection
  return {
    key: row.key!,
    type: row.type,
    is_active: pixKeyMachine.statusOf(row.state) === 'true',
    created_at: row.createdAt,
    provider: { uuid, provider },
  }
}

/** Presents the key as its POST responded, whatever its current state is. */
export function showCreatedPixKey(row: PixKey): z.output<typeof createdPixKeyResponse> {
  return { message: 'The PIX key was created.', data: { ...showPixKey(row), is_active: true } }
}

/** Presents a requested code. The code of a test token is not sent (SPEC §9). */
export function showRequestedCode({
  uuid,
  isSimulated,
  expiresAt,
}: AuthCode): z.output<typeof requestedCodeResponse> {
  const message = isSimulated
    ? 'The code of a test token is not sent: the dashboard shows it on the page of PIX keys, in test mode.'
    : 'The code was sent.'
  return { message, data: { auth_code_id: uuid, expires_at: expiresAt } }
}
