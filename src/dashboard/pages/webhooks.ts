import { z } from 'zod'
import {
  changeWebhook,
  listWebhooks,
  markOf,
  removeWebhook,
  rotateMarked,
  webhookOf,
} from '../../api/webhooks/change.ts'
import { createWebhook } from '../../api/webhooks/create.ts'
import { listDeliveries, sendAgain, writeTest } from '../../api/webhooks/deliveries.ts'
import { inspector } from '../../api/webhooks/usable.ts'
import { wakeAllSoon, wakeSoon } from '../../api/webhooks/waking.ts'
import { SUBSCRIBED_TYPES } from '../../domain/webhook.ts'
import { uuid } from '../../wire/common.ts'
import { deliveriesQuery } from '../../wire/delivery.ts'
import { changeWebhook as change, createWebhook as create, showWebhook } from '../../wire/webhook.ts'
import type { Door, Visit } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import { idOf } from './charges.ts'
import { listed } from './listing.ts'
import { inMode } from './mode.ts'

const PATH = '/dashboard/webhooks'
/** SPEC §8: an account has no more of them. */
const MOST = 20

export function webhookPages({ get, post, house }: Door): void {
  const tools = { sealer: house.sealer, timeScale: house.config.timeScale, inspect: inspector(house.config) }

  get('merchant', PATH, visit => webhooks(visit))
  get('merchant', `${PATH}/:uuid`, visit => webhook(visit))

  post('merchant', PATH, {
    async act(visit) {
      const { em, form } = visit
      const token = await inMode(visit)
      const body = required(create, {
        url: form.get('url') ?? '',
        token: form.get('token') ?? '',
        events: eventsOf(form),
      })
      const { once } = required(z.object({ once: uuid }), { once: form.get('once') })
      const made = await createWebhook(tools, { body, token, idempotencyKey: `dashboard ${once}`, em })
      return webhooks(visit, made.body.data)
    },
    again: visit => webhooks(visit),
  })

  post('merchant', `${PATH}/:uuid/rotate`, {
    async act(visit) {
      const place = placeOf(visit)
      // Reloading the page that showed it sends the form again, of a secret that is replaced already.
      const token = await rotateMarked(visit.em, place, visit.form.get('replaces'), tools)
      return token ? webhook(visit, token) : elsewhere(`${PATH}/${place.uuid}`, 'secret_replaced')
    },
    again: visit => webhook(visit),
  })

  post('merchant', `${PATH}/:uuid/change`, {
    async act(visit) {
      const { form } = visit
      const place = placeOf(visit)
      const { url } = await webhookOf(visit.em.fork(), place)
      const body = required(change, {
        // One that stays need not answer now: it may be down, and be changed for that.
        url: form.get('url') === url ? '' : (form.get('url') ?? ''),
        status: form.get('status') ?? '',
        events: eventsOf(form),
      })
      await changeWebhook(visit.em, place, body, tools)
      if (body.status === 'DISABLED') await wakeAllSoon(house.engine)
      return elsewhere(`${PATH}/${place.uuid}`, 'webhook_changed')
    },
    again: visit => webhook(visit),
  })

  post('merchant', `${PATH}/:uuid/remove`, {
    async act(visit) {
      await removeWebhook(visit.em, placeOf(visit))
      await wakeAllSoon(house.engine)
      return elsewhere(PATH, 'webhook_removed')
    },
    again: visit => webhook(visit),
  })

  post('merchant', `${PATH}/:uuid/test`, {
    async act(visit) {
      const place = placeOf(visit)
      const delivery = await writeTest(visit.em, place, visit.requestId)
      await wakeSoon(house.engine, delivery.uuid)
      return elsewhere(`${PATH}/${place.uuid}`, 'test_sent')
    },
    again: visit => webhook(visit),
  })

  post('merchant', `${PATH}/:uuid/deliveries/:delivery/resend`, {
    async act(visit) {
      const place = placeOf(visit)
      const delivery = await sendAgain(visit.em, place, idOf(visit.params.delivery))
      await wakeSoon(house.engine, delivery.uuid)
      return elsewhere(`${PATH}/${place.uuid}`, 'resent')
    },
    again: visit => webhook(visit),
  })
}

/** What is ticked, none included; undefined where a form has nothing to tick (views/parts/kinds.eta). */
function eventsOf(form: URLSearchParams): string[] | undefined {
  return form.has('events') ? form.getAll('events').filter(kind => kind !== '') : undefined
}

type Created = Awaited<ReturnType<typeof createWebhook>>['body']['data']

async function webhooks(visit: Visit<'merchant'>, created?: Created) {
  const { em, token, form } = visit
  const { mode } = await inMode(visit)
  const [rows] = await listWebhooks(em.fork(), token, { page: 1, per_page: MOST })
  const typed = created ? {} : { url: form.get('url'), token: form.get('token'), events: eventsOf(form) }
  return page(
    'webhooks',
    {
      rows: rows.map(row => ({ ...showWebhook(row), mode: row.mode })),
      kinds: SUBSCRIBED_TYPES,
      created,
      typed,
      mode,
    },
    PATH,
  )
}

/** An endpoint, what went to it, and what it answered. `secret` is its new one, shown this once. */
async function webhook(visit: Visit<'merchant'>, secret?: string) {
  const place = placeOf(visit)
  const { form } = visit
  const row = await webhookOf(visit.em.fork(), place)
  const { data, meta, wrong } = await listed(visit, deliveriesQuery, query =>
    listDeliveries(visit.em.fork(), place, query),
  )
  return page(
    'webhook',
    {
      webhook: { ...showWebhook(row), mode: row.mode },
      kinds: SUBSCRIBED_TYPES,
      deliveries: data,
      meta,
      wrong,
      secret,
      replaces: markOf(row),
      typed: { url: form.get('url') ?? row.url, events: eventsOf(form) ?? row.events },
      statuses: ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'],
      moves: data.some(({ status }) => status === 'PENDING'),
    },
    `${PATH}/${row.uuid}`,
  )
}

function placeOf({ token, params }: Visit<'merchant'>) {
  return { ...token, uuid: idOf(params.uuid) }
}
