import { eventAnswer, eventPage, eventsQuery, showEvent } from '../../wire/event.ts'
import type { Routes } from '../app.ts'
import { eventOf, listEvents } from '../events/find.ts'
import { route } from '../route.ts'

/** SPEC §8: what happened, as endpoints were told of it; a bound token sees what its provider carried. */
export const eventRoutes: Routes = router => {
  route(router, {
    method: 'get',
    path: '/api/v1/events',
    summary: 'List the events of the last 30 days',
    query: eventsQuery,
    answers: { 200: eventPage },
    async handle({ em, token, query }) {
      const { data, meta } = await listEvents(em, token, query)
      return { body: { data: data.map(showEvent), meta } }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/events/:id',
    summary: 'Read an event',
    description: 'Exactly the body that endpoints got.',
    answers: { 200: eventAnswer },
    handle: async ({ em, token, params }) => ({
      body: { data: showEvent(await eventOf(em, token, params.id)) },
    }),
  })
}
