import { generatePixPayload } from '@brazilian-utils/brazilian-utils/generate-pix-payload'
import { centsFromReais, MAX_CENTS, textFromCents } from './amount.ts'
import { detectKeyKind } from './pix-key.ts'

/**
 * BR Codes, in EMV's id, length and value (EMV QRCPS, merchant-presented mode, §3). @brazilian-utils writes the static ones. The rest is
 * ours: it writes no amount into a dynamic code and reads none from it, reads no code of a recurrence, and takes
 * codes that a payer's bank refuses (a field that is empty, repeated or too long, no txid).
 */

/** Who collects, as the payer's bank shows it: folded to ASCII, cut to 25 and 15 characters. */
type Merchant = { merchantName: string; merchantCity: string }

/**
 * `url` is where the payer's bank reads the charge, without a scheme, null where there is none; `totalCents` 0 is an open amount.
 * `recurrenceUrl`: where it reads the recurrence of a composite code.
 */
export type DynamicBrCode = Merchant & { url: string | null; totalCents: number; recurrenceUrl?: string }

/** A code that can be paid again and again, straight to `key`; `description` is cut to the room left. */
export type StaticBrCode = Merchant & { key: string; cents?: number; txid?: string; description?: string }

type ValidPayload = Merchant & {
  kind: 'valid'
  /** Of a dynamic code. Both `url` and `key` are null where the code only asks for a recurrence. */
  url: string | null
  key: string | null
  /** Where a code that asks for a recurrence has it; null of any other. */
  recurrenceUrl: string | null
  /** null where the code leaves the amount open. Of a dynamic code what `url` answers rules. */
  totalCents: number | null
  /** `***` where the code names none. */
  txid: string
}
export type ParsedBrCode = ValidPayload | { kind: 'invalid'; reason: string }

const GUI = 'br.gov.bcb.pix'
const TXID = /^(?:[a-zA-Z0-9]{1,25}|\*\*\*)$/
const LOCATION = /^[a-z0-9.-]+(?::\d{1,5})?\/[!-~]+$/i

/**
 * The BR Code of one charge (Manual do BR Code; Manual de Padrões para Iniciação do Pix): point of initiation 12,
 * txid always `***`. Throws RangeError for a location with a scheme or over 77, an amount that is no whole
 * number of centavos, or a name or city of which no ASCII is left.
 */
export function buildDynamicBrCode({
  url,
  totalCents,
  merchantName,
  merchantCity,
  recurrenceUrl,
}: DynamicBrCode): string {
  for (const location of [url, recurrenceUrl ?? null]) {
    if (location !== null && !isLocation(location))
      throw new RangeError(`not a scheme-less location of up to 77: ${location}`)
  }
  if (url === null && recurrenceUrl === undefined) throw new RangeError('nothing to pay')
  const text = [
    encodeTlvField('00', '01'),
    url === null ? '' : encodeTlvField('01', '12'),
    encodeTlvField('26', encodeTlvField('00', GUI) + (url === null ? '' : encodeTlvField('25', url))),
    encodeTlvField('52', '0000'),
    encodeTlvField('53', '986'),
    buildAmountField(totalCents),
    encodeTlvField('58', 'BR'),
    encodeTlvField('59', foldAndTruncate(merchantName, 25)),
    encodeTlvField('60', foldAndTruncate(merchantCity, 15)),
    encodeTlvField('62', encodeTlvField('05', '***')),
    recurrenceUrl === undefined
      ? ''
      : encodeTlvField('80', encodeTlvField('00', GUI) + encodeTlvField('25', recurrenceUrl)),
    '6304',
  ].join('')
  return text + crc16(text)
}

/** The BR Code of a key, without a point of initiation as in the manual's example. Throws RangeError likewise. */
export function buildStaticBrCode({ cents = 0, ...code }: StaticBrCode): string {
  const amount = cents === 0 ? {} : { amount: cents / 100 }
  const payload = detectKeyKind(code.key) && generatePixPayload({ ...code, ...amount })
  if (payload === null) throw new RangeError('not a static code that can be paid')
  return payload
}

