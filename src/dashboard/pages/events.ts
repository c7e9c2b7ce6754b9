import { listEvents, requireVisibleEvent } from '../../api/operations/events.ts'
import { mapPage } from '../../api/operations/pagination.ts'
import { eventsQuery, formatEventBody, showEvent } from '../../contract/events/event.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { readEventDeliveries } from '../../db/repositories/related-rows.ts'
import { centsFromReais } from '../../domain/ledger/money.ts'
import { EVENT_TYPES, type EventType } from '../../domain/webhooks/webhook.ts'
import { createPage } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { registerAccountList } from './account-list.ts'
import { tokenWithMode } from './connections.ts'

const PATH = '/dashboard/events'

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

export function registerEventPages(router: DashboardRouter): void {
  registerAccountList(router, {
    name: 'events',
    path: PATH,
    permission: 'events.read',
    hasBothModes: true,
    schema: eventsQuery,
    columns: EVENT_COLUMNS,
    list: async ({ em, token }, query) => mapPage(await listEvents(em.fork(), token, query), showEvent),
    present: () => ({ kinds: EVENT_TYPES }),
  })

  router.get('events.read', `${PATH}/:uuid`, async visit => {
    const { em, token, params } = visit
    const row = await requireVisibleEvent(em, await tokenWithMode(visit), params.uuid)
    const event = showEvent(row)
    const deliveries = await readEventDeliveries(em.fork(), { ...token, uuid: event.id })
    const model = {
      event,
      deliveries,
      json: JSON.stringify(event.data, null, 2),
      requestBody: formatEventBody(row),
      subject: describeEventSubject(event, visit),
    }
    return createPage('event', model)
  })
}

type EventSubject = { path: string; amount: string | null; reference: string | null }

/** Describes the object that an event is about, with its page; null where it has none. */
export function describeEventSubject(
  { type, data }: Pick<ReturnType<typeof showEvent>, 'type' | 'data'>,
  { f }: Pick<PageContext, 'f'>,
): EventSubject | null {
  const subject = type === 'REFUND' ? Object(data.refund) : data
  const uuid = uuidSchema.safeParse(subject.uuid).data
  const path = SUBJECT_PATHS[type]
  if (!path || !uuid) return null
  const cents = typeof subject.value === 'number' ? centsFromReais(subject.value) : null
  return {
    path: `/dashboard/${path}/${uuid}`,
    amount: cents === null ? null : f.money(cents),
    reference: readText(subject.external_ref) ?? null,
  }
}

const SUBJECT_PATHS: Partial<Record<EventType, string>> = {
  PAYMENT: 'charges',
  TRANSFER: 'transfers',
  REFUND: 'refunds',
  MED: 'disputes',
  BATCH: 'transfers/batches',
  TEST: 'webhooks',
}
