import { textFromCents } from '../../amount.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'

/** The settled PIX of a receipt. */
type ReceiptSubject = { endToEnd: string; cents: number; at: string }

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
      body: writePdf(`${subject.endToEnd} R$ ${textFromCents(subject.cents)} ${subject.at}`),
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

/** Writes a PDF of one page with one line. */
function writePdf(line: string): Buffer {
  const content = `BT /F1 10 Tf 40 780 Td (${line}) Tj ET`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Courier>>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj${object}endobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(
    `${text}${table}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  )
}
