import { z } from 'zod'
import {
  AdjustmentError,
  approveAdjustment,
  proposeAdjustment,
} from '../../../activities/ledger/adjustments.ts'
import {
  NotSettleableError,
  requestManualSettlement,
  StaleSettlement,
} from '../../../admin/manual-settlement.ts'
import { createWebhookDependencies, updateWebhook } from '../../../api/operations/webhooks.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { Webhook } from '../../../db/entities/webhook.ts'
import { recordOperatorAction } from '../../../db/repositories/operator-actions.ts'
import { endPause, findPause, type PauseTarget, startPause } from '../../../db/repositories/pauses.ts'
import { centsFromText } from '../../../domain/ledger/money.ts'
import { PAYOUT_KINDS } from '../../../domain/payouts/payout-kind.ts'
import { fail, failField } from '../../../http/api-error.ts'
import { SIGNAL_TIMEOUT_MS } from '../../../http/limits.ts'
import { getRequestDeadline } from '../../../http/request-deadline.ts'
import { startEventReplay } from '../../../temporal/deliveries.ts'
import {
  NotReturnableError,
  requestUnmatchedKeep,
  requestUnmatchedReturn,
  StaleReturn,
} from '../../../temporal/unmatched.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, parseFormFields, reasonSchema } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { type Language, TRANSLATORS } from '../../i18n/translator.ts'
import { OPERATOR_PAGES, OPERATOR_PATH } from './lists.ts'

/** Number of sends that the page showed, to detect a change since. */
const sendCountSchema = z.coerce.number().int().min(0).max(1_000_000)

const settleFormSchema = z
  .object({
    noun: z.enum(PAYOUT_KINDS),
    uuid: uuidSchema,
    attempt: uuidSchema,
    sending: sendCountSchema,
    as: z.enum(['settled', 'rejected']),
    end_to_end: z.string().trim().min(1).max(255).optional(),
    reason: reasonSchema,
  })
  .refine(({ as, end_to_end }) => as === 'rejected' || end_to_end !== undefined, {
    path: ['end_to_end'],
    message: 'is required when the outcome is settled',
  })
  .refine(({ as, end_to_end }) => as === 'settled' || end_to_end === undefined, {
    path: ['end_to_end'],
    message: 'is allowed only when the outcome is settled',
  })
const unmatchedFormSchema = z.object({
  uuid: uuidSchema,
  disposition: z.enum(['held', 'returning', 'returned', 'kept', 'not_returned']),
  sending: sendCountSchema,
  reason: reasonSchema,
})
const UNMATCHED_ACTIONS = [
  { name: 'return', request: requestUnmatchedReturn, outcome: 'return_begun' },
  { name: 'keep', request: requestUnmatchedKeep, outcome: 'keeping' },
]
const recoverFormSchema = z.object({
  uuid: uuidSchema,
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  since: z.iso.datetime(),
  reason: reasonSchema,
})
const pauseReachSchema = z.enum(['money_out', 'everything'])
const pauseTargetFields = {
  target: z.enum(['all', 'account', 'connection']),
  uuid: uuidSchema.optional(),
  reason: reasonSchema,
}
const pauseFormSchema = z.object({ ...pauseTargetFields, reach: pauseReachSchema })
const resumeFormSchema = z.object({
  ...pauseTargetFields,
  pause: uuidSchema.optional(),
  seen_reach: pauseReachSchema.optional(),
})
const proposeFormSchema = z.object({
  connection: uuidSchema,
  direction: z.enum(['IN', 'OUT']),
  value: z.string().max(40),
  entry: uuidSchema.optional(),
  reason: reasonSchema,
})
const approveFormSchema = z.object({ adjustment: uuidSchema, reason: reasonSchema })

type OperatorForm<S extends z.ZodType> = {
  schema: S
  /** Operator page that has the form. */
  page: keyof typeof OPERATOR_PAGES
  /** Carries the form out and returns the name of its outcome. `actor` is the operator's e-mail. */
  act(fields: z.output<S>, context: PageContext<'operator'> & { actor: string }): Promise<string>
}

