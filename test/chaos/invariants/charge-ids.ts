import { isUuid } from '../../../src/domain/pix/identifiers.ts'
import { staticTxidOf } from '../../../src/domain/qr-codes/qr-code.ts'
import type { FinalState, Violation } from '../final-state.ts'

/** A charge is shown under the txid of its provider, whatever id it was ordered by. */
export function checkChargeIds({ attempts, charges, chargesAtProvider }: FinalState): Violation[] {
  const shown = new Map(charges.map(({ uuid, txid }) => [uuid, txid]))
  const theirs = new Map(
    chargesAtProvider.map(({ providerAccount, reference, txid }) => [
      `${providerAccount} ${reference}`,
      txid,
    ]),
  )
  return attempts
    .filter(({ operation, state }) => operation === 'issue' && state === 'accepted')
    .flatMap(({ uuid, subject, providerAccount, reference }) => {
      const txid = theirs.get(`${providerAccount} ${reference}`)
      const where = `attempt ${uuid}`
      const ours = shown.get(subject)
      // An open amount is a static code of ours, which its provider does not know.
      if (isUuid(subject) && ours === staticTxidOf(subject)) return []
      if (txid === undefined)
        return [{ rule: 'charge_not_at_provider', where, detail: `${providerAccount} has no ${reference}` }]
      return ours === txid
        ? []
        : [{ rule: 'txid_not_of_provider', where, detail: `shown ${ours}, ${providerAccount} has ${txid}` }]
    })
}
