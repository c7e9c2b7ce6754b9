import type { z } from 'zod'
import { EXAMPLE_PROVIDER, EXAMPLE_TIMES, EXAMPLE_UUIDS } from '../shared/example-values.ts'
import type {
  createdPixKeyResponse,
  createPixKeyBody,
  pixKeySchema,
  removedPixKeyResponse,
  requestCodeBody,
  requestedCodeResponse,
} from './pix-key.ts'

/** Examples of the OpenAPI document: an e-mail address becomes a key. */

const key = 'contato@lojadaana.example.com'

export const REQUEST_CODE_EXAMPLE: z.input<typeof requestCodeBody> = { type: 'EMAIL', key }

export const REQUESTED_CODE_EXAMPLE: z.input<typeof requestedCodeResponse> = {
  message: 'The code was sent.',
  data: { auth_code_id: EXAMPLE_UUIDS.code, expires_at: '2026-11-21T12:13:10.482913Z' },
}

export const CREATE_PIX_KEY_EXAMPLE: z.input<typeof createPixKeyBody> = {
  type: 'EMAIL',
  auth_code_id: EXAMPLE_UUIDS.code,
  auth_code: '480517',
}

export const PIX_KEY_EXAMPLE: z.input<typeof pixKeySchema> = {
  key,
  type: 'EMAIL',
  is_active: true,
  created_at: EXAMPLE_TIMES.created,
  provider: EXAMPLE_PROVIDER,
}

export const CREATED_PIX_KEY_EXAMPLE: z.input<typeof createdPixKeyResponse> = {
  message: 'The PIX key was created.',
  data: PIX_KEY_EXAMPLE,
}

export const REMOVED_PIX_KEY_EXAMPLE: z.input<typeof removedPixKeyResponse> = {
  message: 'The PIX key was removed.',
}
