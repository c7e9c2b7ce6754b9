import type { Engine } from '../../engine/start.ts'
import {
  createTransfer,
  showTransfer,
  transferAnswer,
  transferPage,
  transfersQuery,
} from '../../wire/transfer.ts'
import type { Routes } from '../app.ts'
import { route } from '../route.ts'
import { alsoWrong } from '../transfers/allowed.ts'
import { cancelTransfer } from '../transfers/cancel.ts'
import { createTransfer as create, TRANSFERS_PATH } from '../transfers/create.ts'
import { listTransfers, transferOf } from '../transfers/find.ts'

/** api-document.txt, Transfers. */
export const transferRoutes: Routes = (router, { temporal, config, sealer }) => {
  const engine: Engine = {
    client: temporal,
    taskQueue: config.temporal.taskQueue,
    timeScale: config.timeScale,
  }

  route(router, {
    method: 'post',
    path: TRANSFERS_PATH,
    isKeyed: true,
    summary: 'Send money to a PIX key',
    description:
      'Answers PROCESSING when a provider has accepted, or after ten seconds without a word; 400 with the stored transfer (`status` FAILED, `error`) when all have definitely refused.',
    body: createTransfer,
    alsoWrong,
    answers: {
      201: transferAnswer,
      errors: [
        'provider_rejected',
        'external_ref_taken',
        'idempotency_key_reused',
        'no_provider_available',
        'paused',
        'account_blocked',
        'not_taken',
        'not_found_after_restore',
        'not_confirmed',
      ],
    },
    handle: request => create({ engine, sealer }, request),
  })

  route(router, {
    method: 'get',
    path: TRANSFERS_PATH,
    summary: 'List transfers',
    query: transfersQuery,
    answers: { 200: transferPage },
    async handle({ em, token, query }) {
      return { body: await listTransfers(em, token, query) }
    },
  })

  route(router, {
    method: 'get',
    path: `${TRANSFERS_PATH}/:uuid`,
    summary: 'Read a transfer with its attempts',
    answers: { 200: transferAnswer },
    async handle({ em, token, params }) {
      const transfer = await transferOf(em, token, params.uuid)
      return { body: { data: showTransfer(transfer, transfer.attempts) } }
    },
  })

  route(router, {
    method: 'post',
    path: `${TRANSFERS_PATH}/:uuid/cancel`,
    summary: 'Cancel a transfer that waits for its time',
    answers: { 200: transferAnswer, errors: ['transfer_not_cancellable', 'not_confirmed'] },
    async handle({ em, token, params: { uuid } }) {
      return { body: { data: await cancelTransfer(engine, { em, token, uuid }) } }
    },
  })
}
