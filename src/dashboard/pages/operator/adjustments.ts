import { z } from 'zod'
import { approveAdjustment, proposeAdjustment } from '../../../admin/ledger-adjustments.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Account } from '../../../db/entities/account.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { LedgerAdjustment } from '../../../db/entities/reconciliation.ts'
import { centsFromText } from '../../../domain/ledger/money.ts'
import { fail, failField } from '../../../http/api-error.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount, reasonSchema } from '../../http/form.ts'
import type { DashboardRouter } from '../../http/router.ts'
import type { Language } from '../../i18n/translator.ts'
import { OPERATOR_PAGES } from './lists.ts'
import { OPERATOR_PATH, registerOperatorForm } from './operator-form.ts'

const PAGE = `${OPERATOR_PATH}/entries`

const proposeFormSchema = z.object({
  connection: uuidSchema,
  direction: z.enum(['IN', 'OUT']),
  value: z.string().max(40),
  entry: uuidSchema.optional(),
  reason: reasonSchema,
  once: uuidSchema.optional(),
})
const approveFormSchema = z.object({ adjustment: uuidSchema, reason: reasonSchema })

/** Registers the forms of a ledger adjustment: one operator proposes it, another approves it. */
export function registerAdjustmentForms(router: DashboardRouter): void {
  const { temporal } = router.dashboard
  const form = { page: PAGE, render: OPERATOR_PAGES.entries }

  registerOperatorForm(router, 'entries/adjust', {
    ...form,
    schema: proposeFormSchema,
    async confirm({ direction, value, entry, reason, connection: uuid, once }, visit) {
      const { em, language, t, f } = visit
      const { connection, account } = await requireConnection(em, uuid)
      const cents = parseAdjustmentCents(value, language)
      const adjustment = once ? await em.fork().findOne(LedgerAdjustment, once) : null
      if (adjustment && adjustment.cents === cents && adjustment.connection.uuid === uuid) return null
      if (adjustment) return fail('idempotency_key_reused')
      const amount = f.money(cents)
      return {
        title: t('watch.proposeAsk', { amount, account: account.name }),
        button: t('watch.proposeNow', { amount }),
        facts: [
          { name: 'field.value', value: amount },
          { name: 'watch.direction', value: t(`watch.direction${direction}`) },
          { name: 'field.account', value: account.name },
          { name: 'field.provider', value: t(`provider.${connection.provider}`) },
          ...(entry ? [{ name: 'field.entry', value: entry }] : []),
          { name: 'field.reason', value: reason },
        ],
        means: t('watch.proposeMeans'),
        back: PAGE,
      }
    },
    async act({ direction, value, entry, reason, once, ...fields }, { em, actor, language }) {
      const { connection } = await requireConnection(em, fields.connection)
      await proposeAdjustment(em, {
        accountUuid: connection.accountUuid,
        connectionUuid: connection.uuid,
        direction,
        uuid: once,
        cents: parseAdjustmentCents(value, language),
        entryUuid: entry ?? null,
        operatorEmail: actor,
        reason,
      })
      return 'adjustment_proposed'
    },
  })

  registerOperatorForm(router, 'entries/approve', {
    ...form,
    schema: approveFormSchema,
    async confirm({ adjustment: uuid, reason }, visit) {
      const populate = ['connection', 'proposer', 'approver'] as const
      const proposal = await visit.em.fork().findOne(LedgerAdjustment, uuid, { populate })
      if (!proposal) return fail('not_found')
      // What may not be approved is refused before it is asked about; a repeat finds it approved.
      if (proposal.movementUuid || proposal.proposer.email === visit.actor || proposal.expiresAt < new Date())
        return null
      const { account } = await requireConnection(visit.em, proposal.connection.uuid)
      const { t, f } = visit
      const amount = f.money(proposal.cents)
      return {
        title: t('watch.approveAsk', { amount, account: account.name }),
        button: t('watch.approveNow', { amount }),
        facts: [
          { name: 'field.value', value: amount },
          { name: 'watch.direction', value: t(`watch.direction${proposal.direction}`) },
          { name: 'field.account', value: account.name },
          { name: 'field.provider', value: t(`provider.${proposal.connection.provider}`) },
          { name: 'watch.proposedBy', value: proposal.proposer.email },
          { name: 'watch.proposedReason', value: proposal.reason },
          { name: 'field.reason', value: reason },
        ],
        means: t('watch.approveMeans'),
        isDangerous: true,
        back: PAGE,
      }
    },
    async act({ adjustment: uuid, reason }, { em, actor }) {
      await approveAdjustment(em, { uuid, operatorEmail: actor, reason, timeScale: temporal.timeScale })
      return 'adjustment_booked'
    },
  })
}

async function requireConnection(em: EntityManager, uuid: string) {
  const fork = em.fork()
  const connection = await fork.findOne(Connection, uuid)
  if (!connection) return failField('connection', 'must be an existing connection')
  return { connection, account: await fork.findOneOrFail(Account, connection.accountUuid) }
}

function parseAdjustmentCents(text: string, language: Language): number {
  const cents = centsFromText(normalizeAmount(text, language) ?? '')
  return cents === null || cents <= 0 ? failField('value', AMOUNT_FORMAT_MESSAGE) : cents
}
