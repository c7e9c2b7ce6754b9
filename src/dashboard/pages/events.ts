import { listEvents, requireVisibleEvent } from '../../api/events/find.ts'
import { eventsQuery, showEvent } from '../../contract/events/event.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { parseUuidParam } from './charges.ts'
import { listByFilters } from './filtered-list.ts'
import { tokenWithMode } from './mode.ts'

const PATH = '/dashboard/events'

export function registerEventPages({ get }: DashboardRouter): void {
  get('merchant', PATH, async visit => {
    const token = await tokenWithMode(visit)
    const { data, meta, errors } = await listByFilters(visit, eventsQuery, query =>
      listEvents(visit.em.fork(), token, query),
    )
    const rows = data.map(showEvent)
    return createPage('events', {
      rows,
      meta,
      wrong: errors,
      kinds: EVENT_TYPES,
      mode: token.modeScope ?? '',
    })
  })

  get('merchant', `${PATH}/:uuid`, async visit => {
    const event = await requireVisibleEvent(
      visit.em,
      await tokenWithMode(visit),
      parseUuidParam(visit.params.uuid),
    )
    const data = showEvent(event)
    return createPage('event', { event: data, json: JSON.stringify(data.data, null, 2) })
  })
}
