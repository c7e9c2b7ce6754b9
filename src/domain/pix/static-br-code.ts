import { textFromCents } from '../ledger/money.ts'

/**
 * The static BR Code: a payload that pays a PIX key directly, any number of times (Banco Central, Manual do BR Code; Manual de
 * Padrões para Iniciação do Pix; EMV QRCPS merchant-presented mode). Its fields are an id and a length of two digits each, then the
 * value. The simulator has a builder of its own, so that both are judged by the published examples.
 */

/** `cents` null: the payer chooses the value. Names are folded to ASCII and cut; the description must fit (`countDescriptionRoom`). */
export type StaticBrCodeFields = {
  key: string
  cents: number | null
  txid: string
  description?: string | null | undefined
  receiverName: string
}

const GUI = 'br.gov.bcb.pix'
/** A field's value has at most 99 characters, the template of the PIX account included. */
const MAX_FIELD_LENGTH = 99
const FIELD_HEAD_LENGTH = 4
const MAX_NAME_LENGTH = 25
/** Field 60 is required, and neither accounts nor provider accounts have a city: the manual's own examples name this one. */
const RECEIVER_CITY = 'BRASILIA'
/** Field 59 is required: what it says of a name without one letter of ASCII. */
const UNNAMED_RECEIVER = 'RECEBEDOR'

/** Builds the payload. Throws RangeError for a key, txid or description that has no room; the caller validates them first. */
export function buildStaticBrCode({
  key,
  cents,
  txid,
  description,
  receiverName,
}: StaticBrCodeFields): string {
  const text = [
    encodeField('00', '01'),
    encodeField('26', buildAccountTemplate(key, description)),
    encodeField('52', '0000'),
    encodeField('53', '986'),
    cents === null ? '' : encodeField('54', textFromCents(cents)),
    encodeField('58', 'BR'),
    encodeField('59', foldToAscii(receiverName).slice(0, MAX_NAME_LENGTH).trimEnd() || UNNAMED_RECEIVER),
    encodeField('60', RECEIVER_CITY),
    encodeField('62', encodeField('05', txid)),
    '6304',
  ].join('')
  return text + computeCrc16(text)
}

function buildAccountTemplate(key: string, description: string | null | undefined): string {
  const account = encodeField('00', GUI) + encodeField('01', key)
  return description ? account + encodeField('02', foldToAscii(description)) : account
}

/** Computes how many bytes of a description fit beside a key. */
export function countDescriptionRoom(key: string): number {
  return MAX_FIELD_LENGTH - buildAccountTemplate(key, null).length - FIELD_HEAD_LENGTH
}

/** Counts the bytes that a description has in the payload, after it was folded to ASCII. */
export function countDescriptionBytes(description: string): number {
  return foldToAscii(description).length
}

/** Folds a text to printable ASCII, which payers' banks show alike: "São" becomes "Sao", and several blanks one. */
function foldToAscii(text: string): string {
  const ascii = text.normalize('NFKD').replaceAll(/[^\s!-~]/g, '')
  return ascii.replaceAll(/\s+/g, ' ').trim()
}

function encodeField(id: string, value: string): string {
  if (value.length < 1 || value.length > MAX_FIELD_LENGTH)
    throw new RangeError(`field ${id} cannot hold ${value.length} characters`)
  return `${id}${String(value.length).padStart(2, '0')}${value}`
}

/** Computes the CRC-16/CCITT-FALSE of an ASCII text (polynomial 0x1021 from 0xFFFF, not reflected) as four upper-case hex digits. */
export function computeCrc16(text: string): string {
  let crc = 0xffff
  for (const character of text) {
    crc ^= character.charCodeAt(0) << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
