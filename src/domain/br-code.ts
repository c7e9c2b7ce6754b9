import { centsFromReais, MOST_CENTS, textFromCents } from './money.ts'
import { pixKeyType } from './pix-key.ts'
import { field, fieldsOf } from './tlv.ts'

/** Who collects, as the payer's bank shows it: folded to ASCII, cut to 25 and 15 characters. */
type Merchant = { merchantName: string; merchantCity: string }

/** `url` is where the payer's bank reads the charge, without a scheme; `totalCents` 0 is an open amount. */
export type DynamicCode = Merchant & { url: string; totalCents: number }

/** A code that can be paid again and again, straight to `key`; `description` is cut to the room left. */
export type StaticCode = Merchant & { key: string; cents?: number; txid?: string; description?: string }

type ValidPayload = Merchant & {
  kind: 'valid'
  /** Of a dynamic code. Both `url` and `key` are null where the code only asks for a recurrence. */
  url: string | null
  key: string | null
  /** null where the code leaves the amount open. Of a dynamic code what `url` answers rules. */
  totalCents: number | null
  /** `***` where the code names none. */
  txid: string
}
export type ReadPayload = ValidPayload | { kind: 'invalid'; why: string }

const GUI = 'br.gov.bcb.pix'
const NO_TXID = '***'
const TXID = /^(?:[a-zA-Z0-9]{1,25}|\*\*\*)$/
const LOCATION = /^[a-z0-9.-]+(?::\d{1,5})?\/[!-~]+$/i
const LONGEST_TEMPLATE = 99

/**
 * The BR Code of one charge (Manual do BR Code; Manual de Padrões para Iniciação do Pix): point of initiation 12,
 * txid always `***`. Throws RangeError for a location with a scheme or over 77, an amount that is no whole
 * number of centavos, or a name or city of which no ASCII is left.
 */
export function dynamicPayload(code: DynamicCode): string {
  if (!isLocation(code.url)) throw new RangeError(`not a scheme-less location of up to 77: ${code.url}`)
  const account = field('00', GUI) + field('25', code.url)
  return payload({ ...code, initiation: field('01', '12'), account, txid: NO_TXID })
}

/** The BR Code of a key, without a point of initiation as in the manual's example. Throws RangeError likewise. */
export function staticPayload(code: StaticCode): string {
  const { key, cents = 0, txid = NO_TXID } = code
  if (pixKeyType(key) === null) throw new RangeError('not a PIX key')
  if (!TXID.test(txid)) throw new RangeError(`not a txid of a static code: ${txid}`)
  const account = field('00', GUI) + field('01', key)
  const description = cut(code.description ?? '', Math.max(0, LONGEST_TEMPLATE - account.length - 4))
  const described = description && field('02', description)
  return payload({ ...code, totalCents: cents, initiation: '', account: account + described, txid })
}

/** Reads a payload as strictly as a payer's bank should: every length, the fields the manual demands, the CRC. */
export function readPayload(text: string): ReadPayload {
  const fields = framedFields(text)
  if (typeof fields === 'string') return invalid(fields)
  const malformed = FORMS.find(([id, form]) => !form.test(fields.get(id) ?? ''))
  if (malformed) return invalid(`field ${malformed[0]} is missing or malformed`)

  const accounts = pixTemplates(fields, { first: '26', last: '51' })
  const recurrences = pixTemplates(fields, { first: '80', last: '99' })
  if (accounts?.length !== 1 || !recurrences) return invalid('not one PIX account in 26 to 51')
  const url = accounts[0]?.get('25') ?? null
  const key = accounts[0]?.get('01') ?? null
  if (url !== null && key !== null) return invalid('both a key and a location')
  if (url !== null && !isLocation(url)) return invalid('its location is not a scheme-less one')
  if (url === null && key === null && !recurrences.some(r => r.has('25'))) return invalid('nothing to pay')

  const [amount, merchantName = '', merchantCity = ''] = ['54', '59', '60'].map(id => fields.get(id))
  const totalCents = centsFromReais(Number(amount ?? 0)) || null
  const txid = fieldsOf(fields.get('62') ?? '')?.get('05') ?? ''
  if (!TXID.test(txid)) return invalid('its txid is missing or malformed')
  return { kind: 'valid', url, key, totalCents, txid, merchantName, merchantCity }
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
const FORMS: [id: string, form: RegExp][] = [
  ['00', /^01$/],
  ['01', /^(?:1[12])?$/],
  ['52', /^\d{4}$/],
  ['53', /^986$/],
  ['54', /^(?:\d{1,10}(?:\.\d{0,2})?)?$/],
  ['58', /^BR$/],
  ['59', /^.{1,25}$/],
  ['60', /^.{1,15}$/],
]

type Parts = Merchant & { initiation: string; account: string; totalCents: number; txid: string }

function payload({ initiation, account, totalCents, txid, merchantName, merchantCity }: Parts): string {
  const open =
    field('00', '01') + initiation + field('26', account) + field('52', '0000') + field('53', '986')
  const merchant = field('59', cut(merchantName, 25)) + field('60', cut(merchantCity, 15))
  const text = `${open}${amount(totalCents)}${field('58', 'BR')}${merchant}${field('62', field('05', txid))}6304`
  return text + crc16(text)
}

/** Left out where it is open. Field 54 holds 13 characters: the largest amount the service takes, exactly. */
function amount(cents: number): string {
  if (!Number.isInteger(cents) || cents < 0 || cents > MOST_CENTS) throw new RangeError(`no amount: ${cents}`)
  return cents === 0 ? '' : field('54', textFromCents(cents))
}

/** The fields of a text whose frame holds (EMV: up to 512, ASCII, 00 first, the CRC last), or why it does not. */
function framedFields(text: string): Map<string, string> | string {
  if (text.length > 512) return 'longer than any payload'
  if (!/^[ -~]*$/.test(text)) return 'not printable ASCII'
  const fields = fieldsOf(text)
  if (!fields) return 'its fields do not add up'
  const ids = [...fields.keys()]
  if (ids.at(0) !== '00' || ids.at(-1) !== '63') return 'not from field 00 to field 63'
  return fields.get('63') === crc16(text.slice(0, -4)) ? fields : 'wrong CRC'
}

/** Folded to ASCII (`São` is `Sao`), runs of blanks to one, then cut. */
function cut(text: string, length: number): string {
  const ascii = text.normalize('NFKD').replace(/[^\s!-~]/g, '')
  return ascii.replace(/\s+/g, ' ').trim().slice(0, length).trimEnd()
}

function isLocation(url: string): boolean {
  return url.length <= 77 && LOCATION.test(url)
}

/** The templates of that range that speak PIX, or null where one cannot be read; their GUI has no case. */
function pixTemplates(fields: Map<string, string>, { first, last }: { first: string; last: string }) {
  const inRange = [...fields].filter(([id]) => id >= first && id <= last)
  const templates = inRange.map(([, value]) => fieldsOf(value))
  if (templates.includes(null)) return null
  return templates.filter(template => template !== null).filter(t => t.get('00')?.toLowerCase() === GUI)
}

function invalid(why: string): ReadPayload {
  return { kind: 'invalid', why }
}
