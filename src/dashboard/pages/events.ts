import { eventOf, listEvents } from '../../api/events/find.ts'
import { EVENT_TYPES } from '../../domain/webhook.ts'
import { eventsQuery, showEvent } from '../../wire/event.ts'
import type { Door } from '../door.ts'
import { page } from '../page.ts'
import { idOf } from './charges.ts'
import { listed } from './listing.ts'
import { inMode } from './mode.ts'

const PATH = '/dashboard/events'

export function eventPages({ get }: Door): void {
  get('merchant', PATH, async visit => {
    const token = await inMode(visit)
    const { data, meta, wrong } = await listed(visit, eventsQuery, query =>
      listEvents(visit.em.fork(), token, query),
    )
    const rows = data.map(showEvent)
    return page('events', { rows, meta, wrong, kinds: EVENT_TYPES, mode: token.reaches ?? '' })
  })

  get('merchant', `${PATH}/:uuid`, async visit => {
    const event = await eventOf(visit.em, await inMode(visit), idOf(visit.params.uuid))
    const shown = showEvent(event)
    return page('event', { event: shown, json: JSON.stringify(shown.data, null, 2) })
  })
}
