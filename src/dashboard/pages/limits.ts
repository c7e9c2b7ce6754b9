import type { z } from 'zod'
import { findCalloutSecret, rotateCalloutTokenIfUnchanged } from '../../api/operations/callouts.ts'
import {
  previewLimits,
  readLimits,
  readUsedLimits,
  replaceAccountLimits,
} from '../../api/operations/limits.ts'
import {
  computeSecretEtag,
  createWebhookDependencies,
  type WebhookDependencies,
} from '../../api/operations/webhooks.ts'
import { type limitsSchema, type ReplaceLimitsBody, replaceLimitsBody } from '../../contract/limits/limits.ts'
import { interpretTypedKey } from '../../domain/pix-keys/key-format.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { Confirmation } from '../http/confirmation.ts'
import { parseFormFields, readAmount, readText } from '../http/form.ts'
import { createPage, redirect } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { encodeFacts, type ShownFact } from '../http/shown-facts.ts'
import { listAccountModes, tokenWithMode } from './connections.ts'
import { loadRelated } from './related.ts'

const PATH = '/dashboard/limits'
const ROTATION_PATH = `${PATH}/callout/rotate`

type LimitsVisit = PageContext<'merchant'>
type ShownLimits = z.output<typeof limitsSchema>
type LimitValues = Omit<ShownLimits, 'callout_token' | 'pending' | 'version' | 'updated_at'>

const AMOUNT_FIELDS = ['per_transfer', 'per_day', 'per_night', 'per_receiver_per_day'] as const
const KEY_LINE_MESSAGE = 'must have a PIX key, CPF or CNPJ on each line'

/** Registers the page of the limits of an account with what is used of them, and the form that changes them. */
export function registerLimitPages({ get, post, dashboard }: DashboardRouter): void {
  const tools = createWebhookDependencies(dashboard)
  get('money.read', PATH, visit => renderLimits(visit))

  post('transfers.write', PATH, {
    confirm: visit => confirmChange(visit, tools),
    listFacts: async visit => listLimitFacts(visit, await readLimits(visit.em.fork(), visit.token)),
    async handle(visit) {
      const { em, token } = visit
      const current = await readLimits(em.fork(), token)
      const changed = await replaceAccountLimits(em, token, parseLimits(visit, current), tools)
      const { pending, callout_token: secret } = changed
      if (secret !== undefined && current.callout_token === undefined) return renderLimits(visit, secret)
      return redirect(
        PATH,
        pending ? 'limits_requested' : 'limits_changed',
        visit.form.get('mode') ?? undefined,
      )
    },
    renderForm: visit => renderLimits(visit),
  })

  post('transfers.write', ROTATION_PATH, {
    confirm: async ({ t }) => ({
      title: t('webhook.ask.rotate'),
      button: t('webhook.rotate'),
      facts: [],
      means: t('webhook.rotateMeans'),
      back: PATH,
    }),
    async handle(visit) {
      const { em, token, form } = visit
      // Reloading the page that showed the secret submits the form again, for a secret that is already replaced.
      const secret = await rotateCalloutTokenIfUnchanged(em, token, form.get('replaces'), tools)
      return secret ? renderLimits(visit, secret) : redirect(PATH, 'secret_replaced')
    },
    renderForm: visit => renderLimits(visit),
  })
}

/** Reads the fields of the form as the body of PUT /limits. `current`: what tells a key that is a document from a holder. */
function parseLimits(visit: LimitsVisit, current: ShownLimits): ReplaceLimitsBody {
  const { form } = visit
  const errors: FieldErrors = {}
  const [value, hours] = [
    readAmount(visit, 'new_receiver.value', errors),
    readText(form, 'new_receiver.hours'),
  ]
  const [from, to] = [readText(form, 'night.from'), readText(form, 'night.to')]
  const seconds = readText(form, 'duplicate_guard.seconds')
  const above = readAmount(visit, 'approvals.above', errors)
  const fields = {
    ...Object.fromEntries(AMOUNT_FIELDS.map(name => [name, readAmount(visit, name, errors)])),
    ...((from ?? to) && { night: { from, to } }),
    ...((value !== undefined || hours !== undefined) && {
      new_receiver: { value, hours: hours === undefined ? undefined : Number(hours) },
    }),
    trusted_receivers: readReceivers(form, current, errors),
    allowed_receivers_only: form.get('allowed_receivers_only') === 'true',
    ...(seconds !== undefined && { duplicate_guard: { seconds: Number(seconds) } }),
    ...(above !== undefined && {
      approvals: {
        above,
        count: readNumber(form, 'approvals.count'),
        expires_hours: readNumber(form, 'approvals.expires_hours'),
        callout_url: readText(form, 'approvals.callout_url'),
      },
    }),
  }
  return parseFormFields(replaceLimitsBody, fields, errors)
}

