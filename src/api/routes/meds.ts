import { inSnapshot } from '../../db/orm.ts'
import type { Engine } from '../../engine/start.ts'
import { medAnswer, medPage, medsQuery } from '../../wire/med.ts'
import { medReplyForm } from '../../wire/med-reply.ts'
import type { Routes } from '../app.ts'
import { listMeds, medOf, shown } from '../meds/find.ts'
import { answerableMed, replyTo } from '../meds/reply.ts'
import { route } from '../route.ts'

/** api-document.txt, Disputes. */
export const medRoutes: Routes = (router, { temporal, config, sealer, storage, log }) => {
  const engine: Engine = {
    client: temporal,
    taskQueue: config.temporal.taskQueue,
    timeScale: config.timeScale,
  }

  route(router, {
    method: 'get',
    path: '/api/v1/meds',
    summary: 'List disputes',
    query: medsQuery,
    answers: { 200: medPage },
    handle: ({ em: outside, token, query }) =>
      inSnapshot(outside, async em => ({ body: await listMeds(em, storage, token, query) })),
  })

  route(router, {
    method: 'get',
    path: '/api/v1/meds/:uuid',
    summary: 'Read a dispute',
    answers: { 200: medAnswer },
    handle: ({ em: outside, token, params }) =>
      inSnapshot(outside, async em => ({
        body: { data: await shown(em, storage, await medOf(em, token, params.uuid)) },
      })),
  })

  route(router, {
    method: 'post',
    path: '/api/v1/meds/:uuid/reply',
    isKeyed: true,
    summary: 'Answer a dispute',
    description:
      'Once, while the dispute is PENDING and about money received. It answers PROCESSING; then the provider is told.',
    body: medReplyForm,
    bodyAs: 'multipart',
    answers: {
      200: medAnswer,
      errors: ['med_already_answered', 'med_not_answerable', 'idempotency_key_reused', 'not_confirmed'],
    },
    async mayCome({ params: { uuid }, ...request }) {
      await answerableMed({ ...request, uuid })
    },
    handle: ({ params: { uuid }, body: form, ...request }) =>
      replyTo({ engine, sealer, storage, log }, { ...request, uuid, form }),
  })
}
