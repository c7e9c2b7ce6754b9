import { z } from 'zod'
import {
  requestUnmatchedKeep,
  requestUnmatchedReturn,
  requireUnmatchedPix,
} from '../../../admin/unmatched.ts'
import { recoverWebhook } from '../../../admin/webhook-recovery.ts'
import { createWebhookDependencies } from '../../../api/operations/webhooks.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import type { Movement } from '../../../db/entities/movement.ts'
import { Webhook } from '../../../db/entities/webhook.ts'
import { fail } from '../../../http/api-error.ts'
import { reasonSchema } from '../../http/form.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { OPERATOR_PAGES } from './lists.ts'
import { OPERATOR_PATH, type OperatorVisit, registerOperatorForm } from './operator-form.ts'

const unmatchedFormSchema = z.object({
  uuid: uuidSchema,
  disposition: z.enum(['held', 'returning', 'returned', 'kept', 'not_returned']),
  sending: z.coerce.number().int().min(0).max(1_000_000),
  cents: z.coerce.number().int().min(0),
  reason: reasonSchema,
})
const UNMATCHED_ACTIONS = [
  { name: 'return', request: requestUnmatchedReturn, outcome: 'return_started' },
  { name: 'keep', request: requestUnmatchedKeep, outcome: 'keeping' },
] as const
const recoverFormSchema = z.object({
  uuid: uuidSchema,
  status: z.enum(['ACTIVE', 'DISABLED']).optional(),
  since: z.iso.datetime(),
  reason: reasonSchema,
})

/** Registers what operators decide about unmatched payments and failing webhooks: confirmed, recorded, then begun. */
export function registerOperatorActions(router: DashboardRouter): void {
  const { temporal } = router.dashboard
  const tools = createWebhookDependencies(router.dashboard)

  for (const { name, request, outcome } of UNMATCHED_ACTIONS)
    registerOperatorForm(router, name, {
      schema: unmatchedFormSchema,
      page: `${OPERATOR_PATH}/unmatched`,
      render: OPERATOR_PAGES.unmatched,
      async confirm({ uuid, reason, ...expected }, visit) {
        const { em, actor, t, f } = visit
        const command = { uuid, expected, actor, reason }
        const movement = await requireUnmatchedPix(em.fork(), command, name)
        const amount = f.money(expected.cents) // The same as now: nothing has changed.
        const payer = movement.sender?.name || t('refund.unnamedPayer')
        const title = t(name === 'return' ? 'watch.returnAsk' : 'watch.keepAsk', { amount, payer })
        return {
          title,
          button: t(name === 'return' ? 'watch.returnNow' : 'watch.keepNow', { amount }),
          facts: [
            ...describePayment(visit, movement, amount),
            { name: 'field.account', value: await readAccountName(em, movement.accountUuid) },
            { name: 'field.status', value: t(`disposition.${movement.disposition}`) },
            { name: 'field.reason', value: reason },
          ],
          means: t(name === 'return' ? 'watch.returnMeans' : 'watch.keepMeans'),
          isDangerous: true,
          back: `${OPERATOR_PATH}/unmatched`,
        }
      },
      async act({ uuid, reason, ...expected }, { em, actor }) {
        await request(temporal, em, { uuid, expected, actor, reason })
        return outcome
      },
    })

  registerOperatorForm(router, 'recover', {
    schema: recoverFormSchema,
    page: `${OPERATOR_PATH}/webhooks`,
    render: OPERATOR_PAGES.webhooks,
    async confirm(fields, visit) {
      const webhook = await requireUnchangedWebhook(fields, visit)
      const { t, f } = visit
      return {
        title: t('watch.recoverAsk'),
        button: t('watch.recover'),
        facts: [
          { name: 'field.url', value: webhook.url },
          { name: 'field.account', value: await readAccountName(visit.em, webhook.accountUuid) },
          { name: 'field.status', value: t(`status.${webhook.status}`) },
          { name: 'watch.recoverSince', value: f.plainTime(fields.since) },
          { name: 'field.reason', value: fields.reason },
        ],
        means: t('watch.recoverFollows'),
        back: `${OPERATOR_PATH}/webhooks`,
      }
    },
    async act(fields, visit) {
      const { em, actor } = visit
      const webhook = await requireUnchangedWebhook(fields, visit)
      const order = { actor, reason: fields.reason, webhook, since: new Date(fields.since) }
      await recoverWebhook({ temporal, tools }, em, order)
      return 'recovering'
    },
  })
}

async function requireUnchangedWebhook(
  { uuid, status }: z.output<typeof recoverFormSchema>,
  { em, t }: OperatorVisit,
): Promise<Webhook> {
  const webhook = await em.findOne(Webhook, { uuid, deletedAt: null })
  if (!webhook) return fail('not_found')
  if (status && webhook.status !== status)
    return fail('act_stale', { currentStateText: t(`status.${webhook.status}`) })
  return webhook
}

/** Facts of an incoming PIX: what is left of it, who paid it, and the id that a provider knows it by. */
function describePayment(visit: OperatorVisit, { sender, endToEnd }: Movement, amount: string) {
  const { t, f } = visit
  return [
    { name: 'field.value', value: amount },
    { name: 'field.payer', value: sender?.name || t('refund.unnamedPayer') },
    { name: 'field.document', value: sender?.document ? f.document(sender.document) : '–' },
    { name: 'field.end_to_end', value: endToEnd ?? '–' },
  ]
}

async function readAccountName(em: EntityManager, uuid: string): Promise<string> {
  return (await em.fork().findOneOrFail(Account, uuid)).name
}
