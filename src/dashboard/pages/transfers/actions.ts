import { cancelMerchantTransfer, requireVisibleTransfer } from '../../../api/operations/transfers.ts'
import { fail } from '../../../http/api-error.ts'
import { type Confirmation, phrasesOf } from '../../http/confirmation.ts'
import { redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { readTransferFacts, renderTransfer, TRANSFERS_PAGE_PATH } from './transfers.ts'

/** Registers the cancellation of a scheduled transfer. */
export function registerTransferActions({ post, dashboard }: DashboardRouter): void {
  post('transfers.write', `${TRANSFERS_PAGE_PATH}/:uuid/cancel`, {
    confirm: confirmCancellation,
    async handle({ em, token, params }) {
      const { state } = await requireVisibleTransfer(em.fork(), token, params.uuid)
      if (state !== 'cancelled')
        await cancelMerchantTransfer(dashboard.temporal, { em, token, uuid: params.uuid })
      return redirect(`${TRANSFERS_PAGE_PATH}/${params.uuid}`, 'transfer_cancelled')
    },
    listFacts: readTransferFacts,
    renderForm: renderTransfer,
  })
}

async function confirmCancellation(visit: PageContext<'merchant'>): Promise<Confirmation | null> {
  const { em, token, params, form } = visit
  const transfer = await requireVisibleTransfer(em.fork(), token, params.uuid)
  // The same form once more: what it asked for is done.
  if (transfer.state === 'cancelled' && form.has('confirmed')) return null
  if (transfer.state !== 'created') fail('transfer_not_cancellable')
  const { t, f } = phrasesOf(visit)
  const gaps = { amount: f.money(transfer.valueCents) }
  return {
    title: t('transfer.cancelAsk', gaps),
    button: t('transfer.cancelNow', gaps),
    facts: [
      { name: 'field.pix_key', value: transfer.pixKey },
      { name: 'field.value', value: gaps.amount },
      { name: 'field.external_ref', value: transfer.externalRef ?? '–' },
    ],
    means: t('transfer.cancelMeans'),
    isDangerous: true,
    back: `${TRANSFERS_PAGE_PATH}/${transfer.uuid}`,
  }
}
