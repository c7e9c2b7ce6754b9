import { z } from 'zod'
import { requestDeadline } from '../../api/deadline.ts'
import { refuse } from '../../api/errors.ts'
import { WAKE_MS } from '../../api/limits.ts'
import { changeWebhook } from '../../api/webhooks/change.ts'
import { inspector } from '../../api/webhooks/usable.ts'
import { recordAct } from '../../db/acts.ts'
import { Account } from '../../db/entities/account.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Webhook } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { beginPause, endPause, type PauseTarget, pauseOf } from '../../db/pauses.ts'
import { MONEY_OUT } from '../../domain/money-out.ts'
import { beginRecovery } from '../../engine/deliveries.ts'
import { keepUnmatched, NothingToReturn, returnUnmatched, StaleReturn } from '../../engine/return.ts'
import { NothingUnknown, StaleSettlement, settleUnknown } from '../../engine/settle.ts'
import { uuid as wireUuid } from '../../wire/common.ts'
import type { Door } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere } from '../page.ts'
import { type Language, WORDS } from '../words.ts'
import { OPERATOR, OPERATOR_PAGES } from './pages.ts'

/** Every act says why; that is kept for ever with who did it. */
const reason = z.string().trim().min(3, 'must say why').max(1_000)

/** How often something had been sent, as its page showed it. */
const sendings = z.coerce.number().int().min(0).max(1_000_000)

const settling = z
  .object({
    noun: z.enum(MONEY_OUT),
    uuid: wireUuid,
    attempt: wireUuid,
    sending: sendings,
    as: z.enum(['settled', 'rejected']),
    end_to_end: z.string().trim().min(1).max(255).optional(),
    reason,
  })
  .refine(({ as, end_to_end }) => as === 'rejected' || end_to_end !== undefined, {
    path: ['end_to_end'],
    message: 'is required of what was settled',
  })
  .refine(({ as, end_to_end }) => as === 'settled' || end_to_end === undefined, {
    path: ['end_to_end'],
    message: 'is only of what was settled',
  })
const unmatched = z.object({
  uuid: wireUuid,
  disposition: z.enum(['held', 'returning', 'returned', 'kept', 'not_returned']),
  sending: sendings,
  reason,
})
/** What may be done about money that nobody claims. */
const ON_UNMATCHED = [
  { name: 'return', act: returnUnmatched, done: 'return_begun' },
  { name: 'keep', act: keepUnmatched, done: 'keeping' },
]
const recovering = z.object({
  uuid: wireUuid,
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  since: z.iso.datetime(),
  reason,
})
const target = { target: z.enum(['all', 'account', 'connection']), uuid: wireUuid.optional(), reason }
const pausing = z.object({ ...target, reach: z.enum(['money_out', 'everything']) })
const resuming = z.object({
  ...target,
  pause: wireUuid.optional(),
  seen_reach: z.enum(['money_out', 'everything']).optional(),
})

