import { z } from 'zod'
import { LONGEST_KEY } from '../../domain/pix-key.ts'
import type { Engine } from '../../engine/start.ts'
import {
  codeRequested,
  createPixKey as creation,
  pixKeyAnswer,
  pixKeyCreated,
  pixKeyPage,
  pixKeyRemoved,
  pixKeysQuery,
  requestCode as request,
  showPixKey,
} from '../../wire/pix-key.ts'
import type { Routes } from '../app.ts'
import { createPixKey, PIX_KEYS_PATH } from '../pix-keys/create.ts'
import { listPixKeys, pixKeyOf } from '../pix-keys/find.ts'
import { wrongForCode, wrongMaker } from '../pix-keys/makers.ts'
import { removePixKey } from '../pix-keys/remove.ts'
import { CODES_PATH, requestCode } from '../pix-keys/request-code.ts'
import { countTry } from '../pix-keys/tries.ts'
import { route } from '../route.ts'

const params = z.object({ key: z.string().min(1).max(LONGEST_KEY) })

/** api-document.txt, PIX keys. */
export const pixKeyRoutes: Routes = (router, { temporal, config, sealer }) => {
  const engine: Engine = {
    client: temporal,
    taskQueue: config.temporal.taskQueue,
    timeScale: config.timeScale,
  }

  route(router, {
    method: 'post',
    path: CODES_PATH,
    isKeyed: true,
    summary: 'Request the code that proves an e-mail address or phone',
    description: 'Six digits, good for ten minutes, one key and five wrong tries.',
    body: request,
    alsoWrong: wrongForCode,
    answers: {
      201: codeRequested,
      errors: [
        'key_not_supported',
        'idempotency_key_reused',
        'code_undeliverable',
        'paused',
        'not_confirmed',
      ],
    },
    handle: asked => requestCode({ engine, sealer, messengers: config.messengers }, asked),
  })

  route(router, {
    method: 'post',
    path: PIX_KEYS_PATH,
    isKeyed: true,
    summary: 'Create a PIX key',
    description:
      'DOCUMENT is the document of the account, EMAIL and PHONE the address that the code was sent to, RANDOM is made by the provider. At most three keys of a type; every call counts as an attempt, three in 60 seconds.',
    admits: countTry,
    body: creation,
    alsoWrong: wrongMaker,
    answers: {
      201: pixKeyCreated,
      errors: [
        'provider_rejected',
        'pix_key_taken',
        'pix_key_limit',
        'key_not_supported',
        'idempotency_key_reused',
        'too_many_attempts',
        'no_provider_available',
        'paused',
        'not_confirmed',
        'pix_key_unknown',
      ],
    },
    handle: ordered => createPixKey({ engine, sealer }, ordered),
  })

  route(router, {
    method: 'get',
    path: PIX_KEYS_PATH,
    summary: 'List the PIX keys of the account',
    query: pixKeysQuery,
    answers: { 200: pixKeyPage },
    handle: async ({ em, token, query }) => ({ body: await listPixKeys(em, token, query) }),
  })

  route(router, {
    method: 'get',
    path: `${PIX_KEYS_PATH}/:key`,
    summary: 'Read a PIX key',
    params,
    answers: { 200: pixKeyAnswer },
    handle: async ({ em, token, params: { key } }) => ({
      body: { data: showPixKey(await pixKeyOf(em, token, key)) },
    }),
  })

  route(router, {
    method: 'delete',
    path: `${PIX_KEYS_PATH}/:key`,
    summary: 'Remove a PIX key',
    params,
    answers: {
      200: pixKeyRemoved,
      errors: [
        'provider_rejected',
        'key_in_use',
        'no_provider_available',
        'not_confirmed',
        'pix_key_unknown',
      ],
    },
    async handle({ em, token, params: { key }, requestId }) {
      await removePixKey(engine, { key, token, em, requestId })
      return { body: { message: 'The PIX key was removed.' } }
    },
  })
}
