import { z } from 'zod'
import { deriveOperationUuid } from '../../api/operations/idempotency.ts'
import {
  createTestDelivery,
  listDeliveries,
  resendDelivery,
  signalOpenDelivery,
  startDeliverySweepIfUp,
  startRecovery,
} from '../../api/operations/webhook-deliveries.ts'
import {
  computeSecretEtag,
  createWebhook,
  createWebhookDependencies,
  isWebhookRemoved,
  listWebhooks,
  removeWebhook,
  requireVisibleWebhook,
  rotateSecretIfUnchanged,
  updateWebhook,
} from '../../api/operations/webhooks.ts'
import { showEvent } from '../../contract/events/event.ts'
import { EVENT_EXAMPLES } from '../../contract/events/event-example.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { localTimeSchema, momentOfLocalTime } from '../../contract/shared/time-zone.ts'
import { createWebhookBody, showWebhook, updateWebhookBody } from '../../contract/webhooks/webhook.ts'
import { deliveriesQuery, type showDelivery } from '../../contract/webhooks/webhook-delivery.ts'
import { Event, type Webhook } from '../../db/entities/webhook.ts'
import { countRecentDeliveries } from '../../db/repositories/deliveries.ts'
import { DELIVERY_STATUSES } from '../../domain/webhooks/delivery.ts'
import { DEFAULT_EVENT_TYPES, EVENT_TYPES, SUBSCRIBABLE_EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields, readCheckboxes, readSubmissionKey } from '../http/form.ts'
import { createPage, type DashboardResponse, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { createListFiles } from './account-list.ts'
import { tokenWithMode } from './connections.ts'
import { describeEventSubject } from './events.ts'
import { listByFilters } from './filtered-list.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/webhooks'
/** Most webhooks per account (SPEC §8). */
const MAX_WEBHOOKS = 20

/** Columns of the deliveries as CSV. */
const DELIVERY_COLUMNS: CsvColumns<ReturnType<typeof showDelivery>> = {
  created_at: delivery => delivery.created_at,
  status: delivery => delivery.status,
  event_type: delivery => delivery.event.type,
  event_id: delivery => delivery.event.id,
  attempts: delivery => String(delivery.attempts.at(-1)?.number ?? 0),
  last_attempt_at: delivery => delivery.attempts.at(-1)?.at,
  last_status: delivery => delivery.attempts.at(-1)?.status?.toString(),
  last_failure: delivery => delivery.attempts.at(-1)?.failure,
  last_answer: delivery => delivery.attempts.at(-1)?.answer,
  next_attempt_at: delivery => delivery.next_attempt_at,
  uuid: delivery => delivery.uuid,
}

/** Rows of the page of a webhook: each has the answer of every attempt. */
const DELIVERIES_PER_PAGE = 15

export function registerWebhookPages({ get, post, dashboard }: DashboardRouter): void {
  const tools = createWebhookDependencies(dashboard)
  const openListFile = createListFiles()

  get('webhooks.read', PATH, visit => renderWebhooks(visit))
  get('webhooks.read', `${PATH}/:uuid`, visit => renderWebhook(visit))

  get('webhooks.read', `${PATH}/:uuid/deliveries.csv`, async visit => {
    const reference = readWebhookScope(visit)
    await requireVisibleWebhook(visit.em.fork(), reference)
    return openListFile(visit, {
      name: visit.t('file.deliveries'),
      columns: DELIVERY_COLUMNS,
      schema: deliveriesQuery,
      list: query => listDeliveries(visit.em.fork(), reference, query),
    })
  })

  post('webhooks.write', PATH, {
    async handle(visit) {
      const { em, form } = visit
      const token = await tokenWithMode(visit)
      const body = parseFormFields(createWebhookBody, {
        url: form.get('url') ?? '',
        token: form.get('token') ?? '',
        events: readCheckboxes(form, 'events'),
      })
      const response = await createWebhook(tools, {
        body,
        token,
        idempotencyKey: readSubmissionKey(form),
        em,
      })
      return renderWebhooks(visit, response.body.data)
    },
    renderForm: visit => renderWebhooks(visit),
  })

  registerWebhookAction('rotate', async (visit, reference) => {
    // Reloading the page that showed the secret submits the form again, for a secret that is already replaced.
    const token = await rotateSecretIfUnchanged(visit.em, reference, visit.form.get('replaces'), tools)
    return token ? renderWebhook(visit, token) : redirect(`${PATH}/${reference.uuid}`, 'secret_replaced')
  })

  registerWebhookAction('change', async ({ em, form }, reference) => {
    const { url } = await requireVisibleWebhook(em.fork(), reference)
    const body = parseFormFields(updateWebhookBody, {
      // An unchanged URL requires no handshake now: the endpoint may be down, which may be the reason for the change.
      url: form.get('url') === url ? '' : (form.get('url') ?? ''),
      status: form.get('status') ?? '',
      events: readCheckboxes(form, 'events'),
    })
    const { isDisabled } = await updateWebhook(em, reference, body, tools)
    if (isDisabled) await startDeliverySweepIfUp(dashboard.temporal, reference.accountUuid)
    return redirect(`${PATH}/${reference.uuid}`, 'webhook_changed')
  })

  registerWebhookAction('remove', async ({ em }, reference) => {
    // The same form once more: the webhook is removed.
    if (await isWebhookRemoved(em.fork(), reference)) return redirect(PATH, 'webhook_removed')
    await removeWebhook(em, reference)
    await startDeliverySweepIfUp(dashboard.temporal, reference.accountUuid)
    return redirect(PATH, 'webhook_removed')
  })

  registerWebhookAction('recover', async ({ em, form, timeZone }, reference) => {
    const since = readRecoveryStart({ form, timeZone })
    const webhook = await requireVisibleWebhook(em.fork(), reference)
    if (webhook.status !== 'ACTIVE') fail('webhook_disabled')
    await startRecovery(dashboard.temporal, { em, reference, since })
    return redirect(`${PATH}/${reference.uuid}`, 'recovering')
  })

  registerWebhookAction('test', async ({ em, form, requestId }, reference) => {
    const path = `${PATH}/${reference.uuid}/test`
    // Not by `createOperation`: a test event is no operation, but a form that is sent twice sends one.
    const eventUuid = deriveOperationUuid({
      owner: reference,
      method: 'POST',
      path,
      key: form.has('once') ? readSubmissionKey(form) : null,
    })
    const delivery = await createTestDelivery(em, reference, { requestId, eventUuid })
    await signalOpenDelivery(dashboard.temporal, delivery.uuid)
    return redirect(`${PATH}/${reference.uuid}`, 'test_sent')
  })

  registerWebhookAction('deliveries/:delivery/resend', async ({ em, params }, reference) => {
    const delivery = await resendDelivery(em, reference, {
      deliveryUuid: params.delivery,
      timeScale: dashboard.temporal.timeScale,
    })
    await signalOpenDelivery(dashboard.temporal, delivery.uuid)
    return redirect(`${PATH}/${reference.uuid}`, 'resent')
  })

  registerWebhookAction('resend', async ({ em, form }, reference) => {
    await requireVisibleWebhook(em.fork(), reference)
    const { delivery: chosen } = parseFormFields(resendFormSchema, { delivery: form.getAll('delivery') })
    for (const deliveryUuid of chosen) {
      const { timeScale } = dashboard.temporal
      const delivery = await resendDelivery(em, reference, { deliveryUuid, timeScale }).catch(error => {
        // One that is sent soon needs no other attempt, and keeps none of the others from theirs.
        if (Object(error).code === 'resend_in_progress') return null
        throw error
      })
      if (delivery) await signalOpenDelivery(dashboard.temporal, delivery.uuid)
    }
    return redirect(`${PATH}/${reference.uuid}`, 'resent_many')
  })

  function registerWebhookAction(name: string, act: WebhookAction): void {
    post('webhooks.write', `${PATH}/:uuid/${name}`, {
      confirm: visit => confirmAction(name, visit),
      listFacts: readWebhookFacts,
      handle: async visit => act(visit, readWebhookScope(visit)),
      renderForm: visit => renderWebhook(visit),
    })
  }
}

/** Names an action that stops events or replaces the secret; null for the others. */
async function confirmAction(name: string, visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { t } = visit
  const isDisabling = name === 'change' && visit.form.get('status') === 'DISABLED'
  const act = isDisabling ? 'disable' : name
  if (act === 'recover') return confirmRecovery(visit)
  if (act !== 'disable' && act !== 'remove' && act !== 'rotate') return null
  if (act === 'remove' && (await isWebhookRemoved(visit.em.fork(), readWebhookScope(visit)))) return null
  const { uuid, url } = await requireVisibleWebhook(visit.em.fork(), readWebhookScope(visit))
  return {
    title: t(`webhook.ask.${act}`),
    button: t(`webhook.${act}`),
    facts: [{ name: 'field.url', value: url }],
    means: t(`webhook.${act}Means`),
    isDangerous: act !== 'rotate',
    back: `${PATH}/${uuid}`,
  }
}

async function confirmRecovery(visit: PageContext<'merchant'>): Promise<Confirmation> {
  const { t, f } = visit
  const { uuid, url } = await requireVisibleWebhook(visit.em.fork(), readWebhookScope(visit))
  const since = readRecoveryStart(visit)
  return {
    title: t('webhook.ask.recover'),
    button: t('webhook.recover'),
    facts: [
      { name: 'field.url', value: url },
      { name: 'field.since', value: f.plainTime(since) },
    ],
    means: t('webhook.recoverMeans'),
    back: `${PATH}/${uuid}`,
  }
}

const resendFormSchema = z.object({ delivery: z.array(uuidSchema).min(1).max(DELIVERIES_PER_PAGE) })

const recoverySchema = z.object({ since: localTimeSchema })

/** Reads a moment of a `datetime-local` field, in the time zone of the page. */
function readRecoveryStart({ form, timeZone }: Pick<PageContext, 'form' | 'timeZone'>): Date {
  const since = momentOfLocalTime(parseFormFields(recoverySchema, form).since, timeZone)
  return since <= new Date() ? since : failField('since', 'must not be in the future')
}

type WebhookAction = (
  visit: PageContext<'merchant'>,
  reference: ReturnType<typeof readWebhookScope>,
) => Promise<DashboardResponse>

type CreatedWebhook = Awaited<ReturnType<typeof createWebhook>>['body']['data']

async function renderWebhooks(visit: PageContext<'merchant'>, created?: CreatedWebhook) {
  const { em, token, form } = visit
  const { mode } = await tokenWithMode(visit)
  const { data: rows } = await listWebhooks(em.fork(), token, { per_page: MAX_WEBHOOKS })
  const health = await Promise.all(
    rows.map(async row => ({
      failingSince: row.failingSince ?? null,
      lastSuccessAt: row.lastSuccessAt ?? null,
      ...(await countRecentDeliveries(em.fork(), row.uuid)),
    })),
  )
  const formValues = created
    ? {}
    : { url: form.get('url'), token: form.get('token'), events: readCheckboxes(form, 'events') }
  return createPage(
    'webhooks',
    {
      rows: rows.map((row, index) => ({ ...showWebhook(row), mode: row.mode, ...health[index] })),
      kinds: SUBSCRIBABLE_EVENT_TYPES,
      defaultKinds: DEFAULT_EVENT_TYPES,
      created,
      typed: formValues,
      mode,
    },
    PATH,
  )
}

/** Renders a webhook with its deliveries and their responses. `secret` is its new signing secret, shown once. */
async function renderWebhook(visit: PageContext<'merchant'>, secret?: string) {
  const reference = readWebhookScope(visit)
  const { form } = visit
  const row = await requireVisibleWebhook(visit.em.fork(), reference)
  const { rows: deliveries, ...list } = await listByFilters(
    { ...visit, listSize: DELIVERIES_PER_PAGE },
    deliveriesQuery,
    query => listDeliveries(visit.em.fork(), reference, query),
  )
  return createPage(
    'webhook',
    {
      webhook: { ...showWebhook(row), mode: row.mode },
      health: {
        failingSince: row.failingSince ?? null,
        lastSuccessAt: row.lastSuccessAt ?? null,
        ...(await countRecentDeliveries(visit.em.fork(), row.uuid)),
      },
      kinds: SUBSCRIBABLE_EVENT_TYPES,
      deliveries: await nameSubjects(visit, deliveries),
      ...list,
      secret,
      replaces: computeSecretEtag(row),
      version: encodeFacts(visit.language, listWebhookFacts(visit, row)),
      typed: { url: form.get('url') ?? row.url, events: readCheckboxes(form, 'events') ?? row.events },
      statuses: DELIVERY_STATUSES,
      eventTypes: EVENT_TYPES,
      example: findExample(visit.query.example),
      related: await loadRelated(visit, {
        uuid: row.uuid,
        actionSubjects: [`endpoint/${row.uuid}`],
        ledgerUuid: null,
      }),
      file: `${PATH}/${row.uuid}/deliveries.csv`,
      moves: deliveries.some(({ status }) => status === 'PENDING'),
    },
    `${PATH}/${row.uuid}`,
  )
}

/** Finds the example of an event that the address names, as an endpoint receives it. */
function findExample(name: string | undefined) {
  const type = EVENT_TYPES.find(one => one === name)
  return type ? { type, json: JSON.stringify(EVENT_EXAMPLES[type], null, 2) } : null
}

function readWebhookScope({ token, params }: PageContext<'merchant'>) {
  return { ...token, uuid: params.uuid }
}

/** Lists what the forms of a webhook's page depend on. */
function listWebhookFacts(
  visit: PageContext<'merchant'>,
  { status, url, events }: Pick<Webhook, 'status' | 'url' | 'events'>,
): ShownFact[] {
  const { t } = visit
  return [
    { name: 'field.status', value: t(`status.${status}`) },
    { name: 'field.url', value: url },
    { name: 'field.events', value: events.map(kind => t(`event.${kind}`)).join(', ') },
  ]
}

/** Reads what the forms of a webhook's page depend on now. */
async function readWebhookFacts(visit: PageContext<'merchant'>): Promise<ShownFact[]> {
  const reference = readWebhookScope(visit)
  if (await isWebhookRemoved(visit.em.fork(), reference))
    return [{ name: 'field.status', value: visit.t('webhook.isRemoved') }]
  return listWebhookFacts(visit, await requireVisibleWebhook(visit.em.fork(), reference))
}

/** Adds to each delivery the object that its event is about; null where the event is no longer kept. */
async function nameSubjects<D extends { event: { id: string } }>(
  visit: PageContext<'merchant'>,
  deliveries: D[],
): Promise<(D & { subject: ReturnType<typeof describeEventSubject> })[]> {
  const events = await visit.em.fork().find(Event, { uuid: { $in: deliveries.map(one => one.event.id) } })
  const subjects = new Map(events.map(row => [row.uuid, describeEventSubject(showEvent(row), visit)]))
  return deliveries.map(one => ({ ...one, subject: subjects.get(one.event.id) ?? null }))
}
