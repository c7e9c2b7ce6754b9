import type { z } from 'zod'
import type { chargeSchema } from './charge.ts'
import { CHARGE_EXAMPLE } from './charge-example.ts'
import type { reviseChargeBody } from './due.ts'

/** Examples of the OpenAPI document: the change of a charge with a due date, and the charge after it. */

const due = {
  on: '2026-12-10',
  payable_days_after: 30,
  fine: { type: 'PERCENTAGE', value: 2 },
  interest: { type: 'PERCENTAGE', per: 'MONTH', days: 'CALENDAR', value: 1 },
  discount: { type: 'FIXED', until: [{ on: '2026-12-05', value: 10 }] },
} as const

const terms = { ...due, discount: { ...due.discount, until: [...due.discount.until] } }

export const REVISE_CHARGE_EXAMPLE = {
  value: 150.75,
  due: terms,
  message: 'Mensalidade de dezembro',
} satisfies z.input<typeof reviseChargeBody>

const { payment, ...charge } = CHARGE_EXAMPLE
const expires = '2027-01-12T03:00:00.000000Z'

export const REVISED_CHARGE_EXAMPLE: z.input<typeof chargeSchema> = {
  ...charge,
  status: 'PENDING',
  debtor: { name: 'Maria da Silva', document: '52998224725' },
  message: 'Mensalidade de dezembro',
  revision: 1,
  net_value: 0,
  splits: charge.splits.map(split => ({ ...split, status: 'PENDING' as const })),
  history: charge.history.slice(0, 1),
  payment: {
    ...payment,
    status: 'PENDING',
    pix: { ...payment.pix, sender: null, transaction: null, status: 'PENDING', expires_at: expires },
    expires_at: expires,
    due: terms,
    amount_due: { value: 141.74, on: '2026-11-25', is_forecast: true },
  },
}
