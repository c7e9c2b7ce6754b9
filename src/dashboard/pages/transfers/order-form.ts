import type { CallerToken } from '../../../api/authorization/authenticate.ts'
import { readVisibleProvider } from '../../../api/operations/providers.ts'
import {
  isTransferCreated,
  requireVisibleTransfer,
  type TransferQuote,
} from '../../../api/operations/transfers.ts'
import { positiveReais, uuidSchema } from '../../../contract/shared/fields.ts'
import { localTimeSchema, momentOfLocalTime } from '../../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { findRecentTransfer } from '../../../db/repositories/account-limits.ts'
import { identifyReceiver, type TransferDestination } from '../../../domain/transfers/transfer-destination.ts'
import { ApiError, fail } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { Confirmation } from '../../http/confirmation.ts'
import { readAmount, readSubmissionKey, readText } from '../../http/form.ts'
import { createPage, type DashboardResponse, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import type { ShownFact } from '../../http/shown-facts.ts'
import { listConnections, tokenWithMode } from '../connections.ts'
import { TRANSFER_DESTINATIONS, type TransferDestinationName } from './destinations.ts'
import { listLimitTexts, listShownUsage, readOrderLimits, requireWithinLimits } from './order-limits.ts'
import { TRANSFERS_PAGE_PATH } from './transfers.ts'

/**
 * What a transfer has after the first step of its form, whatever its destination: the value next to the receiver, the review, and the
 * sending.
 */

/** Time in which an equal transfer to the same receiver is pointed out. */
const EQUAL_TRANSFER_S = 24 * 60 * 60

export type TransferVisit = PageContext<'merchant'>

/** A destination as the second step and the review show it. */
export type ShownDestination = {
  destination: TransferDestination
  /** Whom the title of the review names. */
  name: string
  facts: ShownFact[]
  warnings: string[]
  /** Centavos of a code whose payer does not choose them. */
  fixedCents?: number
  /** Centavos that a code proposes. */
  proposedCents?: number
  /** The order may name the document that the holder must have. */
  takesDocument?: boolean
}

/** What the review reads of the body of every order. */
type OrderedBody = { external_ref?: string | undefined; scheduled_for?: Date | undefined }

type OrderRequest<Body> = {
  body: Body
  token: CallerToken
  em: EntityManager
  idempotencyKey: string
  requestId: string
}

/** What the form of one kind of destination adds to `registerOrderForm`. */
export type OrderForm<Body extends OrderedBody> = {
  name: TransferDestinationName
  /** Path of the POST of the API, of which the Idempotency-Key is. */
  apiPath: string
  /** Fields of the first step that the second one carries. */
  carriedFields: readonly string[]
  canSchedule: boolean
  parseOrder(visit: TransferVisit): Body
  quote(
    visit: TransferVisit,
    request: Omit<OrderRequest<Body>, 'idempotencyKey' | 'requestId'>,
  ): Promise<TransferQuote>
  create(visit: TransferVisit, request: OrderRequest<Body>): Promise<{ body: { data: { uuid: string } } }>
  /** Describes where the form goes; null where its first step is not done, or not valid any more. */
  describe(visit: TransferVisit, token: CallerToken): Promise<ShownDestination | null>
  /** Lists what the review names of the order besides its destination. */
  listOrderFacts?(visit: TransferVisit, body: Body): ShownFact[]
  /** Fields as they were understood, which replace what was typed once the review has shown them. */
  listConfirmedFields?(body: Body): Record<string, string>
  renderFirstStep(visit: TransferVisit): Promise<DashboardResponse>
  /** Fills in the form of a visit that begins it. */
  fillIn?(visit: TransferVisit): Promise<void>
}

/**
 * Registers the second step of a form, its review, its sending, and what the limits say about a value while it is typed. Returns what
 * renders the step that the form has reached.
 */
export function registerOrderForm<Body extends OrderedBody>(
  { get, post }: DashboardRouter,
  form: OrderForm<Body>,
) {
  const path = pathOf(form)
  const renderForm = async (visit: TransferVisit) =>
    (await renderValueStep(visit, form)) ?? form.renderFirstStep(visit)
  get('transfers.write', path, async visit => {
    if (!visit.isRestored) await form.fillIn?.(visit)
    return renderForm(visit)
  })

  post('transfers.write', path, {
    confirm: visit => confirmOrder(visit, form),
    async handle(visit) {
      const { em, requestId } = visit
      const token = await tokenWithMode(visit)
      const idempotencyKey = readSubmissionKey(visit.form)
      const request = { em, token, body: form.parseOrder(visit), idempotencyKey, requestId }
      const uuid = await form.create(visit, request).then(created => created.body.data.uuid, readUuidOfFailed)
      return redirect(`${TRANSFERS_PAGE_PATH}/${uuid}`)
    },
    renderForm,
  })

  post('transfers.write', `${path}/edit`, { handle: renderForm, renderForm })

  post('transfers.write', `${path}/limits`, {
    async handle(visit) {
      const shown = visit.form.has('value') && (await form.describe(visit, await tokenWithMode(visit)))
      return createPage('value-limits', { valueLimits: shown ? await describeLimits(visit, shown) : [] })
    },
    renderForm,
  })
  return renderForm
}

function pathOf({ name }: { name: TransferDestinationName }): string {
  return TRANSFER_DESTINATIONS.find(one => one.name === name)!.path
}

/** A transfer that failed has a page that shows why; every other failure is shown above the form. */
function readUuidOfFailed(error: unknown): string {
  const data = error instanceof ApiError && error.details.isFinalForKey ? error.details.data : undefined
  const uuid = uuidSchema.safeParse(Object(data).uuid)
  if (!uuid.success) throw error
  return uuid.data
}

/** Reads the fields of the second step that every order of a transfer has; what is no amount is added to `errors`. */
export function readOrderFields(visit: TransferVisit, errors: FieldErrors) {
  const { form, timeZone } = visit
  const schedule = readText(form, 'scheduled_for')
  return {
    value: readAmount(visit, 'value', errors),
    external_ref: readText(form, 'external_ref'),
    provider_uuid: readText(form, 'provider_uuid'),
    allow_duplicate: form.get('allow_duplicate') === 'true' || undefined,
    scheduled_for: schedule && readLocalTime(schedule, timeZone),
  }
}

/** Reads the time of a field without a zone, which is in the time zone of the page; what is no time stays as it is. */
function readLocalTime(text: string, timeZone: string): string {
  return localTimeSchema.safeParse(text).success ? momentOfLocalTime(text, timeZone).toISOString() : text
}

async function confirmOrder<Body extends OrderedBody>(
  visit: TransferVisit,
  form: OrderForm<Body>,
): Promise<Confirmation | null> {
  const { em, t, f } = visit
  const token = await tokenWithMode(visit)
  const idempotencyKey = readSubmissionKey(visit.form)
  if (await isTransferCreated(em, { token, idempotencyKey, path: form.apiPath })) return null
  const body = form.parseOrder(visit)
  const { connectionUuid, feeCents, valueCents } = await form.quote(visit, { em: em.fork(), token, body })
  const scope = { ...token, modeScope: token.mode }
  const { provider, balances } = await readVisibleProvider(em.fork(), scope, connectionUuid)
  const shown = (await form.describe(visit, token)) ?? fail('validation_failed', { errors: {} })
  const order = { destination: shown.destination, valueCents, isScheduled: body.scheduled_for !== undefined }
  const limits = await readOrderLimits(visit, token, order)
  requireWithinLimits(limits)
  const equalTransfer = await findEqualTransfer(visit, scope, order)
  const amount = f.money(valueCents)
  const leftCents = (balances[0]?.available_balance ?? 0) - valueCents - feeCents
  const when = body.scheduled_for ? f.plainTime(body.scheduled_for) : t('transfer.atOnce')
  const action = limits.approval
    ? 'transfer.requestNow'
    : body.scheduled_for
      ? 'transfer.scheduleNow'
      : 'transfer.sendNow'
  return {
    title: t('transfer.ask', { amount, receiver: shown.name }),
    button: t(action, { amount }),
    facts: [
      ...shown.facts,
      ...(form.listOrderFacts?.(visit, body) ?? []),
      { name: 'field.value', value: amount },
      { name: 'field.fees', value: f.money(feeCents) },
      ...(limits.approval ? [{ name: 'approvals.title', value: limits.approval.rule }] : []),
      ...(form.canSchedule ? [{ name: 'transfer.when', value: when }] : []),
      { name: 'field.external_ref', value: body.external_ref ?? '–' },
      { name: 'transfer.from', value: t(`provider.${provider}`), isInformative: true },
      { name: 'transfer.left', value: f.money(leftCents), isInformative: true },
    ],
    warnings: [
      ...shown.warnings,
      ...(limits.approval ? [limits.approval.text] : []),
      ...(leftCents < 0 ? [t('transfer.warnBalance')] : []),
      ...(equalTransfer ? [t('transfer.warnEqual', { amount, age: f.age(equalTransfer.createdAt) })] : []),
    ],
    means: t('transfer.means'),
    back: `${pathOf(form)}?mode=${token.mode}`,
    edit: `${pathOf(form)}/edit`,
    // With the consent to an equal transfer, which the page names.
    fields: { ...form.listConfirmedFields?.(body), ...(equalTransfer && { allow_duplicate: 'true' }) },
  }
}

type PlannedOrder = { destination: TransferDestination; valueCents: number }

/** Finds a transfer of a moment ago that the form may repeat by mistake. */
async function findEqualTransfer(
  { em }: TransferVisit,
  token: CallerToken,
  { destination, valueCents }: PlannedOrder,
) {
  const owner = { accountUuid: token.accountUuid, isSimulated: token.mode === 'test' }
  const receiverId = identifyReceiver(destination)
  const equal = { receiverId, valueCents, seconds: EQUAL_TRANSFER_S }
  const uuid = await findRecentTransfer(em.fork(), owner, equal)
  return uuid === null ? null : requireVisibleTransfer(em.fork(), token, uuid)
}

/** Describes what the limits say about the value of the form to a destination; nothing where it has no valid value. */
async function describeLimits(
  visit: TransferVisit,
  { destination, fixedCents, proposedCents }: ShownDestination,
) {
  const errors: FieldErrors = {}
  const typedReais = readAmount(visit, 'value', errors)
  const typedCents = positiveReais.safeParse(typedReais).data
  const valueCents = fixedCents ?? typedCents ?? (typedReais === undefined ? proposedCents : undefined)
  if (valueCents === undefined || Object.keys(errors).length > 0) return []
  const isScheduled = readText(visit.form, 'scheduled_for') !== undefined
  const token = await tokenWithMode(visit)
  const limits = listLimitTexts(await readOrderLimits(visit, token, { destination, valueCents, isScheduled }))
  const connections = await listConnections(visit.em, { ...token, modeScope: token.mode })
  const cover = isScheduled ? null : describeCover(visit, connections, valueCents)
  return cover === null ? limits : [...limits, { text: cover, isRefused: false, isHint: true }]
}

type ListedConnections = Awaited<ReturnType<typeof listConnections>>

/** Says which providers have the value available, because one of them pays the whole transfer; null where each has. */
function describeCover({ t }: TransferVisit, connections: ListedConnections, valueCents: number) {
  const covering = connections.filter(
    ({ balances: [balance] }) => (balance?.available_balance ?? 0) >= valueCents,
  )
  if (covering.length === connections.length) return null
  const names = [...new Set(covering.map(({ provider }) => t(`provider.${provider}`)))].join(', ')
  return covering.length === 0 ? t('transfer.fitsNowhere') : t('transfer.fitsIn', { names })
}

/** Lists what is available at each provider, because one of them pays the whole transfer; without names where there is one. */
function listBalances({ t, f }: TransferVisit, connections: ListedConnections) {
  const balances = connections.map(({ provider, balances: [balance] }) => {
    const amount = f.money(balance?.available_balance ?? 0)
    return connections.length === 1
      ? amount
      : `${t(`provider.${provider}`)} ${amount}`.replaceAll(' ', '\u00a0')
  })
  return balances.length === 0 ? f.money(0) : balances.join(' · ')
}

/** Renders the second step, with whom the transfer would pay; null where the form has not reached it. */
async function renderValueStep<Body extends OrderedBody>(visit: TransferVisit, form: OrderForm<Body>) {
  if (!visit.form.has('value')) return null
  const token = await tokenWithMode(visit)
  const shown = await form.describe(visit, token)
  if (!shown) return null
  const { destination: _, ...destination } = shown
  const connections = await listConnections(visit.em, { ...token, modeScope: token.mode })
  const path = pathOf(form)
  const model = {
    ...destination,
    connections,
    mode: token.mode,
    availableText: listBalances(visit, connections),
    destination: form.name,
    formPath: path,
    carriedFields: form.carriedFields,
    canSchedule: form.canSchedule,
    valueLimits: await describeLimits(visit, shown),
    usage: await listShownUsage(visit, token),
  }
  return createPage('transfer-value', model, path)
}
