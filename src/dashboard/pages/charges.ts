import { z } from 'zod'
import { refuse, refuseField } from '../../api/errors.ts'
import { cancelCharge } from '../../api/payments/cancel.ts'
import { chargeOf, listCharges } from '../../api/payments/find.ts'
import { qrSvg } from '../../api/payments/qr.ts'
import { createRefundOf } from '../../api/refunds/create.ts'
import { listRefunds } from '../../api/refunds/find.ts'
import { CHARGE_STATUSES, charge as life } from '../../domain/charge.ts'
import { refundableCents, whyNotRefundable } from '../../domain/refund.ts'
import { uuid } from '../../wire/common.ts'
import { paymentsQuery, showCharge } from '../../wire/payment.ts'
import { createRefund } from '../../wire/refund.ts'
import type { Door, Visit } from '../door.ts'
import { amountText, NO_AMOUNT, required } from '../form.ts'
import { elsewhere, page } from '../page.ts'
import type { Language } from '../words.ts'
import { connectionsOf } from './connections.ts'
import { listed } from './listing.ts'
import { modeOf, ofOneMode } from './mode.ts'

const PATH = '/dashboard/charges'
const MOST_REFUNDS = 100
const ONCE = z.object({ once: uuid })

export function chargePages({ get, post, house }: Door): void {
  get('merchant', PATH, async visit => {
    const { em } = visit
    const { token, modes } = await ofOneMode(visit)
    const { data, meta, wrong } = await listed(visit, paymentsQuery, query => listCharges(em, token, query))
    const connections = await connectionsOf(em, token)
    const rows = data.map(showCharge)
    const moves = data.some(charge => !life.isOver(charge.state) || charge.state === 'refunding')
    const told = { rows, meta, wrong, connections, statuses: CHARGE_STATUSES, moves }
    return page('charges', { ...told, mode: token.mode, modes })
  })

  get('merchant', `${PATH}/:uuid`, charge)

  get('merchant', `${PATH}/:uuid/qr.svg`, async ({ em, token, params }) => {
    const { payload } = await chargeOf(em, token, idOf(params.uuid))
    return { kind: 'file', type: 'image/svg+xml', body: qrSvg(payload ?? refuse('not_found')) }
  })

  post('merchant', `${PATH}/:uuid/cancel`, {
    async act({ em, token, params }) {
      const { uuid } = await cancelCharge(house.engine, { em, token, uuid: idOf(params.uuid) })
      return elsewhere(`${PATH}/${uuid}`, 'charge_cancelled')
    },
    again: charge,
  })

  post('merchant', `${PATH}/:uuid/refund`, {
    async act({ em, token, params, form, language, requestId }) {
      const chargeUuid = idOf(params.uuid)
      const body = required(createRefund, { value: amountOf(form.get('value'), language) })
      const idempotencyKey = `dashboard ${required(ONCE, { once: form.get('once') }).once}`
      await createRefundOf(house.engine, { em, token, body, idempotencyKey, requestId, chargeUuid })
      return elsewhere(`${PATH}/${chargeUuid}`, 'refund_accepted')
    },
    again: charge,
  })
}

/** A charge with its life, its refunds, and what may be done with it now. */
async function charge(visit: Visit<'merchant'>) {
  const { token, params, form } = visit
  const em = visit.em.fork()
  const row = await chargeOf(em, token, idOf(params.uuid))
  const refunds = await listRefunds(em, token, row.uuid, { page: 1, per_page: MOST_REFUNDS })
  const told = {
    charge: showCharge(row),
    mode: await modeOf(em, row.connection.uuid),
    refunds: refunds.data.map(({ refund }) => refund),
    isIssued: row.payload !== null,
    isPayable: life.accepts(row.state, 'cancelled'),
    whyNotRefundable: whyNotRefundable(row, new Date()),
    refundable: refundableCents(row),
    moves: !life.isOver(row.state) || row.state === 'refunding',
  }
  // What somebody has typed is no news.
  return page('charge', { ...told, typed: form.get('value') ?? '' }, `${PATH}/${row.uuid}`, told)
}

/** SPEC §1: what is no UUID is not there. */
export function idOf(text: string | undefined): string {
  const checked = uuid.safeParse(text)
  return checked.success ? checked.data : refuse('not_found')
}

/** Empty is "all that is left". */
function amountOf(text: string | null, language: Language): number | undefined {
  const amount = amountText(text ?? '', language) ?? refuseField('value', NO_AMOUNT)
  return amount === '' ? undefined : Number(amount)
}
