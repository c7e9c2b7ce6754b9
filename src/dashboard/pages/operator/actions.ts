import { z } from 'zod'
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
  NotSettleableError,
  requestManualSettlement,
  StaleSettlement,
} from '../../../temporal/manual-settlement.ts'
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

/** Every act says why; that is kept for ever with who did it. */
const reasonSchema = z.string().trim().min(3, 'must say why').max(1_000)

/** How often something had been sent, as its page showed it. */
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
    message: 'is required of what was settled',
  })
  .refine(({ as, end_to_end }) => as === 'settled' || end_to_end === undefined, {
    path: ['end_to_end'],
    message: 'is only of what was settled',
  })
const unmatchedFormSchema = z.object({
  uuid: uuidSchema,
  disposition: z.enum(['held', 'returning', 'returned', 'kept', 'not_returned']),
  sending: sendCountSchema,
  reason: reasonSchema,
})
/** What may be done about money that nobody claims. */
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

/** What an operator may do: with a reason, written down before it is done, and always through the life. */
export function registerOperatorActions({ post, house }: DashboardRouter): void {
  const { workflowClientContext: engine } = house
  const tools = {
    sealer: house.sealer,
    timeScale: house.config.timeScale,
    inspect: createEndpointInspector(house.config),
  }

  post('operator', `${OPERATOR_PATH}/settle`, {
    async handle({ em, form, session: signedIn, language }) {
      const asked = parseFormFields(settleFormSchema, Object.fromEntries(form))
      const { attempt, sending, as, reason } = asked
      const seen = { attempt, sending, reason }
      const word = as === 'rejected' ? { ...seen, as } : { ...seen, as, endToEnd: asked.end_to_end! }
      const order = { noun: asked.noun, uuid: asked.uuid, settlement: word, who: signedIn.user.email }
      await requestManualSettlement(engine, em, order).catch(createActionErrorHandler(language))
      return redirect(`${OPERATOR_PATH}/unknown`, 'settled')
    },
    renderForm: OPERATOR_PAGES.unknown,
  })

  for (const { name, act, done } of UNMATCHED_ACTIONS)
    post('operator', `${OPERATOR_PATH}/${name}`, {
      async handle({ em, form, session: signedIn, language }) {
        const { uuid, reason, ...seen } = parseFormFields(unmatchedFormSchema, Object.fromEntries(form))
        const order = { uuid, expected: seen, who: signedIn.user.email, reason }
        await act(engine, em, order).catch(createActionErrorHandler(language))
        return redirect(`${OPERATOR_PATH}/unmatched`, done)
      },
      renderForm: OPERATOR_PAGES.unmatched,
    })

  post('operator', `${OPERATOR_PATH}/recover`, {
    async handle({ em, form, session: signedIn, language }) {
      const asked = parseFormFields(recoverFormSchema, Object.fromEntries(form))
      const webhook = await em.findOne(Webhook, { uuid: asked.uuid, deletedAt: null })
      if (!webhook) return fail('not_found')
      if (asked.status && webhook.status !== asked.status)
        return fail('act_stale', { currentStateText: TRANSLATORS[language](`status.${webhook.status}`) })
      await engine.client()
      const who = signedIn.user.email
      await recordOperatorAction(em, {
        who,
        act: 'resend',
        subject: `endpoint/${webhook.uuid}`,
        reason: asked.reason,
      })
      if (webhook.status === 'DISABLED') await updateWebhook(em, webhook, { status: 'ACTIVE' }, tools)
      await startEventReplay(
        engine,
        { webhookUuid: webhook.uuid, since: asked.since },
        getRequestDeadline().stepTimeoutMs(WAKE_TIMEOUT_MS),
      )
      return redirect(`${OPERATOR_PATH}/webhooks`, 'recovering')
    },
    renderForm: OPERATOR_PAGES.webhooks,
  })

  post('operator', `${OPERATOR_PATH}/pause`, {
    async handle({ em, form, session: signedIn }) {
      const asked = parseFormFields(pauseFormSchema, Object.fromEntries(form))
      const order = { reach: asked.reach, who: signedIn.user.email, reason: asked.reason }
      await startPause(em, { target: await findPauseTarget(em, asked), ...order })
      return redirect(`${OPERATOR_PATH}/providers`, 'paused')
    },
    renderForm: OPERATOR_PAGES.providers,
  })

  post('operator', `${OPERATOR_PATH}/resume`, {
    async handle({ em, form, session: signedIn, language }) {
      const asked = parseFormFields(resumeFormSchema, Object.fromEntries(form))
      const target = await findPauseTarget(em, asked)
      const seen = asked.pause && asked.seen_reach && { uuid: asked.pause, reach: asked.seen_reach }
      const order = { target, ...(seen && { seen }), who: signedIn.user.email, reason: asked.reason }
      if (!(await endPause(em, order))) {
        const standing = await findPause(em, target)
        if (!standing) return fail('not_found')
        return fail('act_stale', { currentStateText: TRANSLATORS[language](`pause.${standing.reach}`) })
      }
      return redirect(`${OPERATOR_PATH}/providers`, 'resumed')
    },
    renderForm: OPERATOR_PAGES.providers,
  })
}

/** Whom a pause stops; what is not there cannot be. */
async function findPauseTarget(
  em: EntityManager,
  asked: { target: 'all' | 'account' | 'connection'; uuid?: string | undefined },
): Promise<PauseTarget> {
  if (asked.target === 'all') return 'all'
  const { uuid } = parseFormFields(z.object({ uuid: uuidSchema }), { uuid: asked.uuid ?? '' })
  const there = em.fork()
  const known = await (asked.target === 'account'
    ? there.count(Account, { uuid })
    : there.count(Connection, { uuid }))
  if (known === 0) fail('not_found')
  return asked.target === 'account' ? { accountUuid: uuid } : { connectionUuid: uuid }
}

/** What an operator acted on has changed or ended since it was shown; the refusal says how it stands now. */
function createActionErrorHandler(language: Language) {
  const t = TRANSLATORS[language]
  return (error: unknown): never => {
    if (error instanceof NotSettleableError || error instanceof NotReturnableError) fail('nothing_waits')
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
