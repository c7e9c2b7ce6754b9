import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import {
  createDynamicPix,
  createRecurrencePix,
  createStaticPix,
  hasError,
  PixElementType,
  parsePix,
} from 'pix-utils'
import { type BrCodeFault, parseBrCode } from '../../../src/domain/pix/br-code.ts'
import { computeCrc16 } from '../../../src/domain/pix/static-br-code.ts'

/** Reading the text of a PIX code. The published codes and `pix-utils` judge it. */

const vectors = JSON.parse(readFileSync(new URL('../support/vectors.json', import.meta.url), 'utf8'))
const VALID: { v: string; kind: string }[] = vectors.brcode_valid

test.each(VALID.map(({ v, kind }) => [kind, v]))('the published code "%s" is read', (kind, payload) => {
  const code = parseBrCode(payload)
  expect(code.kind).toBe(
    kind.startsWith('composite')
      ? 'composite'
      : kind === 'recurrence only'
        ? 'recurrence'
        : kind.split(/[ ,]/)[0],
  )
  const isAlike =
    code.kind !== 'invalid' &&
    payload.includes(`59${String(code.receiverName.length).padStart(2, '0')}${code.receiverName}`)
  expect(isAlike).toBe(true)
})

const EXAMPLE_HOST = 'pix.example.com/qr/v2'

test.each([
  ['A441', 'cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7', 'rec/3ffa640fa4f14080adccb949fa2dc0d0'],
  ['62C9', null, 'rec/2353c790eefb11eaadc10242ac120002'],
  ['7741', '8b3da2f39a4140d1a91abd93113bd441', 'rec/94ed2badcbc04c15b0bb7fa353194890'],
])("the Central Bank's composite code %s names its locations", (crc, charge, recurrence) => {
  const payload = VALID.find(({ v }) => v.endsWith(crc))!.v
  expect(parseBrCode(payload)).toEqual({
    kind: charge === null ? 'recurrence' : 'composite',
    receiverName: 'Fulano de Tal',
    receiverCity: 'BRASILIA',
    txid: null,
    ...(charge !== null && { paymentLocation: `${EXAMPLE_HOST}/${charge}` }),
    recurrenceLocation: `${EXAMPLE_HOST}/${recurrence}`,
  })
})

const INVALID: { v: string; why: string }[] = vectors.brcode_invalid

test.each(INVALID.map(({ v, why }) => [why, v]))('a published broken code is refused: %s', (_, payload) => {
  expect(parseBrCode(payload).kind).toBe('invalid')
})

