import { listEvents, requireVisibleEvent } from '../../api/operations/events.ts'
import { eventsQuery, showEvent } from '../../contract/events/event.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { tokenWithMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'

const PATH = '/dashboard/events'

export function registerEventPages({ get }: DashboardRouter): void {
  get('events.read', PATH, async visit => {
    const token = await tokenWithMode(visit)
    const list = await listByFilters(visit, eventsQuery, query => listEvents(visit.em.fork(), token, query))
    const rows = list.rows.map(showEvent)
    return createPage('events', { ...list, rows, kinds: EVENT_TYPES, mode: token.modeScope ?? '' })
  })

  get('events.read', `${PATH}/:uuid`, async visit => {
    const event = showEvent(
      await requireVisibleEvent(visit.em, await tokenWithMode(visit), visit.params.uuid),
    )
    return createPage('event', { event, json: JSON.stringify(event.data, null, 2) })
  })
}