/** What an operator may do: with a reason, written down before it is done, and always through the life. */
export function operatorActs({ post, house }: Door): void {
  const { engine } = house
  const tools = { sealer: house.sealer, timeScale: house.config.timeScale, inspect: inspector(house.config) }

  post('operator', `${OPERATOR}/settle`, {
    async act({ em, form, signedIn, language }) {
      const asked = required(settling, Object.fromEntries(form))
      const { attempt, sending, as, reason } = asked
      const seen = { attempt, sending, reason }
      const word = as === 'rejected' ? { ...seen, as } : { ...seen, as, endToEnd: asked.end_to_end! }
      const order = { noun: asked.noun, uuid: asked.uuid, word, who: signedIn.user.email }
      await settleUnknown(engine, em, order).catch(refusedAct(language))
      return elsewhere(`${OPERATOR}/unknown`, 'settled')
    },
    again: OPERATOR_PAGES.unknown,
  })

  for (const { name, act, done } of ON_UNMATCHED)
    post('operator', `${OPERATOR}/${name}`, {
      async act({ em, form, signedIn, language }) {
        const { uuid, reason, ...seen } = required(unmatched, Object.fromEntries(form))
        const order = { uuid, seen, who: signedIn.user.email, reason }
        await act(engine, em, order).catch(refusedAct(language))
        return elsewhere(`${OPERATOR}/unmatched`, done)
      },
      again: OPERATOR_PAGES.unmatched,
    })

  post('operator', `${OPERATOR}/recover`, {
    async act({ em, form, signedIn, language }) {
      const asked = required(recovering, Object.fromEntries(form))
      const webhook = await em.findOne(Webhook, { uuid: asked.uuid, deletedAt: null })
      if (!webhook) return refuse('not_found')
      if (asked.status && webhook.status !== asked.status)
        return refuse('act_stale', { now: WORDS[language](`status.${webhook.status}`) })
      await engine.client()
      const who = signedIn.user.email
      await recordAct(em, { who, act: 'resend', subject: `endpoint/${webhook.uuid}`, reason: asked.reason })
      if (webhook.status === 'DISABLED') await changeWebhook(em, webhook, { status: 'ACTIVE' }, tools)
      await beginRecovery(
        engine,
        { webhookUuid: webhook.uuid, since: asked.since },
        requestDeadline().stepMs(WAKE_MS),
      )
      return elsewhere(`${OPERATOR}/webhooks`, 'recovering')
    },
    again: OPERATOR_PAGES.webhooks,
  })

  post('operator', `${OPERATOR}/pause`, {
    async act({ em, form, signedIn }) {
      const asked = required(pausing, Object.fromEntries(form))
      const order = { reach: asked.reach, who: signedIn.user.email, reason: asked.reason }
      await beginPause(em, { target: await targetOf(em, asked), ...order })
      return elsewhere(`${OPERATOR}/providers`, 'paused')
    },
    again: OPERATOR_PAGES.providers,
  })

  post('operator', `${OPERATOR}/resume`, {
    async act({ em, form, signedIn, language }) {
      const asked = required(resuming, Object.fromEntries(form))
      const target = await targetOf(em, asked)
      const seen = asked.pause && asked.seen_reach && { uuid: asked.pause, reach: asked.seen_reach }
      const order = { target, ...(seen && { seen }), who: signedIn.user.email, reason: asked.reason }
      if (!(await endPause(em, order))) {
        const standing = await pauseOf(em, target)
        if (!standing) return refuse('not_found')
        return refuse('act_stale', { now: WORDS[language](`pause.${standing.reach}`) })
      }
      return elsewhere(`${OPERATOR}/providers`, 'resumed')
    },
    again: OPERATOR_PAGES.providers,
  })
}

/** Whom a pause stops; what is not there cannot be. */
async function targetOf(
  em: EntityManager,
  asked: { target: 'all' | 'account' | 'connection'; uuid?: string | undefined },
): Promise<PauseTarget> {
  if (asked.target === 'all') return 'all'
  const { uuid } = required(z.object({ uuid: wireUuid }), { uuid: asked.uuid ?? '' })
  const there = em.fork()
  const known = await (asked.target === 'account'
    ? there.count(Account, { uuid })
    : there.count(Connection, { uuid }))
  if (known === 0) refuse('not_found')
  return asked.target === 'account' ? { accountUuid: uuid } : { connectionUuid: uuid }
}

/** What an operator acted on has changed or ended since it was shown; the refusal says how it stands now. */
function refusedAct(language: Language) {
  const t = WORDS[language]
  return (error: unknown): never => {
    if (error instanceof NothingUnknown || error instanceof NothingToReturn) refuse('nothing_waits')
    if (error instanceof StaleSettlement) {
      const { provider, state, ...now } = error.now
      const gaps = { ...now, provider: t(`provider.${provider}`), state: t(`outcome.${state}`) }
      refuse('act_stale', { now: t('watch.attemptNow', gaps) })
    }
    if (error instanceof StaleReturn) refuse('act_stale', { now: t(`disposition.${error.now.disposition}`) })
    throw error
  }
}
