import { eventSchema, eventsQuery, showEvent } from '../../contract/events/event.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { listEvents, requireVisibleEvent } from '../operations/events.ts'

/** Registers the event routes (SPEC §8): events as webhooks received them, of a bound token its provider's only. */
export const eventRoutes: RouteRegistrar = router => {
  registerRoute(router, 'get', '/api/v1/events', {
    operationId: 'listEvents',
    scope: 'webhooks',
    summary: 'List the events of the last 30 days',
    description:
      'Newest first, whether or not a webhook received them. A bound token sees those of its provider.',
    query: eventsQuery,
    responses: { 200: pageResponse(eventSchema) },
    async handle({ em, token, query }) {
      const { data, meta } = await listEvents(em, token, query)
      return { body: { data: data.map(showEvent), meta } }
    },
  })

  registerRoute(router, 'get', '/api/v1/events/:id', {
    operationId: 'getEvent',
    scope: 'webhooks',
    summary: 'Read an event',
    description: 'Exactly the body that endpoints received.',
    responses: { 200: dataResponse(eventSchema) },
    handle: async ({ em, token, params }) => ({
      body: { data: showEvent(await requireVisibleEvent(em, token, params.id)) },
    }),
  })
}