/** A code of fields as they are, with the right CRC. */
const seal = (fields: string) => `${fields}6304${computeCrc16(`${fields}6304`)}`
const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, '0')}${value}`
const account = (...fields: string[]) => field('26', field('00', 'br.gov.bcb.pix') + fields.join(''))
const KEY = field('01', 'ana@example.com')
const LOCATION = field('25', `${EXAMPLE_HOST}/abc`)
const fill = (parts: Record<string, string> = {}) => {
  const {
    version = '000201',
    pix = account(KEY),
    currency = '5303986',
    amount = '',
    country = '5802BR',
  } = parts
  const { name = '5903Ana', txid = '62070503***', rest = '' } = parts
  return `${version}${pix}52040000${currency}${amount}${country}${name}6008BRASILIA${txid}${rest}`
}

test.each<[string, BrCodeFault, string]>([
  ['a digit of another code', 'crc', seal(fill()).replace('Ana', 'Eva')],
  ['nothing', 'length', ' '],
  ['more than 512 characters', 'length', seal(fill({ rest: field('64', 'x'.repeat(99)).repeat(5) }))],
  ['another alphabet', 'characters', seal(fill({ name: '5903Aña' }))],
  ['an end in the middle', 'fields', seal(fill()).slice(0, -6)],
  ['a repeated field', 'fields', seal(fill({ country: '5802BR5802BR' }))],
  ['no CRC at its end', 'frame', fill()],
  ['another version', 'frame', seal(fill({ version: '000202' }))],
  ['dollars', 'currency', seal(fill({ currency: '5303840' }))],
  ['another country', 'country', seal(fill({ country: '5802US' }))],
  ['an amount with a comma', 'amount', seal(fill({ amount: field('54', '10,00') }))],
  ['two PIX accounts', 'pix_account', seal(fill({ pix: account(KEY) + account(KEY).replace(/^26/, '27') }))],
  ['a key and a location', 'key_and_location', seal(fill({ pix: account(KEY, LOCATION) }))],
  ['neither key nor location', 'nothing_to_pay', seal(fill({ pix: account() }))],
  [
    'a location with its scheme',
    'location',
    seal(fill({ pix: account(field('25', 'https://a.example/x')) })),
  ],
  ['a location of a user', 'location', seal(fill({ pix: account(field('25', 'me@a.example/x')) }))],
  ['a txid with a blank', 'txid', seal(fill({ txid: field('62', field('05', 'A B')) }))],
])('a code with %s is refused as %s', (_, fault, payload) => {
  expect(parseBrCode(payload)).toEqual({ kind: 'invalid', fault })
})

/** Always the same numbers: those of a hash. */
const hashOf = (index: number) => createHash('sha256').update(`code ${index}`).digest()

/** Codes that `pix-utils` writes: static ones, with and without a value, dynamic ones, and recurrences. */
function listPublishedCodes(): string[] {
  return Array.from({ length: 1_000 }, (_, index) => {
    const hash = hashOf(index)
    const merchant = { merchantName: `Loja ${hash.readUInt16BE(0)}`, merchantCity: 'BRASILIA' }
    const url = `pix.example.com/qr/v2/${hash.toString('hex').slice(0, 32)}`
    const transactionAmount = hash.readUInt32BE(2) / 100
    const txid = hash.toString('hex').slice(0, 1 + (hash[6]! % 25))
    const pixKey = `ana.${hash.readUInt16BE(7)}@example.com`
    const pix = [
      () => createStaticPix({ ...merchant, pixKey, transactionAmount, txid, infoAdicional: 'Mesa' }),
      () => createStaticPix({ ...merchant, pixKey, transactionAmount: 0 }),
      () => createDynamicPix({ ...merchant, url }),
      () => createRecurrencePix({ ...merchant, urlRec: `pix.example.com/rec/${txid}` }),
    ][index % 4]!()
    if (hasError(pix)) throw new Error(JSON.stringify(pix))
    return pix.toBRCode()
  })
}

type PublishedCode = ReturnType<typeof parsePix>

/** What this code reads of a code, and what `pix-utils` reads, under the same names. */
function listReadTexts(code: Exclude<ReturnType<typeof parseBrCode>, { kind: 'invalid' }>) {
  const { receiverName: name, receiverCity: city } = code
  if (code.kind === 'static')
    return { name, city, key: code.key, cents: code.cents ?? 0, txid: code.txid ?? '***' }
  return code.kind === 'dynamic'
    ? { name, city, location: code.paymentLocation }
    : { name, city, recurrence: code.kind === 'recurrence' && code.recurrenceLocation }
}
function listPublishedTexts(code: PublishedCode) {
  if (hasError(code) || code.type === PixElementType.INVALID) throw new Error(JSON.stringify(code))
  const { merchantName: name, merchantCity: city } = code
  if (code.type === PixElementType.STATIC)
    return {
      name,
      city,
      key: code.pixKey,
      cents: Math.round((code.transactionAmount || 0) * 100),
      txid: code.txid,
    }
  return code.type === PixElementType.DYNAMIC
    ? { name, city, location: code.url }
    : { name, city, recurrence: code.urlRec }
}

test('a thousand codes of pix-utils are read as it reads them', () => {
  for (const payload of listPublishedCodes()) {
    const theirs = parsePix(payload)
    const ours = parseBrCode(payload)
    if (hasError(theirs) || ours.kind === 'invalid')
      throw new Error(`${payload} ${JSON.stringify([theirs, ours])}`)
    expect(listReadTexts(ours)).toEqual(listPublishedTexts(theirs))
  }
})

test('of 100,000 random and changed texts none throws, and none with a wrong CRC is accepted', () => {
  const codes = VALID.map(({ v }) => v)
  const outcomes = { accepted: 0, refused: 0 }
  let state = 20_261_129
  const random = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % count
  }
  for (let index = 0; index < 100_000; index++) {
    let text = codes[random(codes.length)]!
    for (let change = random(4); change >= 0; change--) {
      const at = random(text.length + 1)
      const inserted = String.fromCodePoint([32 + random(95), 48 + random(10), random(0x2000)][random(3)]!)
      text = text.slice(0, at) + (random(4) === 0 ? '' : inserted) + text.slice(at + random(3))
    }
    // Half of the changed codes get the CRC of their changed text, so that what comes after it is met.
    if (random(2) === 0) text = seal(text.slice(0, -8))
    const code = parseBrCode(text)
    outcomes[code.kind === 'invalid' ? 'refused' : 'accepted'] += 1
    const payload = text.trim()
    if (code.kind !== 'invalid' && computeCrc16(payload.slice(0, -4)) !== payload.slice(-4).toUpperCase())
      throw new Error(`accepted with a wrong CRC: ${text}`)
  }
  expect(outcomes.accepted).toBeGreaterThan(1_000)
  expect(outcomes.refused).toBeGreaterThan(50_000)
})
