import { listEvents, requireVisibleEvent } from '../../api/operations/events.ts'
import { mapPage } from '../../api/operations/pagination.ts'
import { eventsQuery, formatEventBody, showEvent } from '../../contract/events/event.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { readEventDeliveries } from '../../db/repositories/related-rows.ts'
import { EVENT_TYPES, type EventType } from '../../domain/webhooks/webhook.ts'
import { createPage } from '../http/page.ts'
import type { DashboardRouter } from '../http/router.ts'
import { tokenWithMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'
import { createListFiles, nameFileByMode } from './list-file.ts'

const PATH = '/dashboard/events'
const FILE_PATH = `${PATH}/events.csv`

/** Columns of the list as CSV. */
const EVENT_COLUMNS: CsvColumns<ReturnType<typeof showEvent>> = {
  timestamp: event => event.timestamp,
  type: event => event.type,
  status: event => readText(event.data.status),
  uuid: event => readText(event.data.uuid),
  sequence: event => String(event.data.sequence ?? ''),
  id: event => event.id,
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function registerEventPages({ get }: DashboardRouter): void {
  const openListFile = createListFiles()

  get('events.read', PATH, async visit => {
    const token = await tokenWithMode(visit)
    const list = await listByFilters(visit, eventsQuery, query => listEvents(visit.em.fork(), token, query))
    const rows = list.rows.map(showEvent)
    return createPage('events', {
      ...list,
      rows,
      kinds: EVENT_TYPES,
      mode: token.modeScope ?? '',
      file: FILE_PATH,
    })
  })

  get('events.read', FILE_PATH, async visit => {
    const token = await tokenWithMode(visit)
    return openListFile(visit, {
      name: nameFileByMode('events', token.modeScope),
      columns: EVENT_COLUMNS,
      schema: eventsQuery,
      list: async query => mapPage(await listEvents(visit.em.fork(), token, query), showEvent),
    })
  })

  get('events.read', `${PATH}/:uuid`, async visit => {
    const { em, token, params } = visit
    const row = await requireVisibleEvent(em, await tokenWithMode(visit), params.uuid)
    const event = showEvent(row)
    const deliveries = await readEventDeliveries(em.fork(), { ...token, uuid: event.id })
    const model = {
      event,
      deliveries,
      json: JSON.stringify(event.data, null, 2),
      requestBody: formatEventBody(row),
      subject: findSubjectPath(event),
    }
    return createPage('event', model)
  })
}

/** Returns the page of the object that an event is about; null where it has none. */
function findSubjectPath({ type, data }: ReturnType<typeof showEvent>): string | null {
  const uuid = uuidSchema.safeParse(type === 'REFUND' ? Object(data.refund).uuid : data.uuid).data
  const path = SUBJECT_PATHS[type]
  return path && uuid ? `/dashboard/${path}/${uuid}` : null
}

const SUBJECT_PATHS: Partial<Record<EventType, string>> = {
  PAYMENT: 'charges',
  TRANSFER: 'transfers',
  REFUND: 'refunds',
  MED: 'disputes',
  TEST: 'webhooks',
}
