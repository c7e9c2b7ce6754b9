import { keyLookupSchema, lookUpKeyBody, showKeyLookup } from '../../contract/pix-keys/key-lookup.ts'
import { dataResponse } from '../../contract/shared/fields.ts'
import { fail } from '../../http/api-error.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { collectLookupProviderErrors, findVisibleLookup, lookUpPixKey } from '../operations/key-lookups.ts'
import { PIX_KEYS_PATH } from '../operations/pix-keys.ts'

/** Registers the look-up of the owner of any key. */
export const keyLookupRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'post', `${PIX_KEYS_PATH}/lookup`, {
    operationId: 'lookUpPixKey',
    scope: 'transfers',
    summary: 'Look up the owner of a PIX key',
    description:
      'Shows whom a transfer would pay. The Central Bank allows a payer a number of look-ups, and a key that does not exist takes twenty: look up only what is to be paid. An answer is used again for a minute, and for ten minutes where the key does not exist. At most thirty look-ups of a token in 60 seconds, and 3,000 of an account on a day.',
    body: lookUpKeyBody,
    validateSemantics: collectLookupProviderErrors,
    responses: {
      200: dataResponse(keyLookupSchema),
      errors: [
        'account_blocked',
        'key_not_registered',
        'key_blocked_for_fraud',
        'lookup_not_supported',
        'too_many_lookups',
        'lookup_budget_low',
        'no_provider_available',
        'not_confirmed',
      ],
    },
    handle: async request => ({ body: { data: await lookUpPixKey(dependencies, request) } }),
  })

  registerRoute(router, 'get', `${PIX_KEYS_PATH}/lookups/:uuid`, {
    operationId: 'getPixKeyLookup',
    scope: 'transfers',
    summary: 'Read a look-up of a PIX key',
    description: 'Kept for thirty days, the key masked. `budget` is null: the provider shows it.',
    responses: { 200: dataResponse(keyLookupSchema) },
    async handle({ params, token, em }) {
      const lookup = (await findVisibleLookup(em, token, params.uuid)) ?? fail('not_found')
      return { body: { data: showKeyLookup(lookup, { budget: null }) } }
    },
  })
}
