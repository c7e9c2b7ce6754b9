import { centsFromText } from '../ledger/money.ts'
import { computeCrc16 } from './static-br-code.ts'

/**
 * Reads the text of a PIX code as strictly as a payer's bank (Banco Central, Manual do BR Code; Manual de Padrões para Iniciação do
 * Pix; EMV QRCPS merchant-presented mode): the frame of its fields, its CRC, and what it asks to be paid.
 */

/** What is wrong with a code. */
export type BrCodeFault =
  | 'length'
  | 'characters'
  | 'fields'
  | 'frame'
  | 'crc'
  | 'currency'
  | 'country'
  | 'amount'
  | 'receiver_name'
  | 'pix_account'
  | 'key_and_location'
  | 'nothing_to_pay'
  | 'location'
  | 'txid'

/** Texts of a code that every kind has. `txid` null: the code has none (`***`). */
type BrCodeTexts = { receiverName: string; receiverCity: string; txid: string | null }

/**
 * A code by what it pays. `static`: a key, `cents` null where the payer chooses. The others name locations without their scheme, at
 * which the receiver's bank shows a charge (`paymentLocation`), a recurrence (`recurrenceLocation`), or both.
 */
export type BrCode =
  | (BrCodeTexts & { kind: 'static'; key: string; cents: number | null })
  | (BrCodeTexts & { kind: 'dynamic'; paymentLocation: string })
  | (BrCodeTexts & { kind: 'recurrence'; recurrenceLocation: string })
  | (BrCodeTexts & { kind: 'composite'; paymentLocation: string; recurrenceLocation: string })

const GUI = 'br.gov.bcb.pix'
/** EMV QRCPS §4.2: the payload should not exceed 512 characters. */
const MAX_PAYLOAD_LENGTH = 512
/** A location has at most 77 characters (pix-api, `location`). */
const LOCATION = /^(?=.{1,77}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?\/[\w.~!$&'()*+,;=:@%/-]+$/i
const PLAIN_FIELDS: [id: string, pattern: RegExp, fault: BrCodeFault][] = [
  ['00', /^01$/, 'frame'],
  ['01', /^(?:1[12])?$/, 'frame'],
  ['52', /^\d{4}$/, 'fields'],
  ['53', /^986$/, 'currency'],
  ['54', /^(?:\d{1,10}(?:\.\d{0,2})?)?$/, 'amount'],
  ['58', /^BR$/, 'country'],
  ['59', /^.{1,25}$/, 'receiver_name'],
  ['60', /^.{1,15}$/, 'receiver_name'],
]

/** Parses a code; blanks around it do not count. Throws for no text. */
export function parseBrCode(text: string): BrCode | { kind: 'invalid'; fault: BrCodeFault } {
  const payload = text.trim()
  if (payload.length === 0 || payload.length > MAX_PAYLOAD_LENGTH) return refuseCode('length')
  if (!/^[ -~]+$/.test(payload)) return refuseCode('characters')
  const fields = parseFields(payload)
  if (!fields) return refuseCode('fields')
  const ids = [...fields.keys()]
  if (ids.at(0) !== '00' || ids.at(-1) !== '63') return refuseCode('frame')
  if (fields.get('63')!.toUpperCase() !== computeCrc16(payload.slice(0, -4))) return refuseCode('crc')
  const malformed = PLAIN_FIELDS.find(([id, pattern]) => !pattern.test(fields.get(id) ?? ''))
  if (malformed) return refuseCode(malformed[2])

  const additional = parseFields(fields.get('62') ?? '')
  const txid = additional?.get('05') ?? '***'
  if (!additional || !/^(?:[a-zA-Z0-9]{1,25}|\*\*\*)$/.test(txid)) return refuseCode('txid')
  return readTarget(fields, {
    receiverName: fields.get('59')!,
    receiverCity: fields.get('60')!,
    txid: txid === '***' ? null : txid,
  })
}

/** Reads what a code pays out of its templates: one PIX account in 26 to 51, at most one recurrence in 80 to 99. */
function readTarget(fields: Map<string, string>, texts: BrCodeTexts): ReturnType<typeof parseBrCode> {
  const accounts = findPixTemplates(fields, ['26', '51'])
  const recurrences = findPixTemplates(fields, ['80', '99'])
  const [account] = accounts ?? []
  if (!account || accounts!.length > 1 || !recurrences || recurrences.length > 1)
    return refuseCode('pix_account')
  const key = account.get('01')
  const paymentLocation = account.get('25')
  const recurrenceLocation = recurrences[0]?.get('25')
  if (key !== undefined && paymentLocation !== undefined) return refuseCode('key_and_location')
  for (const location of [paymentLocation, recurrenceLocation])
    if (location !== undefined && !LOCATION.test(location)) return refuseCode('location')
  if (key !== undefined) {
    const amount = fields.get('54')
    const cents = amount === undefined ? null : centsFromAmount(amount)
    // A key with a recurrence is published nowhere: what it would pay is unknown.
    if (recurrenceLocation !== undefined) return refuseCode('key_and_location')
    return { ...texts, kind: 'static', key, cents: cents || null }
  }
  if (paymentLocation !== undefined)
    return recurrenceLocation === undefined
      ? { ...texts, kind: 'dynamic', paymentLocation }
      : { ...texts, kind: 'composite', paymentLocation, recurrenceLocation }
  return recurrenceLocation === undefined
    ? refuseCode('nothing_to_pay')
    : { ...texts, kind: 'recurrence', recurrenceLocation }
}

/** EMV lets `10`, `10.` and `10.5` be. */
function centsFromAmount(amount: string): number | null {
  const [reais = '', decimals = ''] = amount.split('.')
  return centsFromText(`${Number(reais)}.${decimals.padEnd(2, '0')}`)
}

/** Finds the templates of PIX in a range of fields by their GUI, which has no case; null where one cannot be read. */
function findPixTemplates(fields: Map<string, string>, [first, last]: [string, string]) {
  const templates: Map<string, string>[] = []
  for (const [id, value] of fields) {
    if (id < first || id > last) continue
    const template = parseFields(value)
    if (!template) return null
    if (template.get('00')?.toLowerCase() === GUI) templates.push(template)
  }
  return templates
}

/** Parses the fields of a text by their ids; null where one is empty, repeated, or longer than what is left. */
function parseFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>()
  for (let position = 0; position < text.length; ) {
    const [, id, length] = /^(\d\d)(\d\d)/.exec(text.slice(position, position + 4)) ?? []
    const start = position + 4
    const end = start + Number(length)
    if (id === undefined || fields.has(id) || end === start || end > text.length) return null
    fields.set(id, text.slice(start, end))
    position = end
  }
  return fields
}

function refuseCode(fault: BrCodeFault) {
  return { kind: 'invalid', fault } as const
}
