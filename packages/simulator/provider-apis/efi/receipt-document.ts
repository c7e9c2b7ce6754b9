import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import { type ReceiptSubject, writeReceiptPdf } from '../../receipt-pdf.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'

/** Creates the handler of `GET /v2/gn/pix/comprovantes`, a PDF of a settled PIX by one id ("Obter comprovantes"). */
export function createEfiReceiptHandler(state: SimulatorState): (call: SimulatedCall) => SimulatedResponse {
  return ({ account, query }) => {
    const ids = ID_NAMES.flatMap(name => (query.has(name) ? [{ name, id: query.get(name)! }] : []))
    const [id, ...otherIds] = ids
    if (id === undefined || otherIds.length > 0) return errors.receiptQueryInvalid()
    const subject = findSubject(state, { accountId: account.id, ...id })
    if (!subject) return errors.receiptNotFound()
    return {
      status: 200,
      body: writeReceiptPdf(subject),
      headers: { 'content-type': 'application/pdf' },
    }
  }
}

/** Names of the parameter; the official SDK's type has `e2eid`, its example `e2eId`. */
const ID_NAMES = ['e2eid', 'e2eId', 'txid', 'idEnvio', 'rtrId'] as const
type ReceiptId = { accountId: string; name: (typeof ID_NAMES)[number]; id: string }

function findSubject(state: SimulatorState, { accountId, name, id }: ReceiptId): ReceiptSubject | undefined {
  const { rail, receipts, transfers } = state
  switch (name) {
    case 'e2eid':
    case 'e2eId':
      return receipts.findListed(accountId, id) ?? toSettled(accountId, transfers.findByEndToEnd(id))
    case 'txid':
      return receipts.listByTxid(accountId, id)[0]
    case 'idEnvio':
      return toSettled(accountId, transfers.find(accountId, id))
    case 'rtrId': {
      const movement = rail.listEntries(accountId).find(({ endToEnd }) => endToEnd === id)
      return movement && { ...movement, endToEnd: id }
    }
    default:
      return name satisfies never
  }
}

function toSettled(
  accountId: string,
  transfer: ReturnType<SimulatorState['transfers']['findByEndToEnd']>,
): ReceiptSubject | undefined {
  const { endToEnd, cents, settledAt = null } = transfer ?? {}
  if (transfer?.accountId !== accountId || settledAt === null) return undefined
  return { endToEnd: endToEnd!, cents: cents!, at: settledAt }
}
