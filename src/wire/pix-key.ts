import { z } from 'zod'
import type { AuthCode, PixKey } from '../db/entities/pix-key.ts'
import {
  pixKey as life,
  normalizedPixKey,
  PIX_KEY_TYPES,
  type PixKeyType,
  PROVED_TYPES,
  pixKeyType,
} from '../domain/pix-key.ts'
import {
  anyCase,
  instant,
  namesQuery,
  page,
  pageQuery,
  providerShown,
  uuid,
  WHATEVER_ELSE_IS_WRONG,
} from './common.ts'

/** api-document.txt, PIX keys: the bodies of both POSTs, the list's pages, and a key as it is shown. */

const provider_uuid = uuid
  .optional()
  .meta({ description: 'A NOMINAL provider of the account; the default one where absent' })

export const requestCode = z
  .strictObject({
    type: anyCase(PROVED_TYPES),
    key: z
      .string()
      .max(255)
      .transform(normalizedPixKey)
      .meta({
        description: 'The e-mail address, or the mobile with `+55`, that is to be a key',
        examples: ['maria@example.com'],
      }),
    provider_uuid,
  })
  .superRefine(({ type, key }, context) => {
    if (isProved(type) && typeof key === 'string' && pixKeyType(key) !== type)
      wrong(context, 'key', MUST_BE[type])
  }, WHATEVER_ELSE_IS_WRONG)
export type RequestCode = z.output<typeof requestCode>

const MUST_BE = {
  EMAIL: 'must be an e-mail address of at most 77 characters',
  PHONE: 'must be a Brazilian mobile with its country code: +55, area code, 9 and eight digits',
}

export const createPixKey = z
  .strictObject({
    type: anyCase(PIX_KEY_TYPES),
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
    if (!isProved(type)) return
    if (auth_code_id === undefined) wrong(context, 'auth_code_id', `is required for ${type}`)
    if (auth_code === undefined) wrong(context, 'auth_code', `is required for ${type}`)
    else if (typeof auth_code === 'string' && !/^\d{6}$/.test(auth_code))
      wrong(context, 'auth_code', 'must be 6 digits')
  }, WHATEVER_ELSE_IS_WRONG)
export type CreatePixKey = z.output<typeof createPixKey>

export function isProved(type: PixKeyType): type is (typeof PROVED_TYPES)[number] {
  return (PROVED_TYPES as readonly PixKeyType[]).includes(type)
}

function wrong(context: z.core.$RefinementCtx, field: string, message: string) {
  context.addIssue({ code: 'custom', path: [field], message })
}

export const pixKeysQuery = z.strictObject({ ...pageQuery, type: namesQuery(PIX_KEY_TYPES).optional() })
export type PixKeysQuery = z.output<typeof pixKeysQuery>

export const pixKeyShown = z
  .object({
    key: z.string().meta({ examples: ['maria@example.com'] }),
    type: z.enum(PIX_KEY_TYPES),
    is_active: z.boolean().meta({ description: 'false while its provider has not confirmed a removal' }),
    created_at: instant,
    provider: providerShown,
  })
  .meta({ id: 'PixKey' })

const message = z.string().meta({ description: 'For people' })
export const pixKeyCreated = z.object({ message, data: pixKeyShown })
export const pixKeyAnswer = z.object({ data: pixKeyShown })
export const pixKeyPage = page(pixKeyShown)
export const pixKeyRemoved = z.object({ message })
export const codeRequested = z.object({
  message,
  data: z.object({ auth_code_id: uuid, expires_at: instant }).meta({ id: 'AuthCode' }),
})

export function showPixKey(row: PixKey): z.output<typeof pixKeyShown> {
  const { uuid, provider } = row.connection
  return {
    key: row.key!,
    type: row.type,
    is_active: life.shows(row.state) === 'true',
    created_at: row.createdAt,
    provider: { uuid, provider },
  }
}

/** A key as its POST answered, whatever has become of it since. */
export function showCreatedPixKey(row: PixKey): z.output<typeof pixKeyCreated> {
  return { message: 'The PIX key was created.', data: { ...showPixKey(row), is_active: true } }
}

export function showRequestedCode({ uuid, expiresAt }: AuthCode): z.output<typeof codeRequested> {
  return { message: 'The code was sent.', data: { auth_code_id: uuid, expires_at: expiresAt } }
}
