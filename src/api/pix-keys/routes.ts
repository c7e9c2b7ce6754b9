import { z } from 'zod'
import {
  createdPixKeyResponse,
  createPixKeyBody,
  pixKeySchema,
  pixKeysQuery,
  rejectedPixKeySchema,
  removedPixKeyResponse,
  requestCodeBody,
  requestedCodeResponse,
  showPixKey,
} from '../../contract/pix-keys/pix-key.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import { MAX_KEY_LENGTH } from '../../domain/pix-keys/key-format.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { mapPage } from '../operations/pagination.ts'
import {
  AUTH_CODES_PATH,
  collectCodeProviderErrors,
  collectPixKeyProviderErrors,
  countCreationAttempt,
  createPixKey,
  listPixKeys,
  PIX_KEYS_PATH,
  removePixKey,
  requestAuthCode,
  requireVisiblePixKey,
} from '../operations/pix-keys.ts'

const pixKeyParams = z.object({ key: z.string().min(1).max(MAX_KEY_LENGTH) })

export const pixKeyRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', AUTH_CODES_PATH, {
    isIdempotent: true,
    operationId: 'createPixKeyAuthCode',
    scope: 'charges',
    summary: 'Request the code that proves an e-mail address or phone',
    description:
      'Six digits, good for ten minutes, one key and five wrong guesses. At most five codes of an account in 60 seconds, and to an address in an hour. The code of a test token is not sent.',
    body: requestCodeBody,
    validateSemantics: collectCodeProviderErrors,
    responses: {
      201: requestedCodeResponse,
      errors: [
        'account_blocked',
        'key_not_supported',
        'code_undeliverable',
        'too_many_attempts',
        'paused',
        'overloaded',
        'not_confirmed',
      ],
    },
    handle: request => requestAuthCode(dependencies, request),
  })

  registerRoute(router, 'post', PIX_KEYS_PATH, {
    isIdempotent: true,
    operationId: 'createPixKey',
    scope: 'charges',
    summary: 'Create a PIX key',
    description:
      'DOCUMENT is the document of the account, EMAIL and PHONE the address that the code was sent to, RANDOM is made by the provider. At most three keys of a type; every call counts as an attempt, three in 60 seconds, except the repeat of one that has begun.',
    beforeBody: countCreationAttempt,
    body: createPixKeyBody,
    validateSemantics: collectPixKeyProviderErrors,
    responses: {
      201: createdPixKeyResponse,
      errors: [
        'account_blocked',
        'provider_rejected',
        'pix_key_already_registered',
        'pix_key_limit',
        'key_not_supported',
        'too_many_attempts',
        'no_provider_available',
        'paused',
        'overloaded',
        'not_confirmed',
        'pix_key_unknown',
      ],
      errorData: { schema: rejectedPixKeySchema, codes: ['provider_rejected'] },
    },
    handle: request => createPixKey(dependencies, request),
  })

  registerRoute(router, 'get', PIX_KEYS_PATH, {
    operationId: 'listPixKeys',
    scope: 'charges',
    summary: 'List the PIX keys of the account',
    description:
      'Newest first. Only keys that were created here: a key that was registered at a provider, by which it receives charges, is shown by them as `payment.pix.pix_key`.',
    query: pixKeysQuery,
    responses: { 200: pageResponse(pixKeySchema) },
    handle: async ({ em, token, query }) => ({
      body: mapPage(await listPixKeys(em, token, query), showPixKey),
    }),
  })

  registerRoute(router, 'get', `${PIX_KEYS_PATH}/:key`, {
    operationId: 'getPixKey',
    scope: 'charges',
    summary: 'Read a PIX key',
    description:
      'A key of another account is not found, nor one that was not created here and by which a provider receives charges.',
    params: pixKeyParams,
    responses: { 200: dataResponse(pixKeySchema) },
    handle: async ({ em, token, params: { key } }) => ({
      body: { data: showPixKey(await requireVisiblePixKey(em, token, { key })) },
    }),
  })

  registerRoute(router, 'delete', `${PIX_KEYS_PATH}/:key`, {
    operationId: 'deletePixKey',
    scope: 'charges',
    summary: 'Remove a PIX key',
    description:
      'At its provider, too. The key by which a provider receives charges is in use, and stays: 409, also where GET does not show it.',
    params: pixKeyParams,
    responses: {
      200: removedPixKeyResponse,
      errors: [
        'provider_rejected',
        'key_in_use',
        'no_provider_available',
        'not_confirmed',
        'pix_key_unknown',
      ],
      errorData: { schema: rejectedPixKeySchema, codes: ['provider_rejected'] },
    },
    async handle({ em, token, params: { key }, requestId }) {
      await removePixKey(dependencies.temporal, { key, token, em, requestId })
      return { body: { message: 'The PIX key was removed.' } }
    },
  })
}