function readNumber(form: URLSearchParams, name: string): number | undefined {
  const text = readText(form, name)
  return text === undefined ? undefined : Number(text)
}

/** Reads the trusted receivers, one on each line; a line that is no key is added to `errors`. */
function readReceivers(
  form: URLSearchParams,
  { trusted_receivers, pending }: ShownLimits,
  errors: FieldErrors,
) {
  const lines = (form.get('trusted_receivers') ?? '').split('\n').map(line => line.trim())
  const known = [...trusted_receivers, ...(pending?.limits.trusted_receivers ?? [])]
  return lines
    .filter(line => line !== '')
    .map(line => {
      const typed = interpretTypedKey(line)
      if (!typed) errors.trusted_receivers = [KEY_LINE_MESSAGE]
      const key = typed?.key ?? line
      const isKnownKey = known.some(one => 'pix_key' in one && one.pix_key === key)
      return typed?.type === 'DOCUMENT' && !isKnownKey ? { document: key } : { pix_key: key }
    })
}

async function confirmChange(visit: LimitsVisit, tools: WebhookDependencies): Promise<Confirmation | null> {
  const { em, token, t, f } = visit
  const current = await readLimits(em.fork(), token)
  const body = parseLimits(visit, current)
  const changed = await previewLimits(em.fork(), token, body, tools)
  // The same form once more: nothing is to be done.
  if (!changed) return null
  const requested = changed.pending?.limits ?? changed
  const [before, later, now] = [current, requested, changed].map(one => describeLimits(visit, one)) as [
    LimitTexts,
    LimitTexts,
    LimitTexts,
  ]
  const changes = [...later].flatMap(([name, value]): ShownFact[] => {
    const earlier = before.get(name)!
    if (value === earlier) return []
    const when = now.get(name) === value ? 'limits.atOnce' : 'limits.later'
    return [{ name, value: `${earlier} → ${value} (${t(when)})` }]
  })
  const droppedAt = current.pending?.effective_at
  const isDropped = droppedAt && droppedAt.getTime() !== changed.pending?.effective_at.getTime()
  const dropped = isDropped && {
    name: 'limits.pending',
    value: t('limits.dropped', { time: f.plainTime(droppedAt) }),
  }
  return {
    title: t('limits.ask'),
    button: t('limits.save'),
    facts: [...changes, ...(dropped ? [dropped] : [])],
    means: t('limits.means'),
    back: PATH,
  }
}

/** The text of each limit, by its phrase. */
type LimitTexts = Map<string, string>

/** Describes each limit as the page shows it. */
function describeLimits({ t, f }: LimitsVisit, limits: LimitValues): LimitTexts {
  const { night, new_receiver: newReceiver, trusted_receivers: receivers, approvals } = limits
  return new Map([
    ...AMOUNT_FIELDS.map((name): [string, string] => [
      `field.${name}`,
      limits[name] === null ? t('limits.none') : f.money(limits[name]),
    ]),
    ['limits.night', `${night.from}–${night.to}`],
    [
      'limits.newReceiver',
      newReceiver
        ? t('limits.newReceiverIs', { amount: f.money(newReceiver.value), hours: newReceiver.hours })
        : t('limits.none'),
    ],
    ['field.trusted_receivers', receivers.map(nameReceiver).join(', ') || '–'],
    ['field.allowed_receivers_only', t(limits.allowed_receivers_only ? 'limits.yes' : 'limits.no')],
    [
      'limits.guard',
      limits.duplicate_guard.seconds === 0
        ? t('limits.none')
        : t('limits.guardIs', { seconds: limits.duplicate_guard.seconds }),
    ],
    [
      'limits.approvals',
      approvals
        ? t('limits.approvalsAre', {
            amount: f.money(approvals.above),
            persons: t(approvals.count === 1 ? 'limits.onePerson' : 'limits.twoPersons'),
            hours: approvals.expires_hours,
          })
        : t('limits.noApprovals'),
    ],
    ['limits.callout', approvals?.callout_url ?? t('limits.noCallout')],
  ])
}

