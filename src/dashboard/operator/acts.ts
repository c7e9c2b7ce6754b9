import { z } from 'zod'
import { refuse } from '../../api/errors.ts'
import { WAKE_MS } from '../../api/limits.ts'
import { changeWebhook } from '../../api/webhooks/change.ts'
import { inspector } from '../../api/webhooks/usable.ts'
import { recordAct } from '../../db/acts.ts'
import { Account } from '../../db/entities/account.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Webhook } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { beginPause, endPause, type PauseTarget } from '../../db/pauses.ts'
import { MONEY_OUT } from '../../domain/money-out.ts'
import { beginRecovery } from '../../engine/deliveries.ts'
import { keepUnmatched, NothingToReturn, returnUnmatched } from '../../engine/return.ts'
import { NothingUnknown, settleUnknown } from '../../engine/settle.ts'
import { uuid as wireUuid } from '../../wire/common.ts'
import type { Door } from '../door.ts'
import { required } from '../form.ts'
import { elsewhere } from '../page.ts'
import { OPERATOR, OPERATOR_PAGES } from './pages.ts'

/** Every act says why; that is kept for ever with who did it. */
const reason = z.string().trim().min(3, 'must say why').max(1_000)

const settling = z
  .object({
    noun: z.enum(MONEY_OUT),
    uuid: wireUuid,
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
const unmatched = z.object({ uuid: wireUuid, reason })
/** What may be done about money that nobody claims. */
const ON_UNMATCHED = [
  { name: 'return', act: returnUnmatched, done: 'return_begun' },
  { name: 'keep', act: keepUnmatched, done: 'keeping' },
]
const recovering = z.object({ uuid: wireUuid, since: z.iso.datetime(), reason })
const target = { target: z.enum(['all', 'account', 'connection']), uuid: wireUuid.optional(), reason }
const pausing = z.object({ ...target, reach: z.enum(['money_out', 'everything']) })
const resuming = z.object(target)

/** What an operator may do: with a reason, written down before it is done, and always through the life. */
export function operatorActs({ post, house }: Door): void {
  const { engine } = house
  const tools = { sealer: house.sealer, timeScale: house.config.timeScale, inspect: inspector(house.config) }

  post('operator', `${OPERATOR}/settle`, {
    async act({ em, form, signedIn }) {
      const asked = required(settling, Object.fromEntries(form))
      const word =
        asked.as === 'rejected'
          ? { as: asked.as, reason: asked.reason }
          : { as: asked.as, reason: asked.reason, endToEnd: asked.end_to_end! }
      await settleUnknown(engine, em, { ...asked, word, who: signedIn.user.email }).catch(nothingThere)
      return elsewhere(`${OPERATOR}/unknown`, 'settled')
    },
    again: OPERATOR_PAGES.unknown,
  })

  for (const { name, act, done } of ON_UNMATCHED)
    post('operator', `${OPERATOR}/${name}`, {
      async act({ em, form, signedIn }) {
        const asked = required(unmatched, Object.fromEntries(form))
        await act(engine, em, { ...asked, who: signedIn.user.email }).catch(nothingThere)
        return elsewhere(`${OPERATOR}/unmatched`, done)
      },
      again: OPERATOR_PAGES.unmatched,
    })

  post('operator', `${OPERATOR}/recover`, {
    async act({ em, form, signedIn }) {
      const asked = required(recovering, Object.fromEntries(form))
      const webhook = await em.findOne(Webhook, { uuid: asked.uuid, deletedAt: null })
      if (!webhook) return refuse('not_found')
      await engine.client()
      const who = signedIn.user.email
      await recordAct(em, { who, act: 'resend', subject: `endpoint/${webhook.uuid}`, reason: asked.reason })
      if (webhook.status === 'DISABLED') await changeWebhook(em, webhook, { status: 'ACTIVE' }, tools)
      await beginRecovery(engine, { webhookUuid: webhook.uuid, since: asked.since }, WAKE_MS)
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
    async act({ em, form, signedIn }) {
      const asked = required(resuming, Object.fromEntries(form))
      const order = { target: await targetOf(em, asked), who: signedIn.user.email, reason: asked.reason }
      if (!(await endPause(em, order))) refuse('not_found')
      return elsewhere(`${OPERATOR}/providers`, 'resumed')
    },
    again: OPERATOR_PAGES.providers,
  })
}

/** Whom a pause stops; what is not there cannot be. */
async function targetOf(
  em: EntityManager,
  asked: Pick<z.output<typeof resuming>, 'target' | 'uuid'>,
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

/** It was settled or returned in the meantime. */
function nothingThere(error: unknown): never {
  if (error instanceof NothingUnknown || error instanceof NothingToReturn) refuse('nothing_waits')
  throw error
}
