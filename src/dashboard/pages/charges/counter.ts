import { requireVisibleCharge } from '../../../api/operations/charges.ts'
import { createPage } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { findConnectionMode } from '../connections.ts'
import { CHARGES_PATH } from './charges.ts'
import { presentPayable } from './payable.ts'

/** Registers the page that a merchant shows to a customer at the counter: a large QR code until it is paid. */
export function registerCounterPage({ get }: DashboardRouter): void {
  get('money.read', `${CHARGES_PATH}/:uuid/counter`, async ({ em, token, params, session }) => {
    const charge = await requireVisibleCharge(em.fork(), token, params.uuid)
    const path = `${CHARGES_PATH}/${charge.uuid}`
    const model = {
      payable: presentPayable(charge, { merchant: session.account?.name ?? '', text: charge.externalRef }),
      mode: await findConnectionMode(em, charge.connection.uuid),
      qr: `${path}/qr.svg`,
      back: path,
    }
    return createPage('counter', model, `${path}/counter`)
  })
}