/** Registers the operator actions: each requires a reason, is recorded first, and goes through a workflow. */
export function registerOperatorActions({ post, dashboard }: DashboardRouter): void {
  const { temporal, orm } = dashboard
  const tools = createWebhookDependencies(dashboard)

  registerForm('settle', {
    schema: settleFormSchema,
    page: 'unknown',
    async act({ noun, uuid, attempt, sending, as, reason, end_to_end }, { em, actor }) {
      const expected = { attempt, sending, reason }
      const settlement = as === 'rejected' ? { ...expected, as } : { ...expected, as, endToEnd: end_to_end! }
      await requestManualSettlement(temporal, em, { noun, uuid, settlement, actor })
      return 'settled'
    },
  })

  for (const { name, request, outcome } of UNMATCHED_ACTIONS)
    registerForm(name, {
      schema: unmatchedFormSchema,
      page: 'unmatched',
      async act({ uuid, reason, ...expected }, { em, actor }) {
        await request(temporal, em, { uuid, expected, actor, reason })
        return outcome
      },
    })

  registerForm('recover', {
    schema: recoverFormSchema,
    page: 'webhooks',
    async act({ uuid, status, since, reason }, { em, actor, language }) {
      const webhook = await em.findOne(Webhook, { uuid, deletedAt: null })
      if (!webhook) return fail('not_found')
      if (status && webhook.status !== status)
        return fail('act_stale', { currentStateText: TRANSLATORS[language](`status.${webhook.status}`) })
      await temporal.client()
      await recordOperatorAction(em, { actor, action: 'resend', subject: `endpoint/${uuid}`, reason })
      if (webhook.status === 'DISABLED') await updateWebhook(em, webhook, { status: 'ACTIVE' }, tools)
      const timeoutMs = getRequestDeadline().stepTimeoutMs(SIGNAL_TIMEOUT_MS)
      await startEventReplay(temporal, { webhookUuid: uuid, since }, timeoutMs)
      return 'recovering'
    },
  })

  registerForm('pause', {
    schema: pauseFormSchema,
    page: 'providers',
    async act({ reach, reason, ...fields }, { em, actor }) {
      await startPause(em, { target: await findPauseTarget(em, fields), reach, actor, reason })
      return 'paused'
    },
  })

  registerForm('resume', {
    schema: resumeFormSchema,
    page: 'providers',
    async act({ pause: uuid, seen_reach: reach, reason, ...fields }, { em, actor, language }) {
      const target = await findPauseTarget(em, fields)
      const expected = uuid && reach && { expected: { uuid, reach } }
      if (await endPause(em, { target, actor, reason, ...expected })) return 'resumed'
      const current = await findPause(em, target)
      if (!current) return fail('not_found')
      return fail('act_stale', { currentStateText: TRANSLATORS[language](`pause.${current.reach}`) })
    },
  })

  registerForm('entries/adjust', {
    schema: proposeFormSchema,
    page: 'entries',
    async act({ direction, value, entry, reason, ...fields }, { em, actor, language }) {
      const connection = await em.fork().findOne(Connection, fields.connection)
      if (!connection) return failField('connection', 'must be an existing connection')
      await proposeAdjustment(orm, {
        ...{ accountUuid: connection.accountUuid, connectionUuid: connection.uuid, direction },
        ...{ cents: parseAdjustmentCents(value, language), entryUuid: entry ?? null },
        ...{ operatorEmail: actor, reason },
      })
      return 'adjustment_proposed'
    },
  })

  registerForm('entries/approve', {
    schema: approveFormSchema,
    page: 'entries',
    async act({ adjustment: uuid, reason }, { actor }) {
      await approveAdjustment(orm, { uuid, operatorEmail: actor, reason })
      return 'adjustment_booked'
    },
  })

  function registerForm<S extends z.ZodType>(path: string, { schema, page, act }: OperatorForm<S>): void {
    post('operator', `${OPERATOR_PATH}/${path}`, {
      async handle(context) {
        const { form, session, language } = context
        const action = act(parseFormFields(schema, form), { ...context, actor: session.user.email })
        const outcome = await action.catch(error => failByCause(error, language))
        return redirect(`${OPERATOR_PATH}/${page}`, outcome)
      },
      renderForm: OPERATOR_PAGES[page],
    })
  }
}

/** Finds the target of a pause; 404 where it does not exist. */
async function findPauseTarget(
  em: EntityManager,
  fields: { target: 'all' | 'account' | 'connection'; uuid?: string | undefined },
): Promise<PauseTarget> {
  if (fields.target === 'all') return 'all'
  const { uuid } = parseFormFields(z.object({ uuid: uuidSchema }), { uuid: fields.uuid ?? '' })
  const fork = em.fork()
  const count = await (fields.target === 'account'
    ? fork.count(Account, { uuid })
    : fork.count(Connection, { uuid }))
  if (count === 0) fail('not_found')
  return fields.target === 'account' ? { accountUuid: uuid } : { connectionUuid: uuid }
}

function parseAdjustmentCents(text: string, language: Language): number {
  const cents = centsFromText(normalizeAmount(text, language) ?? '')
  return cents === null || cents <= 0 ? failField('value', AMOUNT_FORMAT_MESSAGE) : cents
}

/** Fails with the reason for the operator, mostly a resource that has changed since the page showed it. */
function failByCause(error: unknown, language: Language): never {
  const t = TRANSLATORS[language]
  if (error instanceof NotSettleableError || error instanceof NotReturnableError) fail('already_settled')
  if (error instanceof StaleSettlement) {
    const { provider, state, ...now } = error.current
    const gaps = { ...now, provider: t(`provider.${provider}`), state: t(`outcome.${state}`) }
    fail('act_stale', { currentStateText: t('watch.attemptNow', gaps) })
  }
  if (error instanceof StaleReturn)
    fail('act_stale', { currentStateText: t(`disposition.${error.current.disposition}`) })
  if (error instanceof AdjustmentError) failAdjustment(error, language)
  throw error
}

function failAdjustment({ reason: why }: AdjustmentError, language: Language): never {
  switch (why) {
    case 'own_proposal':
      return fail('second_operator_needed')
    case 'no_such_adjustment':
      return fail('not_found')
    case 'approved':
    case 'expired':
    case 'explained':
      return fail('act_stale', { currentStateText: TRANSLATORS[language](`adjustment.${why}`) })
    case 'other_entry':
      return failField('value', 'must be the value of the entry')
    default:
      return failField('connection', 'must be an existing connection')
  }
}
