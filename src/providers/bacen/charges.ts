import type { IssuedCharge } from '../../domain/providers/provider.ts'
import { encodePath } from '../http/client.ts'
import type { ChargeCalls, ChargeKind } from '../port.ts'
import { createChargeKindCalls } from './charge-calls.ts'
import type { ShownCharge } from './charge-kind.ts'
import type { BacenClient } from './client.ts'
import type { BacenDebitCalls } from './debits.ts'
import { DUE_CHARGES, reviseDueCharge } from './due-charges.ts'
import { IMMEDIATE_CHARGES } from './immediate-charges.ts'
import { bacenLocationCodeSchema } from './schemas.ts'

/** Creates the calls about charges, of each by its kind. `debits`: absent where the bank has none. */
export function createBacenCharges(
  client: BacenClient,
  now: () => number,
  debits?: BacenDebitCalls,
): ChargeCalls {
  const complete = (issued: { charge: IssuedCharge; shown: ShownCharge }) => addPayload(client, issued)
  const immediate = createChargeKindCalls(client, now, IMMEDIATE_CHARGES, complete)
  const due = createChargeKindCalls(client, now, DUE_CHARGES, complete)
  const choose = ({ isDue, isDebit }: ChargeKind = { isDue: false }) => {
    if (isDebit) return requireDebits(debits)
    return isDue ? due : immediate
  }
  return {
    issueCharge: order =>
      choose({ isDue: Boolean(order.due), isDebit: Boolean(order.debit) }).issueCharge(order),
    findCharge: (reference, kind) => choose(kind).findCharge(reference),
    cancelCharge: (reference, kind) => choose(kind).cancelCharge(reference),
    async reviseCharge({ retryOn, ...revision }) {
      if (retryOn !== undefined) return requireDebits(debits).retryDebit(revision.reference, retryOn)
      const outcome = await reviseDueCharge(client, revision)
      if (outcome.kind !== 'revised') return outcome
      const issued = await addPayload(client, outcome)
      return issued.kind === 'accepted'
        ? { kind: 'revised', charge: issued.charge }
        : { ...issued, kind: 'no_answer' }
    },
  }
}

/** The candidates of a recurrence are those with Pix Automático (`ProviderCapabilities.journeys`). */
function requireDebits(debits: BacenDebitCalls | undefined): BacenDebitCalls {
  if (!debits) throw new Error('the provider API has no debits')
  return debits
}

/** Adds the payload of an issued charge, read from its location if the charge has none. */
async function addPayload(
  client: BacenClient,
  { charge, shown }: { charge: IssuedCharge; shown: Pick<ShownCharge, 'txid' | 'loc'> },
) {
  if (charge.payload) return { kind: 'accepted', charge } as const
  if (!shown.loc || !client.hasLocationCodes) return payloadMissing
  const path = client.basePath + encodePath`/loc/${String(shown.loc.id)}/qrcode`
  const call = { call: 'findPayload', reference: shown.txid, path } as const
  const code = await client.lookUpExisting(call, bacenLocationCodeSchema, ({ qrcode }) => ({ qrcode }))
  if (code.kind === 'no_answer') return { ...payloadMissing, message: code.message }
  return { kind: 'accepted', charge: { ...charge, payload: code.qrcode } } as const
}

/** The charge exists and may be payable, but its code is unknown. */
const payloadMissing = {
  kind: 'unknown',
  code: 'payload_missing',
  message: 'The provider issued the charge without its payload',
} as const
