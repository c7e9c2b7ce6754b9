import { z } from 'zod'
import {
  NotSettleableError,
  requestManualSettlement,
  StaleSettlement,
} from '../../../admin/manual-settlement.ts'
import { fail } from '../../../api/http/api-error.ts'
import { WAKE_TIMEOUT_MS } from '../../../api/limits.ts'
import { getRequestDeadline } from '../../../api/middleware/request-deadline.ts'
import { updateWebhook } from '../../../api/webhooks/update.ts'
import { createEndpointInspector } from '../../../api/webhooks/validate-endpoint.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { Webhook } from '../../../db/entities/webhook.ts'
import { recordOperatorAction } from '../../../db/repositories/operator-actions.ts'
import { endPause, findPause, type PauseTarget, startPause } from '../../../db/repositories/pauses.ts'
import { PAYOUT_KINDS } from '../../../domain/payouts/payout-kind.ts'
import { startEventReplay } from '../../../temporal/deliveries.ts'
import {
  NotReturnableError,
  requestUnmatchedKeep,
  requestUnmatchedReturn,
  StaleReturn,
} from '../../../temporal/unmatched.ts'
import { parseFormFields } from '../../http/form.ts'
import { redirect } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { type Language, TRANSLATORS } from '../../i18n/translator.ts'
import { OPERATOR_PAGES, OPERATOR_PATH } from './lists.ts'

/** Reason of an operator action; stored permanently with the operator's e-mail. */
const reasonSchema = z.string().trim().min(3, 'must give a reason').max(1_000)

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
  { name: 'return', act: requestUnmatchedReturn, done: 'return_begun' },
  { name: 'keep', act: requestUnmatchedKeep, done: 'keeping' },
]
const recoverFormSchema = z.object({
  uuid: uuidSchema,
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  since: z.iso.datetime(),
  reason: reasonSchema,
})
const pauseTargetFields = {
  target: z.enum(['all', 'account', 'connection']),
  uuid: uuidSchema.optional(),
  reason: reasonSchema,
}
const pauseFormSchema = z.object({ ...pauseTargetFields, reach: z.enum(['money_out', 'everything']) })
const resumeFormSchema = z.object({
  ...pauseTargetFields,
  pause: uuidSchema.optional(),
  seen_reach: z.enum(['money_out', 'everything']).optional(),
})

/**
 * Registers the operator actions. Each requires a reason, is recorded before it runs, and always goes through the
 * resource's workflow.
 */
export function registerOperatorActions({ post, dashboard }: DashboardRouter): void {
  const { workflowClientContext: temporal } = dashboard
  const tools = {
    sealer: dashboard.sealer,
    timeScale: dashboard.config.timeScale,
    inspect: createEndpointInspector(dashboard.config),
  }

  post('operator', `${OPERATOR_PATH}/settle`, {
    async handle({ em, form, session: signedIn, language }) {
      const fields = parseFormFields(settleFormSchema, Object.fromEntries(form))
      const { attempt, sending, as, reason } = fields
      const expectedAttempt = { attempt, sending, reason }
      const settlement =
        as === 'rejected'
          ? { ...expectedAttempt, as }
          : { ...expectedAttempt, as, endToEnd: fields.end_to_end! }
      const order = { noun: fields.noun, uuid: fields.uuid, settlement, who: signedIn.user.email }
      await requestManualSettlement(temporal, em, order).catch(createActionErrorHandler(language))
      return redirect(`${OPERATOR_PATH}/unknown`, 'settled')
    },
    renderForm: OPERATOR_PAGES.unknown,
  })

  for (const { name, act, done } of UNMATCHED_ACTIONS)
    post('operator', `${OPERATOR_PATH}/${name}`, {
      async handle({ em, form, session: signedIn, language }) {
        const { uuid, reason, ...expected } = parseFormFields(unmatchedFormSchema, Object.fromEntries(form))
        const order = { uuid, expected, who: signedIn.user.email, reason }
        await act(temporal, em, order).catch(createActionErrorHandler(language))
        return redirect(`${OPERATOR_PATH}/unmatched`, done)
      },
      renderForm: OPERATOR_PAGES.unmatched,
    })

  post('operator', `${OPERATOR_PATH}/recover`, {
    async handle({ em, form, session: signedIn, language }) {
      const fields = parseFormFields(recoverFormSchema, Object.fromEntries(form))
      const webhook = await em.findOne(Webhook, { uuid: fields.uuid, deletedAt: null })
      if (!webhook) return fail('not_found')
      if (fields.status && webhook.status !== fields.status)
        return fail('act_stale', { currentStateText: TRANSLATORS[language](`status.${webhook.status}`) })
      await temporal.client()
      const who = signedIn.user.email
      await recordOperatorAction(em, {
        who,
        act: 'resend',
        subject: `endpoint/${webhook.uuid}`,
        reason: fields.reason,
      })
      if (webhook.status === 'DISABLED') await updateWebhook(em, webhook, { status: 'ACTIVE' }, tools)
      await startEventReplay(
        temporal,
        { webhookUuid: webhook.uuid, since: fields.since },
        getRequestDeadline().stepTimeoutMs(WAKE_TIMEOUT_MS),
      )
      return redirect(`${OPERATOR_PATH}/webhooks`, 'recovering')
    },
    renderForm: OPERATOR_PAGES.webhooks,
  })

  post('operator', `${OPERATOR_PATH}/pause`, {
    async handle({ em, form, session: signedIn }) {
      const fields = parseFormFields(pauseFormSchema, Object.fromEntries(form))
      const order = { reach: fields.reach, who: signedIn.user.email, reason: fields.reason }
      await startPause(em, { target: await findPauseTarget(em, fields), ...order })
      return redirect(`${OPERATOR_PATH}/providers`, 'paused')
    },
    renderForm: OPERATOR_PAGES.providers,
  })

  post('operator', `${OPERATOR_PATH}/resume`, {
    async handle({ em, form, session: signedIn, language }) {
      const fields = parseFormFields(resumeFormSchema, Object.fromEntries(form))
      const target = await findPauseTarget(em, fields)
      const expectedPause = fields.pause &&
        fields.seen_reach && { uuid: fields.pause, reach: fields.seen_reach }
      const order = {
        target,
        ...(expectedPause && { expected: expectedPause }),
        who: signedIn.user.email,
        reason: fields.reason,
      }
      if (!(await endPause(em, order))) {
        const current = await findPause(em, target)
        if (!current) return fail('not_found')
        return fail('act_stale', { currentStateText: TRANSLATORS[language](`pause.${current.reach}`) })
      }
      return redirect(`${OPERATOR_PATH}/providers`, 'resumed')
    },
    renderForm: OPERATOR_PAGES.providers,
  })
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

/**
 * Creates the error handler for a resource that has changed or ended since the page showed it; the error text gives
 * its current state.
 */
function createActionErrorHandler(language: Language) {
  const t = TRANSLATORS[language]
  return (error: unknown): never => {
    if (error instanceof NotSettleableError || error instanceof NotReturnableError) fail('already_settled')
    if (error instanceof StaleSettlement) {
      const { provider, state, ...now } = error.current
      const gaps = { ...now, provider: t(`provider.${provider}`), state: t(`outcome.${state}`) }
      fail('act_stale', { currentStateText: t('watch.attemptNow', gaps) })
    }
    if (error instanceof StaleReturn)
      fail('act_stale', { currentStateText: t(`disposition.${error.current.disposition}`) })
    throw error
  }
}