/** Reads a payload as strictly as a payer's bank should: every length, the fields the manual demands, the CRC. */
export function parseBrCode(text: string): ParsedBrCode {
  const fields = parseFramedFields(text)
  if (typeof fields === 'string') return rejectPayload(fields)
  const malformed = FIELD_PATTERNS.find(([id, form]) => !form.test(fields.get(id) ?? ''))
  if (malformed) return rejectPayload(`field ${malformed[0]} is missing or malformed`)

  const accounts = findPixTemplates(fields, { first: '26', last: '51' })
  const recurrences = findPixTemplates(fields, { first: '80', last: '99' })
  if (accounts?.length !== 1 || !recurrences) return rejectPayload('not one PIX account in 26 to 51')
  const url = accounts[0]?.get('25') ?? null
  const key = accounts[0]?.get('01') ?? null
  if (url !== null && key !== null) return rejectPayload('both a key and a location')
  if (url !== null && !isLocation(url)) return rejectPayload('its location is not a scheme-less one')
  if (url === null && key === null && !recurrences.some(r => r.has('25')))
    return rejectPayload('nothing to pay')

  const [amount, merchantName = '', merchantCity = ''] = ['54', '59', '60'].map(id => fields.get(id))
  const totalCents = centsFromReais(Number(amount ?? 0)) || null
  const txid = parseTlvFields(fields.get('62') ?? '')?.get('05') ?? ''
  if (!TXID.test(txid)) return rejectPayload('its txid is missing or malformed')
  const recurrenceUrl = recurrences.find(template => template.has('25'))?.get('25') ?? null
  return { kind: 'valid', url, key, recurrenceUrl, totalCents, txid, merchantName, merchantCity }
}

/** CRC-16/CCITT-FALSE of an ASCII text (0x1021 from 0xFFFF, not reflected), four upper-case hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i) << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

/** The plain fields; the empty text is an absent one, since no field may be empty. EMV lets `10`, `10.` and `10.5` be. */
const FIELD_PATTERNS: [id: string, form: RegExp][] = [
  ['00', /^01$/],
  ['01', /^(?:1[12])?$/],
  ['52', /^\d{4}$/],
  ['53', /^986$/],
  ['54', /^(?:\d{1,10}(?:\.\d{0,2})?)?$/],
  ['58', /^BR$/],
  ['59', /^.{1,25}$/],
  ['60', /^.{1,15}$/],
]

/** Left out where it is open. Field 54 holds 13 characters: the largest amount the service takes, exactly. */
function buildAmountField(cents: number): string {
  if (!Number.isInteger(cents) || cents < 0 || cents > MAX_CENTS) throw new RangeError(`no amount: ${cents}`)
  return cents === 0 ? '' : encodeTlvField('54', textFromCents(cents))
}

/** The fields of a text whose frame holds (EMV: up to 512, ASCII, 00 first, the CRC last), or why it does not. */
function parseFramedFields(text: string): Map<string, string> | string {
  if (text.length > 512) return 'longer than any payload'
  if (!/^[ -~]*$/.test(text)) return 'not printable ASCII'
  const fields = parseTlvFields(text)
  if (!fields) return 'its fields do not add up'
  const ids = [...fields.keys()]
  if (ids.at(0) !== '00' || ids.at(-1) !== '63') return 'not from field 00 to field 63'
  return fields.get('63') === crc16(text.slice(0, -4)) ? fields : 'wrong CRC'
}

/** Folded to ASCII (São is Sao), runs of blanks to one, then cut. */
function foldAndTruncate(text: string, length: number): string {
  const ascii = text.normalize('NFKD').replace(/[^\s!-~]/g, '')
  return ascii.replace(/\s+/g, ' ').trim().slice(0, length).trimEnd()
}

function isLocation(url: string): boolean {
  return url.length <= 77 && LOCATION.test(url)
}

/** The templates of that range that speak PIX, or null where one cannot be read; their GUI has no case. */
function findPixTemplates(fields: Map<string, string>, { first, last }: { first: string; last: string }) {
  const inRange = [...fields].filter(([id]) => id >= first && id <= last)
  const templates = inRange.map(([, value]) => parseTlvFields(value))
  if (templates.includes(null)) return null
  return templates.filter(template => template !== null).filter(t => t.get('00')?.toLowerCase() === GUI)
}

function rejectPayload(why: string): ParsedBrCode {
  return { kind: 'invalid', reason: why }
}

/** One field: two digits of id, two of length, the value. Throws RangeError for a value not of 1 to 99 characters. */
function encodeTlvField(id: string, value: string): string {
  if (value.length < 1 || value.length > 99)
    throw new RangeError(`field ${id} cannot hold ${value.length} characters`)
  return id + String(value.length).padStart(2, '0') + value
}

/** The fields of a text by id, in their order; null where one is empty, repeated, or longer than what is left. */
function parseTlvFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const [, id, length] = /^(\d\d)(\d\d)$/.exec(text.slice(at, at + 4)) ?? []
    const start = at + 4
    const end = start + Number(length)
    if (id === undefined || fields.has(id) || end === start || end > text.length) return null
    fields.set(id, text.slice(start, end))
    at = end
  }
  return fields
}
