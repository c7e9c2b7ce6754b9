import { isUuid } from '../../../src/domain/pix/identifiers.ts'
import { staticTxidOf } from '../../../src/domain/qr-codes/qr-code.ts'
import type { FinalState, Violation } from '../final-state.ts'

/** A charge is shown under the txid of its provider, whatever id it was ordered by. */
export function checkChargeIds({ attempts, charges, chargesAtProvider }: FinalState): Violation[] {
  const shown = new Map(charges.map(({ uuid, txid }) => [uuid, txid]))
  // A provider whose API takes no id of ours may have made several charges of one order.
  const theirs = Map.groupBy(
    chargesAtProvider,
    ({ providerAccount, reference }) => `${providerAccount} ${reference}`,
  )
  return attempts
    .filter(({ operation, state }) => operation === 'issue' && state === 'accepted')
    .flatMap(({ uuid, subject, providerAccount, reference }) => {
      const txids = theirs.get(`${providerAccount} ${reference}`)?.map(({ txid }) => txid)
      const where = `attempt ${uuid}`
      const ours = shown.get(subject)
      // An open amount is a static code of ours, which its provider does not know.
      if (isUuid(subject) && ours === staticTxidOf(subject)) return []
      if (!txids)
        return [{ rule: 'charge_not_at_provider', where, detail: `${providerAccount} has no ${reference}` }]
      return txids.some(txid => txid === ours)
        ? []
        : [{ rule: 'txid_not_of_provider', where, detail: `shown ${ours}, ${providerAccount} has ${txids}` }]
    })
}
