import { z } from 'zod'
import { changeConnection } from '../../../admin/connections.ts'
import { centsFromText } from '../../../domain/ledger/money.ts'
import { fail } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import { AMOUNT_FORMAT_MESSAGE, normalizeAmount } from '../../http/form.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import {
  CONNECTIONS_PATH,
  connectionChangeFields,
  describeConnection,
  requireConnection,
} from './connection-facts.ts'
import { ACCOUNTS_PATH, registerOperatorForm } from './operator-form.ts'

/** The limit of one transfer through a connection, as its forms read and change it. */

const limitFormSchema = z.object({
  ...connectionChangeFields,
  max_per_transfer: z.string().trim().max(40).default(''),
})

type OperatorFormRender = Parameters<typeof registerOperatorForm>[2]['render']

/** Registers the form that changes the limit of a transfer through a connection; `render` shows it again. */
export function registerConnectionLimitForm(router: DashboardRouter, render: OperatorFormRender): void {
  registerOperatorForm(router, 'accounts/connections/limit', {
    page: ACCOUNTS_PATH,
    schema: limitFormSchema,
    render,
    async confirm({ uuid, reason }, visit) {
      const maxTransferCents = requireLimit(visit)
      const { connection, facts } = await describeConnection(visit, uuid)
      const { t, f } = visit
      const describe = (cents: number | null | undefined) =>
        cents == null ? t('connections.noLimit') : f.money(cents)
      if ((connection.maxTransferCents ?? null) === maxTransferCents && visit.form.has('confirmed'))
        return null
      return {
        title: t('connections.limitAsk', { name: facts.name }),
        button: t('connections.changeLimit'),
        facts: [
          ...facts.list,
          { name: 'account.before', value: describe(connection.maxTransferCents) },
          { name: 'account.after', value: describe(maxTransferCents) },
          { name: 'field.reason', value: reason },
        ],
        means: t('connections.limitMeans'),
        back: `${CONNECTIONS_PATH}/${uuid}`,
      }
    },
    async act({ uuid, reason }, visit) {
      const maxTransferCents = requireLimit(visit)
      const connection = await requireConnection(visit.em, uuid)
      if ((connection.maxTransferCents ?? null) !== maxTransferCents)
        await changeConnection(visit.em, {
          actor: visit.actor,
          reason,
          uuid,
          change: () => ({ maxTransferCents }),
        })
      return { path: `${CONNECTIONS_PATH}/${uuid}`, outcome: 'connection_changed' }
    },
  })
}

/** Reads the limit of one transfer, or fails with 422 on its field; null where the field is empty. */
function requireLimit(visit: PageContext): number | null {
  const errors: FieldErrors = {}
  const cents = readLimitField(visit, errors)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  return cents
}

/** Reads the limit of one transfer; null where the field is empty. */
export function readLimitField(visit: PageContext, errors: FieldErrors): number | null {
  const cents = readAmountField(visit, 'max_per_transfer', errors)
  if (cents === 0) errors.max_per_transfer = [AMOUNT_FORMAT_MESSAGE]
  return cents ?? null
}

/** Reads an amount in reais, in centavos; undefined where the field is empty. What is wrong is added to `errors`. */
export function readAmountField(
  { form, language }: PageContext,
  name: 'opening_balance' | 'max_per_transfer',
  errors: FieldErrors,
): number | undefined {
  const text = form.get(name)?.trim()
  if (!text) return undefined
  const amount = normalizeAmount(text, language)
  const cents = amount === null ? null : centsFromText(Number(amount).toFixed(2))
  if (cents === null) errors[name] = [AMOUNT_FORMAT_MESSAGE]
  return cents ?? undefined
}
