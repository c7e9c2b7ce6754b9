import type { Party } from '../../domain/pix/party.ts'
import type { Confirmation } from '../http/confirmation.ts'
import type { PageContext } from '../http/page-context.ts'

/** `payer`: what its provider reported of the payer; `facts`: those that only this payment has. */
type PaymentReturn = {
  cents: number
  payer: Partial<Party> | null | undefined
  facts: Confirmation['facts']
  back: string
}

/** Builds the question before money goes back to its payer: a refund of a charge, or the return of a deposit. */
export function buildReturnConfirmation(
  visit: Pick<PageContext, 't' | 'f'>,
  { cents, payer, facts, back }: PaymentReturn,
): Confirmation {
  const { t, f } = visit
  const gaps = { amount: f.money(cents), payer: payer?.name || t('refund.unnamedPayer') }
  return {
    title: t('refund.ask', gaps),
    button: t('refund.now', gaps),
    facts: [
      { name: 'field.value', value: gaps.amount },
      { name: 'field.payer', value: gaps.payer },
      { name: 'field.document', value: payer?.document ? f.document(payer.document) : '–' },
      ...facts,
    ],
    means: t('refund.means'),
    isDangerous: true,
    back,
  }
}
