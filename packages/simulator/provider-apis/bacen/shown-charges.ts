import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import type { BacenProfile } from './profile.ts'
import type { BacenRefusals } from './refusals.ts'

type ChargeKind<Charge extends SimulatedCharge> = {
  isOfKind: (charge: SimulatedCharge) => charge is Charge
  /** Presents a charge in look-ups and lists, without its payments. */
  present: (account: SimulatedAccount, charge: SimulatedCharge) => object
  refusals: BacenRefusals
}

/** Creates what finds and shows the charges of one kind, `/cob` or `/cobv`: each kind answers as if the other did not exist. */
export function createShownCharges<Charge extends SimulatedCharge>(
  { charges, receipts, refunds }: SimulatorState,
  profile: BacenProfile,
  { isOfKind, present, refusals }: ChargeKind<Charge>,
) {
  const find = (account: SimulatedAccount, txid: string): Charge | undefined => {
    const charge = charges.find(account.id, txid)
    return charge && isOfKind(charge) ? charge : undefined
  }
  const listPayments = (account: SimulatedAccount, { accountId, txid }: SimulatedCharge) => {
    const pix = receipts
      .listByTxid(accountId, txid)
      .map(receipt => profile.presentReceivedPix(account, receipt, refunds.listListedByReceipt(receipt)))
    return pix.length ? { pix } : {}
  }
  const presentListed = (account: SimulatedAccount, charge: SimulatedCharge) => ({
    ...present(account, charge),
    ...listPayments(account, charge),
  })

  return {
    find,
    listPayments,
    presentListed,
    show({ account, params, query }: SimulatedCall): SimulatedResponse {
      const charge = find(account, params.txid!)
      if (!charge) return refusals.chargeNotFound()
      const revision = charges.findRevision(charge, Number(query.get('revisao') ?? charge.revision))
      return revision ? { status: 200, body: presentListed(account, revision) } : refusals.revisionUnknown()
    },
  }
}