const nameReceiver = (one: LimitValues['trusted_receivers'][number]) =>
  'pix_key' in one ? one.pix_key : one.document

/** Lists what the form depends on: the limits in force, and those that are pending. */
function listLimitFacts(visit: LimitsVisit, limits: ShownLimits): ShownFact[] {
  const { t, f } = visit
  const { pending } = limits
  const facts = [...describeLimits(visit, limits)].map(([name, value]) => ({ name, value }))
  if (!pending) return [...facts, { name: 'limits.pending', value: t('limits.none') }]
  const values = [...describeLimits(visit, pending.limits).values()]
  return [
    ...facts,
    { name: 'limits.pending', value: [f.plainTime(pending.effective_at), ...values].join('; ') },
  ]
}

/** Renders the page. `secret`: a new signing secret of the call-out, shown once. */
async function renderLimits(visit: LimitsVisit, secret?: string) {
  const { em, language, f } = visit
  const token = await tokenWithMode(visit)
  const [limits, calloutSecret, usage, modes] = await Promise.all([
    readLimits(em.fork(), token),
    findCalloutSecret(em.fork(), token.accountUuid),
    readUsedLimits(em.fork(), token),
    listAccountModes(visit),
  ])
  const { pending } = limits
  const inForce = describeLimits(visit, limits)
  const later = pending && describeLimits(visit, pending.limits)
  return createPage(
    'limits',
    {
      mode: token.mode,
      modes,
      usage: Object.entries(usage).map(([name, used]) => ({ name, ...used })),
      limits: [...inForce].map(([name, value]) => ({ name, value })),
      pending: pending && {
        at: pending.effective_at,
        changes: [...later!].filter(([name, value]) => inForce.get(name) !== value),
        cancellation: listFormValues(limits, f.reais),
      },
      // What was requested: saving it again changes nothing.
      values: listFormValues(pending?.limits ?? limits, f.reais),
      version: encodeFacts(language, listLimitFacts(visit, limits)),
      callout: calloutSecret && {
        url: pending?.limits.approvals?.callout_url ?? limits.approvals?.callout_url,
        token: calloutSecret.maskedSecret,
        replaces: computeSecretEtag(calloutSecret),
        path: ROTATION_PATH,
      },
      secret,
      related: await loadRelated(visit, {
        actionSubjects: [`account/${token.accountUuid}`],
        ledgerUuid: null,
      }),
    },
    PATH,
  )
}

/** Lists the values of the fields of the form. */
function listFormValues(limits: LimitValues, formatReais: (cents: number) => string): Record<string, string> {
  const { night, new_receiver: newReceiver, trusted_receivers: receivers, duplicate_guard: guard } = limits
  const { approvals } = limits
  const amount = (cents: number | null | undefined) => (cents == null ? '' : formatReais(cents))
  return {
    ...Object.fromEntries(AMOUNT_FIELDS.map(name => [name, amount(limits[name])])),
    'night.from': night.from,
    'night.to': night.to,
    'new_receiver.value': amount(newReceiver?.value),
    'new_receiver.hours': String(newReceiver?.hours ?? ''),
    trusted_receivers: receivers.map(nameReceiver).join('\n'),
    allowed_receivers_only: String(limits.allowed_receivers_only),
    'duplicate_guard.seconds': guard.seconds === 0 ? '' : String(guard.seconds),
    'approvals.above': amount(approvals?.above),
    'approvals.count': String(approvals?.count ?? 1),
    'approvals.expires_hours': String(approvals?.expires_hours ?? ''),
    'approvals.callout_url': approvals?.callout_url ?? '',
  }
}
